// What the command line refuses before anything exists: exit code 2, words that name the culprit, no run directory.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/app/cli_run.h"

namespace tidemark::cli {
namespace {

using testing::HasSubstr;

class CliRefusal : public CliTest {
 protected:
  void expectRefused(const Outcome& outcome, const std::vector<std::string>& words) {
    EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    for (const auto& word : words) EXPECT_THAT(outcome.err, HasSubstr(word));
    EXPECT_FALSE(std::filesystem::exists(runDirectory_));
    EXPECT_EQ(cli({"runs", "--json"}).out, "");
  }
};

TEST_F(CliRefusal, AVerbIsNeededAndMustBeKnown) {
  EXPECT_EQ(cli({}).exitCode, 2);
  EXPECT_EQ(cli({"fly"}).exitCode, 2);
  EXPECT_EQ(cli({"run"}).exitCode, 2);
  EXPECT_EQ(cli({"--help"}).exitCode, 0);
}

TEST_F(CliRefusal, AMissingConfigurationIsNamed) { expectRefused(cli({"run", "nowhere.yaml"}), {"nowhere.yaml"}); }

TEST_F(CliRefusal, AllProblemsAreListedAtOnce) {
  const auto path = config("memory: {policy: elastik}\nparallel: {rank: 2}\n");
  expectRefused(cli({"run", path, "--set", "training.learning_rate=-1"}),
                {"3 problems", "memory.policy", "parallel.rank: ", "did you mean parallel.ranks?", "training.learning_rate",
                 "Nothing was started"});
}

TEST_F(CliRefusal, ModelAndDataAreToldWithTheRest) {
  const auto path = config("memory: {policy: elastik}\n");
  expectRefused(cli({"run", path, "--set", "model=no/such-model", "--set", "dataset.train=nowhere.jsonl"}),
                {"3 problems", "memory.policy", "model: ", "no/such-model", "dataset.train: ", "nowhere.jsonl"});
  write(folder_ / "data.jsonl", "{\"prompt\": \"What is it?\"\n");
  expectRefused(cli({"plan", path}), {"2 problems", "memory.policy", "data.jsonl:1"});
  expectRefused(cli({"run", config(), "--set", "model=no/such-model", "--set", "dataset.train=nowhere.jsonl"}), {"2 problems", "model: ", "dataset.train: "});
}

TEST_F(CliRefusal, AnUnknownModelIsNamed) {
  expectRefused(cli({"run", config(), "--set", "model=no/such-model"}), {"the model cannot be used", "no/such-model"});
}

TEST_F(CliRefusal, ATruncatedModelIsRefused) {
  const auto file = model_ / "model.safetensors";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1000);
  expectRefused(cli({"run", config()}), {"the model cannot be used", "model.safetensors"});
}

TEST_F(CliRefusal, ATokenizerOfAnotherModelIsRefused) {
  const auto larger = std::filesystem::path(TIDEMARK_GOLDEN) / "text" / "chat_model" / "tokenizer.json";
  std::filesystem::copy_file(larger, model_ / "tokenizer.json", std::filesystem::copy_options::overwrite_existing);
  for (const char* verb : {"run", "plan"})
    expectRefused(cli({verb, config()}), {"the model's vocabulary ends at 319", "not this model's tokenizer"});
}

TEST_F(CliRefusal, EveryMalformedRowIsNamedWithItsPlace) {
  write(folder_ / "data.jsonl",
        "{\"prompt\": \"a\", \"completion\": \"b\"}\n{\"prompt\": \n{\"prompt\": 5, \"completion\": \"b\"}\n");
  expectRefused(cli({"run", config()}), {"the data cannot be used", "data.jsonl:2:", "data.jsonl:3"});
}

TEST_F(CliRefusal, AJsonArrayIsSaidOnce) {
  write(folder_ / "data.jsonl", "[\n{\"prompt\": \"a\", \"completion\": \"b\"},\n{\"prompt\": \"c\", \"completion\": \"d\"}\n]\n");
  const auto outcome = cli({"run", config()});
  expectRefused(outcome, {"is a JSON array", "To convert it: "});
  EXPECT_THAT(outcome.err, testing::Not(HasSubstr("data.jsonl:1")));
}

TEST_F(CliRefusal, ADirectoryWithFilesInItIsLeftAlone) {
  std::filesystem::create_directory(runDirectory_);
  write(runDirectory_ / "thesis.txt", "precious");
  const auto outcome = cli({"run", config()});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, HasSubstr("must be new or empty"));
  EXPECT_EQ(read(runDirectory_ / "thesis.txt"), "precious");
}

TEST_F(CliRefusal, ADirectoryThatWasEmptyIsEmptyAgain) {
  std::filesystem::create_directory(runDirectory_);
  write(folder_ / "data.jsonl", "broken\n");
  EXPECT_EQ(cli({"run", config()}).exitCode, 2);
  EXPECT_TRUE(std::filesystem::is_empty(runDirectory_));
}

TEST_F(CliRefusal, APortInUseIsNamed) {
  const int handle = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(handle, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(handle, 1), 0);
  socklen_t size = sizeof address;
  ::getsockname(handle, reinterpret_cast<sockaddr*>(&address), &size);
  const auto port = std::to_string(ntohs(address.sin_port));
  expectRefused(cli({"run", config(), "--set", "parallel.master_port=" + port}), {"port " + port, "or auto for a free one"});
  ::close(handle);
}

