#include "ui/compare/compare_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "ui/compare/compare_table_card.h"
#include "ui/compare/curves_card.h"
#include "ui/compare/run_chooser.h"
#include "ui/models/run_status.h"
#include "ui/widgets/banner.h"

namespace tidemark::ui {
namespace {

constexpr std::size_t kLeastRuns = 2;

// Whether anything that the comparison shows may have changed.
bool mayDiffer(const storage::RunRecord& a, const storage::RunRecord& b) {
  return isActive(a.status) || a.status != b.status || a.name != b.name || a.step != b.step || a.finishedAt != b.finishedAt ||
         a.loss != b.loss || a.evalLoss != b.evalLoss;
}

}  // namespace

ComparePage::ComparePage(const std::filesystem::path& database, QWidget* parent)
    : QWidget(parent), reader_(database), banner_(new Banner), warning_(new Banner), chooser_(new RunChooser), content_(new QStackedWidget),
      table_(new CompareTableCard), curves_(new CurvesCard), breakdown_(new BreakdownCard) {
  setObjectName(QStringLiteral("page"));
  setAttribute(Qt::WA_StyledBackground);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(15, 16, 24, 16);
  layout->setSpacing(12);
  layout->addWidget(makeHeader());
  layout->addWidget(banner_);
  layout->addWidget(warning_);
  warning_->setProperty("about", QStringLiteral("comparability"));
  auto* columns = new QHBoxLayout;
  columns->setSpacing(12);
  columns->addWidget(chooser_);
  content_->addWidget(makeEmptyState());
  content_->addWidget(makeContent());
  columns->addWidget(content_, 1);
  layout->addLayout(columns, 1);
  connect(chooser_, &RunChooser::ticked, this, [this](const QString& id, bool isChosen) { isChosen ? add(id) : remove(id); });
  connect(chooser_, &RunChooser::cleared, this, [this] { choose({}); });
  connect(table_, &CompareTableCard::openWanted, this, &ComparePage::openWanted);
  connect(table_, &CompareTableCard::removeWanted, this, &ComparePage::remove);
  connect(&reader_, &CompareReader::runsRead, this, &ComparePage::take);
  connect(&reader_, &CompareReader::failed, this, [this](const QString& message) {
    isReading_ = false;
    banner_->showMessage(Banner::Severity::Error, tr("The runs cannot be read: %1").arg(message));
  });
  choiceChanged();
}

QWidget* ComparePage::makeHeader() {
  auto* header = new QWidget;
  auto* layout = new QHBoxLayout(header);
  layout->setContentsMargins(0, 0, 0, 0);
  heading_ = makeLabel({}, "heading");
  chooseButton_ = new QPushButton(tr("Choose runs"));
  chooseButton_->setCheckable(true);
  chooseButton_->setChecked(true);
  chooseButton_->setToolTip(tr("Show or hide the list of runs to choose from"));
  layout->addWidget(heading_);
  layout->addStretch(1);
  layout->addWidget(chooseButton_);
  connect(chooseButton_, &QPushButton::toggled, chooser_, &QWidget::setVisible);
  return header;
}

QWidget* ComparePage::makeContent() {
  auto* content = new QSplitter(Qt::Vertical);
  content->setChildrenCollapsible(false);
  content->setHandleWidth(12);
  auto* plots = new QWidget;
  auto* row = new QHBoxLayout(plots);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  row->addWidget(curves_, 1);
  row->addWidget(breakdown_, 1);
  content->addWidget(table_);
  content->addWidget(plots);
  content->setStretchFactor(0, 5);
  content->setStretchFactor(1, 6);
  return content;
}

QWidget* ComparePage::makeEmptyState() {
  auto* state = new QWidget;
  auto* layout = new QVBoxLayout(state);
  emptyHeading_ = makeLabel({}, "heading");
  QLabel* advice = makeLabel(tr("Tick two or more runs in the list at the left, or select them on the Runs page (with Ctrl or Shift) "
                                "and press Compare. Settings that differ, results, curves and memory stand side by side here."), "body");
  advice->setWordWrap(true);
  advice->setAlignment(Qt::AlignHCenter);
  advice->setFixedWidth(520);
  layout->addStretch(2);
  layout->addWidget(emptyHeading_, 0, Qt::AlignHCenter);
  layout->addSpacing(6);
  layout->addWidget(advice, 0, Qt::AlignHCenter);
  layout->addStretch(3);
  return state;
}

void ComparePage::setRuns(const std::vector<storage::RunRecord>& runs) {
  std::map<QString, const storage::RunRecord*> before;
  for (const storage::RunRecord& run : library_) before[QString::fromStdString(run.id)] = &run;
  std::set<QString> present, changed;
  for (const storage::RunRecord& run : runs) {
    const QString id = QString::fromStdString(run.id);
    present.insert(id);
    if (const auto old = before.find(id); old == before.end() || mayDiffer(*old->second, run)) changed.insert(id);
  }
  const bool isGone = std::erase_if(choices_, [&](const Choice& choice) { return !library_.empty() && !present.count(choice.runId); }) > 0;
  library_ = runs;
  chooser_->setRuns(runs);
  if (isGone) return choiceChanged();
  if (std::any_of(choices_.begin(), choices_.end(), [&](const Choice& choice) { return changed.count(choice.runId) > 0; })) readSoon();
}

QStringList ComparePage::chosen() const {
  QStringList ids;
  for (const Choice& choice : choices_) ids << choice.runId;
  return ids;
}

void ComparePage::choose(const QStringList& runIds) {
  choices_.clear();
  for (const QString& id : runIds) choices_.push_back({id, static_cast<int>(choices_.size())});
  chooseButton_->setChecked(choices_.size() < kLeastRuns);
  choiceChanged();
}

void ComparePage::add(const QString& runId) {
  if (chosen().contains(runId)) return;
  std::set<int> taken;
  for (const Choice& choice : choices_) taken.insert(choice.mark);
  int mark = 0;
  while (taken.count(mark)) ++mark;
  choices_.push_back({runId, mark});
  choiceChanged();
}

void ComparePage::remove(const QString& runId) {
  std::erase_if(choices_, [&](const Choice& choice) { return choice.runId == runId; });
  choiceChanged();
}

void ComparePage::choiceChanged() {
  std::map<QString, int> marks;
  for (const Choice& choice : choices_) marks[choice.runId] = choice.mark;
  chooser_->setChosen(marks);
  showHeader();
  ++generation_;
  readSoon();
}

void ComparePage::showHeader() {
  const std::size_t count = choices_.size();
  heading_->setText(count < kLeastRuns ? tr("Compare") : tr("Compare %1 runs").arg(count));
  emptyHeading_->setText(count == 0 ? tr("Choose runs to compare") : tr("One run is chosen: choose another"));
  if (count < kLeastRuns) {
    content_->setCurrentIndex(0);
    warning_->clear();
    warned_.clear();
  }
}

// One reading at a time; what changes meanwhile is read after it. A page that is not seen reads when it is shown.
void ComparePage::readSoon() {
  isReadingDue_ = true;
  if (isVisible() && !isReading_) read();
}

void ComparePage::read() {
  isReadingDue_ = false;
  if (choices_.size() < kLeastRuns) {
    shownGeneration_ = generation_;
    return;
  }
  isReading_ = true;
  std::vector<std::string> ids;
  for (const Choice& choice : choices_) ids.push_back(choice.runId.toStdString());
  reader_.wishFor(generation_, ids);
}

void ComparePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (isReadingDue_ && !isReading_) read();
}

