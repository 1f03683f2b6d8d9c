#include "ui/sweep/sweep_form.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/sweep/points.h"
#include "plots/quantity.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

using Kind = sweep::SweptKey::Kind;

constexpr int kDefaultCount = 10;

// What people vary first; each new row takes the next one.
const char* const kUsualKeys[] = {"training.learning_rate", "peft.r", "peft.lora_alpha", "training.global_batch_size", "memory.policy",
                                  "peft.lora_dropout", "training.warmup_ratio", "memory.budget"};

QString labelFor(const std::string& key) {
  for (const run::KeyInfo& info : run::configKeys())
    if (info.key == key) return labelOf(info);
  return QString::fromStdString(key);
}

double tokensOf(const run::RunConfig& config) {
  return static_cast<double>(config.training.globalBatchSize) * static_cast<double>(config.dataset.maxSeqLength);
}

sweep::SweptKey keyFrom(const SweepRow& row) {
  sweep::SweptKey key;
  key.key = row.key.toStdString();
  key.kind = row.kind;
  const auto values = splitValues(row.values);
  if (row.kind == Kind::Choice) {
    key.choices = values;
    return key;
  }
  bool isLow = false, isHigh = false;
  key.low = values.size() == 2 ? QString::fromStdString(values[0]).toDouble(&isLow) : 0;
  key.high = values.size() == 2 ? QString::fromStdString(values[1]).toDouble(&isHigh) : 0;
  if (!isLow || !isHigh) key.low = key.high = std::numeric_limits<double>::quiet_NaN();
  return key;
}

}  // namespace

std::vector<std::string> splitValues(const QString& text) {
  std::vector<std::string> values;
  QString value;
  int depth = 0;
  const auto take = [&] {
    if (const QString trimmed = value.trimmed(); !trimmed.isEmpty()) values.push_back(trimmed.toStdString());
    value.clear();
  };
  for (const QChar c : text) {
    if (c == QLatin1Char('[')) ++depth;
    if (c == QLatin1Char(']')) --depth;
    if (c == QLatin1Char(',') && depth <= 0) take();
    else value += c;
  }
  take();
  return values;
}

SweepForm::SweepForm(QObject* parent) : QObject(parent) {
  rows_.push_back({QString::fromLatin1(kUsualKeys[0]), Kind::Choice, {}});
  evaluate();
}

void SweepForm::setBase(const run::RunConfig& base) {
  const bool isOther = run::flatten(base) != run::flatten(sweep_.base);
  const bool isFirst = sweep_.stopping.after < 1;
  sweep_.base = base;
  if (isFirst) sweep_.stopping.after = std::max<int64_t>(1, base.training.maxSteps / 4);
  change(isOther);
}

void SweepForm::addRow() {
  const auto isThere = [this](const char* key) {
    return std::any_of(rows_.begin(), rows_.end(), [key](const SweepRow& row) { return row.key == QLatin1String(key); });
  };
  const auto* next = std::find_if_not(std::begin(kUsualKeys), std::end(kUsualKeys), isThere);
  rows_.push_back({QString::fromLatin1(next == std::end(kUsualKeys) ? kUsualKeys[0] : *next), Kind::Choice, {}});
  emit rowsChanged();
  change(true);
}

void SweepForm::removeRow(std::size_t row) {
  if (row >= rows_.size()) return;
  rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(row));
  emit rowsChanged();
  change(true);
}

void SweepForm::setRow(std::size_t row, const SweepRow& content) {
  if (row >= rows_.size()) return;
  rows_[row] = content;
  if (content.kind != Kind::Choice && sweep_.mode == sweep::Mode::Grid) return setMode(sweep::Mode::Random);
  change(true);
}

void SweepForm::setName(const QString& name) {
  sweep_.name = name.trimmed().toStdString();
  change(true);
}

void SweepForm::setMode(sweep::Mode mode) {
  sweep_.mode = mode;
  sweep_.count = mode == sweep::Mode::Grid ? 0 : std::max<int64_t>(sweep_.count, kDefaultCount);
  const auto isDrawn = [](const SweepRow& row) { return row.kind != Kind::Choice; };
  const bool listsAgain = mode == sweep::Mode::Grid && std::any_of(rows_.begin(), rows_.end(), isDrawn);
  if (listsAgain) {
    for (SweepRow& row : rows_) row.kind = Kind::Choice;
    emit rowsChanged();
  }
  change(true);
}

