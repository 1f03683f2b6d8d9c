#include "ui/data/data_page.h"

#include <QDragEnterEvent>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include "core/text/dataset_settings.h"
#include "plots/length_histogram.h"
#include "plots/quantity.h"
#include "ui/data/data_fields.h"
#include "ui/data/data_rows_model.h"
#include "ui/data/length_bins.h"
#include "ui/data/problem_card.h"
#include "ui/data/row_card.h"
#include "ui/data/rows_card.h"
#include "ui/widgets/banner.h"

namespace tidemark::ui {
namespace {

constexpr int kReadDelayMs = 350;
constexpr int kProgressSteps = 1000;

QString count(int64_t number) { return plots::countText(static_cast<double>(number)); }

QSplitter* makeSplitter(Qt::Orientation orientation, QWidget* first, QWidget* second) {
  auto* splitter = new QSplitter(orientation);
  splitter->addWidget(first);
  splitter->addWidget(second);
  splitter->setHandleWidth(12);
  splitter->setChildrenCollapsible(false);
  return splitter;
}

}  // namespace

DataPage::DataPage(QWidget* parent)
    : QWidget(parent), readTimer_(new QTimer(this)), banner_(new Banner), stack_(new QStackedWidget),
      fields_(new DataFields), rows_(new RowsCard), row_(new RowCard), problems_(new ProblemCard),
      histogram_(new plots::LengthHistogram) {
  setObjectName(QStringLiteral("page"));
  setAttribute(Qt::WA_StyledBackground);
  setAcceptDrops(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(15, 16, 24, 16);
  layout->setSpacing(12);
  layout->addWidget(makeHeader());
  layout->addWidget(banner_);
  layout->addWidget(fields_);
  stack_->addWidget(makeEmptyState());
  stack_->addWidget(makeContent());
  layout->addWidget(stack_, 1);
  readTimer_->setSingleShot(true);
  readTimer_->setInterval(kReadDelayMs);
  connectParts();
  applyLimit();
  setState(State::Empty);
}

QWidget* DataPage::makeHeader() {
  auto* header = new QWidget;
  auto* layout = new QHBoxLayout(header);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(14);
  layout->addWidget(makeLabel(tr("Data"), "heading"));
  figures_ = makeLabel({}, "body");
  figures_->setObjectName(QStringLiteral("figures"));
  figures_->setMinimumWidth(1);
  layout->addWidget(figures_, 1);
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setRange(0, kProgressSteps);
  progress_->setFixedWidth(180);
  progress_->setAccessibleName(tr("How much of the file is read"));
  progress_->setToolTip(tr("How much of the file is read"));
  layout->addWidget(progress_);
  readButton_ = new QPushButton;
  readButton_->setObjectName(QStringLiteral("read"));
  layout->addWidget(readButton_);
  return header;
}

QWidget* DataPage::makeEmptyState() {
  auto* empty = new QWidget;
  auto* layout = new QVBoxLayout(empty);
  QLabel* advice = makeLabel(tr("Choose training data (JSON Lines: messages, alpaca, or prompt and completion) and the model whose "
                                "tokenizer and chat template it will be read by. Both can be dropped here. You will see every row "
                                "as the model does, which tokens carry loss, and which rows are cut or left out."), "body");
  advice->setWordWrap(true);
  advice->setAlignment(Qt::AlignHCenter);
  advice->setFixedWidth(560);
  layout->addStretch(2);
  layout->addWidget(makeLabel(tr("No dataset chosen"), "heading"), 0, Qt::AlignHCenter);
  layout->addSpacing(6);
  layout->addWidget(advice, 0, Qt::AlignHCenter);
  layout->addStretch(3);
  return empty;
}

QWidget* DataPage::makeContent() {
  auto* lengths = new Card(tr("Lengths"));
  lengths->body()->addWidget(histogram_, 1);
  QSplitter* left = makeSplitter(Qt::Vertical, rows_, problems_);
  QSplitter* right = makeSplitter(Qt::Vertical, row_, lengths);
  left->setSizes({400, 210});
  right->setSizes({400, 200});
  QSplitter* both = makeSplitter(Qt::Horizontal, left, right);
  both->setSizes({680, 520});
  for (QWidget* card : {static_cast<QWidget*>(rows_), static_cast<QWidget*>(row_)}) card->setMinimumHeight(160);
  for (QWidget* card : {static_cast<QWidget*>(problems_), static_cast<QWidget*>(lengths)}) card->setMinimumHeight(96);
  return both;
}

void DataPage::connectParts() {
  connect(readTimer_, &QTimer::timeout, this, &DataPage::read);
  connect(readButton_, &QPushButton::clicked, this, [this] { state_ == State::Reading ? stop() : read(); });
  connect(fields_, &DataFields::sourceChanged, this, &DataPage::readSoon);
  connect(fields_, &DataFields::limitChanged, this, &DataPage::applyLimit);
  connect(&reader_, &DataReader::stepped, this, &DataPage::takeStep);
  connect(&reader_, &DataReader::ended, this, &DataPage::takeEnd);
  connect(&reader_, &DataReader::found, this, &DataPage::takeFound);
  connect(&reader_, &DataReader::looked, this, [this](const ShownRow& row) {
    if (row.request != lookRequest_) return;
    isLooking_ = false;
    row_->show(row);
  });
  connect(rows_, &RowsCard::searchWanted, this, &DataPage::search);
  connect(rows_, &RowsCard::lineChosen, this, &DataPage::lookAt);
  connect(problems_, &ProblemCard::jumpWanted, rows_, &RowsCard::jumpTo);
}

void DataPage::open(const run::RunConfig& config) {
  fields_->load(config);
  applyLimit();
  read();
}

void DataPage::stop() { reader_.stop(); }

bool DataPage::isSettled() const {
  return state_ != State::Waiting && state_ != State::Reading && !isLooking_ && !isSearching_;
}

void DataPage::readSoon() {
  setState(State::Waiting);
  readTimer_->start();
}

void DataPage::read() {
  readTimer_->stop();
  banner_->clear();
  data_.reset();
  summary_ = {};
  blankLines_ = 0;
  hasByteOrderMark_ = false;
  format_ = text::DatasetFormat::Auto;
  ++lookRequest_;
  ++findRequest_;
  ++generation_;
  isLooking_ = isSearching_ = false;
  rows_->clear();
  row_->clear();
  showFigures();
  progress_->setValue(0);
  reader_.stop();
  if (!fields_->namesFiles()) return setState(State::Empty);
  setState(State::Reading);
  reader_.read(generation_, fields_->config().model, text::datasetSettings(fields_->config()));
}

void DataPage::takeStep(const ReadStep& step) {
  if (step.generation != generation_) return;
  const bool isFirst = !data_;
  data_ = step.data;
  format_ = step.batch->format;
  blankLines_ = step.batch->blankLines;
  hasByteOrderMark_ = step.batch->hasByteOrderMark;
  if (step.batch->bytes > 0) {
    progress_->setValue(static_cast<int>(kProgressSteps * step.batch->bytesRead / step.batch->bytes));
  }
  rows_->append(std::move(step.batch->rows), format_);
  showFigures();
  if (isFirst && !rows_->wantedText().isEmpty()) search(rows_->wantedText());
}

void DataPage::takeEnd(const ReadEnd& end) {
  if (end.generation != generation_) return;
  switch (end.outcome) {
    case ReadEnd::Outcome::Complete:
      setState(State::Complete);
      if (summary_.rows == 0) {
        banner_->showMessage(Banner::Severity::Warning, tr("The file holds no rows. Choose another one."));
      }
      break;
    case ReadEnd::Outcome::Stopped:
      setState(State::Stopped);
      banner_->showMessage(Banner::Severity::Note, tr("Stopped after %1 rows: all figures are of these alone. Press Read again "
                                                      "for the whole file.").arg(count(summary_.rows)));
      break;
    case ReadEnd::Outcome::Failed:
      setState(State::Failed);
      banner_->showMessage(Banner::Severity::Error, tr("%1\nMend it and press Read again, or choose another file or model.").arg(end.message));
  }
}

void DataPage::search(const QString& text) {
  ++findRequest_;
  isSearching_ = !text.isEmpty() && data_;
  rows_->setSearching(isSearching_);
  if (isSearching_) reader_.find(findRequest_, data_, text);
  else rows_->setFound(std::nullopt);
}

void DataPage::takeFound(const FoundRows& found) {
  if (found.request != findRequest_) return;
  isSearching_ = false;
  rows_->setSearching(false);
  if (found.problem.isEmpty()) rows_->setFound(found.lines);
  else banner_->showMessage(Banner::Severity::Error, tr("The search was not made: %1").arg(found.problem));
}

void DataPage::lookAt(const RowFacts& row) {
  if (!data_) return;
  isLooking_ = true;
  row_->announce(row.place.line);
  reader_.look({++lookRequest_, data_, format_, row.place, row.problem});
}

void DataPage::applyLimit() {
  const RowLimit limit = fields_->limit();
  rows_->setLimit(limit);
  row_->setLimit(limit);
  showFigures();
}

void DataPage::showFigures() {
  const RowLimit& limit = rows_->model()->limit();
  summary_ = summarize(rows_->model()->rows(), limit);
  summary_.counts[static_cast<std::size_t>(DataProblem::BlankLines)] = blankLines_;
  summary_.counts[static_cast<std::size_t>(DataProblem::ByteOrderMark)] = hasByteOrderMark_ ? 1 : 0;
  problems_->show(summary_, limit);
  rows_->showCounts(summary_);
  histogram_->setSeries(lengthSeries(rows_->model()->rows(), limit.maxSequenceLength));
  if (summary_.rows == 0) return figures_->clear();
  QStringList parts{tr("%1 rows").arg(count(summary_.rows))};
  if (format_ != text::DatasetFormat::Auto) parts << QString::fromStdString(text::nameOf(format_));
  parts << tr("%1 trained on").arg(count(summary_.trained));
  if (summary_.tokens > 0) {
    const double share = 100.0 * static_cast<double>(summary_.targets) / static_cast<double>(summary_.tokens);
    parts << tr("%1 tokens, %2 % with loss").arg(count(summary_.tokens), plots::decimalText(share, 2));
  }
  parts << tr("longest %1").arg(count(summary_.longest));
  figures_->setText(parts.join(QStringLiteral(" · ")));
  figures_->setToolTip(figures_->text());
}

void DataPage::setState(State state) {
  state_ = state;
  const bool isReading = state == State::Reading;
  stack_->setCurrentIndex(fields_->namesFiles() ? 1 : 0);
  progress_->setVisible(isReading);
  readButton_->setVisible(state != State::Empty);
  readButton_->setText(isReading ? tr("Stop") : tr("Read again"));
  readButton_->setToolTip(isReading ? tr("Stop reading; what was read stays") : tr("Read the file again from its beginning"));
  readButton_->setAccessibleName(readButton_->text());
}

void DataPage::setTheme(ColorScheme scheme) {
  histogram_->setTheme(plotThemeFor(scheme));
  row_->setTheme(plotThemeFor(scheme));
}

void DataPage::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void DataPage::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) fields_->takePath(url.toLocalFile());
  }
  event->acceptProposedAction();
}

}  // namespace tidemark::ui
