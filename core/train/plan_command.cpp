// `plan`: what fits, from one iteration measured on this process alone and the layout of the configured ranks.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/memory/piece_layout.h"
#include "core/memory/profile.h"
#include "core/train/commands.h"
#include "core/train/iteration.h"
#include "core/train/optimizer.h"
#include "core/train/session.h"

namespace tidemark::train {
namespace {

struct Row {
  std::string policy;
  int64_t microBatch = 0, predictedPeakBytes = 0, remoteBytes = 0, optimalRemoteBytes = 0;
  double tokensPerSecond = 0;
  std::string refusal;  // why it does not fit
};

// Everything that is sharded, as one rank of `ranks` would hold it.
struct Shards {
  int64_t staticBytes = 0;
  std::vector<int64_t> remoteBytes;
};

Shards shardsFor(const Session& s, int ranks) {
  Shards shards;
  for (size_t i = 0; i < s.model->store->pieceCount(); ++i) {
    std::vector<memory::PieceLayout::Group> groups;
    for (const memory::WeightGroup& group : s.model->store->spec(i).groups) groups.push_back({group.rows, group.columns});
    const memory::PieceLayout layout(std::move(groups), ranks);
    const int64_t whole = s.model->store->pieceBytes(i);
    shards.remoteBytes.push_back(layout.largestRemoteBytes(layout.slotCount()));
    shards.staticBytes += whole - layout.remoteBytes(ranks - 1, layout.slotCount());
  }
  shards.staticBytes += (s.model->vocabulary->staticBytes() + ranks - 1) / ranks;
  return shards;
}

Row predict(const Session& s, const memory::IterationFigures& measured, int64_t fixedHere, const std::string& policyName,
            int64_t microBatch, double bytesPerSecond, const std::vector<bool>& hasBackward) {
  Row row{policyName, microBatch, 0, 0, 0, 0, ""};
  const auto ranks = static_cast<int>(s.config.parallel.ranks);
  const memory::Policy policy = policyFrom(policyName).value();
  const Shards shards = shardsFor(s, policy == memory::Policy::Unsharded ? 1 : ranks);
  const int64_t trainable = s.model->trainable->bytes();
  const memory::BatchRatio ratio{
      static_cast<double>(s.batches->largestBatchTokens(microBatch) - microBatch) / static_cast<double>(measured.tokens),
      static_cast<double>(s.batches->largestBatchTargets(microBatch)) / static_cast<double>(measured.targets)};
  memory::IterationFigures figures = memory::scaled(measured, ratio, fixedHere);
  // From this process's whole weights to one rank's shard.
  const int64_t shift = shards.staticBytes + trainable - fixedHere;
  memory::PlanInput input;
  input.policy = policy;
  int64_t peak = 0;
  for (size_t i = 0; i < figures.operators.size(); ++i) {
    const memory::OperatorFigures& f = figures.operators[i];
    memory::PieceProfile piece;
    piece.remoteBytes = policy == memory::Policy::Unsharded ? 0 : shards.remoteBytes[i];
    piece.gatherSeconds = static_cast<double>(piece.remoteBytes) / bytesPerSecond;
    piece.forwardSeconds = f.forwardSeconds;
    piece.backwardSeconds = f.backwardSeconds;
    piece.forwardCapacity = s.budgetBytes - f.forwardPeakBytes - shift;
    piece.backwardCapacity = s.budgetBytes - std::max(f.backwardPeakBytes, i + 1 == figures.operators.size() ? figures.lossHead.forwardPeakBytes : 0) - shift;
    piece.hasBackward = hasBackward[i];
    peak = std::max({peak, f.forwardPeakBytes + shift, f.backwardPeakBytes + shift});
    input.pieces.push_back(piece);
  }
  peak = std::max(peak, figures.lossHead.forwardPeakBytes + shift);
  input.turnCapacity = s.budgetBytes - figures.lossHead.forwardPeakBytes - shift;
  input.boundaryCapacity = s.budgetBytes - shards.staticBytes - trainable - optimizerWorkspaceBytes(*s.model->trainable);
  const Result<memory::Plan> plan = memory::makePlan(input);
  if (!plan.ok()) {
    row.refusal = plan.error().message();
    return row;
  }
  if (policy == memory::Policy::Unsharded && peak > s.budgetBytes) {
    row.refusal = "every rank would hold the whole model: " + formatBytes(peak) + " are needed";
    return row;
  }
  row.remoteBytes = plan->remoteBytes;
  row.optimalRemoteBytes = plan->optimalRemoteBytes;
  int64_t total = 0;
  for (const memory::PieceProfile& piece : input.pieces) total += piece.remoteBytes;
  row.predictedPeakBytes = std::min(s.budgetBytes, peak + total);
  const double seconds = plan->predictedSeconds + figures.embedding.forwardSeconds + figures.lossHead.forwardSeconds;
  row.tokensPerSecond = static_cast<double>(figures.tokens) * ranks / seconds;
  return row;
}

Result<std::vector<Row>> planRows(Session& s, double bytesPerSecond) {
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
      rows.push_back(predict(s, runner.figures(), fixedHere, policy, microBatch, bytesPerSecond, runner.hasBackward()));
      if (!rows.back().refusal.empty()) break;
    }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.tokensPerSecond > b.tokensPerSecond; });
  return rows;
}