void SweepForm::setCount(int count) {
  if (sweep_.mode == sweep::Mode::Random) sweep_.count = count;
  change(true);
}

void SweepForm::setSeeds(int seeds) {
  sweep_.seeds = seeds;
  change(true);
}

void SweepForm::setAtOnce(int atOnce) {
  sweep_.atOnce = atOnce;
  change(true);
}

void SweepForm::setObjective(sweep::Objective objective) {
  sweep_.objective = objective;
  change(true);
}

void SweepForm::setStopping(const sweep::EarlyStopping& stopping) {
  sweep_.stopping = stopping;
  change(true);
}

void SweepForm::setRuns(const std::vector<storage::RunRecord>& runs) {
  const QString before = timeText();
  speeds_.clear();
  for (const storage::RunRecord& run : runs) {
    if (!run.secondsPerStep || run.configYaml.empty()) continue;
    Speed& speed = knownSpeeds_[run.id];
    if (speed.model.empty() || run.status == storage::RunStatus::Running) {
      const run::RunConfig config = run::parseConfig(run.configYaml).config;
      speed = {config.model, *run.secondsPerStep / std::max(1.0, tokensOf(config)), QString::fromStdString(run.name).simplified(), run.ranks};
    }
    speeds_.push_back(speed);
  }
  if (timeText() != before) emit changed();
}

void SweepForm::change(bool isOther) {
  if (!isOther) return;
  evaluate();
  emit changed();
}

void SweepForm::evaluate() {
  sweep_.keys.clear();
  for (const SweepRow& row : rows_) sweep_.keys.push_back(keyFrom(row));
  problems_.clear();
  rowProblems_.clear();
  const auto add = [this](const std::string& key, const QString& what) {
    const QString prefix = QStringLiteral("keys.");
    const QString name = QString::fromStdString(key);
    if (name.startsWith(prefix)) rowProblems_.try_emplace(name.mid(prefix.size()), what);
    const QString label = labelFor(name.startsWith(prefix) ? name.mid(prefix.size()).toStdString() : key);
    problems_ << (label.isEmpty() ? what : tr("%1: %2").arg(label, what));
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto isSame = [&](const SweepRow& row) { return row.key == rows_[i].key; };
    if (std::count_if(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(i), isSame) > 0) add("keys." + rows_[i].key.toStdString(), tr("is there twice"));
  }
  for (const run::ConfigProblem& problem : sweep::validate(sweep_)) add(problem.key, QString::fromStdString(problem.what));
  runCount_ = 0;
  tokens_ = 0;
  if (!problems_.isEmpty()) return;
  for (const sweep::Point& point : sweep::pointsOf(sweep_)) {
    const run::RunConfig config = sweep::configOf(sweep_, point);
    tokens_ += tokensOf(config) * static_cast<double>(config.training.maxSteps);
    ++runCount_;
  }
}

QString SweepForm::rowProblem(std::size_t row) const {
  if (row >= rows_.size() || rows_[row].values.trimmed().isEmpty()) return {};
  const auto found = rowProblems_.find(rows_[row].key);
  return found == rowProblems_.end() ? QString() : found->second;
}

const SweepForm::Speed* SweepForm::speedOf() const {
  const auto fits = [this](const Speed& speed) { return speed.model == sweep_.base.model && speed.ranks == sweep_.base.parallel.ranks; };
  const auto found = std::find_if(speeds_.begin(), speeds_.end(), fits);
  return found == speeds_.end() ? nullptr : &*found;
}

QString SweepForm::timeText() const {
  if (runCount_ == 0) return {};
  const Speed* speed = speedOf();
  if (!speed) return tr("how long is not known: no run of this model with as many ranks has been timed yet");
  const double seconds = tokens_ * speed->secondsPerToken / static_cast<double>(std::min(sweep_.atOnce, runCount_));
  return tr("about %1 of training, if as fast as “%2”").arg(plots::durationText(seconds), speed->name);
}

}  // namespace tidemark::ui
