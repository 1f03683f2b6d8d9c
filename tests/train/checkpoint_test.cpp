#include "core/train/checkpoint.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "tests/base/temporary_folder.h"

namespace tidemark::train {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const peft::AdapterInfo kInfo{{4, 8, 0, {"q_proj", "v_proj"}}, "tiny-llama"};

// Values follow from the step, so that a checkpoint of another step, or half of one, is recognised.
class State {
 public:
  State() {
    for (const char* module : {"model.layers.0.self_attn.q_proj", "model.layers.0.self_attn.v_proj"}) {
      state.add(std::string(module) + ".lora_A.weight", {4, 16});
      state.add(std::string(module) + ".lora_B.weight", {12, 4});
    }
    state.allocate(c10::Device(c10::kCPU));
  }
  void fill(int64_t step) {
    const auto values = at::arange(state.parameterCount(), at::kFloat);
    state.parameters.copy_(values.mul(0.25).add_(static_cast<double>(step)));
    state.firstMoment.copy_(values.mul(-0.5).sub_(static_cast<double>(step)));
    state.secondMoment.copy_(values.square().add_(static_cast<double>(3 * step)));
  }
  bool isOf(int64_t step) const {
    State other;
    other.fill(step);
    return state.parameters.equal(other.state.parameters) && state.firstMoment.equal(other.state.firstMoment) &&
           state.secondMoment.equal(other.state.secondMoment);
  }
  peft::TrainableState state;
};

Progress progressOf(int64_t step) { return {step, 2, 42, "hash", 1000 * step}; }

void writeStep(const fs::path& folder, int64_t step) {
  State state;
  state.fill(step);
  const auto written = writeCheckpoint(folder, state.state, kInfo, progressOf(step));
  ASSERT_TRUE(written.ok()) << written.error().message();
  ASSERT_EQ(written->filename(), "step-" + std::to_string(step));
}

void expectLoads(const fs::path& path, int64_t step) {
  State state;
  const auto progress = loadCheckpoint(path, state.state);
  ASSERT_TRUE(progress.ok()) << progress.error().message();
  EXPECT_EQ(progress->step, step);
  EXPECT_EQ(progress->microBatch, 2);
  EXPECT_EQ(progress->seed, 42u);
  EXPECT_EQ(progress->dataHash, "hash");
  EXPECT_EQ(progress->tokensSeen, 1000 * step);
  EXPECT_TRUE(state.isOf(step));
}

void flipBit(const fs::path& file, uint64_t bit) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(bit / 8));
  const char flipped = static_cast<char>(stream.get() ^ (1 << (bit % 8)));
  stream.seekp(static_cast<std::streamoff>(bit / 8));
  stream.put(flipped);
  ASSERT_TRUE(stream.flush().good()) << file;
}

