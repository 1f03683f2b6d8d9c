// Runs one command of another of our programs and hands on what it prints, line by line, while it runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tidemark::cli {

// `name`: of the program beside this one. Blocks until it has ended, which it also does when this process dies. An error: it cannot be started, or it did
// not exit with 0; then the detail is what it said on standard error, and the code OutOfMemory if that was the reason.
Status runBeside(const std::string& name, const std::vector<std::string>& arguments, const std::function<void(const std::string&)>& onLine);

}  // namespace tidemark::cli
