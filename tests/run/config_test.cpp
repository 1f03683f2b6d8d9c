#include "core/run/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/base/file.h"

namespace tidemark::run {
namespace fs = std::filesystem;
using testing::HasSubstr;

namespace {

const std::string kLeast = "model: m.gguf\ndataset: {train: data.jsonl}\n";

std::string shown(const std::vector<ConfigProblem>& problems) {
  std::string text;
  for (const auto& problem : problems) text += problem.key + ": " + problem.what + "\n";
  return text;
}

// A value other than the default for every key; together they are a valid configuration.
const std::map<std::string, std::string> kOther{
    {"model", "org/na me: #1"}, {"dataset.train", "/data/a b.jsonl"}, {"dataset.eval", "0.125"}, {"dataset.format", "alpaca"},
    {"dataset.max_seq_length", "2048"}, {"dataset.packing", "false"}, {"dataset.train_on", "all"},
    {"dataset.truncation", "error"}, {"peft.type", "lora"}, {"peft.r", "17"}, {"peft.lora_alpha", "3.5"},
    {"peft.lora_dropout", "0.1"}, {"peft.target_modules", "[q_proj, down_proj]"}, {"training.global_batch_size", "24"},
    {"training.micro_batch_size", "4"}, {"training.max_steps", "7"}, {"training.learning_rate", "0.0000123456789012345"},
    {"training.lr_scheduler_type", "linear"}, {"training.warmup_ratio", "0.3333333333333333"},
    {"training.weight_decay", "0.01"}, {"training.adam_beta1", "0.85"}, {"training.adam_beta2", "0.95"},
    {"training.adam_epsilon", "1e-9"}, {"training.max_grad_norm", "0"}, {"training.optim", "adamw"},
    {"training.seed", "9007199254740992"}, {"training.dtype", "float32"}, {"training.eval_steps", "5"},
    {"memory.budget", "1234567891"}, {"memory.policy", "pinned"}, {"memory.activations", "save"},
    {"memory.accumulation", "depth-first"}, {"memory.weights", "int8"},
    {"parallel.device", "cpu"}, {"parallel.backend", "gloo"}, {"parallel.ranks", "3"},
    {"parallel.threads_per_rank", "6"}, {"parallel.master_port", "29500"}, {"output.dir", "/runs/\xc3\xa9"},
    {"output.checkpoint_every", "9"}, {"output.keep_checkpoints", "8"}};

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "tidemark-config-XXXXXX").string();
    path_ = fs::canonical(::mkdtemp(pattern.data()));
  }
  ~Folder() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

TEST(Config, LeastConfigurationTakesEveryDefault) {
  const ParsedConfig parsed = parseConfig(kLeast);
  EXPECT_EQ(shown(parsed.problems), "");
  RunConfig expected;
  expected.model = "m.gguf";
  expected.dataset.train = "data.jsonl";
  EXPECT_EQ(flatten(parsed.config), flatten(expected));
}

TEST(Config, ExampleOfTheDesignIsAccepted) {
  const ParsedConfig parsed = parseConfig(R"(
model: models/smollm2-135m.gguf
dataset: {train: data.jsonl, eval: 0.05, format: auto, max_seq_length: 512, packing: true, train_on: assistant, truncation: drop}
peft: {type: lora, r: 8, lora_alpha: 16, lora_dropout: 0.0, target_modules: all-linear}
training: {global_batch_size: 16, micro_batch_size: auto, max_steps: 100, learning_rate: 2.0e-4, lr_scheduler_type: cosine,
           warmup_ratio: 0.03, weight_decay: 0.0, max_grad_norm: 1.0, optim: adamw, seed: 42, dtype: float32}
memory: {budget: auto, policy: elastic, activations: auto}      # policy: elastic | pinned | gather-always | unsharded
parallel: {device: auto, backend: auto, ranks: 2, threads_per_rank: 1}
output: {dir: auto, checkpoint_every: 50, keep_checkpoints: 3}
)");
  EXPECT_EQ(shown(parsed.problems), "");
  EXPECT_EQ(parsed.config.training.learningRate, 2e-4);
  EXPECT_EQ(parsed.config.dataset.eval, "0.05");
  EXPECT_EQ(parsed.config.training.microBatchSize, 0);
}

TEST(Config, TableDescribesEveryKey) {
  ASSERT_EQ(configKeys().size(), kOther.size());
  for (const KeyInfo& key : configKeys()) {
    EXPECT_EQ(kOther.count(key.key), 1u) << key.key;
    EXPECT_FALSE(key.label.empty()) << key.key;
    EXPECT_FALSE(key.help.empty()) << key.key;
    EXPECT_EQ(key.kind == KeyInfo::Kind::Choice, !key.choices.empty() && key.kind != KeyInfo::Kind::List) << key.key;
    RunConfig config;
    EXPECT_EQ(setKey(config, key.key, key.defaultValue).ok(), true) << key.key;
    EXPECT_EQ(flatten(config), flatten(RunConfig())) << key.key << ": its default value is another one";
  }
}

