// `profile`: what `tidemark-cli plan` reckons with, measured on this process alone.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

#include "core/base/file.h"
#include "core/comm/gather_cost.h"
#include "core/fit/profile.h"
#include "core/train/commands.h"
#include "core/train/iteration.h"
#include "core/train/optimizer.h"
#include "core/train/session.h"

namespace tidemark::train {
namespace fs = std::filesystem;

namespace {

constexpr double kGib = 1073741824.0;
constexpr double kAssumedGibPerSecond = 0.7;             // between devices, which cannot be measured from one of them
constexpr int64_t kNoBudgetBytes = 1125899906842624;     // the greatest that a configuration takes

fit::GatherProfile gathersOf(const Session& s, double gibPerSecond) {
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  fit::GatherProfile gathers{gibPerSecond * kGib, 0, processors, false, automaticBudget(s.device, static_cast<int>(s.config.parallel.ranks))};
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

fit::Profile measure(Session& s) {
  IterationRunner runner(*s.model, s.ledger);
  const model::Batch batch = s.batches->training(0, 0, 1);
  runner.train(batch, 1.0, 0);  // warms caches and allocators up
  runner.train(batch, 1.0, 0);
  fit::Profile profile;
  profile.weights = s.config.memory.weights;
  profile.figures = runner.figures();
  const memory::SpaceBytes held = s.ledger.held();
  profile.fixedBytes = held[memory::Space::Static] + held[memory::Space::Trainable];
  profile.figures.boundaryPeakBytes = profile.fixedBytes + optimizerWorkspaceBytes(*s.model->trainable);
  profile.rankTargets = batch.targets.size(0);
  double squares = 0;
  for (const int64_t length : batch.segmentLengths) {
    profile.longestRow = std::max(profile.longestRow, length);
    squares += static_cast<double>(length) * static_cast<double>(length);
  }
  profile.meanRow = squares / static_cast<double>(std::max<int64_t>(1, batch.tokenCount()));
  return profile;
}

// A place for config.yaml, and for the data where nobody has prepared it; gone with this object.
struct ProfileFolder {
  explicit ProfileFolder(const fs::path& prepared)
      : path(fs::temp_directory_path() / ("tidemark-profile-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
    if (!prepared.empty()) fs::create_symlink(fs::absolute(prepared / "data.bin"), path / "data.bin");
  }
  ~ProfileFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

}  // namespace

run::ExitCode runProfileCommand(const ProfileOptions& options) {
  const ProfileFolder folder(options.prepared);
  Result<run::ParsedConfig> parsed = run::loadConfig(options.config, options.overrides);
  if (!parsed.ok()) return failCommand("the configuration cannot be read", run::Concern::Configuration, parsed.error());
  for (const run::ConfigProblem& problem : parsed->problems)
    failCommand("the configuration cannot be used", run::Concern::Settings, {ErrorCode::InvalidConfig, problem.key, problem.what});
  if (!parsed->problems.empty()) return run::ExitCode::Refused;
  run::RunConfig& config = parsed->config;
  config.memory.budgetBytes = kNoBudgetBytes;  // the profile holds the whole model; the budget is what is being planned for
  const std::vector<std::string> forms = options.weights.empty() ? std::vector{config.memory.weights} : options.weights;
  for (const std::string& form : forms) {
    if (const Status set = run::setKey(config, "memory.weights", form); !set.ok())
      return failCommand("the profile cannot be made", run::Concern::Settings, set.error());
    const fs::path resolved = folder.path / "config.yaml";
    if (const Status written = writeFileAtomically(resolved, run::toYaml(config)); !written.ok())
      return failCommand("the profile cannot be made", run::Concern::RunFiles, written.error());
    Result<std::unique_ptr<Session>> session = openSession(resolved);
    if (!session.ok()) return failCommand("the profile cannot be made", run::Concern::Configuration, session.error());
    Session& s = **session;
    s.ledger.setBudget(0);
    if (form == forms.front()) std::cout << fit::toJson(gathersOf(s, options.gibPerSecond)).dump() << std::endl;
    std::cout << fit::toJson(measure(s)).dump() << std::endl;
  }
  return run::ExitCode::Done;
}

}  // namespace tidemark::train
