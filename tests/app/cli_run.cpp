#include "tests/app/cli_run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/run/event.h"
#include "tests/small_model.h"

namespace tidemark::cli {
namespace fs = std::filesystem;

std::vector<Json> Outcome::lines() const {
  std::vector<Json> result;
  std::istringstream text(out);
  for (std::string line; std::getline(text, line);) {
    auto json = parseJson(line, "stdout");
    EXPECT_TRUE(json.ok()) << line;
    if (json.ok()) result.push_back(std::move(json).value());
  }
  return result;
}

void CliTest::SetUp() {
  std::string pattern = testing::TempDir() + "cli-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  folder_ = fs::canonical(pattern);
  runDirectory_ = folder_ / "run";
  model_ = folder_ / "model";
  fs::create_directories(folder_ / "bin");
  fs::copy_file(TIDEMARK_CLI, folder_ / "bin" / "tidemark-cli");
  fs::copy_file(TIDEMARK_FAKE_WORKER, folder_ / "bin" / "tidemark-worker");
  tests::makeSmallModel(model_);
  write(folder_ / "data.jsonl",
        "{\"prompt\": \"What is it?\", \"completion\": \"A tide.\"}\n"
        "{\"prompt\": \"And that?\", \"completion\": \"A mark.\"}\n");
  scripts({"", ""});
}

void CliTest::TearDown() { fs::remove_all(folder_); }

void CliTest::write(const fs::path& path, const std::string& content) const { std::ofstream(path) << content; }

std::string CliTest::read(const fs::path& path) const {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void CliTest::scripts(const std::vector<std::string>& scripts) {
  for (size_t rank = 0; rank < scripts.size(); ++rank)
    write(folder_ / ("script-" + std::to_string(rank)), scripts[rank]);
}

std::string CliTest::config(const std::string& more) {
  write(folder_ / "config.yaml",
        "model: model\ndataset: {train: data.jsonl, format: prompt-completion}\noutput: {dir: run}\n"
        "training: {global_batch_size: 2, max_steps: 3}\n" +
            more);
  return (folder_ / "config.yaml").string();
}

pid_t CliTest::startCli(const std::vector<std::string>& arguments) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::dup2(::open((folder_ / "cli.in").c_str(), O_RDONLY | O_CREAT, 0600), 0);
  ::dup2(::open((folder_ / "cli.out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
  ::dup2(::open((folder_ / "cli.err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
  ::setenv("XDG_DATA_HOME", (folder_ / "share").c_str(), 1);
  ::setenv("TIDEMARK_FAKE_SCRIPTS", folder_.c_str(), 1);
  const auto program = (folder_ / "bin" / "tidemark-cli").string();
  std::vector<std::string> texts{program};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  ::_exit(96);
}

Outcome CliTest::waitFor(pid_t pid) {
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read(folder_ / "cli.out"),
          read(folder_ / "cli.err")};
}

Outcome CliTest::cli(const std::vector<std::string>& arguments, const std::string& input) {
  write(folder_ / "cli.in", input);
  return waitFor(startCli(arguments));
}

void CliTest::waitForFile(const fs::path& path) const {
  for (int i = 0; i < 2000 && !fs::exists(path); ++i) ::usleep(10'000);
  ASSERT_TRUE(fs::exists(path)) << path << " did not appear; " << read(folder_ / "cli.err");
}

std::string CliTest::onlyRunId() {
  const auto lines = cli({"runs", "--json"}).lines();
  EXPECT_EQ(lines.size(), 1u);
  return lines.empty() ? "" : lines[0]["run"].get<std::string>();
}

std::string stepLine(int64_t rank, int64_t step) {
  run::StepEvent event;
  event.step = step;
  event.loss = 2.0 / static_cast<double>(step);
  event.tokens = 100;
  event.targetTokens = 50;
  event.seconds = 0.5;
  event.remoteBytes = 4096;
  event.peakBytes = 1 << 20;
  return "event " + run::toJsonLine(run::makeEvent(rank, event)) + "\n";
}

}  // namespace tidemark::cli
