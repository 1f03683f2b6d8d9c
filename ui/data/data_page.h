// A dataset as a run with some model would train on it: its rows, their tokens and loss, their lengths, what is wrong with them.
// Not responsible for reading: that is the DataReader's.
#pragma once

#include <QWidget>

#include "core/run/config.h"
#include "ui/data/data_problem.h"
#include "ui/data/data_reader.h"
#include "ui/shell/theme.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTimer;

namespace tidemark::plots {
class LengthHistogram;
}

namespace tidemark::ui {

class Banner;
class DataFields;
class ProblemCard;
class RowCard;
class RowsCard;

class DataPage : public QWidget {
  Q_OBJECT
 public:
  explicit DataPage(QWidget* parent = nullptr);

  // Takes model and dataset keys from a configuration and reads the dataset.
  void open(const run::RunConfig& config);
  void stop();
  void setTheme(ColorScheme scheme);
  // Nothing more comes without another wish: the dataset is read as far as it will be, and the chosen row is shown.
  bool isSettled() const;
  Banner* banner() const { return banner_; }
  DataFields* fields() const { return fields_; }
  RowsCard* rows() const { return rows_; }
  RowCard* row() const { return row_; }
  ProblemCard* problems() const { return problems_; }
  plots::LengthHistogram* histogram() const { return histogram_; }
  const DataSummary& summary() const { return summary_; }

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  enum class State { Empty, Waiting, Reading, Complete, Stopped, Failed };
  QWidget* makeHeader();
  QWidget* makeContent();
  QWidget* makeEmptyState();
  void connectParts();
  void readSoon();
  void read();
  void takeStep(const ReadStep& step);
  void takeEnd(const ReadEnd& end);
  void takeFound(const FoundRows& found);
  void search(const QString& text);
  void lookAt(const RowFacts& row);
  void applyLimit();
  void showFigures();
  void setState(State state);

  DataReader reader_;
  QTimer* readTimer_;
  State state_ = State::Empty;
  quint64 generation_ = 0, lookRequest_ = 0, findRequest_ = 0;
  bool isLooking_ = false, isSearching_ = false;
  std::shared_ptr<const OpenedData> data_;
  text::DatasetFormat format_ = text::DatasetFormat::Auto;
  int64_t blankLines_ = 0;
  bool hasByteOrderMark_ = false;
  DataSummary summary_;

  Banner* banner_;
  QLabel* figures_;
  QProgressBar* progress_;
  QPushButton* readButton_;
  QStackedWidget* stack_;
  DataFields* fields_;
  RowsCard* rows_;
  RowCard* row_;
  ProblemCard* problems_;
  plots::LengthHistogram* histogram_;
};

}  // namespace tidemark::ui
