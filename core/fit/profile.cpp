#include "core/fit/profile.h"

namespace tidemark::fit {
namespace {

Json toJson(const memory::OperatorFigures& f) {
  return {{"activation_bytes", f.activationBytes},     {"workspace_bytes", f.workspaceBytes},
          {"forward_peak_bytes", f.forwardPeakBytes},  {"backward_peak_bytes", f.backwardPeakBytes},
          {"saved_bytes", f.savedBytes},               {"forward_seconds", f.forwardSeconds},
          {"backward_seconds", f.backwardSeconds}};
}

// Throws nlohmann's exceptions, which profileFrom() catches.
memory::OperatorFigures operatorFrom(const Json& j) {
  memory::OperatorFigures f;
  f.activationBytes = j.at("activation_bytes");
  f.workspaceBytes = j.at("workspace_bytes");
  f.forwardPeakBytes = j.at("forward_peak_bytes");
  f.backwardPeakBytes = j.at("backward_peak_bytes");
  f.savedBytes = j.at("saved_bytes");
  f.forwardSeconds = j.at("forward_seconds");
  f.backwardSeconds = j.at("backward_seconds");
  return f;
}

Error unreadable(const std::exception& e) { return {ErrorCode::InvalidInput, "profile", e.what()}; }

}  // namespace

Json toJson(const Profile& profile) {
  Json operators = Json::array();
  for (const memory::OperatorFigures& f : profile.figures.operators) operators.push_back(toJson(f));
  return {{"event", "profile"},
          {"weights", profile.weights},
          {"tokens", profile.figures.tokens},
          {"targets", profile.figures.targets},
          {"rank_targets", profile.rankTargets},
          {"longest_row", profile.longestRow},
          {"mean_row", profile.meanRow},
          {"fixed_bytes", profile.fixedBytes},
          {"boundary_peak_bytes", profile.figures.boundaryPeakBytes},
          {"embedding", toJson(profile.figures.embedding)},
          {"loss_head", toJson(profile.figures.lossHead)},
          {"operators", operators}};
}

Json toJson(const GatherProfile& gathers) {
  return {{"event", "gathers"},
          {"bytes_per_second", gathers.bytesPerSecond},
          {"measured", gathers.isMeasured},
          {"processor_seconds_per_byte", gathers.processorSecondsPerByte},
          {"processors", gathers.processors},
          {"automatic_budget_bytes", gathers.automaticBudgetBytes}};
}

Result<Profile> profileFrom(const Json& line) try {
  Profile profile;
  profile.weights = line.at("weights");
  profile.figures.tokens = line.at("tokens");
  profile.figures.targets = line.at("targets");
  profile.rankTargets = line.at("rank_targets");
  profile.longestRow = line.at("longest_row");
  profile.meanRow = line.at("mean_row");
  profile.fixedBytes = line.at("fixed_bytes");
  profile.figures.boundaryPeakBytes = line.at("boundary_peak_bytes");
  profile.figures.embedding = operatorFrom(line.at("embedding"));
  profile.figures.lossHead = operatorFrom(line.at("loss_head"));
  for (const Json& f : line.at("operators")) profile.figures.operators.push_back(operatorFrom(f));
  return profile;
} catch (const Json::exception& e) {
  return unreadable(e);
}

Result<GatherProfile> gathersFrom(const Json& line) try {
  return GatherProfile{line.at("bytes_per_second"), line.at("processor_seconds_per_byte"), line.at("processors"), line.at("measured"), line.at("automatic_budget_bytes")};
} catch (const Json::exception& e) {
  return unreadable(e);
}

Machine machineOf(const GatherProfile& gathers) {
  Machine machine;
  machine.memoryBytes = gathers.automaticBudgetBytes;
  machine.bytesPerSecond = {gathers.bytesPerSecond, gathers.isMeasured ? Origin::Measured : Origin::Assumed};
  machine.latencySeconds = {0, Origin::Measured};  // in the measured speed
  machine.processorSecondsPerByte = gathers.processorSecondsPerByte;
  machine.processors = gathers.processorSecondsPerByte > 0 ? gathers.processors : 0;
  return machine;
}

}  // namespace tidemark::fit
