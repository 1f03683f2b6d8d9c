// Reads the runs of a comparison from the database, and reads again only those that changed. Blocks; lives in one thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ui/compare/compared_run.h"

namespace tidemark::ui {

class CompareLoader {
 public:
  explicit CompareLoader(std::filesystem::path database);

  // In the order of `runIds`; runs that are not in the database (any more) are left out.
  Result<ComparedRuns> load(const std::vector<std::string>& runIds);

 private:
  Result<std::shared_ptr<const ComparedRun>> loadRun(const std::string& runId);
  std::optional<std::string> chatTemplateOf(const std::string& model);

  std::filesystem::path database_;
  std::unique_ptr<storage::RunStore> store_;
  std::map<std::string, std::shared_ptr<const ComparedRun>> known_;           // by run
  std::map<std::string, std::optional<std::string>> templates_;               // by model
};

}  // namespace tidemark::ui
