// `plan`: what fits, from one iteration measured on this process alone and the layout of the configured ranks.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/counted.h"
#include "core/base/json.h"
#include "core/comm/gather_cost.h"
#include "core/memory/profile.h"
#include "core/train/commands.h"
#include "core/train/iteration.h"
#include "core/train/memory_control.h"
#include "core/train/optimizer.h"
#include "core/train/session.h"

namespace tidemark::train {
namespace fs = std::filesystem;

namespace {

constexpr double kGib = 1073741824.0;
constexpr double kAssumedGibPerSecond = 0.7;             // between devices, which cannot be measured from one of them
constexpr int64_t kNoBudgetBytes = 1125899906842624;     // the greatest that a configuration takes

int processorCount() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

struct Row {
  std::string policy;
  int64_t microBatch = 0, predictedPeakBytes = 0, remoteBytes = 0, optimalRemoteBytes = 0, leastBudgetBytes = 0;
  int64_t recomputedOperators = 0;
  double tokensPerSecond = 0;
  double tokensPerSecondIfHidden = 0;  // a bound: gathers cost nothing but waiting
  std::string refusal;                 // why it does not fit
};

// How gathers are reckoned with.
struct Gathers {
  double bytesPerSecond = 0;
  double processorSecondsPerByte = 0;  // 0: another device carries them
  bool isMeasured = false;
  int processors = 1;
};

Gathers gathersOf(const Session& s, double gibPerSecond) {
  Gathers gathers{gibPerSecond * kGib, 0, false, processorCount()};
  if (!s.device.is_cpu()) {
    if (gibPerSecond == 0) gathers.bytesPerSecond = kAssumedGibPerSecond * kGib;
    return gathers;
  }
  const comm::GatherCost cost = comm::measureGatherCost();
  gathers.isMeasured = gibPerSecond == 0;
  if (gathers.isMeasured) gathers.bytesPerSecond = cost.bytesPerSecond;
  gathers.processorSecondsPerByte = cost.processorSecondsPerByte;
  return gathers;
}

// On processors, a gather takes time from what computes: an iteration lasts no less than the work of all ranks on all
// processors.
double secondsOfWork(const Session& s, const Gathers& gathers, double computeSeconds, int64_t remoteBytes) {
  const auto ranks = static_cast<double>(s.config.parallel.ranks), threads = static_cast<double>(s.config.parallel.threadsPerRank);
  const double gathering = static_cast<double>(remoteBytes) * gathers.processorSecondsPerByte;
  const double work = ranks * (threads * computeSeconds + gathering) / gathers.processors;
  return s.device.is_cpu() ? std::max(work, computeSeconds) : computeSeconds;
}

// Everything that is sharded, as one rank of `ranks` would hold it.
struct Shards {
  int64_t staticBytes = 0;
  std::vector<int64_t> remoteBytes;
};

Shards shardsFor(const Session& s, int ranks) {
  Shards shards;
  for (size_t i = 0; i < s.model->store->pieceCount(); ++i) {
    const memory::PieceLayout layout = s.model->store->layoutOn(ranks, i);
    const int64_t whole = s.model->store->pieceBytes(i);
    shards.remoteBytes.push_back(layout.largestRemoteBytes(layout.slotCount()));
    shards.staticBytes += whole - layout.remoteBytes(ranks - 1, layout.slotCount());
  }
  shards.staticBytes += (s.model->vocabulary->staticBytes() + ranks - 1) / ranks;
  return shards;
}

// What the moments lack, added to the budget; `peakBytes` of everything but remote weights.
int64_t leastBudget(const memory::PlanInput& input, int64_t budgetBytes, int64_t peakBytes) {
  int64_t lacking = peakBytes - budgetBytes;
  for (const memory::PieceProfile& piece : input.pieces) {
    lacking = std::max(lacking, piece.remoteBytes - piece.forwardCapacity);
    if (piece.hasBackward) lacking = std::max(lacking, piece.remoteBytes - piece.backwardCapacity);
  }
  return budgetBytes + std::max({lacking, -input.turnCapacity, -input.boundaryCapacity});
}

// The largest sum, over the moments of an iteration, of what was measured and the remote weights that the plan holds then.
int64_t peakUnder(const memory::PlanInput& input, const memory::Plan& plan, int64_t budgetBytes) {
  const auto count = static_cast<int64_t>(input.pieces.size());
  const auto remoteWhile = [&](int64_t low, int64_t high) {  // pieces [low, high] are whole
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(i);
      if (i >= low && i <= high) bytes += input.pieces[at].remoteBytes;
      else bytes += i > high || !input.pieces[at].hasBackward ? plan.keeps[at].boundaryBytes : plan.keeps[at].turnBytes;
    }
    return bytes;
  };
  int64_t peak = budgetBytes - input.boundaryCapacity + remoteWhile(-1, -1);
  for (int64_t i = 0; i < count; ++i) {
    const memory::PieceProfile& piece = input.pieces[static_cast<size_t>(i)];
    peak = std::max(peak, budgetBytes - piece.forwardCapacity + remoteWhile(i, std::min(count - 1, i + plan.prefetchDepth)));
    if (piece.hasBackward)
      peak = std::max(peak, budgetBytes - piece.backwardCapacity + remoteWhile(std::max<int64_t>(0, i - plan.prefetchDepth), i));
  }
  return peak;
}

// `figures`: of the largest batch of this many sequences.
Row predict(const Session& s, const memory::IterationFigures& figures, int64_t fixedHere, const std::string& policyName,
            int64_t microBatch, const Gathers& gathers, const std::vector<bool>& hasBackward) {
  Row row;
  row.policy = policyName;
  row.microBatch = microBatch;
  const auto ranks = static_cast<int>(s.config.parallel.ranks);
  const memory::Policy policy = policyFrom(policyName).value();
  const Shards shards = shardsFor(s, policy == memory::Policy::Unsharded ? 1 : ranks);
  const int64_t trainable = s.model->trainable->bytes();
  // From this process's whole weights to one rank's shard.
  const int64_t shift = shards.staticBytes + trainable - fixedHere;
  memory::PlanInput input;
  input.policy = policy;
  int64_t peak = 0;
  for (size_t i = 0; i < figures.operators.size(); ++i) {
    const memory::OperatorFigures& f = figures.operators[i];
    memory::PieceProfile piece;
    piece.remoteBytes = policy == memory::Policy::Unsharded ? 0 : shards.remoteBytes[i];
    piece.gatherSeconds = static_cast<double>(piece.remoteBytes) / gathers.bytesPerSecond;
    piece.forwardSeconds = f.forwardSeconds;
    piece.backwardSeconds = f.wholeBackwardSeconds();
    piece.forwardCapacity = s.budgetBytes - f.forwardPeakBytes - shift;
    piece.backwardCapacity = s.budgetBytes - std::max(f.wholeBackwardPeakBytes(), i + 1 == figures.operators.size() ? figures.lossHead.forwardPeakBytes : 0) - shift;
    piece.hasBackward = hasBackward[i];
    peak = std::max({peak, f.forwardPeakBytes + shift, f.wholeBackwardPeakBytes() + shift});
    input.pieces.push_back(piece);
  }
  peak = std::max(peak, figures.lossHead.forwardPeakBytes + shift);
  input.turnCapacity = s.budgetBytes - figures.lossHead.forwardPeakBytes - shift;
  input.boundaryCapacity = s.budgetBytes - shards.staticBytes - trainable - optimizerWorkspaceBytes(*s.model->trainable);
  const Result<memory::Plan> plan = memory::makePlan(input);
  if (!plan.ok() && plan.error().code != ErrorCode::OutOfMemory) {
    row.refusal = plan.error().message();
    return row;
  }
  row.leastBudgetBytes = leastBudget(input, s.budgetBytes, peak);
  if (!plan.ok() || row.leastBudgetBytes > s.budgetBytes) {
    row.refusal = "needs a budget of " + formatBytes(row.leastBudgetBytes) + " at least";
    return row;
  }
  row.remoteBytes = plan->remoteBytes;
  row.optimalRemoteBytes = plan->optimalRemoteBytes;
  row.predictedPeakBytes = peakUnder(input, *plan, s.budgetBytes);
  const double seconds = plan->predictedSeconds + figures.embedding.forwardSeconds + figures.lossHead.forwardSeconds;
  const auto tokens = static_cast<double>(figures.tokens * ranks);
  row.tokensPerSecondIfHidden = tokens / seconds;
  row.tokensPerSecond = tokens / std::max(seconds, secondsOfWork(s, gathers, figures.computeSeconds(), row.remoteBytes));
  return row;
}

// The fastest of the choices of what to compute again that fits; where none does, the one that needs least.
Row bestRow(const Session& s, const memory::IterationFigures& measured, int64_t fixedHere, const std::string& policyName,
            int64_t microBatch, const Gathers& gathers, const std::vector<bool>& hasBackward) {
  const int64_t headRanks = policyName == "unsharded" ? 1 : s.config.parallel.ranks;
  const Batches::Largest& batch = s.batches->largestBatch(microBatch);
  const memory::BatchSize largest{batch.tokens, batch.targets * headRanks, headRanks};
  const memory::BatchRatio ratio = memory::batchRatio(s.model->headShape(), {measured.tokens, measured.targets, 1}, largest);
  const memory::IterationFigures figures = memory::scaled(measured, ratio, fixedHere);
  const int64_t outputBytes = figures.tokens * s.model->config.hiddenSize * static_cast<int64_t>(sizeof(float));
  const memory::Recomputed none(figures.operators.size(), false);
  std::optional<Row> best;
  for (const memory::Recomputed& recomputed :
       allowedRecomputed(activationsFrom(s.config.memory.activations), figures, hasBackward)) {
    Row row = predict(s, memory::withRecomputed(figures, none, recomputed, outputBytes), fixedHere, policyName, microBatch, gathers, hasBackward);
    row.recomputedOperators = std::count(recomputed.begin(), recomputed.end(), true);
    const bool isBetter = !best || !best->refusal.empty() || 
                          row.tokensPerSecondIfHidden > kWorthRecomputing * best->tokensPerSecondIfHidden;
    if (isBetter && (row.refusal.empty() || !best || !best->refusal.empty())) best = std::move(row);
  }
  return std::move(*best);
}

Result<std::vector<Row>> planRows(Session& s, const Gathers& gathers) {
  IterationRunner runner(*s.model, s.ledger);
  const model::Batch batch = s.batches->training(0, 0, 1);
  runner.train(batch, 1.0, 0);  // warms caches and allocators up
  runner.train(batch, 1.0, 0);
  const memory::SpaceBytes held = s.ledger.held();
  const int64_t fixedHere = held[memory::Space::Static] + held[memory::Space::Trainable];
  const int64_t sequencesPerRank = s.config.training.globalBatchSize / s.config.parallel.ranks;
  std::vector<Row> rows;
  for (const char* policy : {"elastic", "pinned", "gather-always", "unsharded"})
    for (int64_t microBatch = 1; microBatch <= sequencesPerRank; ++microBatch) {
      if (sequencesPerRank % microBatch != 0) continue;
      rows.push_back(bestRow(s, runner.figures(), fixedHere, policy, microBatch, gathers, runner.hasBackward()));
      if (!rows.back().refusal.empty()) break;
    }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.tokensPerSecond > b.tokensPerSecond; });
  return rows;
}

