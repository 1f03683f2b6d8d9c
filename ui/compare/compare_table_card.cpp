#include "ui/compare/compare_table_card.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QShortcut>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "plots/plot_theme.h"
#include "ui/compare/compare_table_model.h"

namespace tidemark::ui {
namespace {

constexpr int kRowTitleWidth = 232;
constexpr int kLeastColumnWidth = 130;

}  // namespace

CompareTableCard::CompareTableCard(QWidget* parent)
    : Card(tr("Differences"), parent), model_(new CompareTableModel(this)), table_(new QTableView), all_(new QCheckBox(tr("All settings"))) {
  makeTools();
  makeTable();
  body()->addWidget(table_, 1);
  layout()->setContentsMargins(16, 8, 8, 8);
}

void CompareTableCard::makeTools() {
  all_->setToolTip(tr("Show settings that are equal in all runs, too"));
  all_->setObjectName(QStringLiteral("allSettings"));
  auto* copyButton = new QToolButton;
  copyButton->setText(tr("Copy"));
  copyButton->setProperty("framed", true);
  copyButton->setAccessibleName(tr("Copy the table"));
  copyButton->setToolTip(tr("Copy the table for a spreadsheet; Ctrl+C copies the selected rows"));
  copyButton->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(copyButton);
  connect(menu->addAction(tr("As TSV")), &QAction::triggered, this, [this] { copy(TableFormat::Tsv, {}); });
  connect(menu->addAction(tr("As CSV")), &QAction::triggered, this, [this] { copy(TableFormat::Csv, {}); });
  copyButton->setMenu(menu);
  header()->addWidget(all_);
  header()->addWidget(copyButton);
  connect(all_, &QCheckBox::toggled, this, &CompareTableCard::showTable);
}

void CompareTableCard::makeTable() {
  table_->setModel(model_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTextElideMode(Qt::ElideMiddle);
  table_->setTabKeyNavigation(false);
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->setAccessibleName(tr("Differences of the runs"));
  table_->setCornerButtonEnabled(false);
  QHeaderView* rows = table_->verticalHeader();
  rows->setFixedWidth(kRowTitleWidth);
  rows->setDefaultSectionSize(26);
  rows->setSectionResizeMode(QHeaderView::Fixed);
  rows->setHighlightSections(false);
  rows->setObjectName(QStringLiteral("rowTitles"));
  QHeaderView* columns = table_->horizontalHeader();
  columns->setHighlightSections(false);
  columns->setTextElideMode(Qt::ElideRight);
  columns->setMinimumSectionSize(kLeastColumnWidth);
  columns->setObjectName(QStringLiteral("runTitles"));
  columns->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(columns, &QHeaderView::customContextMenuRequested, this, &CompareTableCard::showColumnMenu);
  connect(columns, &QHeaderView::sectionResized, this, [this] { hasOwnWidths_ = hasOwnWidths_ || !isLayingOut_; });
  connect(columns, &QHeaderView::sectionDoubleClicked, this, [this](int column) {
    const QString id = model_->headerData(column, Qt::Horizontal, CompareTableModel::RunIdRole).toString();
    if (!id.isEmpty()) emit openWanted(id);
  });
  auto* copyKey = new QShortcut(QKeySequence::Copy, table_, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
  connect(copyKey, &QShortcut::activated, this, &CompareTableCard::copySelection);
}

void CompareTableCard::show(const Comparison& comparison, const std::vector<int>& marks) {
  comparison_ = comparison;
  marks_ = marks;
  showTable();
}

void CompareTableCard::showTable() {
  CompareTable table = tableOf(comparison_, marks_, all_->isChecked() ? SettingsShown::All : SettingsShown::Different);
  const bool hidesSome = !all_->isChecked() && table.equalSettings > 0;
  setCaption(hidesSome ? tr("%1 equal settings hidden").arg(table.equalSettings) : QString());
  const int columnsBefore = model_->columnCount();
  model_->setTable(std::move(table));
  if (model_->columnCount() == columnsBefore) return;
  hasOwnWidths_ = false;
  layOutColumns();
}

// All alike and as wide as the card allows, until a person draws one wider or narrower.
void CompareTableCard::layOutColumns() {
  const int count = model_->columnCount();
  if (count == 0 || hasOwnWidths_) return;
  isLayingOut_ = true;
  const int room = (table_->width() - kRowTitleWidth - table_->verticalScrollBar()->sizeHint().width() - 2) / count;
  for (int column = 0; column < count; ++column) table_->setColumnWidth(column, std::max(room, kLeastColumnWidth + 20));
  isLayingOut_ = false;
}

void CompareTableCard::resizeEvent(QResizeEvent* event) {
  Card::resizeEvent(event);
  layout()->activate();  // the table's new width is wanted, not the one before
  layOutColumns();
}

void CompareTableCard::setTheme(const plots::PlotTheme& theme) { model_->setTheme(theme); }

void CompareTableCard::showColumnMenu(const QPoint& position) {
  const int column = table_->horizontalHeader()->logicalIndexAt(position);
  const QString id = model_->headerData(column, Qt::Horizontal, CompareTableModel::RunIdRole).toString();
  if (id.isEmpty()) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  connect(menu->addAction(tr("Open the run")), &QAction::triggered, this, [this, id] { emit openWanted(id); });
  connect(menu->addAction(tr("Take it out of the comparison")), &QAction::triggered, this, [this, id] { emit removeWanted(id); });
  menu->popup(table_->horizontalHeader()->mapToGlobal(position));
}

void CompareTableCard::copy(TableFormat format, const std::vector<int>& rows) {
  QApplication::clipboard()->setText(tableText(model_->table(), format, rows));
}

void CompareTableCard::copySelection() {
  std::vector<int> rows;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) rows.push_back(index.row());
  copy(TableFormat::Tsv, rows);
}

}  // namespace tidemark::ui
