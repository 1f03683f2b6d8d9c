// A run directory with a script for each fake rank, and what the agent made of it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/launch/agent.h"

namespace tidemark::launch {

class AgentRun : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "agent-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    std::ofstream(directory_ / "config.yaml") << "model: none\n";
    settings_.runId = "01TEST";
    settings_.name = "test";
    settings_.directory = directory_;
    settings_.worker = TIDEMARK_FAKE_WORKER;
    settings_.graceSeconds = 1;
    settings_.stragglerSeconds = 2;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void scripts(const std::vector<std::string>& scripts) {
    settings_.config.parallel.ranks = static_cast<int64_t>(scripts.size());
    for (size_t rank = 0; rank < scripts.size(); ++rank) {
      std::ofstream(directory_ / ("script-" + std::to_string(rank))) << scripts[rank];
    }
  }

  Result<run::ExitCode> supervise() {
    events_.clear();
    return superviseRun(settings_, [&](int64_t first, const std::vector<run::Event>& events) {
      EXPECT_TRUE(nextNumber_ < 0 || first == nextNumber_) << "numbers are without gaps";
      if (events_.empty()) firstNumber_ = first;
      nextNumber_ = first + static_cast<int64_t>(events.size());
      events_.insert(events_.end(), events.begin(), events.end());
    });
  }
  // The run's exit code as a number; -1: an error.
  int exitCode() {
    const auto result = supervise();
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message());
    return result.ok() ? static_cast<int>(*result) : -1;
  }

  template <typename T>
  std::vector<T> eventsOf() const {
    std::vector<T> found;
    for (const auto& event : events_) {
      if (const auto* body = std::get_if<T>(&event.body)) found.push_back(*body);
    }
    return found;
  }
  std::string text(const std::string& name) const {
    std::ifstream file(directory_ / name);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
  }
  // No process that wrote its pid into RUN_DIR/pids lives any more.
  void expectNobodyLeft() const {
    std::istringstream pids(text("pids"));
    int count = 0;
    for (int64_t pid; pids >> pid; ++count) EXPECT_EQ(processStartTicks(pid), 0) << "process " << pid << " is left";
    EXPECT_GT(count, 0) << "the scripts must write pids for this check";
  }
  void waitForFile(const std::string& name) const {
    for (int i = 0; i < 1000 && !std::filesystem::exists(directory_ / name); ++i) ::usleep(10'000);
    ASSERT_TRUE(std::filesystem::exists(directory_ / name)) << name << " did not appear";
  }

  std::filesystem::path directory_;
  AgentSettings settings_;
  std::vector<run::Event> events_;
  int64_t firstNumber_ = -1, nextNumber_ = -1;
};

// A line of "step" with the given number, as a worker writes it.
inline std::string stepLine(int64_t step) {
  run::StepEvent event;
  event.step = step;
  event.loss = 1.5;
  return run::toJsonLine(run::makeEvent(7, event));  // the agent knows better which rank wrote it
}

}  // namespace tidemark::launch