std::vector<std::string> filesOf(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class CheckpointTest : public testing::Test {
 protected:
  test::TemporaryFolder root_;
  fs::path folder_ = root_ / "checkpoints";
};

TEST_F(CheckpointTest, RoundTrip) {
  EXPECT_FALSE(newestCheckpoint(folder_).path);
  for (const int64_t step : {9, 10, 100}) writeStep(folder_, step);
  const FoundCheckpoint found = newestCheckpoint(folder_);
  ASSERT_TRUE(found.path);
  EXPECT_THAT(found.damaged, IsEmpty());
  expectLoads(*found.path, 100);
  expectLoads(folder_ / "step-9", 9);
  const auto info = peft::readAdapterInfo(*found.path);
  ASSERT_TRUE(info.ok()) << info.error().message();
  EXPECT_EQ(info->lora.r, 4);
  EXPECT_EQ(filesOf(folder_), (std::vector<std::string>{"step-10", "step-100", "step-9"})) << "nothing temporary is left";
}

// Each file in turn; where a flip is harmless (a digit of the manifest's own version) the checkpoint must load all the same.
TEST_F(CheckpointTest, ABitFlipIsPassedOverAndNamed) {
  writeStep(folder_, 1);
  std::mt19937 random(41);
  writeStep(folder_, 2);
  const auto names = filesOf(folder_ / "step-2");
  ASSERT_EQ(names.size(), 6u);
  for (const std::string& name : names)
    for (int round = 0; round < 60; ++round) {
      const fs::path file = folder_ / "step-2" / name;
      const uint64_t bit = random() % (8 * fs::file_size(file));
      flipBit(file, bit);
      const FoundCheckpoint found = newestCheckpoint(folder_);
      ASSERT_TRUE(found.path) << name << ", bit " << bit;
      if (found.damaged.empty()) {
        ASSERT_EQ(name, "manifest.json") << "bit " << bit << " was not noticed";
        expectLoads(*found.path, 2);
      } else {
        ASSERT_EQ(found.damaged.size(), 1u);
        EXPECT_THAT(found.damaged[0], HasSubstr("step-2"));
        if (name != "manifest.json") { EXPECT_THAT(found.damaged[0], HasSubstr(name)); }
        expectLoads(*found.path, 1);
      }
      flipBit(file, bit);
    }
  EXPECT_THAT(newestCheckpoint(folder_).damaged, IsEmpty());
}

TEST_F(CheckpointTest, TruncatedAndMissingFilesArePassedOverAndNamed) {
  writeStep(folder_, 1);
  for (const bool removes : {false, true}) {
    writeStep(folder_, 2);
    for (const std::string& name : filesOf(folder_ / "step-2")) {
      writeStep(folder_, 2);  // replaces what the round before has damaged
      if (removes) fs::remove(folder_ / "step-2" / name);
      else fs::resize_file(folder_ / "step-2" / name, fs::file_size(folder_ / "step-2" / name) / 2);
      const FoundCheckpoint found = newestCheckpoint(folder_);
      ASSERT_TRUE(found.path);
      EXPECT_EQ(found.path->filename(), "step-1") << name;
      ASSERT_EQ(found.damaged.size(), 1u);
      EXPECT_THAT(found.damaged[0], HasSubstr(name));
    }
  }
  writeStep(folder_, 2);
  EXPECT_EQ(newestCheckpoint(folder_).path->filename(), "step-2");
}

TEST_F(CheckpointTest, AManifestOfTheWrongKindIsDamageNotACrash) {
  writeStep(folder_, 1);
  writeStep(folder_, 2);
  for (const char* text : {"", "[]", "{}", "{\"files\": []}", "{\"files\": {}}", "{\"files\": {\"progress.json\": 3}}",
                           "{\"files\": {\"progress.json\": {\"bytes\": \"x\", \"sha256\": 4}}}",
                           "{\"files\": {\"../step-1/progress.json\": {}}}"}) {
    std::ofstream(folder_ / "step-2/manifest.json", std::ios::binary) << text;
    const FoundCheckpoint found = newestCheckpoint(folder_);
    ASSERT_TRUE(found.path);
    EXPECT_EQ(found.path->filename(), "step-1") << text;
    EXPECT_EQ(found.damaged.size(), 1u) << text;
  }
}

TEST_F(CheckpointTest, OtherThingsInTheFolderAreLeftAlone) {
  writeStep(folder_, 5);
  for (const char* name : {"step-", "step-x", "step-7.tmp-abcdef", "step-8b", "notes"}) fs::create_directories(folder_ / name);
  const FoundCheckpoint found = newestCheckpoint(folder_);
  ASSERT_TRUE(found.path);
  EXPECT_EQ(found.path->filename(), "step-5");
  EXPECT_THAT(found.damaged, IsEmpty());
  rotateCheckpoints(folder_, 1);
  EXPECT_EQ(filesOf(folder_), (std::vector<std::string>{"notes", "step-", "step-5", "step-8b", "step-x"}))
      << "all but what a killed writer left behind";
}

TEST_F(CheckpointTest, RotationKeepsTheNewest) {
  for (const int64_t step : {1, 2, 9, 10, 11}) writeStep(folder_, step);
  rotateCheckpoints(folder_, 3);
  EXPECT_EQ(filesOf(folder_), (std::vector<std::string>{"step-10", "step-11", "step-9"}));
  rotateCheckpoints(folder_, 0);
  EXPECT_EQ(filesOf(folder_), (std::vector<std::string>{"step-11"}));
}

// Copies of real checkpoints, some damaged, in random numbers and orders: what could be resumed before can be after.
TEST_F(CheckpointTest, RotationNeverDeletesTheNewestGoodOne) {
  constexpr int64_t kSteps = 8;
  for (int64_t step = 1; step <= kSteps; ++step) writeStep(root_ / "good", step);
  std::mt19937 random(43);
  for (int history = 0; history < 1000; ++history) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::set<int64_t> good;
    for (int64_t step = 1; step <= kSteps; ++step) {
      if (random() % 2 == 0) continue;
      const fs::path target = folder_ / ("step-" + std::to_string(step));
      fs::create_directories(target);
      for (const auto& entry : fs::directory_iterator(root_ / "good" / target.filename())) fs::create_hard_link(entry.path(), target / entry.path().filename());
      if (random() % 2 == 0) good.insert(step);
      else fs::remove(target / (random() % 2 == 0 ? "manifest.json" : "first_moment.safetensors"));
    }
    const auto keep = static_cast<int64_t>(random() % 4);
    rotateCheckpoints(folder_, keep);
    const auto left = newestCheckpoint(folder_).path;
    if (good.empty()) {
      ASSERT_FALSE(left);
      continue;
    }
    ASSERT_TRUE(left) << "history " << history << ", keeping " << keep;
    ASSERT_EQ(left->filename(), "step-" + std::to_string(*good.rbegin())) << "history " << history;
    int64_t stillGood = 0;
    for (const int64_t step : good) stillGood += fs::exists(folder_ / ("step-" + std::to_string(step)));
    ASSERT_EQ(stillGood, std::min<int64_t>(std::max<int64_t>(1, keep), static_cast<int64_t>(good.size()))) << "history " << history << ", keeping " << keep;
  }
}

