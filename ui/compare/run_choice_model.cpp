#include "ui/compare/run_choice_model.h"

#include <QDateTime>
#include <QLocale>

#include "ui/compare/mark_icon.h"
#include "ui/models/run_status.h"

namespace tidemark::ui {

void RunChoiceModel::setChosen(std::map<QString, int> marks) {
  if (marks == marks_) return;
  marks_ = std::move(marks);
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void RunChoiceModel::setTheme(const plots::PlotTheme& theme) {
  theme_ = theme;
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, 0));
}

Qt::ItemFlags RunChoiceModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = RecordTableModel::flags(index);
  return index.isValid() && index.column() == Name ? flags | Qt::ItemIsUserCheckable : flags;
}

bool RunChoiceModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::CheckStateRole || !index.isValid() || index.column() != Name) return false;
  emit ticked(index.data(KeyRole).toString(), value.toInt() == Qt::Checked);
  return true;
}

QVariant RunChoiceModel::value(const storage::RunRecord& run, int column, int role) const {
  const QString name = QString::fromStdString(run.name).simplified();
  const auto mark = marks_.find(keyOf(run));
  switch (role) {
    case Qt::DisplayRole:
      if (column == Name) return name;
      return QLocale().toString(QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(run.createdAt * 1000)), QStringLiteral("d MMM hh:mm"));
    case Qt::CheckStateRole: return column == Name ? QVariant(mark == marks_.end() ? Qt::Unchecked : Qt::Checked) : QVariant();
    case Qt::DecorationRole: return column == Name && mark != marks_.end() ? QVariant(markIcon(mark->second, theme_)) : QVariant();
    case Qt::ToolTipRole: {
      // Views guess whether a tooltip is rich text; text from outside must stay plain.
      const QString text = name + QStringLiteral(" · ") + statusWord(run.status) + QStringLiteral(" · ") + QString::fromStdString(run.model);
      return QString(QStringLiteral("<span>") + text.toHtmlEscaped() + QStringLiteral("</span>"));
    }
    case KeyRole: return keyOf(run);
    default: return {};
  }
}

QVariant RunChoiceModel::header(int column, int role) const {
  if (role != Qt::DisplayRole) return {};
  return column == Name ? tr("Run") : tr("Created");
}

}  // namespace tidemark::ui
