#include <chrono>

#include "core/base/json.h"
#include "tests/text/dataset_fixture.h"

namespace tidemark::text {
namespace {

using testing::HasSubstr;

TEST_F(DatasetTest, IdsAndMasksAreThoseOfTransformers) {
  settings_.train = golden("rows.jsonl");
  const auto report = prepare();
  ASSERT_TRUE(report.ok()) << report.error().message();
  const Json expected = Json::parse(*readFile(golden("rows.json")));
  const PreparedDataset& dataset = opened();
  ASSERT_EQ(dataset.trainCount(), static_cast<int64_t>(expected.size()));
  ASSERT_GE(expected.size(), 80u);
  int64_t tokens = 0, targets = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto row = dataset.train(static_cast<int64_t>(i));
    const std::vector<TokenId> ids(row.ids.begin(), row.ids.end());
    const std::vector<int> mask(row.hasLoss.begin(), row.hasLoss.end());
    EXPECT_EQ(ids, expected[i]["ids"].get<std::vector<TokenId>>()) << i;
    EXPECT_EQ(mask, expected[i]["mask"].get<std::vector<int>>()) << i;
    EXPECT_EQ(row.targetCount, std::count(mask.begin(), mask.end(), 1));
    EXPECT_EQ(row.sourceLine, static_cast<int64_t>(i) + 1);
    tokens += static_cast<int64_t>(ids.size());
    targets += row.targetCount;
  }
  EXPECT_EQ(report->trainTokens, tokens);
  EXPECT_EQ(report->trainTargetTokens, targets);
}

TEST_F(DatasetTest, EachAnswerCarriesLossWithItsEndOfTurnOnly) {
  ASSERT_TRUE(prepare(kTwoTurns).ok());
  const auto row = opened().train(0);
  EXPECT_EQ(whole(row), "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nhello<|im_end|>\n"
                        "<|im_start|>user\nmore<|im_end|>\n<|im_start|>assistant\nenough<|im_end|>\n");
  EXPECT_EQ(trained(row), "hello<|im_end|>enough<|im_end|>");
}

TEST_F(DatasetTest, TrainOnAllTakesEveryTokenButTheFirst) {
  settings_.trainOn = TrainOn::All;
  ASSERT_TRUE(prepare(kTwoTurns).ok());
  const auto row = opened().train(0);
  EXPECT_EQ(row.targetCount, static_cast<int64_t>(row.ids.size()) - 1);
  EXPECT_EQ(row.hasLoss[0], 0);
}

TEST_F(DatasetTest, ShareGptIsTheSameConversation) {
  ASSERT_TRUE(prepare(kTwoTurns).ok());
  const std::string hash = opened().contentHash();
  ASSERT_TRUE(prepare(R"({"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}, )"
                      R"({"from": "human", "value": "more"}, {"from": "gpt", "value": "enough"}]})").ok());
  EXPECT_EQ(opened().contentHash(), hash);
}

TEST_F(DatasetTest, AlpacaBecomesAConversation) {
  const auto report = prepare(R"({"instruction": "Add.", "input": "1 2", "output": "3", "system": "Count."})" "\n"
                              R"({"instruction": "Speak.", "input": "", "output": "Yes."})" "\n");
  ASSERT_TRUE(report.ok()) << report.error().message();
  const auto& dataset = opened();
  EXPECT_EQ(whole(dataset.train(0)), "<|im_start|>system\nCount.<|im_end|>\n<|im_start|>user\nAdd.\n\n1 2<|im_end|>\n"
                                     "<|im_start|>assistant\n3<|im_end|>\n");
  EXPECT_EQ(trained(dataset.train(0)), "3<|im_end|>");
  EXPECT_EQ(whole(dataset.train(1)), "<|im_start|>user\nSpeak.<|im_end|>\n<|im_start|>assistant\nYes.<|im_end|>\n");
}

TEST_F(DatasetTest, PromptAndCompletionArePlainText) {
  const auto report = prepare(R"({"prompt": "One two", "completion": " three\n"})" "\n"
                              R"({"prompt": "a", "completion": " b<|im_end|>"})" "\n");
  ASSERT_TRUE(report.ok()) << report.error().message();
  const auto& dataset = opened();
  EXPECT_EQ(whole(dataset.train(0)), "One two three\n<|im_end|>");
  EXPECT_EQ(trained(dataset.train(0)), " three\n<|im_end|>");
  EXPECT_EQ(whole(dataset.train(1)), "a b<|im_end|>") << "no second end";
}

TEST_F(DatasetTest, ATokenOverTheEdgeCarriesNoLoss) {
  // " the" is one token: it begins in the prompt.
  ASSERT_EQ(tokenizer_->encode("x the", SpecialTokens::Parse)->size(), 2u);
  ASSERT_TRUE(prepare(R"({"prompt": "x t", "completion": "he end"})").ok());
  EXPECT_EQ(trained(opened().train(0)), " end<|im_end|>");
}

