// Another process takes memory of the device in the middle of a run, and gives it back: the ranks plan anew, alike, and go
// on with the same numbers.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "core/text/prepared_file.h"
#include "core/train/session.h"
#include "core/train/trainer.h"
#include "golden_rows.h"
#include "tests/base/temporary_folder.h"
#include "tests/comm/forked_ranks.h"

namespace tidemark::train {
namespace {

constexpr int64_t kDeviceBytes = 64 << 20;  // of the device that the ranks and the other process share
constexpr int kRanks = 2;

// The other process: holds as many bytes as it is told to.
class OtherProcess {
 public:
  OtherProcess() {
    if (::pipe(orders_) != 0 || ::pipe(answers_) != 0) throw std::runtime_error("pipe failed");
    pid_ = ::fork();
    if (pid_ != 0) return;
    int64_t bytes = 0, held = 0;
    void* memory = nullptr;
    while (::read(orders_[0], &bytes, sizeof bytes) == sizeof bytes) {
      if (memory) ::munmap(memory, static_cast<size_t>(held));
      held = bytes;
      memory = held > 0 ? ::mmap(nullptr, static_cast<size_t>(held), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : nullptr;
      if (memory) std::memset(memory, 1, static_cast<size_t>(held));
      if (::write(answers_[1], &held, sizeof held) != sizeof held) break;
    }
    ::_exit(0);
  }
  ~OtherProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  void hold(int64_t bytes) const {
    int64_t held = -1;
    ASSERT_EQ(::write(orders_[1], &bytes, sizeof bytes), static_cast<ssize_t>(sizeof bytes));
    ASSERT_EQ(::read(answers_[0], &held, sizeof held), static_cast<ssize_t>(sizeof held));
  }
  int64_t residentBytes() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
    int64_t pages = 0, resident = 0;
    file >> pages >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
  }

 private:
  int orders_[2]{}, answers_[2]{};
  pid_t pid_ = 0;
};

run::RunConfig configuration() {
  run::RunConfig c;
  c.model = std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama";
  c.dataset.train = "rows";
  c.dataset.packing = false;
  c.dataset.maxSeqLength = 64;
  c.training.globalBatchSize = 4;
  c.training.microBatchSize = 1;
  c.training.maxSteps = 30;
  c.training.learningRate = 1e-2;
  c.memory.activations = "save";
  c.memory.accumulation = "depth-first";
  c.memory.budgetBytes = 16 << 20;
  c.parallel.device = "cpu";
  c.parallel.ranks = kRanks;
  c.output.checkpointEvery = 0;
  return c;
}

class FreeMemory : public testing::Test {
 protected:
  // What rank 0 logs of a run of two ranks. `atStep` is called by rank 0 at the end of every step with what a rank holds.
  std::vector<run::Event> run(const std::string& name, run::RunConfig c, const OtherProcess& other,
                              const std::function<void(int64_t step, int64_t heldBytes)>& atStep) {
    const auto directory = folder_ / name;
    std::filesystem::create_directories(directory);
    std::vector<text::LabelledRow> rows;
    for (const GoldenRow& row : goldenRows(readGolden("tiny/golden.json")["rows"])) {
      rows.emplace_back();
      rows.back().ids = row.ids;
      rows.back().hasLoss = row.hasLoss;
    }
    EXPECT_TRUE(text::writePreparedFile(directory / "data.bin", rows, {}, 320).ok());
    EXPECT_TRUE(writeFileAtomically(directory / "config.yaml", run::toYaml(c)).ok());
    const int64_t base = other.residentBytes();
    test::forkProcesses(kRanks, [&](const comm::ProcessInfo& info) {
      const auto set = [](const char* key, int64_t value) { ::setenv(key, std::to_string(value).c_str(), 1); };
      set("RANK", info.rank), set("LOCAL_RANK", info.rank), set("WORLD_SIZE", info.worldSize);
      set("LOCAL_WORLD_SIZE", info.worldSize), set("MASTER_PORT", info.masterPort);
      ::setenv("MASTER_ADDR", info.masterAddress.c_str(), 1);
      ::signal(SIGPIPE, SIG_IGN);
      auto session = openSession(directory / "config.yaml");
      ASSERT_TRUE(session.ok()) << session.error().message();
      Session& s = **session;
      int64_t step = 0;
      s.freeBytes = [&] {
        const int64_t held = s.ledger.held().total();
        if (info.rank == 0) atStep(++step, held);
        return kDeviceBytes - (other.residentBytes() - base) - kRanks * held;
      };
      const auto ended = trainToEnd(s, false);
      ASSERT_TRUE(ended.ok()) << ended.error().message();
      EXPECT_EQ(*ended, run::ExitCode::Done);
    }, std::chrono::seconds(120));
    std::vector<run::Event> events;
    std::ifstream file(directory / "events.jsonl");
    for (std::string line; std::getline(file, line);) {
      auto event = run::parseEvent(line);
      EXPECT_TRUE(event.ok()) << line;
      if (event.ok()) events.push_back(std::move(event).value());
    }
    return events;
  }