// The child writes and rotates; after each checkpoint it tells the step through a pipe. What it told must be there.
[[noreturn]] void writeUntilKilled(const fs::path& folder, int64_t step, int pipe) {
  for (;; ++step) {
    State state;
    state.fill(step);
    if (!writeCheckpoint(folder, state.state, kInfo, progressOf(step)).ok()) ::_exit(1);
    if (::write(pipe, &step, sizeof step) != sizeof step) ::_exit(1);
    rotateCheckpoints(folder, 2);
  }
}

TEST_F(CheckpointTest, KilledAtAnyMomentTheNewestLoads) {
  std::mt19937 random(44);
  int64_t told = 0;
  uint64_t microseconds = 0;  // that one checkpoint takes on this machine's disk
  // At least 50 kills, and more where the machine is slow, until enough was written for them to mean something.
  for (int round = 0; round < 50 || (told <= 20 && round < 400); ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) writeUntilKilled(folder_, told + 1, ends[1]);
    ASSERT_GT(child, 0);
    ::close(ends[1]);
    if (round == 0) {
      const auto start = std::chrono::steady_clock::now();
      while (told < 4) ASSERT_EQ(::read(ends[0], &told, sizeof told), static_cast<ssize_t>(sizeof told));
      microseconds = static_cast<uint64_t>(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() * 1e6 / 4);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % (3 * microseconds)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child left by itself";
    for (int64_t step = 0; ::read(ends[0], &step, sizeof step) == static_cast<ssize_t>(sizeof step);) told = step;
    ::close(ends[0]);
    const FoundCheckpoint found = newestCheckpoint(folder_);
    ASSERT_TRUE(found.path) << "round " << round;
    EXPECT_THAT(found.damaged, IsEmpty()) << "round " << round;
    const int64_t step = std::stoll(found.path->filename().string().substr(5));
    EXPECT_TRUE(step == told || step == told + 1) << step << " after " << told;
    expectLoads(*found.path, step);
    told = step;
  }
  EXPECT_GT(told, 20) << "the child hardly wrote anything: nothing was tested";
}

TEST_F(CheckpointTest, ThePublishedAdapterIsReplacedAsAWhole) {
  const fs::path target = root_ / "adapter";
  for (const int64_t step : {1, 2}) {
    State state, loaded;
    state.fill(step);
    ASSERT_TRUE(publishAdapter(target, state.state, kInfo).ok());
    ASSERT_TRUE(peft::loadAdapter(target, loaded.state).ok());
    EXPECT_TRUE(loaded.state.parameters.equal(state.state.parameters));
    EXPECT_EQ(filesOf(root_.path()), std::vector<std::string>{"adapter"});
  }
}

}  // namespace
}  // namespace tidemark::train