TEST(Config, EveryKeySurvivesTheRoundTripThroughYaml) {
  RunConfig config;
  for (const auto& [key, value] : kOther) {
    const Status status = setKey(config, key, value);
    ASSERT_TRUE(status.ok()) << status.error().message();
  }
  const auto defaults = flatten(RunConfig()), values = flatten(config);
  const std::vector<std::string> onlyOneChoice{"peft.type", "training.optim", "training.dtype"};
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i].second == defaults[i].second,
              std::find(onlyOneChoice.begin(), onlyOneChoice.end(), values[i].first) != onlyOneChoice.end()) << values[i].first;
  const ParsedConfig parsed = parseConfig(toYaml(config));
  EXPECT_EQ(shown(parsed.problems), "");
  EXPECT_EQ(flatten(parsed.config), values);
  EXPECT_EQ(parsed.config.training.learningRate, config.training.learningRate);
  EXPECT_EQ(parsed.config.memory.budgetBytes, 1234567891);
  EXPECT_EQ(toYaml(parsed.config), toYaml(config));
}

TEST(Config, AwkwardTextsSurviveTheRoundTrip) {
  for (const std::string text : {"true", "null", "~", "1.5", "a: b", "a #b", "- a", "'", "\"", "\\", "line\nbreak", "tab\there", " a ",
                                 "[x]", "{x}", "&a", "*a", "!a", "%a", "@a", "`a", "\xf0\x9f\x8c\x8a", "\x7f", "\x01", "C:\\data",
                                 "\xe2\x80\xa8", "\xc2\x85", "0x10", "1_000", "2026-01-01", "=", "<<", "\xef\xbb\xbf"}) {
    RunConfig config;
    config.model = text;
    config.dataset.train = text;
    const ParsedConfig parsed = parseConfig(toYaml(config));
    EXPECT_EQ(shown(parsed.problems), "") << toYaml(config);
    EXPECT_EQ(parsed.config.model, text);
    EXPECT_EQ(parsed.config.dataset.train, text);
  }
}

// Files that PyYAML and Python's json wrote (make_golden.py), read to the same values.
TEST(Config, FilesOfOtherWritersMeanTheSame) {
  const fs::path golden = fs::path(TIDEMARK_GOLDEN) / "run";
  std::ifstream values(golden / "values.txt");
  std::vector<std::pair<std::string, std::string>> expected;
  for (std::string line; std::getline(values, line);) expected.emplace_back(line.substr(0, line.find('\t')), line.substr(line.find('\t') + 1));
  ASSERT_EQ(expected.size(), configKeys().size());
  for (const char* name : {"block.yaml", "flow.yaml", "config.json", "indented.json"}) {
    const auto text = readFile(golden / name);
    ASSERT_TRUE(text.ok()) << text.error().message();
    const ParsedConfig parsed = parseConfig(*text);
    EXPECT_EQ(shown(parsed.problems), "") << name;
    EXPECT_EQ(flatten(parsed.config), expected) << name;
  }
}

struct Refusal {
  const char* yaml;  // added to kLeast, or the whole text if it has a model
  const char* key;
  const char* what;
};

class ConfigRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(ConfigRefusal, NamesTheKeyAndWhatIsExpected) {
  const Refusal& refusal = GetParam();
  const std::string text = std::string(refusal.yaml).find("model") == std::string::npos ? kLeast + refusal.yaml : refusal.yaml;
  const ParsedConfig parsed = parseConfig(text);
  ASSERT_EQ(parsed.problems.size(), 1u) << shown(parsed.problems);
  EXPECT_EQ(parsed.problems[0].key, refusal.key);
  EXPECT_THAT(parsed.problems[0].what, HasSubstr(refusal.what));
}

