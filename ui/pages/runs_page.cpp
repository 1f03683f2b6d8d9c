#include "ui/pages/runs_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QTableView>
#include <algorithm>

#include "ui/models/run_list_model.h"
#include "ui/models/run_status.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/card.h"

namespace tidemark::ui {
namespace {

// Searches name, status and model, but not figures: "1" must not match every loss.
class RunFilter : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    for (const int column : {RunListModel::Name, RunListModel::Status, RunListModel::Model}) {
      const QString text = sourceModel()->index(row, column, parent).data().toString();
      if (text.contains(filterRegularExpression())) return true;
    }
    return false;
  }
};

QWidget* centred(const QString& title, const QString& advice, QPushButton* button) {
  auto* widget = new QWidget;
  auto* layout = new QVBoxLayout(widget);
  layout->addStretch(2);
  layout->addWidget(makeLabel(title, "heading"), 0, Qt::AlignHCenter);
  QLabel* text = makeLabel(advice, "body");
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignHCenter);
  text->setFixedWidth(520);
  layout->addSpacing(6);
  layout->addWidget(text, 0, Qt::AlignHCenter);
  layout->addSpacing(10);
  if (button) layout->addWidget(button, 0, Qt::AlignHCenter);
  layout->addStretch(3);
  return widget;
}

}  // namespace

RunsPage::RunsPage(QWidget* parent)
    : QWidget(parent), banner_(new Banner), search_(new QLineEdit), compare_(new QPushButton),
      model_(new RunListModel(this)), proxy_(new RunFilter(this)), table_(new QTableView), card_(new Card({})), stack_(new QStackedLayout) {
  setObjectName(QStringLiteral("page"));
  setAttribute(Qt::WA_StyledBackground);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(15, 16, 24, 16);
  layout->setSpacing(12);
  layout->addWidget(makeHeader());
  layout->addWidget(banner_);
  makeTable();
  card_->layout()->setContentsMargins(6, 6, 6, 6);
  stack_->addWidget(table_);
  stack_->addWidget(makeEmptyState());
  noMatch_ = centred(tr("No run matches"), tr("Search looks at name, status and model. Clear the field to see all runs."), nullptr);
  stack_->addWidget(noMatch_);
  card_->body()->addLayout(stack_);
  layout->addWidget(card_, 1);
  showEmptyState();
}

QWidget* RunsPage::makeHeader() {
  auto* header = new QWidget;
  auto* layout = new QHBoxLayout(header);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(makeLabel(tr("Runs"), "heading"));
  layout->addStretch(1);
  search_->setPlaceholderText(tr("Search name, status or model"));
  search_->setAccessibleName(tr("Search runs"));
  search_->setToolTip(tr("Search name, status or model (Ctrl+F)"));
  search_->setClearButtonEnabled(true);
  search_->setFixedWidth(280);
  layout->addWidget(search_);
  compare_->setToolTip(tr("Put the selected runs side by side (Ctrl+Shift+C). Select several with Ctrl or Shift."));
  layout->addWidget(compare_);
  auto* add = new QPushButton(tr("New run"));
  add->setProperty("primary", true);
  add->setToolTip(tr("Configure a run and start it (Ctrl+N)"));
  layout->addWidget(add);
  connect(add, &QPushButton::clicked, this, &RunsPage::newRunWanted);
  connect(compare_, &QPushButton::clicked, this, &RunsPage::compareSelected);
  auto* compare = new QShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), this);
  connect(compare, &QShortcut::activated, this, &RunsPage::compareSelected);
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    proxy_->setFilterRegularExpression(
        QRegularExpression(QRegularExpression::escape(text.trimmed()), QRegularExpression::CaseInsensitiveOption));
    showEmptyState();
  });
  auto* find = new QShortcut(QKeySequence::Find, this);
  connect(find, &QShortcut::activated, search_, qOverload<>(&QWidget::setFocus));
  return header;
}

QWidget* RunsPage::makeEmptyState() {
  auto* start = new QPushButton(tr("Configure the first run"));
  start->setProperty("primary", true);
  connect(start, &QPushButton::clicked, this, &RunsPage::newRunWanted);
  return centred(tr("No runs yet"),
                 tr("A run adapts a pretrained model to your data. You need a model (a GGUF file or a Hugging Face folder) and "
                    "training data (a JSON Lines file). Runs started with tidemark-cli appear here too."),
                 start);
}