void ComparePage::take(const CompareReading& reading) {
  isReading_ = false;
  if (isReadingDue_ && isVisible()) read();
  if (reading.generation != generation_) return;
  std::vector<int> marks;
  for (const auto& run : reading.runs) {
    const auto choice = std::find_if(choices_.begin(), choices_.end(), [&](const Choice& c) { return c.runId.toStdString() == run->record.id; });
    marks.push_back(choice->mark);
  }
  const Comparison comparison = compareRuns(reading.runs);
  table_->show(comparison, marks);
  curves_->show(comparison.runs, marks);
  breakdown_->show(comparison, marks);
  showWarnings(comparison);
  content_->setCurrentIndex(1);
  shownGeneration_ = generation_;
}

void ComparePage::showWarnings(const Comparison& comparison) {
  const QString text = comparison.warnings.isEmpty() ? QString() : tr("Not strictly comparable: %1.").arg(comparison.warnings.join(QStringLiteral("; ")));
  if (text == warned_) return;
  warned_ = text;
  if (text.isEmpty()) warning_->clear();
  else warning_->showMessage(Banner::Severity::Warning, text);
}

void ComparePage::setTheme(ColorScheme scheme) {
  const plots::PlotTheme theme = plotThemeFor(scheme);
  chooser_->setTheme(theme);
  table_->setTheme(theme);
  curves_->setTheme(theme);
  breakdown_->setTheme(theme);
}

}  // namespace tidemark::ui
