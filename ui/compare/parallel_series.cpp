#include "ui/compare/parallel_series.h"

#include <QString>
#include <algorithm>
#include <cmath>

#include "core/base/bytes.h"
#include "core/run/config.h"
#include "ui/compare/results.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

using plots::Measure;

constexpr double kLogarithmicFrom = 20;  // greatest over least value of a setting

const run::KeyInfo* infoOf(const std::string& key) {
  const auto& keys = run::configKeys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const run::KeyInfo& info) { return info.key == key; });
  return found == keys.end() ? nullptr : &*found;
}

// The setting as a number; none where it is a word, such as "auto".
std::optional<double> numberOf(const run::KeyInfo* info, const std::string& value) {
  if (info && info->kind == run::KeyInfo::Kind::Bytes) {
    const auto bytes = parseBytes(value);
    return bytes.ok() ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
  }
  bool isNumber = false;
  const double number = QString::fromStdString(value).toDouble(&isNumber);
  return isNumber && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

// Found out beside the configuration ("chat template"), or of no use on an axis.
bool isAxis(const SettingRow& row) {
  return row.differs && row.key.find(' ') == std::string::npos && row.key != "vocabulary" && row.key != "training.seed";
}

bool isComparable(const ResultKind& kind, const Comparison& comparison) {
  if (kind.rests == Rests::OnTrainingLoss) return comparison.isTrainingLossComparable;
  return kind.rests != Rests::OnEvaluationLoss || comparison.isEvaluationLossComparable;
}

// Best and last of a loss would be two axes that say nearly the same.
bool isWanted(const ResultKind& kind) {
  return kind.better != Better::Neither && kind.key != QLatin1String("loss_best") && kind.key != QLatin1String("eval_loss_best");
}

void addResults(const Comparison& comparison, plots::ParallelSeries& series) {
  for (const ResultKind& kind : resultKinds()) {
    if (!isWanted(kind) || !isComparable(kind, comparison)) continue;
    std::vector<std::optional<double>> values;
    for (const auto& run : comparison.runs) values.push_back(kind.value(*run));
    if (std::none_of(values.begin(), values.end(), [](const auto& value) { return value && std::isfinite(*value); })) continue;
    series.axes.push_back({.label = kind.name, .measure = kind.measure, .isResult = true, .words = {}});
    for (std::size_t i = 0; i < values.size(); ++i) series.lines[i].values.push_back(values[i]);
  }
}

void addSetting(const SettingRow& row, plots::ParallelSeries& series) {
  const PlacedValues values = placed(row.key, row.values);
  const run::KeyInfo* info = infoOf(row.key);
  series.axes.push_back({.label = info ? labelOf(*info) : QString::fromStdString(row.key), .measure = values.measure,
                         .isLogarithmic = values.isLogarithmic, .words = values.words});
  for (std::size_t i = 0; i < series.lines.size(); ++i) series.lines[i].values.push_back(values.values[i]);
}

}  // namespace

PlacedValues placed(const std::string& key, const std::vector<std::optional<std::string>>& values) {
  const run::KeyInfo* info = infoOf(key);
  PlacedValues result;
  bool areNumbers = true;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const auto& value : values) {
    const auto number = value ? numberOf(info, *value) : std::nullopt;
    areNumbers = areNumbers && (number || !value);
    result.values.push_back(number);
    least = std::min(least, number.value_or(least));
    most = std::max(most, number.value_or(most));
  }
  if (areNumbers) {
    result.isLogarithmic = least > 0 && most / least >= kLogarithmicFrom;
    if (info && info->kind == run::KeyInfo::Kind::Bytes) result.measure = Measure::Bytes;
    if (info && info->kind == run::KeyInfo::Kind::Integer) result.measure = Measure::Whole;
    return result;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.values[i].reset();
    if (!values[i]) continue;
    auto word = std::find(result.words.begin(), result.words.end(), *values[i]);
    if (word == result.words.end()) word = result.words.insert(result.words.end(), *values[i]);
    result.values[i] = static_cast<double>(word - result.words.begin());
  }
  return result;
}

plots::ParallelSeries parallelOf(const Comparison& comparison, const std::vector<int>& marks) {
  plots::ParallelSeries series, results;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) series.lines.push_back({comparison.runs[i]->record.name, marks[i], {}});
  results.lines = series.lines;
  addResults(comparison, results);
  for (const SettingRow& row : comparison.settings) {
    if (isAxis(row) && series.axes.size() + results.axes.size() < kMostAxes) addSetting(row, series);
  }
  for (plots::ParallelAxis& axis : results.axes) series.axes.push_back(std::move(axis));
  for (std::size_t i = 0; i < series.lines.size(); ++i) {
    for (const auto& value : results.lines[i].values) series.lines[i].values.push_back(value);
  }
  return series;
}

}  // namespace tidemark::ui
