// Runs as the database would give them, for tests of the comparison: every figure is chosen by the test.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "storage/run_store.h"
#include "ui/compare/compared_run.h"

namespace tidemark::tests {

using Settings = std::map<std::string, std::string>;

// The settings of a usual run, with some of them set otherwise.
std::vector<std::pair<std::string, std::string>> settingsWith(const Settings& changes);

// A run with `losses` as those of steps 1, 2, ...; 1,000 tokens in 2 seconds each.
ui::ComparedRun comparedRun(const std::string& name, const Settings& changes, const std::vector<double>& losses);
ui::ComparedRuns shared(const std::vector<ui::ComparedRun>& runs);

// The same in a database, completed, with an evaluation after the last step, two operators and a timeline; returns its id.
std::string addComparedRun(storage::RunStore& store, const std::filesystem::path& folder, const std::string& name,
                           const Settings& changes, const std::vector<double>& losses);

}  // namespace tidemark::tests
