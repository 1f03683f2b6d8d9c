// The worker's commands beside training: score, generate, eval and plan, with their options. They print results on
// standard output and errors on standard error.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/run/error_words.h"
#include "core/run/exit_code.h"

namespace tidemark::train {

bool isCommand(const std::string& name);
// `arguments`: what follows the command's name.
run::ExitCode runCommand(const std::string& name, std::vector<std::string> arguments);

struct PlanOptions {
  std::string config;
  std::vector<std::string> overrides;
  double gibPerSecond = 0;           // of gathers; 0: measured
  std::filesystem::path prepared;    // a folder that holds data.bin already, removed at the end; empty: prepared here
  bool json = false;
};
run::ExitCode runPlanCommand(const PlanOptions& options);

// Says why a command failed and what to do next. Returns the exit code for the error.
run::ExitCode failCommand(const std::string& failed, run::Concern concern, const Error& error);

}  // namespace tidemark::train
