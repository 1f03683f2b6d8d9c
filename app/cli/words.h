// The words that a person reads: what failed, on what, what to do next. All go to stderr; results go to stdout.
#pragma once

#include <string>
#include <vector>

#include "app/cli/output.h"
#include "core/base/result.h"
#include "core/run/config.h"
#include "core/run/error_words.h"
#include "core/run/event.h"
#include "core/run/exit_code.h"

namespace tidemark::cli {

void say(const std::string& text);  // one line (or several) on stderr, without control characters
void warn(const std::string& text);

// Says why, and what to do next (run::nextStep, or the one given); with Json also one "failure" event on stdout. Returns the
// exit code for the error.
run::ExitCode fail(const std::string& failed, run::Concern concern, const Error& error, Output output);
run::ExitCode fail(const std::string& failed, const Error& error, const std::string& nextStep, Output output);
// The same for what was refused before anything was started: exit code 2 whatever the error.
run::ExitCode refuse(const std::string& failed, run::Concern concern, const Error& error, Output output);
run::ExitCode refuse(const std::string& failed, const Error& error, const std::string& nextStep, Output output);
run::ExitCode refuseConfig(const std::string& path, const std::vector<run::ConfigProblem>& problems, Output output);

// One line on stdout, without control characters.
void print(const std::string& line);
// The same for what programs read: as it is.
void printData(const std::string& line);

}  // namespace tidemark::cli
