#include "ui/models/operator_table_model.h"

#include "plots/quantity.h"

namespace tidemark::ui {
namespace {

using run::OperatorEvent;

QString trendText(const std::string& trend) {
  if (trend == "rise") return OperatorTableModel::tr("▲ rise");
  if (trend == "fall") return OperatorTableModel::tr("▼ fall");
  if (trend == "flat") return OperatorTableModel::tr("▬ flat");
  return QString::fromStdString(trend);
}

int trendRank(const std::string& trend) { return trend == "rise" ? 2 : trend == "fall" ? 0 : 1; }

QString milliseconds(double seconds) { return plots::decimalText(seconds * 1000, 3); }

QString bytes(int64_t amount) { return plots::bytesText(static_cast<double>(amount)); }

QString textOf(const OperatorEvent& op, int column) {
  switch (column) {
    case OperatorTableModel::Index: return QString::number(op.index);
    case OperatorTableModel::Name: return QString::fromStdString(op.name);
    case OperatorTableModel::Trend: return trendText(op.trend);
    case OperatorTableModel::Kept: return op.isSaved ? OperatorTableModel::tr("saved") : OperatorTableModel::tr("computed again");
    case OperatorTableModel::Activation: return bytes(op.activationBytes);
    case OperatorTableModel::Workspace: return bytes(op.workspaceBytes);
    case OperatorTableModel::Parameters: return bytes(op.parameterBytes);
    case OperatorTableModel::Remote: return bytes(op.remoteBytes);
    case OperatorTableModel::Forward: return milliseconds(op.forwardSeconds);
    case OperatorTableModel::Backward: return milliseconds(op.backwardSeconds);
    case OperatorTableModel::Gather: return milliseconds(op.gatherSeconds);
    default: return {};
  }
}

QVariant sortValue(const OperatorEvent& op, int column) {
  switch (column) {
    case OperatorTableModel::Index: return static_cast<qlonglong>(op.index);
    case OperatorTableModel::Trend: return trendRank(op.trend);
    case OperatorTableModel::Activation: return static_cast<qlonglong>(op.activationBytes);
    case OperatorTableModel::Workspace: return static_cast<qlonglong>(op.workspaceBytes);
    case OperatorTableModel::Parameters: return static_cast<qlonglong>(op.parameterBytes);
    case OperatorTableModel::Remote: return static_cast<qlonglong>(op.remoteBytes);
    case OperatorTableModel::Forward: return op.forwardSeconds;
    case OperatorTableModel::Backward: return op.backwardSeconds;
    case OperatorTableModel::Gather: return op.gatherSeconds;
    default: return textOf(op, column);
  }
}

bool isNumber(int column) { return column >= OperatorTableModel::Activation; }

}  // namespace

QVariant OperatorTableModel::value(const OperatorEvent& op, int column, int role) const {
  switch (role) {
    case Qt::DisplayRole: return textOf(op, column);
    case SortRole: return sortValue(op, column);
    case KeyRole: return static_cast<qlonglong>(op.index);
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft));
    default: return {};
  }
}

QVariant OperatorTableModel::header(int column, int role) const {
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft));
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const bool isTip = role == Qt::ToolTipRole;
  switch (column) {
    case Index: return isTip ? tr("Place in the forward") : tr("#");
    case Name: return isTip ? tr("The operator") : tr("Operator");
    case Trend: return isTip ? tr("Whether activation memory rises or falls over its forward") : tr("Trend");
    case Kept: return isTip ? tr("Whether its activation is saved for the backward or computed again there") : tr("For backward");
    case Activation: return isTip ? tr("Bytes kept for the backward") : tr("Activation");
    case Workspace: return isTip ? tr("Bytes needed only while it runs") : tr("Workspace");
    case Parameters: return isTip ? tr("Bytes of its frozen weights over all ranks") : tr("Weights");
    case Remote: return isTip ? tr("Bytes of its frozen weights that lie on other ranks") : tr("Remote");
    case Forward: return isTip ? tr("Duration of its forward, in milliseconds") : tr("Forward, ms");
    case Backward: return isTip ? tr("Duration of its backward, in milliseconds") : tr("Backward, ms");
    case Gather: return isTip ? tr("Duration of gathering its remote weights, in milliseconds") : tr("Gather, ms");
    default: return {};
  }
}

}  // namespace tidemark::ui