INSTANTIATE_TEST_SUITE_P(
    All, ConfigRefusal,
    testing::Values(
        Refusal{"model: m", "dataset.train", "is required"},
        Refusal{"model: ''\ndataset: {train: t}", "model", "is required"},
        Refusal{"model: \ndataset: {train: t}", "model", "line 1, column 1: has no value"},
        Refusal{"training: {learning_rat: 1}", "training.learning_rat", "did you mean training.learning_rate?"},
        Refusal{"max_steps: 5", "max_steps", "did you mean training.max_steps?"},
        Refusal{"training: {max_seq_length: 5}", "training.max_seq_length", "did you mean dataset.max_seq_length?"},
        Refusal{"training: {lr: 5}", "training.lr", "did you mean training.learning_rate?"},
        Refusal{"trainnig: {seed: 5}", "trainnig.seed", "did you mean training.seed?"},
        Refusal{"training: 5", "training", "is a group of keys"},
        Refusal{"peft: {r: {x: 1}}", "peft.r.x", "peft.r takes a value"},
        Refusal{"training: {max_steps: many}", "training.max_steps", "line 3, column 23: expects a whole number, not \"many\""},
        Refusal{"training: {max_steps: 1.5}", "training.max_steps", "expects a whole number"},
        Refusal{"training: {max_steps: 010}", "training.max_steps", "expects a whole number"},
        Refusal{"training: {max_steps: 99999999999999999999}", "training.max_steps", "expects a whole number"},
        Refusal{"training: {max_steps: [1]}", "training.max_steps", "takes one value, not a list"},
        Refusal{"training: {max_steps: 0}", "training.max_steps", "at least 1"},
        Refusal{"training: {learning_rate: fast}", "training.learning_rate", "expects a number"},
        Refusal{"training: {learning_rate: .nan}", "training.learning_rate", "expects a number"},
        Refusal{"training: {learning_rate: nan}", "training.learning_rate", "expects a number"},
        Refusal{"training: {learning_rate: inf}", "training.learning_rate", "expects a number"},
        Refusal{"training: {learning_rate: -0.1}", "training.learning_rate", "at least 0"},
        Refusal{"training: {warmup_ratio: 1.01}", "training.warmup_ratio", "at most 1"},
        Refusal{"training: {adam_beta2: 1}", "training.adam_beta2", "less than 1"},
        Refusal{"training: {adam_epsilon: 0}", "training.adam_epsilon", "greater than 0"},
        Refusal{"training: {dtype: bfloat16}", "training.dtype", "is not there yet"},
        Refusal{"training: {dtype: int8}", "training.dtype", "expects float32"},
        Refusal{"training: {optim: sgd}", "training.optim", "expects adamw"},
        Refusal{"training: {micro_batch_size: some}", "training.micro_batch_size", "expects auto or a whole number"},
        Refusal{"training: {micro_batch_size: -1}", "training.micro_batch_size", "must be auto, or at least 1"},
        Refusal{"training: {global_batch_size: 15}", "training.global_batch_size", "2 ranks"},
        Refusal{"training: {micro_batch_size: 3}", "training.global_batch_size", "ranks x micro_batch_size = 6"},
        Refusal{"training: {eval_steps: 10}", "training.eval_steps", "needs data to evaluate on"},
        Refusal{"peft: {lora_dropout: 1}", "peft.lora_dropout", "less than 1"},
        Refusal{"peft: {lora_dropout: -0.1}", "peft.lora_dropout", "at least 0"},
        Refusal{"peft: {lora_alpha: 0}", "peft.lora_alpha", "greater than 0"},
        Refusal{"peft: {r: 0}", "peft.r", "at least 1"},
        Refusal{"peft: {type: ia3}", "peft.type", "expects lora"},
        Refusal{"peft: {target_modules: []}", "peft.target_modules", "at least one of"},
        Refusal{"peft: {target_modules: [q_proj, lm_head]}", "peft.target_modules", "does not know \"lm_head\""},
        Refusal{"peft: {target_modules: [q_proj, q_proj]}", "peft.target_modules", "names q_proj twice"},
        Refusal{"peft: {target_modules: [all-linear, q_proj]}", "peft.target_modules", "all-linear alone"},
        Refusal{"memory: {budget: lots}", "memory.budget", "8GiB"},
        Refusal{"memory: {budget: 8}", "memory.budget", "give the unit"},
        Refusal{"memory: {policy: elastik}", "memory.policy", "one of elastic, pinned, gather-always, unsharded"},
        Refusal{"memory: {activations: drop}", "memory.activations", "one of auto, save, recompute"},
        Refusal{"parallel: {ranks: 0}", "parallel.ranks", "at least 1"},
        Refusal{"training: {global_batch_size: 1025}\nparallel: {ranks: 1025}", "parallel.ranks", "at most 1024"},
        Refusal{"parallel: {device: cpu, backend: nccl}", "parallel.backend", "use gloo"},
        Refusal{"parallel: {device: cuda}\nmemory: {weights: nf4}", "memory.weights", "use float32"},
        Refusal{"parallel: {master_port: 65536}", "parallel.master_port", "at most 65535"},
        Refusal{"output: {keep_checkpoints: 0}", "output.keep_checkpoints", "at least 1"},
        Refusal{"output: {dir: ''}", "output.dir", "must not be empty"},
        Refusal{"model: m\ndataset: {train: t, eval: 0.6}", "dataset.eval", "from 0 to 0.5"},
        Refusal{"model: m\ndataset: {train: t, eval: -0.1}", "dataset.eval", "from 0 to 0.5"},
        Refusal{"model: m\ndataset: {train: t, packing: yes}", "dataset.packing", "expects true or false"},
        Refusal{"model: m\ndataset: {train: t, max_seq_length: 1}", "dataset.max_seq_length", "at least 2"},
        Refusal{"model: m\ndataset: {train: t, truncation: cut}", "dataset.truncation", "one of drop, truncate, error"}));

