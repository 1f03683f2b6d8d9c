// What the table models share: rows of one record type that are replaced as a whole list while views keep selection and
// scroll position, because rows are matched by their key.
#pragma once

#include <QAbstractTableModel>
#include <algorithm>
#include <set>
#include <vector>

namespace tidemark::ui {

template <typename Record>
class RecordTableModel : public QAbstractTableModel {
 public:
  using QAbstractTableModel::QAbstractTableModel;

  enum Role { SortRole = Qt::UserRole, KeyRole };

  int rowCount(const QModelIndex& parent = {}) const final {
    return parent.isValid() ? 0 : static_cast<int>(records_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const final { return parent.isValid() ? 0 : columns(); }

  QVariant data(const QModelIndex& index, int role) const final {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    return value(records_[static_cast<std::size_t>(index.row())], index.column(), role);
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const final {
    if (orientation != Qt::Horizontal || section < 0 || section >= columns()) return {};
    return header(section, role);
  }

  const std::vector<Record>& records() const { return records_; }

  void setRecords(std::vector<Record> records) {
    if (!haveSameOrder(records)) return replaceAll(std::move(records));
    removeMissing(records);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const int row = static_cast<int>(i);
      if (i < records_.size() && keyOf(records_[i]) == keyOf(records[i])) {
        records_[i] = std::move(records[i]);
      } else {
        beginInsertRows({}, row, row);
        records_.insert(records_.begin() + row, std::move(records[i]));
        endInsertRows();
      }
    }
    if (!records_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columns() - 1));
  }

 protected:
  virtual int columns() const = 0;
  virtual QString keyOf(const Record& record) const = 0;
  virtual QVariant value(const Record& record, int column, int role) const = 0;
  virtual QVariant header(int column, int role) const = 0;

 private:
  // Whether the records that stay keep their order among themselves; then they can be updated in place.
  bool haveSameOrder(const std::vector<Record>& records) const {
    std::set<QString> before, after;
    for (const Record& record : records_) before.insert(keyOf(record));
    std::vector<QString> stayingNew, stayingOld;
    for (const Record& record : records) {
      after.insert(keyOf(record));
      if (before.count(keyOf(record))) stayingNew.push_back(keyOf(record));
    }
    for (const Record& record : records_) {
      if (after.count(keyOf(record))) stayingOld.push_back(keyOf(record));
    }
    return stayingNew == stayingOld;
  }

  void removeMissing(const std::vector<Record>& records) {
    std::set<QString> staying;
    for (const Record& record : records) staying.insert(keyOf(record));
    for (int row = rowCount() - 1; row >= 0; --row) {
      if (staying.count(keyOf(records_[static_cast<std::size_t>(row)]))) continue;
      beginRemoveRows({}, row, row);
      records_.erase(records_.begin() + row);
      endRemoveRows();
    }
  }

  void replaceAll(std::vector<Record> records) {
    beginResetModel();
    records_ = std::move(records);
    endResetModel();
  }

  std::vector<Record> records_;
};

}  // namespace tidemark::ui
