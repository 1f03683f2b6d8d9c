// A line for a file or folder: typed, picked in a dialog, or dropped on it.
#pragma once

#include <QStringList>
#include <QWidget>
#include <functional>
#include <vector>

class QLineEdit;
class QMenu;
class QToolButton;

namespace tidemark::ui {

class PathEdit : public QWidget {
  Q_OBJECT
 public:
  enum class Accepts { File, Folder, FileOrFolder };
  PathEdit(Accepts accepts, const QString& filter, QWidget* parent = nullptr);

  QString text() const;
  void setText(const QString& text);
  QLineEdit* line() const { return line_; }
  // Paths to choose from without a dialog, asked for whenever the button's menu opens.
  struct Section {
    QString title;
    QStringList paths;
  };
  void setChoices(std::function<std::vector<Section>()> choices);

 signals:
  void textChanged(const QString& text);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void pick(Accepts accepts);
  void fillMenu();

  Accepts accepts_;
  QString filter_;
  std::function<std::vector<Section>()> choices_;
  QLineEdit* line_;
  QToolButton* browse_;
  QMenu* menu_ = nullptr;
};

}  // namespace tidemark::ui