void printJson(const Session& s, const Gathers& gathers, const std::vector<Row>& rows) {
  std::cout << Json{{"event", "gathers"}, {"bytes_per_second", gathers.bytesPerSecond}, {"measured", gathers.isMeasured},
                    {"processor_seconds_per_byte", gathers.processorSecondsPerByte}, {"processors", gathers.processors}}.dump() << "\n";
  for (const Row& row : rows) {
    Json line{{"event", "choice"}, {"policy", row.policy}, {"micro_batch", row.microBatch}, {"budget_bytes", s.budgetBytes},
              {"least_budget_bytes", row.leastBudgetBytes}, {"recomputed_operators", row.recomputedOperators}, {"fits", row.refusal.empty()}};
    if (row.refusal.empty())
      line.update({{"predicted_peak_bytes", row.predictedPeakBytes}, {"predicted_remote_bytes", row.remoteBytes},
                   {"optimal_remote_bytes", row.optimalRemoteBytes}, {"predicted_tokens_per_second", row.tokensPerSecond},
                   {"predicted_tokens_per_second_if_hidden", row.tokensPerSecondIfHidden}});
    else line["reason"] = row.refusal;
    std::cout << line.dump() << "\n";
  }
}

void printTable(const Session& s, const Gathers& gathers, const std::vector<Row>& rows) {
  const run::ParallelConfig& parallel = s.config.parallel;
  std::printf("Budget %s per rank, %s, one iteration measured on one of them\n", formatBytes(s.budgetBytes).c_str(),
              counted(parallel.ranks, "rank").c_str());
  std::printf("Gathers %.2f GiB/s %s", gathers.bytesPerSecond / kGib, gathers.isMeasured ? "measured between two ranks" : "assumed");
  if (gathers.processorSecondsPerByte > 0)
    std::printf(", each GiB takes %.2f s of processor time; %s for %s with %s each", gathers.processorSecondsPerByte * kGib,
                counted(gathers.processors, "processor").c_str(), counted(parallel.ranks, "rank").c_str(),
                counted(parallel.threadsPerRank, "thread").c_str());
  std::printf("\n\n%-14s %11s %10s %10s %13s %10s %10s %10s\n", "policy", "micro-batch", "recomputed", "peak", "remote/iter.", "optimum", "tokens/s", "if hidden");
  for (const Row& row : rows) {
    std::printf("%-14s %11lld ", row.policy.c_str(), static_cast<long long>(row.microBatch));
    if (row.refusal.empty())
      std::printf("%10lld %10s %13s %10s %10.1f %10.1f\n", static_cast<long long>(row.recomputedOperators), formatBytes(row.predictedPeakBytes).c_str(), formatBytes(row.remoteBytes).c_str(),
                  formatBytes(row.optimalRemoteBytes).c_str(), row.tokensPerSecond, row.tokensPerSecondIfHidden);
    else std::printf("does not fit: %s\n", row.refusal.c_str());
  }
  if (gathers.processorSecondsPerByte > 0)
    std::printf("\nrecomputed: operators that compute their activation again in backward.\ntokens/s: gathers take their processor time from what computes. if hidden: the bound if they took none.\n");
}