void RunsPage::makeTable() {
  proxy_->setSourceModel(model_);
  proxy_->setSortRole(RunListModel::SortRole);
  table_->setModel(proxy_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(RunListModel::Created, Qt::DescendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(36);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setSectionResizeMode(RunListModel::Name, QHeaderView::Stretch);
  const std::pair<int, int> widths[] = {{RunListModel::Status, 125}, {RunListModel::Model, 260}, {RunListModel::Step, 120},
                                        {RunListModel::Loss, 90},    {RunListModel::Throughput, 95}, {RunListModel::Peak, 115},
                                        {RunListModel::Created, 150}};
  for (const auto& [column, width] : widths) table_->setColumnWidth(column, width);
  table_->setAccessibleName(tr("Runs"));
  table_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(table_, &QTableView::customContextMenuRequested, this, &RunsPage::showMenu);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPage::showSelection);
  showSelection();
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    emit openWanted(index.data(RunListModel::KeyRole).toString());
  });
  auto* remove = new QShortcut(QKeySequence::Delete, table_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(remove, &QShortcut::activated, this, [this] {
    if (const storage::RunRecord* run = selected(); run && !isActive(run->status)) emit deleteWanted(*run);
  });
}

void RunsPage::setRuns(const std::vector<storage::RunRecord>& runs) {
  model_->setRecords(runs);
  showEmptyState();
  showSelection();  // a reset of the model says nothing of the selection that it ends
}

void RunsPage::showEmptyState() {
  if (model_->rowCount() == 0) stack_->setCurrentIndex(1);
  else stack_->setCurrentIndex(proxy_->rowCount() == 0 ? 2 : 0);
}

const storage::RunRecord* RunsPage::selected() const {
  const QModelIndex index = proxy_->mapToSource(table_->currentIndex());
  return index.isValid() ? &model_->records()[static_cast<std::size_t>(index.row())] : nullptr;
}

QStringList RunsPage::selectedIds() const {
  QModelIndexList rows = table_->selectionModel()->selectedRows();
  std::sort(rows.begin(), rows.end());
  QStringList ids;
  for (const QModelIndex& row : rows) ids << row.data(RunListModel::KeyRole).toString();
  return ids;
}

void RunsPage::showSelection() {
  const qsizetype count = table_->selectionModel()->selectedRows().size();
  compare_->setText(count < 2 ? tr("Compare") : tr("Compare %1").arg(count));
  compare_->setEnabled(count >= 2);
}

void RunsPage::compareSelected() {
  if (const QStringList ids = selectedIds(); ids.size() >= 2) emit compareWanted(ids);
}

void RunsPage::showMenu(const QPoint& position) {
  const QModelIndex index = table_->indexAt(position);
  if (!index.isValid()) return;
  const bool isInSelection = table_->selectionModel()->isSelected(index);
  table_->selectionModel()->setCurrentIndex(
      index, isInSelection ? QItemSelectionModel::NoUpdate : QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fillMenu(*menu, *selected());
  menu->popup(table_->viewport()->mapToGlobal(position));
}

void RunsPage::fillMenu(QMenu& menu, const storage::RunRecord& run) {
  const auto add = [&](const QString& text, bool isEnabled, auto signal) {
    QAction* action = menu.addAction(text);
    action->setEnabled(isEnabled);
    connect(action, &QAction::triggered, this, [this, run, signal] { emit(this->*signal)(run); });
  };
  connect(menu.addAction(tr("Open")), &QAction::triggered, this, [this, id = run.id] { emit openWanted(QString::fromStdString(id)); });
  QAction* compare = menu.addAction(tr("Compare the selected runs"));
  compare->setEnabled(compare_->isEnabled());
  connect(compare, &QAction::triggered, this, &RunsPage::compareSelected);
  menu.addSeparator();
  add(tr("Stop with a checkpoint"), run.status == storage::RunStatus::Running, &RunsPage::stopWanted);
  add(tr("Resume from the last checkpoint"), canResume(run.status), &RunsPage::resumeWanted);
  add(tr("Report…"), true, &RunsPage::reportWanted);
  add(tr("New run with these settings"), !run.configYaml.empty(), &RunsPage::copyWanted);
  menu.addSeparator();
  add(tr("Delete…"), !isActive(run.status), &RunsPage::deleteWanted);
}

}  // namespace tidemark::ui
