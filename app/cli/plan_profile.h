// Has the engine measure one iteration: runs `tidemark-worker profile` and reads what it prints.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/fit/profile.h"
#include "core/run/exit_code.h"

namespace tidemark::cli {

struct MeasuredHere {
  std::vector<fit::Profile> profiles;  // one for each form of the weights
  fit::GatherProfile gathers;
};

// `arguments`: what follows `tidemark-worker profile`. Blocks; what the engine has to say goes to stderr as it comes. An error
// without detail: the engine has told why, and ended with `code`.
Result<MeasuredHere> measureProfiles(const std::filesystem::path& worker, const std::vector<std::string>& arguments, run::ExitCode& code);

}  // namespace tidemark::cli
