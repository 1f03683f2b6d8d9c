#include <gmock/gmock.h>

#include <algorithm>

#include "tests/app/cli_run.h"

namespace tidemark::cli {
namespace {

using testing::HasSubstr;

class CliInspect : public CliTest {};

TEST_F(CliInspect, AModelTellsItsShape) {
  const auto outcome = cli({"inspect", "model", model_.string(), "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto model = outcome.lines().at(0);
  const auto config = parseJson(read(model_ / "config.json"), "config.json");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(model["layers"], (*config)["num_hidden_layers"]);
  EXPECT_EQ(model["hidden_size"], (*config)["hidden_size"]);
  EXPECT_EQ(model["vocabulary_size"], (*config)["vocab_size"]);
  int64_t count = 0;
  for (const auto& tensor : model["tensors"]) {
    int64_t size = 1;
    for (const auto& extent : tensor["shape"]) size *= extent.get<int64_t>();
    count += size;
  }
  EXPECT_EQ(model["parameters"], count);
  EXPECT_THAT(cli({"inspect", "model", model_.string()}).out, HasSubstr("safetensors"));
}

TEST_F(CliInspect, AnAdapterTellsItsConfigurationAndTensors) {
  const auto adapter = std::string(TIDEMARK_GOLDEN) + "/engine/tiny/adapter";
  const auto outcome = cli({"inspect", "adapter", adapter, "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.lines().at(0)["config"]["peft_type"], "LORA");
  EXPECT_FALSE(outcome.lines().at(0)["tensors"].empty());
  EXPECT_EQ(cli({"inspect", "adapter", folder_.string()}).exitCode, 2);
}

TEST_F(CliInspect, DataTellsRowsAndTokens) {
  const auto outcome =
      cli({"inspect", "data", (folder_ / "data.jsonl").string(), "--model", model_.string(), "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto data = outcome.lines().at(0);
  EXPECT_EQ(data["rows"], 2);
  EXPECT_GT(data["tokens"], data["target_tokens"]);
  write(folder_ / "data.jsonl", "{\"prompt\": \n");
  const auto broken = cli({"inspect", "data", (folder_ / "data.jsonl").string(), "--model", model_.string()});
  EXPECT_EQ(broken.exitCode, 2);
  EXPECT_THAT(broken.err, HasSubstr("data.jsonl:1"));
}

TEST_F(CliInspect, TokenizeAndDecodeAreInverse) {
  const std::string text = "Hello, tide\n  two  spaces\n\nümlaut <|im_end|> 🙂\n";
  const auto ids = cli({"tokenize", "--model", model_.string()}, text);
  ASSERT_EQ(ids.exitCode, 0) << ids.err;
  const auto lines = ids.lines();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(lines[2].empty());
  EXPECT_FALSE(lines[0].empty());
  const auto back = cli({"tokenize", "--model", model_.string(), "--decode"}, ids.out);
  EXPECT_EQ(back.exitCode, 0) << back.err;
  EXPECT_EQ(back.out, text);
  const auto json = cli({"tokenize", "--model", model_.string(), "--decode", "--json"}, ids.out);
  EXPECT_EQ(json.lines().at(0), "Hello, tide");
}

TEST_F(CliInspect, BadIdsAreRefusedWithTheirLine) {
  for (const char* line : {"[1, -1]", "[99999999]", "{}", "[1.5]", "words"}) {
    const auto outcome = cli({"tokenize", "--model", model_.string(), "--decode"}, std::string("[1]\n") + line + "\n");
    EXPECT_EQ(outcome.exitCode, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr("line 2")) << line;
  }
}

}  // namespace
}  // namespace tidemark::cli
