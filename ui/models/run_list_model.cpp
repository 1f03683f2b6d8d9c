#include "ui/models/run_list_model.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>

#include "plots/quantity.h"
#include "ui/models/run_status.h"

namespace tidemark::ui {
namespace {

using storage::RunRecord;

const QString kNone = QStringLiteral("–");

QString modelName(const RunRecord& run) {
  const QString path = QString::fromStdString(run.model);
  return path.contains(QLatin1Char('/')) ? QFileInfo(path).fileName() : path;
}

QString textOf(const RunRecord& run, int column) {
  switch (column) {
    case RunListModel::Name: return QString::fromStdString(run.name);
    case RunListModel::Status: return statusSymbol(run.status) + QLatin1Char(' ') + statusWord(run.status);
    case RunListModel::Model: return modelName(run);
    case RunListModel::Step: return RunListModel::tr("%1 / %2").arg(plots::countText(run.step), plots::countText(run.maxSteps));
    case RunListModel::Loss: return run.loss ? plots::decimalText(*run.loss, 4) : kNone;
    case RunListModel::Throughput: return run.tokensPerSecond ? plots::decimalText(*run.tokensPerSecond, 3) : kNone;
    case RunListModel::Peak: return run.peakBytes ? plots::bytesText(static_cast<double>(*run.peakBytes)) : kNone;
    case RunListModel::Created:
      return QLocale().toString(QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(run.createdAt * 1000)), QLocale::ShortFormat);
    default: return {};
  }
}

// Runs without a figure sort below all that have one.
QVariant sortValue(const RunRecord& run, int column) {
  switch (column) {
    case RunListModel::Status: return static_cast<int>(run.status);
    case RunListModel::Step: return static_cast<qlonglong>(run.step);
    case RunListModel::Loss: return run.loss.value_or(-1);
    case RunListModel::Throughput: return run.tokensPerSecond.value_or(-1);
    case RunListModel::Peak: return static_cast<qlonglong>(run.peakBytes.value_or(-1));
    case RunListModel::Created: return run.createdAt;
    default: return textOf(run, column).toCaseFolded();
  }
}

QString toolTipOf(const RunRecord& run, int column) {
  if (column == RunListModel::Status && !run.message.empty()) return QString::fromStdString(run.message);
  if (column == RunListModel::Model) return QString::fromStdString(run.model);
  if (column == RunListModel::Name) return QString::fromStdString(run.directory);
  return {};
}

bool isRightAligned(int column) {
  return column == RunListModel::Step || column == RunListModel::Loss || column == RunListModel::Throughput ||
         column == RunListModel::Peak || column == RunListModel::Created;
}

}  // namespace

QVariant RunListModel::value(const RunRecord& run, int column, int role) const {
  switch (role) {
    case Qt::DisplayRole: return textOf(run, column);
    case SortRole: return sortValue(run, column);
    case KeyRole: return QString::fromStdString(run.id);
    case Qt::ToolTipRole: {
      // Views guess whether a tooltip is rich text; text from outside must stay plain.
      const QString text = toolTipOf(run, column);
      return text.isEmpty() ? QVariant() : QVariant(text.toHtmlEscaped().prepend(QLatin1String("<span>")) + QLatin1String("</span>"));
    }
    case Qt::ForegroundRole: return column == Status ? QVariant(statusColor(run.status)) : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (isRightAligned(column) ? Qt::AlignRight : Qt::AlignLeft));
    default: return {};
  }
}

QVariant RunListModel::header(int column, int role) const {
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignVCenter | (isRightAligned(column) ? Qt::AlignRight : Qt::AlignLeft));
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const bool isTip = role == Qt::ToolTipRole;
  switch (column) {
    case Name: return isTip ? tr("The run's name") : tr("Name");
    case Status: return isTip ? tr("What the run does now, or how it ended") : tr("Status");
    case Model: return isTip ? tr("The pretrained model") : tr("Model");
    case Step: return isTip ? tr("Optimizer steps done, of all steps") : tr("Step");
    case Loss: return isTip ? tr("Mean loss per target token of the last step, in nats") : tr("Loss");
    case Throughput: return isTip ? tr("Tokens per second over all ranks in the last step") : tr("Tokens/s");
    case Peak: return isTip ? tr("Greatest memory of one rank, in bytes") : tr("Peak memory");
    case Created: return isTip ? tr("When the run was created, in local time") : tr("Created");
    default: return {};
  }
}

}  // namespace tidemark::ui
