#include "ui/compare/compare_table_model.h"

#include <QFont>

#include "ui/compare/mark_icon.h"

namespace tidemark::ui {
namespace {

// Views guess whether a tooltip is rich text; text from outside must stay plain.
QVariant plainToolTip(const QString& text) {
  if (text.isEmpty()) return {};
  return QString(QStringLiteral("<span style='white-space:pre-line'>") + text.toHtmlEscaped() + QStringLiteral("</span>"));
}

bool haveSameShape(const CompareTable& a, const CompareTable& b) {
  if (a.rows.size() != b.rows.size() || a.columns.size() != b.columns.size()) return false;
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    if (a.rows[i].title != b.rows[i].title) return false;
  }
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    if (a.columns[i].runId != b.columns[i].runId) return false;
  }
  return true;
}

QFont weighted(QFont::Weight weight) {
  QFont font;
  font.setPixelSize(14);
  font.setWeight(weight);
  return font;
}

}  // namespace

void CompareTableModel::setTable(CompareTable table) {
  if (haveSameShape(table_, table)) {
    table_ = std::move(table);
    if (rowCount() == 0 || columnCount() == 0) return;
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    emit headerDataChanged(Qt::Vertical, 0, rowCount() - 1);
    return;
  }
  beginResetModel();
  table_ = std::move(table);
  endResetModel();
}

void CompareTableModel::setTheme(const plots::PlotTheme& theme) {
  theme_ = theme;
  if (columnCount() > 0) emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

int CompareTableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(table_.rows.size()); }

int CompareTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant CompareTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const CompareRow& row = table_.rows[static_cast<std::size_t>(index.row())];
  if (row.kind == CompareRow::Kind::Section) return {};
  const CompareCell& cell = row.cells[static_cast<std::size_t>(index.column())];
  switch (role) {
    case Qt::DisplayRole: return cell.text;
    case Qt::ToolTipRole: return plainToolTip(cell.text);
    case Qt::FontRole: return cell.isBest ? QVariant(weighted(QFont::DemiBold)) : QVariant();
    case Qt::BackgroundRole: return cell.isBest ? QVariant(theme_.background.lightness() < 128 ? QColor(0x21, 0x3D, 0x33) : QColor(0xE1, 0xF2, 0xE9)) : QVariant();
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1, %2: %3").arg(table_.columns[static_cast<std::size_t>(index.column())].title, row.title, cell.text);
    default: return {};
  }
}

QVariant CompareTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  const auto at = static_cast<std::size_t>(section);
  if (section < 0) return {};
  if (orientation == Qt::Horizontal) return at < table_.columns.size() ? columnHeader(table_.columns[at], role) : QVariant();
  return at < table_.rows.size() ? rowHeader(table_.rows[at], role) : QVariant();
}

QVariant CompareTableModel::columnHeader(const CompareColumn& column, int role) const {
  switch (role) {
    case Qt::DisplayRole: return column.title;
    case Qt::ToolTipRole: return plainToolTip(column.help);
    case RunIdRole: return column.runId;
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::DecorationRole: return column.mark < 0 ? QVariant() : QVariant(markIcon(column.mark, theme_));
    default: return {};
  }
}

QVariant CompareTableModel::rowHeader(const CompareRow& row, int role) const {
  const bool isSection = row.kind == CompareRow::Kind::Section;
  switch (role) {
    case Qt::DisplayRole: return row.isWarned ? QStringLiteral("⚠ ") + row.title : row.title;
    case Qt::ToolTipRole: return plainToolTip(row.isWarned ? tr("Not strictly comparable: runs differ here. %1").arg(row.help) : row.help);
    case Qt::FontRole: return isSection ? QVariant(weighted(QFont::DemiBold)) : QVariant();
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    default: return {};
  }
}

Qt::ItemFlags CompareTableModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  const bool isSection = table_.rows[static_cast<std::size_t>(index.row())].kind == CompareRow::Kind::Section;
  return isSection ? Qt::NoItemFlags : Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

}  // namespace tidemark::ui
