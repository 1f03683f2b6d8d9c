// The real tidemark-cli in a folder of its own, beside a fake worker, with a small real model.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace tidemark::cli {

struct Outcome {
  int exitCode = -1;  // negative: killed by that signal
  std::string out, err;
  std::vector<Json> lines() const;  // stdout as JSON, line by line; a line that is none fails the test
};

class CliTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Outcome cli(const std::vector<std::string>& arguments, const std::string& input = "");
  pid_t startCli(const std::vector<std::string>& arguments);  // output to files cli.out and cli.err
  Outcome waitFor(pid_t pid);

  // A configuration whose other keys are `more` (YAML lines); returns its path.
  std::string config(const std::string& more = "");
  void scripts(const std::vector<std::string>& scripts);   // of the fake ranks
  void write(const std::filesystem::path& path, const std::string& content) const;
  std::string read(const std::filesystem::path& path) const;
  void waitForFile(const std::filesystem::path& path) const;
  std::string onlyRunId();

  std::filesystem::path folder_, runDirectory_, model_;
};

std::string stepLine(int64_t rank, int64_t step);  // "event {...}" for a script

}  // namespace tidemark::cli
