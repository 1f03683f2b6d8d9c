#include "ui/compare/comparability.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <set>

#include "plots/quantity.h"

namespace tidemark::ui {
namespace {

constexpr qsizetype kMostValues = 5;

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::Comparability", text); }

SettingRow* rowOf(Comparison& comparison, const std::string& key) {
  const auto found = std::find_if(comparison.settings.begin(), comparison.settings.end(), [&](const SettingRow& row) { return row.key == key; });
  return found == comparison.settings.end() ? nullptr : &*found;
}

bool differs(Comparison& comparison, const std::string& key) {
  const SettingRow* row = rowOf(comparison, key);
  return row && row->differs;
}

// "8, 16 and 32", each once and in the order of the runs; file names without their folders.
QString valuesOf(const SettingRow& row) {
  QStringList values;
  for (const auto& value : row.values) {
    QString text = value ? QString::fromStdString(*value).simplified() : tr("none");
    if (text.contains(QLatin1Char('/'))) text = QFileInfo(text).fileName();
    if (text.size() > 40) text = text.left(39) + QStringLiteral("…");
    if (!values.contains(text)) values << text;
  }
  if (values.size() > kMostValues) {
    const qsizetype more = values.size() - kMostValues;
    return values.mid(0, kMostValues).join(QStringLiteral(", ")) + tr(" and %1 more").arg(more);
  }
  return values.join(QStringLiteral(", "));
}

enum class Affects { Everything, EvaluationLoss };

void warn(Comparison& comparison, const std::string& key, const QString& what, Affects affects = Affects::Everything) {
  SettingRow* row = rowOf(comparison, key);
  if (!row || !row->differs) return;
  row->breaksComparison = true;
  const QString values = valuesOf(*row);
  comparison.warnings << (values.contains(QStringLiteral(", ")) ? tr("%1 (%2)").arg(what, values) : what);
  comparison.isEvaluationLossComparable = false;
  if (affects == Affects::Everything) comparison.isTrainingLossComparable = false;
}

bool isFraction(const ComparedRun& run) {
  bool isNumber = false;
  const double fraction = QString::fromStdString(settingOf(run, "dataset.eval").value_or("0")).toDouble(&isNumber);
  return isNumber && fraction > 0;
}

// Equal settings that shape the data, and yet other data: the file itself has changed.
bool hasChangedFile(Comparison& comparison) {
  for (const char* key : {"model", "dataset.train", "dataset.eval", "dataset.format", "dataset.max_seq_length", "dataset.train_on",
                          "dataset.truncation", "training.seed", "chat template"}) {
    if (differs(comparison, key)) return false;
  }
  return differs(comparison, "prepared data");
}

void warnOfTemplates(Comparison& comparison) {
  SettingRow* row = rowOf(comparison, "chat template");
  const bool isUnknown = std::any_of(row->values.begin(), row->values.end(), [](const auto& value) { return !value; });
  if (!row->differs && !(isUnknown && differs(comparison, "model"))) return;
  row->breaksComparison = true;
  comparison.isTrainingLossComparable = comparison.isEvaluationLossComparable = false;
  comparison.warnings << (row->differs ? tr("chat templates differ")
                                       : tr("chat templates cannot be compared, because not every model's files can be read"));
}

}  // namespace

void judgeComparability(Comparison& comparison) {
  warn(comparison, "dataset.train", tr("training data differ"));
  warn(comparison, "dataset.eval", tr("evaluation data differ"), Affects::EvaluationLoss);
  warn(comparison, "dataset.train_on", tr("the loss is taken over different tokens"));
  warnOfTemplates(comparison);
  warn(comparison, "vocabulary", tr("tokenizers differ, and with them what one token is"));
  warn(comparison, "dataset.max_seq_length", tr("sequence lengths differ"));
  if (const bool evaluationHolds = comparison.isEvaluationLossComparable; differs(comparison, "training.global_batch_size")) {
    warn(comparison, "training.global_batch_size", tr("global batches differ"));
    comparison.isEvaluationLossComparable = evaluationHolds;  // it is measured on the same rows, whatever the batch
  }
  if (differs(comparison, "training.seed") && std::any_of(comparison.runs.begin(), comparison.runs.end(), [](const auto& run) { return isFraction(*run); })) {
    comparison.warnings << tr("the seed draws the evaluation rows, so evaluation losses are over different rows");
    comparison.isEvaluationLossComparable = false;
    rowOf(comparison, "training.seed")->breaksComparison = true;
  }
  if (hasChangedFile(comparison)) {
    comparison.warnings << tr("the data files were changed between the runs");
    comparison.isTrainingLossComparable = comparison.isEvaluationLossComparable = false;
    rowOf(comparison, "prepared data")->breaksComparison = true;
  }
}

}  // namespace tidemark::ui
