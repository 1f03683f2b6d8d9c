#include "ui/live/fit_advisor.h"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>

#include "core/fit/measured_speed.h"
#include "core/fit/neighbours.h"
#include "core/fit/profile.h"
#include "core/memory/plan_budget.h"
#include "core/weights/hub_cache.h"
#include "storage/run_store.h"

namespace tidemark::ui {
namespace {

namespace fs = std::filesystem;
using ModelPtr = std::shared_ptr<const weights::ModelSource>;

constexpr int64_t kRunsLookedAt = 100;
constexpr size_t kModelsKept = 8;

// How well an earlier run tells of this configuration; 0: not at all. Imported runs were measured elsewhere.
int likeness(const storage::RunRecord& run, const run::RunConfig& theirs, const run::RunConfig& ours) {
  if (run.agentPid == 0 || theirs.parallel.device != ours.parallel.device) return 0;
  return 1 + 4 * (theirs.model == ours.model) + 2 * (theirs.parallel.threadsPerRank == ours.parallel.threadsPerRank) +
         (theirs.memory.weights == ours.memory.weights) + (theirs.parallel.ranks == ours.parallel.ranks);
}

}  // namespace

class FitAdvisor::Worker {
 public:
  void setDatabase(fs::path database) { database_ = std::move(database); }

  void learn(const run::RunConfig& config, const QByteArray& lines) {
    Measurement measurement{config, {}, {}};
    for (const QByteArray& text : lines.split('\n')) {
      if (text.isEmpty()) continue;
      const Result<Json> line = parseJson(text.toStdString(), "profile");
      if (!line.ok()) continue;
      const std::string event = line->value("event", "");
      if (event == "profile") {
        if (auto profile = fit::profileFrom(*line); profile.ok()) measurement.profiles.push_back(std::move(profile).value());
      } else if (event == "gathers") {
        if (auto gathers = fit::gathersFrom(*line); gathers.ok()) measurement.gathers = std::move(gathers).value();
      }
    }
    if (!measurement.profiles.empty()) measurements_.insert(measurements_.begin(), std::move(measurement));
  }

  FitView answer(const FitWish& wish) {
    FitView view;
    const ModelPtr model = open(wish.config.model);
    if (!model || !wish.rows) return view;
    fit::Predictor predictor(model, wish.rows);
    QString speedFrom;
    predictor.setMachine(machineFor(wish.config, speedFrom));
    if (const Measurement* measured = measurementFor(wish.config)) {
      speedFrom.clear();
      for (const fit::Profile& profile : measured->profiles) predictor.addProfile(profile, measured->config);
      fit::Machine machine = fit::machineOf(measured->gathers);
      if (predictor.machine().memoryBytes > 0) machine.memoryBytes = predictor.machine().memoryBytes;  // it is newer
      predictor.setMachine(machine);
    }
    const fit::Prediction present = predictor.predict(wish.config);
    view = fitViewOf(present, present.refusal.empty() ? fit::neighbours(predictor, present) : std::vector<fit::Neighbour>{});
    view.isAutomaticBudget = wish.config.memory.budgetBytes == 0;
    view.speedFrom = speedFrom;
    return view;
  }

 private:
  struct Measurement {
    run::RunConfig config;
    std::vector<fit::Profile> profiles;
    fit::GatherProfile gathers;
  };
  // The newest that was measured with this model on this device.
  const Measurement* measurementFor(const run::RunConfig& config) const {
    for (const Measurement& m : measurements_)
      if (m.config.model == config.model && m.config.parallel.device == config.parallel.device &&
          m.config.parallel.threadsPerRank == config.parallel.threadsPerRank)
        return &m;
    return nullptr;
  }
  ModelPtr open(const std::string& name) {
    const auto path = weights::resolveModelPath(name);
    if (!path.ok()) return nullptr;
    std::error_code failure;
    const fs::file_time_type changed = fs::last_write_time(*path, failure);
    for (const Opened& opened : opened_)
      if (opened.path == *path && opened.changed == changed) return opened.model;
    auto source = weights::ModelSource::open(*path);
    if (!source.ok()) return nullptr;
    if (opened_.size() >= kModelsKept) opened_.erase(opened_.begin());
    opened_.push_back({*path, changed, ModelPtr(std::move(source).value())});
    return opened_.back().model;
  }

