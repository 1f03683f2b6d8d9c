#include "ui/pages/operators_tab.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/models/operator_table_model.h"
#include "ui/widgets/card.h"

namespace tidemark::ui {

OperatorsTab::OperatorsTab(QWidget* parent)
    : QWidget(parent), card_(new Card(tr("Operators"))), model_(new OperatorTableModel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 2, 0, 0);
  layout->addWidget(card_);
  auto* proxy = new QSortFilterProxyModel(this);
  proxy->setSourceModel(model_);
  proxy->setSortRole(OperatorTableModel::SortRole);
  auto* table = new QTableView;
  table->setModel(proxy);
  table->setSortingEnabled(true);
  table->sortByColumn(OperatorTableModel::Index, Qt::AscendingOrder);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setAlternatingRowColors(true);
  table->setShowGrid(false);
  table->setTabKeyNavigation(false);
  table->setAccessibleName(tr("Operators"));
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(28);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setDefaultSectionSize(104);
  table->setColumnWidth(OperatorTableModel::Index, 52);
  table->setColumnWidth(OperatorTableModel::Kept, 130);
  table->horizontalHeader()->setSectionResizeMode(OperatorTableModel::Name, QHeaderView::Stretch);
  card_->body()->addWidget(table, 1);
}

void OperatorsTab::show(const RunDetail& detail) {
  model_->setRecords(detail.operators);
  card_->setCaption(detail.operators.empty() ? tr("measured in the first iteration, which is not over yet")
                                             : tr("%1 operators on rank %2, measured in iteration 1")
                                                   .arg(detail.operators.size())
                                                   .arg(detail.wish.rank));
}

}  // namespace tidemark::ui
