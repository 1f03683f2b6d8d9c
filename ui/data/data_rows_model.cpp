#include "ui/data/data_rows_model.h"

#include <QLocale>
#include <algorithm>
#include <numeric>

namespace tidemark::ui {
namespace {

QString formText(const RowFacts& row, text::DatasetFormat format) {
  if (row.state == RowFacts::State::Malformed) return QStringLiteral("–");
  if (format == text::DatasetFormat::PromptCompletion && row.isConversation) return DataRowsModel::tr("prompt-completion, chat");
  return QString::fromStdString(text::nameOf(format));
}

// The words of a cell are equal for most rows: sorting goes by what training does, and by the text only within that.
int useRank(const RowFacts& row, const RowLimit& limit) {
  if (row.state == RowFacts::State::Malformed) return 0;
  if (row.state == RowFacts::State::Refused) return 1;
  switch (useOf(row, limit)) {
    case text::RowUse::RefusedLong: return 2;
    case text::RowUse::WithoutLoss: return 3;
    case text::RowUse::TooLong: return 4;
    case text::RowUse::Cut: return 5;
    case text::RowUse::Whole: return row.duplicateOf > 0 ? 6 : 7;
  }
  return 8;
}

int64_t sortNumber(const RowFacts& row, int column, const RowLimit& limit) {
  switch (column) {
    case DataRowsModel::Line: return row.place.line;
    case DataRowsModel::Form: return row.state == RowFacts::State::Malformed ? 0 : row.isConversation ? 1 : 2;
    case DataRowsModel::Tokens: return row.state == RowFacts::State::Usable ? row.tokens : -1;
    case DataRowsModel::Loss: return row.state == RowFacts::State::Usable ? row.targetsWithin(limit.maxSequenceLength) : -1;
    case DataRowsModel::Use: return useRank(row, limit);
    default: return 0;
  }
}

// Tool tips that look like markup would be taken for it.
QString plainToolTip(const QString& text) {
  return QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped());
}

}  // namespace

void DataRowsModel::clear() {
  beginResetModel();
  rows_.clear();
  visible_.clear();
  filter_ = {};
  endResetModel();
}

void DataRowsModel::append(std::vector<RowFacts> rows, text::DatasetFormat format) {
  format_ = format;
  std::vector<uint32_t> added;
  const std::size_t first = rows_.size();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (isShown(rows[i])) added.push_back(static_cast<uint32_t>(first + i));
  if (added.empty()) {
    rows_.insert(rows_.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    return;
  }
  const int shown = static_cast<int>(visible_.size());
  beginInsertRows({}, shown, shown + static_cast<int>(added.size()) - 1);
  rows_.insert(rows_.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  visible_.insert(visible_.end(), added.begin(), added.end());
  endInsertRows();
  if (!isInFileOrder()) resort();
}

void DataRowsModel::setLimit(const RowLimit& limit) {
  if (limit == limit_) return;
  limit_ = limit;
  if (filter_.wantsProblem || filter_.problem) {
    beginResetModel();
    fillVisible();
    endResetModel();
  } else if (sortColumn_ == Loss || sortColumn_ == Use) {
    resort();
  }
  if (!visible_.empty()) emit dataChanged(index(0, Loss), index(rowCount() - 1, Use));
}

void DataRowsModel::setFilter(RowFilter filter) {
  beginResetModel();
  filter_ = std::move(filter);
  fillVisible();
  endResetModel();
}

bool DataRowsModel::isShown(const RowFacts& row) const {
  if (filter_.lines && filter_.lines->count(row.place.line) == 0) return false;
  if (filter_.wantsProblem && !hasAnyProblem(row, limit_)) return false;
  return !filter_.problem || hasProblem(row, *filter_.problem, limit_);
}

void DataRowsModel::fillVisible() {
  visible_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (isShown(rows_[i])) visible_.push_back(static_cast<uint32_t>(i));
  sortVisible();
}

void DataRowsModel::sortVisible() {
  std::sort(visible_.begin(), visible_.end());
  if (isInFileOrder()) return;
  if (sortColumn_ == Start) {
    std::stable_sort(visible_.begin(), visible_.end(), [this](uint32_t a, uint32_t b) {
      const int order = rows_[a].start.compare(rows_[b].start, Qt::CaseInsensitive);
      return sortOrder_ == Qt::AscendingOrder ? order < 0 : order > 0;
    });
    return;
  }
  std::vector<int64_t> keys(rows_.size());
  for (const uint32_t i : visible_) keys[i] = sortNumber(rows_[i], sortColumn_, limit_);
  std::stable_sort(visible_.begin(), visible_.end(), [&](uint32_t a, uint32_t b) {
    return sortOrder_ == Qt::AscendingOrder ? keys[a] < keys[b] : keys[a] > keys[b];
  });
}

void DataRowsModel::resort() {
  emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
  const QModelIndexList before = persistentIndexList();
  std::vector<uint32_t> kept;
  for (const QModelIndex& index : before) kept.push_back(visible_[static_cast<std::size_t>(index.row())]);
  sortVisible();
  std::vector<int> places(rows_.size(), -1);
  for (std::size_t i = 0; i < visible_.size(); ++i) places[visible_[i]] = static_cast<int>(i);
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i) after << index(places[kept[static_cast<std::size_t>(i)]], before[i].column());
  changePersistentIndexList(before, after);
  emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void DataRowsModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= ColumnCount) return;
  sortColumn_ = column;
  sortOrder_ = order;
  resort();
}