TEST_F(DatasetTest, OnlyTheCompletionsAnswersCarryLoss) {
  ASSERT_TRUE(prepare(R"({"prompt": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "no"}, {"role": "user", "content": "b"}], )"
                      R"("completion": [{"role": "assistant", "content": "yes"}]})").ok());
  EXPECT_EQ(trained(opened().train(0)), "yes<|im_end|>");
}

TEST_F(DatasetTest, ByteOrderMarkAndCrlfChangeNothing) {
  ASSERT_TRUE(prepare(kTwoTurns + kTwoTurns).ok());
  const std::string hash = opened().contentHash();
  const std::string row = kTwoTurns.substr(0, kTwoTurns.size() - 1);
  const auto report = prepare("\xef\xbb\xbf" + row + "\r\n\r\n  \n" + row);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->blankLines, 2);
  EXPECT_EQ(report->contentHash, hash);
  EXPECT_EQ(opened().contentHash(), hash);
  EXPECT_EQ(opened().train(1).sourceLine, 4);
}

TEST_F(DatasetTest, LongRowsAreDroppedCutOrRefused) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += " word";
  const std::string content = R"({"prompt": "a", "completion": ")" + words + "\"}\n" + R"({"prompt": "a", "completion": "b"})";
  settings_.maxSequenceLength = 20;
  auto report = prepare(content);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->droppedLong, 1);
  EXPECT_EQ(report->trainRows, 1);
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_EQ(report->problems[0].line, 1);
  EXPECT_FALSE(report->problems[0].isFatal);

  settings_.truncation = Truncation::Truncate;
  report = prepare(content);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->truncated, 1);
  EXPECT_EQ(report->longestRow, 20);
  EXPECT_EQ(opened().train(0).ids.size(), 20u);

  settings_.truncation = Truncation::Error;
  report = prepare(content);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message(), HasSubstr("train.jsonl:1: is too long"));
}

TEST_F(DatasetTest, RowsWithoutLossAreLeftOutAndListed) {
  const std::string silent = R"({"messages": [{"role": "user", "content": "anyone?"}]})" "\n";
  const auto report = prepare(kTwoTurns + silent);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->withoutLoss, 1);
  EXPECT_EQ(report->trainRows, 1);
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_EQ(report->problems[0].line, 2);
  const auto none = prepare(silent + silent);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message(), HasSubstr("no row is left"));
}

TEST_F(DatasetTest, EvaluationRowsAreAFixedShare) {
  std::string content;
  for (int i = 0; i < 200; ++i) content += R"({"prompt": "question )" + std::to_string(i) + R"(", "completion": " yes"})" "\n";
  settings_.evalFraction = 0.1;
  ASSERT_TRUE(prepare(content).ok());
  const auto lines = [](const PreparedDataset& dataset) {
    std::vector<int64_t> result;
    for (int64_t i = 0; i < dataset.evalCount(); ++i) result.push_back(dataset.eval(i).sourceLine);
    return result;
  };
  const PreparedDataset& first = opened();
  EXPECT_EQ(first.evalCount(), 20);
  EXPECT_EQ(first.trainCount(), 180);
  ASSERT_TRUE(prepare(content).ok());
  EXPECT_EQ(lines(opened()), lines(first));
  EXPECT_EQ(opened().contentHash(), first.contentHash());
  settings_.seed = 43;
  ASSERT_TRUE(prepare(content).ok());
  EXPECT_NE(lines(opened()), lines(first));
}

TEST_F(DatasetTest, EvaluationRowsOfTheirOwnFile) {
  write("eval.jsonl", R"({"prompt": "e", "completion": "f"})");
  settings_.eval = folder_ / "eval.jsonl";
  ASSERT_TRUE(prepare(kTwoTurns).ok());
  EXPECT_EQ(opened().trainCount(), 1);
  ASSERT_EQ(opened().evalCount(), 1);
  EXPECT_EQ(whole(opened().eval(0)), "ef<|im_end|>");
}

TEST_F(DatasetTest, TwentyThousandRowsInWellUnderAMinute) {
  std::string content;
  for (int i = 0; i < 20'000; ++i)
    content += R"({"messages": [{"role": "user", "content": "What is )" + std::to_string(i) + R"( plus one, and why would anybody )"
               R"(want to know?"}, {"role": "assistant", "content": "It is )" + std::to_string(i + 1) + R"(. People count things."}, )"
               R"({"role": "user", "content": "Thank you."}, {"role": "assistant", "content": "You are welcome."}]})" "\n";
  const auto begin = std::chrono::steady_clock::now();
  const auto report = prepare(content);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->trainRows, 20'000);
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(seconds, 60);
}

}  // namespace
}  // namespace tidemark::text
