// A folder of its own for each test, and short ways to make stores, runs and events in it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/run/event.h"
#include "storage/run_store.h"

namespace tidemark::storage {

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tidemark-store-XXXXXX").string();
    folder = std::filesystem::canonical(::mkdtemp(pattern.data()));
    file = folder / "data" / "tidemark.db";
  }
  ~StoreTest() override { std::filesystem::remove_all(folder); }

  std::unique_ptr<RunStore> openStore() const {
    auto store = RunStore::open(file);
    EXPECT_TRUE(store.ok()) << store.error().message();
    return store.ok() ? std::move(store).value() : nullptr;
  }
  // A run whose directory exists, with an empty events.jsonl.
  std::string makeRun(RunStore& store, const std::string& name) const {
    RunRecord run;
    run.name = name;
    run.directory = (folder / ("run-" + std::to_string(std::hash<std::string>()(name)))).string();
    std::filesystem::create_directories(run.directory);
    std::ofstream(std::filesystem::path(run.directory) / "events.jsonl", std::ios::app).flush();
    run.model = "org/model";
    run.dataset = "/data/train.jsonl";
    run.policy = "elastic";
    run.ranks = 2;
    run.maxSteps = 100;
    auto id = store.createRun(run, {{"training.learning_rate", "0.0002"}, {"peft.r", "8"}});
    EXPECT_TRUE(id.ok()) << id.error().message();
    return id.ok() ? *id : "";
  }
  static std::filesystem::path eventFile(const RunStore& store, const std::string& id) {
    return std::filesystem::path(store.run(id)->directory) / "events.jsonl";
  }
  static void append(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::app | std::ios::binary) << text;
  }

  std::filesystem::path folder, file;
};

inline run::Event stepEvent(int64_t step, double loss, int64_t rank = 0) {
  run::StepEvent e;
  e.step = step;
  e.loss = loss;
  e.tokens = 1000;
  e.targetTokens = 900;
  e.seconds = 2;
  e.learningRate = 1e-4;
  e.remoteBytes = 600;
  e.iterations = 3;
  e.peakBytes = 5000 + step;
  return {1000.0 + static_cast<double>(step), rank, e};
}
inline run::Event startedEvent(bool isResumed) { return {1000, -1, run::StartedEvent{"", "", "", "0.1.0", 2, isResumed}}; }
inline run::Event finishedEvent(const std::string& status, int64_t exitCode) {
  return {2000, -1, run::FinishedEvent{"", status, "/adapter", exitCode}};
}
inline std::vector<int64_t> stepNumbers(const RunStore& store, const std::string& id, int64_t rank = 0) {
  std::vector<int64_t> numbers;
  const auto steps = store.steps(id, rank, -1);
  EXPECT_TRUE(steps.ok()) << steps.error().message();
  if (steps.ok())
    for (const auto& step : *steps) numbers.push_back(step.step);
  return numbers;
}

#define EXPECT_OK(expression)                                              \
  do {                                                                     \
    const auto result_ = (expression);                                     \
    EXPECT_TRUE(result_.ok()) << (result_.ok() ? "" : result_.error().message()); \
  } while (false)

}  // namespace tidemark::storage
