#include "ui/compare/run_chooser.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/compare/run_choice_model.h"

namespace tidemark::ui {
namespace {

constexpr int kWidth = 286;

}  // namespace

RunChooser::RunChooser(QWidget* parent)
    : QFrame(parent), search_(new QLineEdit), model_(new RunChoiceModel(this)), proxy_(new QSortFilterProxyModel(this)), list_(new QTableView) {
  setProperty("card", true);
  setFixedWidth(kWidth);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 10, 8, 8);
  layout->setSpacing(8);
  search_->setPlaceholderText(tr("Search by name"));
  search_->setAccessibleName(tr("Search runs by name"));
  search_->setToolTip(tr("Search runs by name"));
  search_->setClearButtonEnabled(true);
  auto* clear = new QToolButton;
  clear->setText(tr("Take all out"));
  clear->setToolTip(tr("Empty the comparison"));
  makeList();
  layout->addWidget(search_);
  layout->addWidget(list_, 1);
  layout->addWidget(clear, 0, Qt::AlignLeft);
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) { proxy_->setFilterFixedString(text.trimmed()); });
  connect(clear, &QToolButton::clicked, this, &RunChooser::cleared);
  connect(model_, &RunChoiceModel::ticked, this, &RunChooser::ticked);
}

void RunChooser::makeList() {
  proxy_->setSourceModel(model_);
  proxy_->setFilterKeyColumn(RunChoiceModel::Name);
  proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  list_->setModel(proxy_);
  list_->setSelectionBehavior(QAbstractItemView::SelectRows);
  list_->setSelectionMode(QAbstractItemView::SingleSelection);
  list_->setShowGrid(false);
  list_->setWordWrap(false);
  list_->setTabKeyNavigation(false);
  list_->setIconSize(QSize(12, 12));
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->verticalHeader()->hide();
  list_->verticalHeader()->setDefaultSectionSize(30);
  list_->horizontalHeader()->hide();
  list_->horizontalHeader()->setSectionResizeMode(RunChoiceModel::Name, QHeaderView::Stretch);
  list_->setColumnWidth(RunChoiceModel::Created, 104);
  list_->setAccessibleName(tr("Runs to compare"));
  list_->setToolTip(tr("Space takes a run in or out"));
  connect(list_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    const QModelIndex name = index.siblingAtColumn(RunChoiceModel::Name);
    const bool isChosen = name.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    proxy_->setData(name, isChosen ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
  });
}

void RunChooser::setRuns(const std::vector<storage::RunRecord>& runs) { model_->setRecords(runs); }

void RunChooser::setChosen(const std::map<QString, int>& marks) { model_->setChosen(marks); }

void RunChooser::setTheme(const plots::PlotTheme& theme) { model_->setTheme(theme); }

}  // namespace tidemark::ui