TEST_F(CliRefusal, ABudgetThatCannotWorkIsRefusedWithWhatFits) {
  std::string rows;
  for (int i = 0; i < 8; ++i)
    rows += R"({"prompt": "Which of the tides is it that leaves the highest line upon the sand?", "completion": "The)" +
            std::string(120, 'x') + "\"}\n";
  write(folder_ / "data.jsonl", rows);
  const auto path = config("parallel: {ranks: 2}\n");
  const auto runWith = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> arguments{"run", path};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return cli(arguments);
  };
  const std::vector<std::string> asked{"memory.budget=3MiB",          "dataset.packing=false",
                                       "dataset.train_on=all",        "dataset.truncation=truncate",
                                       "training.global_batch_size=8", "training.micro_batch_size=4"};
  const auto with = [&](const std::string& setting) {
    std::vector<std::string> settings = asked;
    settings.push_back(setting);
    return runWith(settings);
  };
  const auto refused = runWith(asked);
  expectRefused(refused, {"memory.budget", "needs at least", "dataset.max_seq_length up to", "training.micro_batch_size 2"});
  expectRefused(with("peft.r=64"), {"none of these alone fits"});
  // What is proposed is accepted; a few tokens more are not.
  const std::string words = "dataset.max_seq_length up to ";
  const int64_t length = std::stoll(refused.err.substr(refused.err.find(words) + words.size()));
  expectRefused(with("dataset.max_seq_length=" + std::to_string(length + 4)), {"needs at least"});
  EXPECT_EQ(with("dataset.max_seq_length=" + std::to_string(length)).exitCode, 0);
}

TEST_F(CliRefusal, APlanForAHopelessBudgetTellsTheLeastAndWhatFits) {
  const auto path = config("parallel: {ranks: 2}\n");
  expectRefused(cli({"plan", path, "--set", "memory.budget=1MiB", "--vary", "memory.weights=float32"}), {"memory.budget", "is 1.00 MiB", "needs at least"});
}

TEST_F(CliRefusal, AnAutomaticBudgetIsJudgedByWhatTheMachineHasFree) {
  // Half a million sequences of 512 tokens at once: more than any machine.
  const auto path = config("parallel: {ranks: 1, device: cpu}\n");
  const std::vector<std::string> settings{path, "--set", "training.global_batch_size=524288", "--set", "training.micro_batch_size=524288"};
  std::vector<std::string> run{"run"}, plan{"plan", "--vary", "training.micro_batch_size=524288", "--vary", "memory.weights=float32,nf4"};
  for (std::vector<std::string>* arguments : {&run, &plan}) arguments->insert(arguments->end(), settings.begin(), settings.end());
  expectRefused(cli(run), {"memory.budget", "is auto: of the", "each of 1 rank gets", "training.micro_batch_size"});
  expectRefused(cli(plan), {"memory.budget", "is auto: 1 rank share", "needs at least", "training.micro_batch_size"});
}

TEST_F(CliRefusal, ResumeJudgesTheBudgetToo) {
  scripts({"exit 3", "exit 3"});
  ASSERT_EQ(cli({"run", config(), "--name", "small"}).exitCode, 3);
  std::string resolved = read(runDirectory_ / "config.yaml");
  const std::string automatic = "budget: auto";
  ASSERT_THAT(resolved, HasSubstr(automatic));
  write(runDirectory_ / "config.yaml", resolved.replace(resolved.find(automatic), automatic.size(), "budget: 1MiB"));
  const auto outcome = cli({"resume", "small"});
  EXPECT_EQ(outcome.exitCode, 2);
  for (const char* words : {"memory.budget", "needs at least", "Nothing was started"}) EXPECT_THAT(outcome.err, HasSubstr(words));
}

TEST_F(CliRefusal, AMissingEngineIsNamed) {
  std::filesystem::remove(folder_ / "bin" / "tidemark-worker");
  expectRefused(cli({"run", config()}), {"the training engine is missing", "tidemark-worker"});
  EXPECT_EQ(cli({"score", "--model", "x"}).exitCode, 2);
}

TEST_F(CliRefusal, ProgramsGetTheReasonAsAnEvent) {
  const auto outcome = cli({"run", config(), "--json", "--set", "model=no/such-model"});
  EXPECT_EQ(outcome.exitCode, 2);
  ASSERT_EQ(outcome.lines().size(), 1u);
  EXPECT_EQ(outcome.lines()[0]["event"], "failure");
  EXPECT_EQ(outcome.lines()[0]["code"], "invalid_input");
}

TEST_F(CliRefusal, AnUnknownRunIsNamed) {
  for (const char* verb : {"show", "resume", "stop"}) {
    const auto outcome = cli({verb, "nobody"});
    EXPECT_EQ(outcome.exitCode, 2) << verb;
    EXPECT_THAT(outcome.err, HasSubstr("nobody")) << verb;
  }
}

TEST_F(CliRefusal, PlanChecksTheConfigurationBeforeTheEngineIsAsked) {
  const auto outcome = cli({"plan", config("memory: {policy: elastik}\n")});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, HasSubstr("memory.policy"));
}

}  // namespace
}  // namespace tidemark::cli
