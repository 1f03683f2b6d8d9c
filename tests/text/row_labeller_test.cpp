// Rows labelled one by one, and what becomes of them: the same as in the prepared dataset.
#include "core/text/row_labeller.h"

#include "core/text/dataset_reader.h"
#include "core/text/row_use.h"
#include "tests/text/dataset_fixture.h"

namespace tidemark::text {
namespace {

using testing::HasSubstr;

class RowLabellerTest : public DatasetTest {
 protected:
  std::vector<SourceRow> rowsOf(const std::filesystem::path& file) {
    RowProblems problems;
    auto read = readSourceFile(file, DatasetFormat::Auto, problems);
    EXPECT_TRUE(read.ok()) << read.error().message();
    return std::move(read->rows);
  }
};

TEST_F(RowLabellerTest, GivesWhatThePreparedDatasetHolds) {
  settings_.train = golden("rows.jsonl");
  ASSERT_TRUE(prepare().ok());
  const PreparedDataset& prepared = opened();
  const auto rows = rowsOf(settings_.train);
  RowLabeller labeller(*tokenizer_, TrainOn::Assistant);
  const auto labelled = labeller.label(rows);
  ASSERT_TRUE(labelled.ok()) << labelled.error().message();
  ASSERT_EQ(static_cast<int64_t>(labelled->size()), prepared.trainCount());
  for (size_t i = 0; i < labelled->size(); ++i) {
    ASSERT_TRUE((*labelled)[i].ok());
    const LabelledRow row = (*labelled)[i]->row();
    const auto expected = prepared.train(static_cast<int64_t>(i));
    EXPECT_EQ(row.ids, std::vector<TokenId>(expected.ids.begin(), expected.ids.end())) << i;
    EXPECT_EQ(row.hasLoss, std::vector<uint8_t>(expected.hasLoss.begin(), expected.hasLoss.end())) << i;
    EXPECT_EQ(row.line, expected.sourceLine);
  }
}

TEST_F(RowLabellerTest, PlacesOfTokensCoverTheText) {
  write("train.jsonl", kTwoTurns);
  RowLabeller labeller(*tokenizer_, TrainOn::Assistant);
  const auto labelled = labeller.label(rowsOf(settings_.train));
  ASSERT_TRUE(labelled.ok());
  const LabelledText& row = *labelled->front();
  std::string text;
  for (const Token& token : row.tokens) text += row.text.substr(token.begin, token.end - token.begin);
  EXPECT_EQ(text, row.text);
  EXPECT_THAT(row.text, HasSubstr("<|im_start|>assistant\nhello<|im_end|>"));
}

TEST_F(RowLabellerTest, PlainTextAndConversationsStandSideBySide) {
  write("train.jsonl", R"({"prompt": "a", "completion": "b"})" "\n"
                       R"({"prompt": [{"role": "user", "content": "a"}], "completion": [{"role": "assistant", "content": "b"}]})" "\n");
  RowLabeller labeller(*tokenizer_, TrainOn::Assistant);
  const auto labelled = labeller.label(rowsOf(settings_.train));
  ASSERT_TRUE(labelled.ok());
  ASSERT_EQ(labelled->size(), 2u);
  EXPECT_EQ((*labelled)[0]->text, "ab");
  EXPECT_THAT((*labelled)[1]->text, HasSubstr("<|im_start|>user\na"));
}

TEST(RowUse, FollowsLengthLossAndTruncation) {
  const RowSize fits{10, 4}, silent{10, 0}, tooLong{11, 4}, cutOff{11, 0};
  for (const Truncation truncation : {Truncation::Drop, Truncation::Truncate, Truncation::Error}) {
    EXPECT_EQ(useOfRow(fits, 10, truncation), RowUse::Whole);
    EXPECT_EQ(useOfRow(silent, 10, truncation), RowUse::WithoutLoss);
  }
  EXPECT_EQ(useOfRow(tooLong, 10, Truncation::Drop), RowUse::TooLong);
  EXPECT_EQ(useOfRow(tooLong, 10, Truncation::Error), RowUse::RefusedLong);
  EXPECT_EQ(useOfRow(tooLong, 10, Truncation::Truncate), RowUse::Cut);
  EXPECT_EQ(useOfRow(cutOff, 10, Truncation::Truncate), RowUse::WithoutLoss);
}

// A cut that takes the whole answer away must not leave a row that trains nothing.
TEST_F(RowLabellerTest, ACutThatTakesTheLossLeavesTheRowOut) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += " word";
  settings_.maxSequenceLength = 20;
  settings_.truncation = Truncation::Truncate;
  const auto report = prepare(R"({"prompt": ")" + words + R"(", "completion": " b"})" "\n" R"({"prompt": "a", "completion": "b"})");
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->withoutLoss, 1);
  EXPECT_EQ(report->truncated, 0);
  EXPECT_EQ(report->trainRows, 1);
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_THAT(report->problems[0].what, HasSubstr("none of its tokens carries loss"));
}

}  // namespace
}  // namespace tidemark::text
