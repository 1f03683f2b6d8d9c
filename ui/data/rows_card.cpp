#include "ui/data/rows_card.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QPainter>
#include <QShortcut>
#include <QSignalBlocker>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTimer>
#include <utility>

#include "ui/data/data_rows_model.h"

namespace tidemark::ui {
namespace {

constexpr int kSearchDelayMs = 250;
constexpr int kCellPadding = 8;
constexpr int kAll = -2, kAnyProblem = -1;  // otherwise a DataProblem

// Room at both sides of a cell's text, so that a number does not run into the words beside it.
class PaddedDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QString text = std::exchange(cell.text, QString());
    cell.widget->style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    const QRect room = cell.rect.adjusted(kCellPadding, 0, -kCellPadding, 0);
    painter->setFont(cell.font);
    painter->setPen(cell.palette.color(QPalette::Text));
    painter->drawText(room, static_cast<int>(cell.displayAlignment) | Qt::TextSingleLine,
                      cell.fontMetrics.elidedText(text, Qt::ElideRight, room.width()));
  }
};

QString number(int64_t value) { return QLocale().toString(static_cast<qlonglong>(value)); }

}  // namespace

RowsCard::RowsCard(QWidget* parent)
    : Card(tr("Rows"), parent), model_(new DataRowsModel(this)), table_(new QTableView), search_(new QLineEdit),
      problems_(new QComboBox), searchTimer_(new QTimer(this)) {
  makeTable();
  body()->addWidget(makeFilters());
  body()->addWidget(table_, 1);
  searchTimer_->setSingleShot(true);
  searchTimer_->setInterval(kSearchDelayMs);
  connect(searchTimer_, &QTimer::timeout, this, [this] { emit searchWanted(wantedText()); });
  connect(search_, &QLineEdit::textChanged, searchTimer_, qOverload<>(&QTimer::start));
  connect(search_, &QLineEdit::returnPressed, table_, qOverload<>(&QWidget::setFocus));
  connect(problems_, &QComboBox::currentIndexChanged, this, &RowsCard::filterRows);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    if (!index.isValid()) return;
    const RowFacts& row = model_->at(index.row());
    if (row.place.line == currentLine_) return;
    currentLine_ = row.place.line;
    emit lineChosen(row);
  });
  showCounts({});
}

QWidget* RowsCard::makeFilters() {
  auto* filters = new QWidget;
  auto* layout = new QHBoxLayout(filters);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(10);
  search_->setPlaceholderText(tr("Search in all messages"));
  search_->setAccessibleName(tr("Search rows"));
  search_->setToolTip(tr("Shows the rows that hold this text, in upper or lower case (Ctrl+F)"));
  search_->setClearButtonEnabled(true);
  search_->setMaxLength(1000);
  problems_->setAccessibleName(tr("Show rows with a problem"));
  problems_->setToolTip(tr("Shows only the rows that have this problem"));
  problems_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  problems_->setMinimumContentsLength(22);
  layout->addWidget(search_, 1);
  layout->addWidget(problems_);
  auto* find = new QShortcut(QKeySequence::Find, this);
  connect(find, &QShortcut::activated, search_, qOverload<>(&QWidget::setFocus));
  return filters;
}

void RowsCard::makeTable() {
  table_->setModel(model_);
  table_->setItemDelegate(new PaddedDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(DataRowsModel::Line, Qt::AscendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTabKeyNavigation(false);
  table_->setTextElideMode(Qt::ElideRight);
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->verticalHeader()->setDefaultSectionSize(28);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setStyleSheet(QStringLiteral("QHeaderView::section { padding-left: %1px; padding-right: %1px; }").arg(kCellPadding));
  const std::pair<int, int> widths[] = {{DataRowsModel::Line, 64},  {DataRowsModel::Form, 96}, {DataRowsModel::Tokens, 70},
                                        {DataRowsModel::Loss, 82}, {DataRowsModel::Use, 150}, {DataRowsModel::Start, 100}};
  for (const auto& [column, width] : widths) table_->setColumnWidth(column, width);
  table_->setAccessibleName(tr("Rows of the dataset"));
}

void RowsCard::clear() {
  found_.reset();
  currentLine_ = 0;
  model_->clear();
  filterRows();
}

void RowsCard::append(std::vector<RowFacts> rows, text::DatasetFormat format) {
  model_->append(std::move(rows), format);
  if (currentLine_ == 0) keepCurrent();
  showShown();
}

void RowsCard::setLimit(const RowLimit& limit) {
  model_->setLimit(limit);
  keepCurrent();
  showShown();
}

void RowsCard::showCounts(const DataSummary& summary) {
  const QSignalBlocker blocker(problems_);
  const QVariant chosen = problems_->count() == 0 ? QVariant(kAll) : problems_->currentData();
  if (problems_->count() == 0) {
    problems_->addItem({}, kAll);
    problems_->addItem({}, kAnyProblem);
    for (std::size_t i = 0; i < kRowProblems; ++i) problems_->addItem({}, static_cast<int>(i));
  }
  problems_->setItemText(0, tr("All rows"));
  problems_->setItemText(1, tr("Rows with a problem"));
  for (std::size_t i = 0; i < kRowProblems; ++i) {
    const QString name = problemName(static_cast<DataProblem>(i), model_->limit());
    problems_->setItemText(static_cast<int>(i) + 2, tr("%1 (%2)").arg(name, number(summary.counts[i])));
  }
  problems_->setCurrentIndex(problems_->findData(chosen));
}

QString RowsCard::wantedText() const { return search_->text().trimmed(); }

void RowsCard::setFound(std::optional<std::unordered_set<int64_t>> lines) {
  found_ = std::move(lines);
  filterRows();
}

void RowsCard::setSearching(bool isSearching) {
  isSearching_ = isSearching;
  showShown();
}

void RowsCard::filterRows() {
  RowFilter filter;
  filter.lines = found_;
  const int chosen = problems_->currentData().toInt();
  filter.wantsProblem = chosen == kAnyProblem;
  if (chosen >= 0) filter.problem = static_cast<DataProblem>(chosen);
  model_->setFilter(std::move(filter));
  keepCurrent();
  showShown();
}

// The row that is looked at stays chosen while it is shown; otherwise the first one is.
void RowsCard::keepCurrent() {
  if (model_->rowCount() == 0) return;
  const int row = std::max(0, currentLine_ > 0 ? model_->rowOfLine(currentLine_) : 0);
  if (table_->currentIndex().isValid() && table_->currentIndex().row() == row) return;
  table_->selectRow(row);
  table_->scrollTo(model_->index(row, 0));
}

void RowsCard::jumpTo(DataProblem problem) {
  int row = model_->nextWith(problem, table_->currentIndex().isValid() ? table_->currentIndex().row() : -1);
  if (row < 0) {  // hidden by search or choice
    problems_->setCurrentIndex(0);
    search_->clear();
    setFound(std::nullopt);
    row = model_->nextWith(problem, table_->currentIndex().isValid() ? table_->currentIndex().row() : -1);
  }
  if (row < 0) return;
  table_->selectRow(row);
  table_->scrollTo(model_->index(row, 0), QAbstractItemView::PositionAtCenter);
  table_->setFocus();
}

void RowsCard::showShown() {
  const auto all = static_cast<int64_t>(model_->rows().size());
  if (isSearching_) return setCaption(tr("searching…"));
  if (model_->rowCount() == all) return setCaption(all > 0 ? tr("%1 rows").arg(number(all)) : QString());
  setCaption(tr("%1 of %2 rows").arg(number(model_->rowCount()), number(all)));
}

}  // namespace tidemark::ui