  fit::Machine machineFor(const run::RunConfig& config, QString& speedFrom) {
    fit::Machine machine;
    if (fit::usesHostMemory(config))
      machine.memoryBytes = memory::automaticBudgetBytes(memory::availableHostBytes(), std::max<int64_t>(1, config.parallel.ranks));
    const std::optional<fit::MeasuredSpeed> speed = speedFor(config, speedFrom);
    if (!speed) return machine;
    machine.efficiency = {1, fit::Origin::Measured};  // in the measured speed
    machine.latencySeconds = {0, fit::Origin::Measured};
    machine.operationsPerSecond = speed->operationsPerSecond;
    machine.bytesPerSecond = speed->bytesPerSecond;
    // A run of one rank gathers nothing: then only other runs of one rank can be told.
    if (!machine.bytesPerSecond.isKnown() && config.parallel.ranks == 1) machine.bytesPerSecond = {1e9, fit::Origin::Assumed};
    if (config.parallel.device == "cuda" || !machine.bytesPerSecond.isKnown()) return machine;
    machine.processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    // Over the loopback device, sending and receiving keep the processors of all ranks busy.
    machine.processorSecondsPerByte = std::min(1.0, static_cast<double>(machine.processors) / static_cast<double>(config.parallel.ranks)) /
                                      machine.bytesPerSecond.value;
    return machine;
  }

  std::optional<fit::MeasuredSpeed> speedFor(const run::RunConfig& config, QString& speedFrom) {
    if (database_.empty() || !fs::exists(database_)) return std::nullopt;
    if (!store_) {
      auto store = storage::RunStore::open(database_);
      if (!store.ok()) return std::nullopt;  // the Runs page tells what is wrong with the database
      store_ = std::move(store).value();
    }
    const auto runs = store_->runs({.search = {}, .status = {}, .includesArchived = false, .limit = kRunsLookedAt});
    if (!runs.ok()) return std::nullopt;
    std::vector<std::pair<int, const storage::RunRecord*>> order;
    for (const storage::RunRecord& run : *runs) {
      if (!run.tokensPerSecond || run.configYaml.empty()) continue;
      if (const int score = likeness(run, configOf(run), config); score > 0) order.emplace_back(score, &run);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });  // newest first among equals
    for (const auto& [score, run] : order) {
      const run::RunConfig& theirs = configOf(*run);
      const ModelPtr model = open(theirs.model);
      const auto operators = model ? store_->operators(run->id, 0) : Result<std::vector<run::OperatorEvent>>(Error{});
      if (!operators.ok()) continue;
      if (const auto speed = fit::speedOf(*model, theirs, *operators)) {
        speedFrom = QString::fromStdString(run->name);
        return speed;
      }
    }
    return std::nullopt;
  }

  // A run's configuration never changes.
  const run::RunConfig& configOf(const storage::RunRecord& run) {
    auto found = configs_.find(run.id);
    if (found == configs_.end()) found = configs_.emplace(run.id, run::parseConfig(run.configYaml).config).first;
    return found->second;
  }

  struct Opened {
    fs::path path;
    fs::file_time_type changed;
    ModelPtr model;
  };
  fs::path database_;
  std::unique_ptr<storage::RunStore> store_;
  std::map<std::string, run::RunConfig> configs_;
  std::vector<Opened> opened_;
  std::vector<Measurement> measurements_;
};

FitAdvisor::FitAdvisor(std::filesystem::path database, QObject* parent)
    : QObject(parent), place_(new QObject), worker_(std::make_unique<Worker>()) {
  worker_->setDatabase(std::move(database));
  place_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, place_, &QObject::deleteLater);
  thread_.setObjectName(QStringLiteral("what fits"));
  thread_.start(QThread::LowPriority);
}

FitAdvisor::~FitAdvisor() {
  newest_ = ~quint64{0};  // what has not begun is not begun any more
  thread_.quit();
  thread_.wait();
}

void FitAdvisor::setDatabase(const std::filesystem::path& database) {
  QMetaObject::invokeMethod(place_, [this, database] { worker_->setDatabase(database); });
}

void FitAdvisor::learn(const run::RunConfig& config, const QByteArray& lines) {
  QMetaObject::invokeMethod(place_, [this, config, lines] { worker_->learn(config, lines); });
}

void FitAdvisor::ask(const FitWish& wish) {
  newest_ = wish.generation;
  QMetaObject::invokeMethod(place_, [this, wish] {
    if (newest_ != wish.generation) return;
    const FitView view = worker_->answer(wish);
    if (newest_ == wish.generation) emit answered(wish.generation, view);
  });
}

}  // namespace tidemark::ui