int DataRowsModel::rowOfLine(int64_t line) const {
  const auto place = std::find_if(visible_.begin(), visible_.end(),
                                  [&](uint32_t index) { return rows_[index].place.line == line; });
  return place == visible_.end() ? -1 : static_cast<int>(place - visible_.begin());
}

int DataRowsModel::nextWith(DataProblem problem, int row) const {
  const int count = static_cast<int>(visible_.size());
  for (int step = 1; step <= count; ++step) {
    const int candidate = (row + step) % count;
    if (hasProblem(at(candidate), problem, limit_)) return candidate;
  }
  return -1;
}

int DataRowsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(visible_.size());
}

int DataRowsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString DataRowsModel::cellText(const RowFacts& row, int column) const {
  const bool isUsable = row.state == RowFacts::State::Usable;
  switch (column) {
    case Line: return QLocale().toString(row.place.line);
    case Form: return formText(row, format_);
    case Tokens: return isUsable ? QLocale().toString(row.tokens) : QStringLiteral("–");
    case Loss: return isUsable ? QLocale().toString(row.targetsWithin(limit_.maxSequenceLength)) : QStringLiteral("–");
    case Use: return useText(row, limit_);
    case Start: return row.start;
    default: return {};
  }
}

QVariant DataRowsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const RowFacts& row = at(index.row());
  const bool isNumber = index.column() == Line || index.column() == Tokens || index.column() == Loss;
  switch (role) {
    case Qt::DisplayRole: return cellText(row, index.column());
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignVCenter | (isNumber ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ToolTipRole:
      if (index.column() == Use || index.column() == Start) return plainToolTip(cellText(row, index.column()));
      return {};
    default: return {};
  }
}

QVariant DataRowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const bool isNumber = section == Line || section == Tokens || section == Loss;
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignVCenter | (isNumber ? Qt::AlignRight : Qt::AlignLeft));
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const bool isTip = role == Qt::ToolTipRole;
  switch (section) {
    case Line: return isTip ? tr("Line in the file, from 1") : tr("Line");
    case Form: return isTip ? tr("How the row is laid out") : tr("Form");
    case Tokens: return isTip ? tr("Length of the whole row, in tokens") : tr("Tokens");
    case Loss: return isTip ? tr("Tokens that carry loss, up to the cut") : tr("With loss");
    case Use: return isTip ? tr("What training does with the row") : tr("In training");
    case Start: return isTip ? tr("The first words of the prompt or the first message") : tr("First words");
    default: return {};
  }
}

}  // namespace tidemark::ui
