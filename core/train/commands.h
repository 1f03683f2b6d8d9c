// The worker's commands beside training: score, generate, eval, perplexity and profile, with their options. They print results on
// standard output and errors on standard error.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/run/error_words.h"
#include "core/run/exit_code.h"

namespace CLI {
class App;
}

namespace tidemark::train {

bool isCommand(const std::string& name);
// `arguments`: what follows the command's name.
run::ExitCode runCommand(const std::string& name, std::vector<std::string> arguments);

struct ProfileOptions {
  std::string config;
  std::vector<std::string> overrides;
  std::vector<std::string> weights;  // forms to measure with (memory.weights); none: the configuration's
  double gibPerSecond = 0;           // of gathers; 0: measured
  std::filesystem::path prepared;    // a folder that holds data.bin already; empty: prepared here
};
// Measures one iteration of this process alone, once for each form of the weights, and what gathers cost. Prints JSON lines
// (core/fit/profile.h).
run::ExitCode runProfileCommand(const ProfileOptions& options);

// Adds the options of `perplexity`; what is returned carries it out once they are parsed.
std::function<run::ExitCode()> addPerplexity(CLI::App& app);

// Says why a command failed and what to do next. Returns the exit code for the error.
run::ExitCode failCommand(const std::string& failed, run::Concern concern, const Error& error);

}  // namespace tidemark::train
