#include "core/train/trainer.h"

#include <ATen/Functions.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/base/bytes.h"
#include "core/train/budget_watch.h"
#include "core/train/checkpoint.h"
#include "core/train/device_memory.h"
#include "core/train/iteration.h"
#include "core/train/memory_control.h"
#include "core/train/optimizer.h"

namespace tidemark::train {
namespace {

std::atomic<bool> stopRequested{false};

using Clock = std::chrono::steady_clock;

const std::string kOptimizer = "optimizer";

// A batch must be this much longer than the first to be tried before it.
constexpr double kClearlyLonger = 1.1;
constexpr int64_t kFirstTimelines = 64;
constexpr std::chrono::seconds kTimelineInterval{10};

uint64_t dropoutSeed(const Session& s, int64_t step, int64_t iteration) {
  if (s.adapter.lora.dropout <= 0) return 0;
  uint64_t seed = static_cast<uint64_t>(s.config.training.seed) * 0x9e3779b97f4a7c15ull;
  for (const int64_t part : {step, iteration, static_cast<int64_t>(s.process.rank)})
    seed = (seed ^ static_cast<uint64_t>(part)) * 0xbf58476d1ce4e5b9ull + 0x94d049bb133111ebull;
  return seed | 1;
}

memory::Processors processorsOf(const Session& s) {
  if (!s.device.is_cpu()) return {};
  const auto ofMachine = static_cast<double>(std::max(1u, std::thread::hardware_concurrency()));
  return {ofMachine / s.process.localWorldSize, static_cast<double>(s.config.parallel.threadsPerRank)};
}

class Trainer {
 public:
  explicit Trainer(Session& session)
      : s_(session), runner_(*s_.model, s_.ledger),
        control_({s_.policy, s_.budgetBytes, s_.config.training.globalBatchSize / s_.process.worldSize,
                  s_.config.training.microBatchSize, memory::activationsFrom(s_.config.memory.activations),
                  memory::accumulationFrom(s_.config.memory.accumulation), processorsOf(s_)},
                 *s_.model, runner_, *s_.batches, *s_.communicator, s_.ledger, *s_.events),
        budget_(s_.budgetBytes),
        schedule_{s_.config.training.lrSchedulerType, s_.config.training.learningRate, s_.config.training.warmupRatio,
                  s_.config.training.maxSteps} {}

  Result<run::ExitCode> run(bool resumes);
  const MemoryControl& control() const { return control_; }

 private:
  struct StepSums {
    double loss = 0;          // of all ranks
    bool mustStop = false;
  };
  struct Before {  // a step
    int64_t exchangedBytes = 0, iterations = 0;
  };
  Status restore();
  Status probeLongest();
  Status trainStep();
  Result<double> runIterations(int64_t targets);  // the step's loss sum on this rank
  Status followFreeMemory();
  StepSums reduceStep(double lossSum);
  int64_t evaluationBreadth(const memory::Ledger::Peaks& peaks, int64_t tokens) const;
  void evaluate();
  Status checkpoint();
  void reportStep(double loss, double gradNorm, double learningRate, double seconds, const Before& before);
  void reportTimeline();
  bool isChief() const { return s_.process.rank == 0; }