TEST(Config, AllProblemsAreListedAtOnce) {
  const ParsedConfig parsed = parseConfig(
      "modle: m\ndataset: {eval: 0.9}\ntraining: {max_steps: many, learning_rate: -1, global_batch_size: 15}\nmemory: {policy: x}\n");
  std::vector<std::string> keys;
  for (const auto& problem : parsed.problems) keys.push_back(problem.key);
  EXPECT_THAT(keys, testing::UnorderedElementsAre("modle", "training.max_steps", "training.learning_rate", "memory.policy", "model",
                                                  "dataset.train", "dataset.eval", "training.global_batch_size"));
}

TEST(Config, SetKeyLeavesTheConfigurationAloneWhenRefused) {
  RunConfig config;
  const Status status = setKey(config, "peft.r", "-3");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().subject, "peft.r");
  EXPECT_THAT(status.error().detail, HasSubstr("at least 1"));
  EXPECT_EQ(config.peft.r, 8);
  EXPECT_FALSE(setKey(config, "peft.q", "1").ok());
  EXPECT_TRUE(setKey(config, "peft.target_modules", "q_proj, v_proj").ok());
  EXPECT_THAT(config.peft.targetModules, testing::ElementsAre("q_proj", "v_proj"));
  EXPECT_TRUE(setKey(config, "memory.budget", "1.5 GiB").ok());
  EXPECT_EQ(config.memory.budgetBytes, 1610612736);
}

TEST(Config, LoadingResolvesPathsAndAppliesOverrides) {
  const Folder folder;
  folder.write("m.gguf", "");
  folder.write("c.yaml", "model: m.gguf\ndataset: {train: sub/../data.jsonl, eval: test.jsonl}\noutput: {dir: out}\n");
  const auto loaded = loadConfig((folder.path() / "c.yaml").string(),
                                 {"training.max_steps=3", "dataset.eval=other.jsonl", "memory.budget=2GiB"});
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(shown(loaded->problems), "");
  EXPECT_EQ(loaded->config.model, (folder.path() / "m.gguf").string());
  EXPECT_EQ(loaded->config.dataset.train, (folder.path() / "data.jsonl").string());
  EXPECT_EQ(loaded->config.dataset.eval, (fs::current_path() / "other.jsonl").string());
  EXPECT_EQ(loaded->config.output.dir, (folder.path() / "out").string());
  EXPECT_EQ(loaded->config.training.maxSteps, 3);
  EXPECT_EQ(loaded->config.memory.budgetBytes, int64_t{2} << 30);
}

TEST(Config, ModelThatIsNoFileStaysAHubName) {
  const Folder folder;
  folder.write("c.yaml", "model: org/name\ndataset: {train: /d.jsonl, eval: 0.25}\n");
  const auto loaded = loadConfig((folder.path() / "c.yaml").string(), {});
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->config.model, "org/name");
  EXPECT_EQ(loaded->config.dataset.train, "/d.jsonl");
  EXPECT_EQ(loaded->config.dataset.eval, "0.25");
  EXPECT_EQ(loaded->config.output.dir, "auto");
}

TEST(Config, OverridesCanSupplyWhatIsRequiredAndAreCheckedToo) {
  const Folder folder;
  folder.write("c.yaml", "peft: {r: 4}\n");
  const std::string path = (folder.path() / "c.yaml").string();
  const auto good = loadConfig(path, {"model=org/name", "dataset.train=/d.jsonl"});
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(shown(good->problems), "");
  const auto bad = loadConfig(path, {"model=m", "dataset.train=/d", "steps", "training.max_step=4", "peft.r=x", "parallel.ranks=3"});
  ASSERT_TRUE(bad.ok());
  std::vector<std::string> keys;
  for (const auto& problem : bad->problems) keys.push_back(problem.key);
  EXPECT_THAT(keys, testing::ElementsAre("steps", "training.max_step", "peft.r", "training.global_batch_size"));
}

TEST(Config, MissingFileIsAnErrorOfItsOwn) {
  const auto loaded = loadConfig("/nowhere/config.yaml", {});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::NotFound);
  EXPECT_THAT(loaded.error().message(), HasSubstr("/nowhere/config.yaml"));
}

}  // namespace tidemark::run