  test::TemporaryFolder folder_;
};

template <typename T>
std::vector<T> ofKind(const std::vector<run::Event>& events) {
  std::vector<T> found;
  for (const run::Event& event : events)
    if (const T* body = std::get_if<T>(&event.body)) found.push_back(*body);
  return found;
}

TEST_F(FreeMemory, IsTakenByAnotherProcessAndGivenBack) {
  const OtherProcess other;
  const auto undisturbed = [](int64_t, int64_t) {};
  const auto reference = run("reference", configuration(), other, undisturbed);
  run::RunConfig gathering = configuration();
  gathering.memory.policy = "gather-always";
  const auto least = ofKind<run::PlanEvent>(run("least", gathering, other, undisturbed));
  const auto whole = ofKind<run::PlanEvent>(reference);
  ASSERT_FALSE(least.empty() || whole.empty());
  // Between what gathering everything takes and what keeping everything does.
  const int64_t wanted = (least.back().predictedPeakBytes + whole.back().predictedPeakBytes) / 2;

  const auto events = run("disturbed", configuration(), other, [&](int64_t step, int64_t held) {
    // 80 % of what is free goes to the ranks, in equal parts.
    if (step == 10) other.hold(kDeviceBytes - kRanks * held - (wanted - held) * 10 / 4);
    if (step == 20) other.hold(0);
  });
  const auto plans = ofKind<run::PlanEvent>(events);
  const auto fell = std::find_if(plans.begin(), plans.end(), [](const run::PlanEvent& plan) { return plan.reason == "free memory of the device fell"; });
  ASSERT_NE(fell, plans.end());
  const run::PlanEvent& tight = *fell;
  EXPECT_LE(std::abs(tight.budgetBytes - wanted), 128 << 10);
  EXPECT_LE(tight.predictedPeakBytes, tight.budgetBytes);
  EXPECT_GT(tight.predictedRemoteBytes, 0);
  EXPECT_EQ(plans.back().reason, "memory of the device became free again");
  EXPECT_EQ(plans.back().budgetBytes, 16 << 20);
  EXPECT_EQ(plans.back().predictedRemoteBytes, 0);

  const auto steps = ofKind<run::StepEvent>(events), expected = ofKind<run::StepEvent>(reference);
  ASSERT_EQ(steps.size(), 30u);
  for (size_t i = 0; i < steps.size(); ++i) {
    EXPECT_NEAR(steps[i].loss, expected[i].loss, 1e-4) << "step " << i + 1;
    if (i < 10 || i >= 20) continue;
    EXPECT_LE(steps[i].peakBytes, tight.budgetBytes) << "step " << i + 1;
    if (i >= 12) { EXPECT_EQ(steps[i].remoteBytes, tight.predictedRemoteBytes * steps[i].iterations) << "step " << i + 1; }
  }
  EXPECT_EQ(steps.back().remoteBytes, 0);
}

// Less than the run needs at all: it says so, takes the least that it needs and goes on.
TEST_F(FreeMemory, NeverAsksForLessThanTheRunNeeds) {
  const OtherProcess other;
  const auto events = run("starved", configuration(), other, [&](int64_t step, int64_t held) {
    if (step >= 10 && step <= 16) other.hold(kDeviceBytes - kRanks * held - (192 << 10));  // whatever the ranks release
  });
  ASSERT_EQ(ofKind<run::StepEvent>(events).size(), 30u);
  const auto plans = ofKind<run::PlanEvent>(events);
  EXPECT_EQ(plans.back().reason, "free memory of the device fell");
  EXPECT_LT(plans.back().budgetBytes, 16 << 20);
  int64_t warnings = 0;
  for (const run::LogEvent& log : ofKind<run::LogEvent>(events))
    if (log.level == "warning" && log.text.find("at least") != std::string::npos) ++warnings;
  EXPECT_EQ(warnings, 1);
}

}  // namespace
}  // namespace tidemark::train