  Session& s_;
  IterationRunner runner_;
  MemoryControl control_;
  BudgetWatch budget_;
  ScheduleSettings schedule_;
  Progress progress_;
  int64_t iteration_ = 0, lastCheckpoint_ = -1;
  bool mustStop_ = false, hasMeasuredBoundary_ = false;
  std::vector<run::MemoryPoint> lastTimeline_;
  Clock::time_point lastTimelineAt_;
};

Status Trainer::restore() {
  const FoundCheckpoint found = newestCheckpoint(s_.directory / "checkpoints");
  for (const std::string& damaged : found.damaged)
    if (isChief()) s_.events->write(run::LogEvent{"warning", "passed over a damaged checkpoint: " + damaged});
  if (!found.path) {
    if (isChief()) s_.events->write(run::LogEvent{"info", "no checkpoint yet: starting from the first step"});
    return {};
  }
  TIDEMARK_ASSIGN(progress_, loadCheckpoint(*found.path, *s_.model->trainable));
  if (progress_.dataHash != s_.dataset->contentHash())
    return Error{ErrorCode::InvalidInput, found.path->string(), "was made on other data than data.bin of this run holds; start a new run instead"};
  if (progress_.seed != static_cast<uint64_t>(s_.config.training.seed))
    return Error{ErrorCode::InvalidConfig, "training.seed", "differs from the checkpoint's; a resumed run keeps its seed"};
  lastCheckpoint_ = progress_.step;
  if (isChief())
    s_.events->write(run::LogEvent{"info", "resumed after step " + std::to_string(progress_.step) + " from " + found.path->string()});
  return {};
}

Trainer::StepSums Trainer::reduceStep(double lossSum) {
  at::Tensor sums = at::tensor({lossSum, stopRequested.load() ? 1.0 : 0.0}, at::kDouble);
  s_.communicator->sum(sums);
  const double* values = sums.const_data_ptr<double>();
  return {values[0], values[1] > 0};
}

// Before the first step, where a later batch is clearly longer than those it begins with: what does not fit shows now, and
// the plan is made from what the longest one measured. Nothing is learned from it.
Status Trainer::probeLongest() {
  const int64_t microBatch = control_.microBatch();
  const Batches::Largest& largest = s_.batches->largestBatch(microBatch);
  const auto first = static_cast<double>(s_.batches->trainingTokens(progress_.step, 0, microBatch));
  if (largest.step < progress_.step || static_cast<double>(largest.tokens) < kClearlyLonger * first) return {};
  runner_.train(s_.batches->training(largest.step, largest.iteration, microBatch), 0, 0);
  s_.model->trainable->gradients.zero_();
  return control_.afterIteration();
}

Result<double> Trainer::runIterations(int64_t targets) {
  const int64_t step = progress_.step;
  double lossSum = 0;
  // A plan made between two iterations may change how many micro-batches the next one carries.
  for (int64_t done = 0; done < control_.accumulate();) {
    const int64_t microBatch = control_.microBatch();
    std::vector<IterationRunner::MicroBatch> carried;
    for (int64_t i = 0; i < control_.breadth() && done < control_.accumulate(); ++i, ++done)
      carried.push_back({s_.batches->training(step, done, microBatch), dropoutSeed(s_, step, done)});
    lossSum += runner_.train(carried, 1.0 / static_cast<double>(targets)).lossSum;
    ++iteration_;
    reportTimeline();
    TIDEMARK_TRY(control_.afterIteration());
  }
  return lossSum;
}

// Every rank plans for the least that any of them has.
Status Trainer::followFreeMemory() {
  const int64_t allowed = budget_.allowedBytes({s_.freeBytes(), s_.ledger.held().total(), s_.sharingRanks});
  at::Tensor negative = at::tensor({-static_cast<double>(allowed)}, at::kDouble);
  s_.communicator->max(negative);
  const int64_t next = budget_.next(static_cast<int64_t>(-negative.item<double>()), control_.plannedPeakBytes());
  if (next == budget_.budgetBytes()) return {};
  const std::string reason = next < budget_.budgetBytes() ? "free memory of the device fell" : "memory of the device became free again";
  TIDEMARK_ASSIGN(const int64_t used, control_.useBudget(next, reason));
  budget_.use(used, next);
  if (used > next && isChief())
    s_.events->write(run::LogEvent{"warning", "only " + formatBytes(next) + " of the device are left for each rank, and this run needs " + formatBytes(used) +
                                                  " at least: it goes on with that; end other programs, or stop it and resume it later"});
  return {};
}

Status Trainer::trainStep() {
  const auto start = Clock::now();
  const Before before{s_.communicator->receivedBytes(), iteration_};
  const int64_t step = progress_.step;
  const int64_t targets = s_.batches->stepTargets(step);
  s_.model->store->takeStatistics();
  s_.ledger.takePeaks();
  TIDEMARK_ASSIGN(const double lossSum, runIterations(targets));
  s_.ledger.beginWindow({&kOptimizer, "step"});
  peft::TrainableState& state = *s_.model->trainable;
  s_.communicator->sum(state.gradients);
  const StepSums sums = reduceStep(lossSum);
  const double loss = sums.loss / static_cast<double>(targets);
  if (!std::isfinite(loss))
    return Error{ErrorCode::Internal, "step " + std::to_string(step + 1), "the loss is not a number; lower training.learning_rate, or look at the rows of this step"};
  const double gradNorm = clipGradients(state, s_.config.training.maxGradNorm);
  const double learningRate = learningRateAt(schedule_, step);
  const run::TrainingConfig& t = s_.config.training;
  adamWUpdate(state, {t.adamBeta1, t.adamBeta2, t.adamEpsilon, t.weightDecay}, learningRate, step + 1);
  state.gradients.zero_();
  const auto window = s_.ledger.endWindow();
  ++progress_.step;
  progress_.microBatch = control_.microBatch();
  progress_.tokensSeen += s_.batches->stepTokens(step);
  mustStop_ = sums.mustStop;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  reportStep(loss, gradNorm, learningRate, seconds, before);
  if (!std::exchange(hasMeasuredBoundary_, true)) TIDEMARK_TRY(control_.afterFirstStep(window.peakWithoutDynamicBytes));
  return followFreeMemory();
}

void Trainer::reportStep(double loss, double gradNorm, double learningRate, double seconds, const Before& before) {
  const auto statistics = s_.model->store->takeStatistics();
  const auto peaks = s_.ledger.takePeaks();
  const int64_t step = progress_.step - 1;
  run::StepEvent event;
  event.step = progress_.step;
  event.loss = loss;
  event.tokens = s_.batches->stepTokens(step);
  event.targetTokens = s_.batches->stepTargets(step);
  event.seconds = seconds;
  event.learningRate = learningRate;
  event.gradNorm = gradNorm;
  event.remoteBytes = statistics.remoteBytes;
  event.exchangeBytes = s_.communicator->receivedBytes() - before.exchangedBytes;
  event.stallSeconds = statistics.stallSeconds;
  event.iterations = iteration_ - before.iterations;
  event.peakBytes = peaks.total;
  event.staticBytes = peaks.ofSpace[memory::Space::Static];
  event.dynamicPeakBytes = peaks.ofSpace[memory::Space::Dynamic];
  event.activationPeakBytes = peaks.ofSpace[memory::Space::Activation];
  event.workspacePeakBytes = peaks.ofSpace[memory::Space::Workspace];
  event.trainableBytes = peaks.ofSpace[memory::Space::Trainable];
  event.residentBytes = residentBytes();
  s_.events->write(event);
}

void Trainer::reportTimeline() {
  const std::vector<run::MemoryPoint>& now = runner_.timeline();
  const auto sameCache = [](const run::MemoryPoint& a, const run::MemoryPoint& b) { return a.dynamicCache == b.dynamicCache; };
  const auto same = [](const run::MemoryPoint& a, const run::MemoryPoint& b) {
    return a.activation == b.activation && a.dynamicCache == b.dynamicCache && a.workspace == b.workspace;
  };
  const auto equals = [&](auto compare) {
    return now.size() == lastTimeline_.size() && std::equal(now.begin(), now.end(), lastTimeline_.begin(), compare);
  };
  if (equals(same)) return;
  // Batches of varying length differ in every iteration: after the first ones, such changes are told now and then only, so
  // that a day's run stays small. A change of what is cached is always told.
  const bool isRecent = Clock::now() - lastTimelineAt_ < kTimelineInterval;
  if (iteration_ > kFirstTimelines && isRecent && equals(sameCache)) return;
  lastTimeline_ = now;
  lastTimelineAt_ = Clock::now();
  run::TimelineEvent event;
  event.iteration = iteration_;
  event.step = progress_.step + 1;
  event.budgetBytes = s_.budgetBytes;
  event.points = now;
  s_.events->write(event);
}

// How many batches pass an operator together in evaluation, given what one of `tokens` took alone: its workspace is as
// large as the longest one's, and each further one adds its state.
int64_t Trainer::evaluationBreadth(const memory::Ledger::Peaks& peaks, int64_t tokens) const {
  const int64_t longest = s_.config.dataset.maxSeqLength;
  const double workspace = static_cast<double>(peaks.ofSpace[memory::Space::Workspace]) * static_cast<double>(longest) / static_cast<double>(tokens);
  const int64_t others = peaks.ofSpace.total() - peaks.ofSpace[memory::Space::Workspace];
  at::Tensor need = at::tensor({static_cast<double>(others) + workspace}, at::kDouble);
  s_.communicator->max(need);
  const weights::ModelConfig& model = s_.model->config;
  const int64_t perToken = static_cast<int64_t>(sizeof(float)) * (model.hiddenSize + model.headSize) + 5 * static_cast<int64_t>(sizeof(int64_t));
  const int64_t free = budget_.budgetBytes() - static_cast<int64_t>(need.item<double>());
  return 1 + std::max<int64_t>(0, free / (longest * perToken));
}

void Trainer::evaluate() {
  if (s_.dataset->evalCount() == 0) return;
  const auto start = Clock::now();
  double lossSum = 0, targets = 0;
  s_.model->store->takeStatistics();
  const int64_t count = s_.batches->evaluationIterations();
  for (int64_t begin = 0, breadth = 1; begin < count;) {
    std::vector<IterationRunner::MicroBatch> carried;
    std::vector<bool> counts;
    for (int64_t i = begin; i < std::min(count, begin + breadth); ++i) {
      bool isCounted = false;
      carried.push_back({s_.batches->evaluation(i, &isCounted), 0});
      counts.push_back(isCounted);
    }
    s_.ledger.takePeaks();
    const std::vector<IterationRunner::Outcome> outcomes = runner_.evaluate(carried);
    for (size_t i = 0; i < outcomes.size(); ++i) {
      if (!counts[i]) continue;
      lossSum += outcomes[i].lossSum;
      targets += static_cast<double>(outcomes[i].targets);
    }
    begin += static_cast<int64_t>(carried.size());
    if (breadth > 1 || begin >= count) continue;
    int64_t tokens = 1;
    for (const auto& ids : carried[0].batch.idsOfRank) tokens = std::max(tokens, static_cast<int64_t>(ids.size()));
    breadth = evaluationBreadth(s_.ledger.takePeaks(), tokens);
  }
  at::Tensor sums = at::tensor({lossSum, targets}, at::kDouble);
  s_.communicator->sum(sums);
  const double* values = sums.const_data_ptr<double>();
  run::EvalEvent event;
  event.step = progress_.step;
  event.rows = s_.dataset->evalCount();
  event.targetTokens = static_cast<int64_t>(values[1]);
  event.loss = values[0] / values[1];
  event.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  event.remoteBytes = s_.model->store->takeStatistics().remoteBytes;
  if (isChief()) s_.events->write(event);
}

Status Trainer::checkpoint() {
  if (lastCheckpoint_ == progress_.step) return {};
  lastCheckpoint_ = progress_.step;
  Status written;
  if (isChief()) {
    const Result<std::filesystem::path> path =
        writeCheckpoint(s_.directory / "checkpoints", *s_.model->trainable, s_.adapter, progress_);
    if (path.ok()) {
      s_.events->write(run::CheckpointEvent{progress_.step, path->string()});
      rotateCheckpoints(s_.directory / "checkpoints", s_.config.output.keepCheckpoints);
    } else {
      written = path.error();
    }
  }
  s_.communicator->barrier();
  return written;
}

Result<run::ExitCode> Trainer::run(bool resumes) {
  progress_.seed = static_cast<uint64_t>(s_.config.training.seed);
  progress_.dataHash = s_.dataset->contentHash();
  if (resumes) TIDEMARK_TRY(restore());
  runner_.setTurnHook([this] { control_.atFirstTurn(); });
  const run::TrainingConfig& t = s_.config.training;
  if (progress_.step == 0) evaluate();
  if (progress_.step < t.maxSteps) TIDEMARK_TRY(probeLongest());
  while (progress_.step < t.maxSteps && !mustStop_) {
    TIDEMARK_TRY(trainStep());
    const bool isLast = progress_.step == t.maxSteps;
    if (mustStop_ || isLast || (s_.config.output.checkpointEvery > 0 && progress_.step % s_.config.output.checkpointEvery == 0))
      TIDEMARK_TRY(checkpoint());
    if (isLast || (t.evalSteps > 0 && progress_.step % t.evalSteps == 0)) evaluate();
  }
  if (progress_.step < t.maxSteps) return run::ExitCode::Stopped;
  if (isChief()) TIDEMARK_TRY(publishAdapter(s_.directory / "adapter", *s_.model->trainable, s_.adapter));
  s_.communicator->barrier();
  return run::ExitCode::Done;
}

}  // namespace

Result<run::ExitCode> trainToEnd(Session& session, bool resumes) {
  Trainer trainer(session);
  try {
    return trainer.run(resumes);
  } catch (memory::BudgetExceeded& exceeded) {
    exceeded.advice = trainer.control().whatWouldFit();
    throw;
  }
}

void requestStop() { stopRequested.store(true); }

}  // namespace tidemark::train
