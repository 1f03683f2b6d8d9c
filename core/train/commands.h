// The worker's commands beside training: score, generate, eval and plan, with their options. They print results on
// standard output and errors on standard error.
#pragma once

#include <string>
#include <vector>

#include "core/run/exit_code.h"

namespace tidemark::train {

bool isCommand(const std::string& name);
// `arguments`: what follows the command's name.
run::ExitCode runCommand(const std::string& name, std::vector<std::string> arguments);

run::ExitCode runPlanCommand(const std::string& configFile, const std::vector<std::string>& overrides, double bytesPerSecond, bool json);

}  // namespace tidemark::train
