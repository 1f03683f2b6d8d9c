// A run as one JSON object on one line, for `runs --json` and `show --json`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "storage/run_store.h"

namespace tidemark::cli {

// Unknown figures are null. Hyperparameters only where given.
std::string jsonOf(const storage::RunRecord& run,
                   const std::vector<std::pair<std::string, std::string>>& hyperparameters = {});

}  // namespace tidemark::cli
