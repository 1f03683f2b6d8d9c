#include "ui/sweep/sweep_points_model.h"

#include <cmath>

#include "core/run/config.h"
#include "plots/quantity.h"
#include "ui/sweep/sweep_words.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

const QString kNone = QStringLiteral("–");

QString labelFor(const QString& key) {
  for (const run::KeyInfo& info : run::configKeys())
    if (QString::fromStdString(info.key) == key) return labelOf(info);
  return key;
}

// Paths by their last part.
QString shortened(const QString& value) {
  return value.contains(QLatin1Char('/')) && !value.startsWith(QLatin1Char('[')) ? value.section(QLatin1Char('/'), -1) : value;
}

}  // namespace

void SweepPointsModel::setKeys(const QStringList& keys, bool hasSeeds, const std::string& objective) {
  if (keys == keys_ && hasSeeds == hasSeeds_ && objective == objective_) return;
  setRecords({});
  beginResetModel();
  keys_ = keys;
  hasSeeds_ = hasSeeds;
  objective_ = objective;
  endResetModel();
}

void SweepPointsModel::setPoints(const std::vector<storage::SweepPoint>& points) {
  const int64_t best = bestPoint(points, objective_);
  std::vector<SweepPointRow> rows;
  for (const storage::SweepPoint& point : points) rows.push_back({point, point.number == best});
  setRecords(std::move(rows));
}

QString SweepPointsModel::valueAt(const SweepPointRow& row, int column) const {
  const auto& values = row.point.values;
  const auto index = static_cast<std::size_t>(column - 1);
  if (column - 1 >= keys_.size()) return QString::number(row.point.seed);
  return index < values.size() ? QString::fromStdString(values[index].second) : kNone;
}

QString SweepPointsModel::textOf(const SweepPointRow& row, int column) const {
  const storage::SweepPoint& point = row.point;
  if (column == 0) return QString::number(point.number + 1);
  if (column < stateColumn()) return shortened(valueAt(row, column));
  switch (column - stateColumn()) {
    case 0: return row.isBest ? tr("%1 · ★ best").arg(stateText(point.state)) : stateText(point.state);
    case 1: return point.step > 0 ? plots::countText(static_cast<double>(point.step)) : kNone;
    default: return point.objective ? plots::decimalText(*point.objective, 4) : kNone;
  }
}

// Points without a figure sort below all that have one.
QVariant SweepPointsModel::sortValue(const SweepPointRow& row, int column) const {
  if (column == 0) return static_cast<qlonglong>(row.point.number);
  if (column < stateColumn()) {
    bool isNumber = false;
    const double number = valueAt(row, column).toDouble(&isNumber);
    return isNumber ? QVariant(number) : QVariant(valueAt(row, column).toCaseFolded());
  }
  switch (column - stateColumn()) {
    case 0: return static_cast<int>(row.point.state);
    case 1: return static_cast<qlonglong>(row.point.step);
    default: return row.point.objective && std::isfinite(*row.point.objective) ? *row.point.objective : isGreaterBetter(objective_) ? -1e300 : 1e300;
  }
}

QVariant SweepPointsModel::value(const SweepPointRow& row, int column, int role) const {
  const bool isState = column == stateColumn();
  const bool isText = isState || (column > 0 && column < stateColumn());
  switch (role) {
    case Qt::DisplayRole: return textOf(row, column);
    case SortRole: return sortValue(row, column);
    case KeyRole: return QString::fromStdString(row.point.run);
    case Qt::ForegroundRole: return isState ? QVariant(stateColor(row.point.state)) : QVariant();
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignVCenter | (isText ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::ToolTipRole: {
      const QString text = isState ? QString::fromStdString(row.point.reason) : isText ? valueAt(row, column) : QString();
      return text.isEmpty() ? QVariant() : QVariant(QStringLiteral("<span>") + text.toHtmlEscaped() + QStringLiteral("</span>"));
    }
    default: return {};
  }
}

QVariant SweepPointsModel::header(int column, int role) const {
  const bool isText = column > 0 && column <= stateColumn();
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignVCenter | (isText ? Qt::AlignLeft : Qt::AlignRight));
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const bool isTip = role == Qt::ToolTipRole;
  if (column == 0) return isTip ? tr("Number of the run, in the order of starting") : tr("#");
  if (column - 1 < keys_.size()) return isTip ? keys_[column - 1] : labelFor(keys_[column - 1]);
  if (column < stateColumn()) return isTip ? tr("training.seed") : tr("Seed");
  switch (column - stateColumn()) {
    case 0: return isTip ? tr("What the run does now, or how it ended; point at one for the reason") : tr("State");
    case 1: return isTip ? tr("Optimizer steps done") : tr("Step");
    default: return isTip ? tr("What the runs are compared by, as last reported") : objectiveText(objective_);
  }
}

}  // namespace tidemark::ui
