// The other programs of the product, which lie beside this one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/exit_code.h"

namespace tidemark::cli {

// NotFound: it is not installed there, or cannot be executed.
Result<std::filesystem::path> programBeside(const std::string& name);

// Replaces this process. Returns only when that failed.
Error become(const std::filesystem::path& program, const std::vector<std::string>& arguments);

// Lets tidemark-worker carry out `verb`, in place of this process. Returns only when that failed, which was said.
run::ExitCode handOver(const std::string& verb, const std::vector<std::string>& rest);

}  // namespace tidemark::cli
