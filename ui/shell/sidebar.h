// The column at the window's left: the pages, and below them the running and the most recent runs.
#pragma once

#include <QAbstractButton>
#include <QWidget>
#include <vector>

#include "storage/run_store.h"

class QLabel;
class QVBoxLayout;

namespace tidemark::ui {

// One entry: a name, and for runs a second line and a status dot. Paints itself from the palette.
class SidebarItem : public QAbstractButton {
  Q_OBJECT
 public:
  explicit SidebarItem(const QString& name, QWidget* parent = nullptr);
  void setName(const QString& name);
  QString name() const { return name_; }
  void setNote(const QString& note, const QColor& dot);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  QString name_, note_;
  QColor dot_;
  bool showsFocus_ = false;  // came here by the keyboard
};

class Sidebar : public QWidget {
  Q_OBJECT
 public:
  enum class Page { Runs, NewRun, Sweeps, Data, Compare };
  explicit Sidebar(QWidget* parent = nullptr);

  void setRuns(const std::vector<storage::RunRecord>& runs);
  void select(Page page);
  void selectRun(const QString& runId);
  QVBoxLayout* foot() const { return foot_; }

 signals:
  void pageChosen(tidemark::ui::Sidebar::Page page);
  void runChosen(const QString& runId);

 private:
  struct Section {
    QLabel* title;
    QVBoxLayout* layout;
    std::vector<SidebarItem*> items;
  };
  Section makeSection(const QString& title, QVBoxLayout* layout);
  void fill(Section& section, const std::vector<const storage::RunRecord*>& runs);
  void showSelection();

  SidebarItem* runsItem_;
  SidebarItem* newRunItem_;
  SidebarItem* sweepsItem_;
  SidebarItem* dataItem_;
  SidebarItem* compareItem_;
  Section running_, recent_;
  QVBoxLayout* foot_;
  QString selectedRun_;
  Page selectedPage_ = Page::Runs;
};

}  // namespace tidemark::ui