void print(const Session& s, const std::vector<Row>& rows, bool json) {
  if (!json)
    std::printf("Budget %s per rank, %lld ranks, profile of one iteration\n%-14s %11s %12s %14s %14s %10s\n", formatBytes(s.budgetBytes).c_str(),
                static_cast<long long>(s.config.parallel.ranks), "policy", "micro-batch", "peak", "remote/iter.", "optimum", "tokens/s");
  for (const Row& row : rows) {
    if (json) {
      Json line{{"event", "choice"}, {"policy", row.policy}, {"micro_batch", row.microBatch}, {"budget_bytes", s.budgetBytes}, {"fits", row.refusal.empty()}};
      if (row.refusal.empty())
        line.update({{"predicted_peak_bytes", row.predictedPeakBytes}, {"predicted_remote_bytes", row.remoteBytes},
                     {"optimal_remote_bytes", row.optimalRemoteBytes}, {"predicted_tokens_per_second", row.tokensPerSecond}});
      else line["reason"] = row.refusal;
      std::cout << line.dump() << "\n";
    } else if (row.refusal.empty()) {
      std::printf("%-14s %11lld %12s %14s %14s %10.1f\n", row.policy.c_str(), static_cast<long long>(row.microBatch), formatBytes(row.predictedPeakBytes).c_str(),
                  formatBytes(row.remoteBytes).c_str(), formatBytes(row.optimalRemoteBytes).c_str(), row.tokensPerSecond);
    } else {
      std::printf("%-14s %11lld does not fit: %s\n", row.policy.c_str(), static_cast<long long>(row.microBatch), row.refusal.c_str());
    }
  }
}

}  // namespace

run::ExitCode runPlanCommand(const std::string& configFile, const std::vector<std::string>& overrides, double bytesPerSecond, bool json) {
  namespace fs = std::filesystem;
  const auto fail = [](const Error& error) {
    std::cerr << "tidemark: " << error.message() << "\n";
    return run::exitCodeFor(error);
  };
  const fs::path folder = fs::temp_directory_path() / ("tidemark-plan-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  struct Cleanup {
    fs::path folder;
    ~Cleanup() { std::error_code ignored; fs::remove_all(folder, ignored); }
  } cleanup{folder};
  const Result<run::ParsedConfig> parsed = run::loadConfig(configFile, overrides);
  if (!parsed.ok()) return fail(parsed.error());
  for (const run::ConfigProblem& problem : parsed->problems) std::cerr << "tidemark: " << problem.key << ": " << problem.what << "\n";
  if (!parsed->problems.empty()) return run::ExitCode::Refused;
  const fs::path resolved = folder / "config.yaml";
  if (const Status written = writeFileAtomically(resolved, run::toYaml(parsed->config)); !written.ok()) return fail(written.error());
  Result<std::unique_ptr<Session>> session = openSession(resolved);
  if (!session.ok()) return fail(session.error());
  Session& s = **session;
  s.ledger.setBudget(0);  // the profile holds the whole model; the budget is what is being planned for
  if (s.config.memory.budgetBytes == 0) s.budgetBytes = automaticBudget(s.device, static_cast<int>(s.config.parallel.ranks));
  const Result<std::vector<Row>> rows = planRows(s, bytesPerSecond);
  if (!rows.ok()) return fail(rows.error());
  print(s, *rows, json);
  return run::ExitCode::Done;
}

}  // namespace tidemark::train