// Removed at the end, whoever has made it.
struct PlanFolder {
  explicit PlanFolder(const fs::path& prepared)
      : path(prepared.empty() ? fs::temp_directory_path() / ("tidemark-plan-" + std::to_string(::getpid())) : prepared) {
    fs::create_directories(path);
  }
  ~PlanFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

run::ExitCode failAllTooSmall(const Session& s, const std::vector<Row>& rows) {
  const auto least = std::min_element(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.leastBudgetBytes < b.leastBudgetBytes; });
  return failCommand("nothing fits the budget", run::Concern::Settings,
                     {ErrorCode::OutOfMemory, "memory.budget",
                      "is " + formatBytes(s.budgetBytes) + "; the smallest that fits is " + formatBytes(least->leastBudgetBytes) +
                          ", or shorten dataset.max_seq_length, or use more ranks"});
}

}  // namespace

run::ExitCode runPlanCommand(const PlanOptions& options) {
  const PlanFolder folder(options.prepared);
  Result<run::ParsedConfig> parsed = run::loadConfig(options.config, options.overrides);
  if (!parsed.ok()) return failCommand("the configuration cannot be read", run::Concern::Configuration, parsed.error());
  for (const run::ConfigProblem& problem : parsed->problems)
    failCommand("the configuration cannot be used", run::Concern::Settings, {ErrorCode::InvalidConfig, problem.key, problem.what});
  if (!parsed->problems.empty()) return run::ExitCode::Refused;
  // The profile holds the whole model; the budget is what is being planned for.
  const int64_t asked = std::exchange(parsed->config.memory.budgetBytes, kNoBudgetBytes);
  const fs::path resolved = folder.path / "config.yaml";
  if (const Status written = writeFileAtomically(resolved, run::toYaml(parsed->config)); !written.ok())
    return failCommand("the plan cannot be made", run::Concern::RunFiles, written.error());
  Result<std::unique_ptr<Session>> session = openSession(resolved);
  if (!session.ok()) return failCommand("the plan cannot be made", run::Concern::Configuration, session.error());
  Session& s = **session;
  s.ledger.setBudget(0);
  s.budgetBytes = asked > 0 ? asked : automaticBudget(s.device, static_cast<int>(s.config.parallel.ranks));
  const Gathers gathers = gathersOf(s, options.gibPerSecond);
  const Result<std::vector<Row>> rows = planRows(s, gathers);
  if (!rows.ok()) return failCommand("the plan cannot be made", run::Concern::Settings, rows.error());
  if (options.json) printJson(s, gathers, *rows);
  else printTable(s, gathers, *rows);
  std::fflush(stdout);
  const bool hasFit = std::any_of(rows->begin(), rows->end(), [](const Row& row) { return row.refusal.empty(); });
  return hasFit ? run::ExitCode::Done : failAllTooSmall(s, *rows);
}

}  // namespace tidemark::train
