// Going through a file line by line: places, progress, and the same rows as reading it whole.
#include "core/text/dataset_reader.h"

#include "tests/text/dataset_fixture.h"

namespace tidemark::text {
namespace {

class DatasetReaderTest : public DatasetTest {
 protected:
  std::vector<SourceLine> lines(const std::string& content) {
    write("train.jsonl", content);
    auto opened = SourceReader::open(settings_.train, DatasetFormat::Auto);
    EXPECT_TRUE(opened.ok()) << opened.error().message();
    reader_ = std::make_unique<SourceReader>(std::move(opened).value());
    std::vector<SourceLine> all;
    while (auto line = reader_->next()) all.push_back(std::move(*line));
    return all;
  }
  std::unique_ptr<SourceReader> reader_;
};

TEST_F(DatasetReaderTest, APlaceHoldsTheLineWithoutItsEnd) {
  const std::string row = R"({"prompt": "a", "completion": "b"})";
  const std::string content = "\xef\xbb\xbf" + row + "\r\n\n" + row + "\nnot json\n" + row;
  const auto all = lines(content);
  ASSERT_EQ(all.size(), 4u);
  for (const size_t i : {0u, 1u, 3u}) EXPECT_EQ(content.substr(all[i].place.begin, all[i].place.bytes), row) << i;
  EXPECT_EQ(content.substr(all[2].place.begin, all[2].place.bytes), "not json");
  EXPECT_EQ(all[0].place.begin, 3u) << "after the byte order mark";
  EXPECT_EQ(all[1].place.line, 3);
  EXPECT_EQ(all[2].place.line, 4);
  EXPECT_EQ(all[3].place.line, 5);
}

TEST_F(DatasetReaderTest, ALineHasARowOrAProblem) {
  const auto all = lines(R"({"prompt": "a", "completion": "b"})" "\n" R"({"prompt": "a"})" "\n");
  ASSERT_EQ(all.size(), 2u);
  ASSERT_TRUE(all[0].row);
  EXPECT_EQ(all[0].row->completion, "b");
  EXPECT_EQ(all[0].row->line, 1);
  EXPECT_FALSE(all[1].row);
  EXPECT_EQ(all[1].problem.line, 2);
  EXPECT_TRUE(all[1].problem.isFatal);
}

TEST_F(DatasetReaderTest, TellsHowFarItIsAndWhatItMet) {
  const auto all = lines("\xef\xbb\xbf\n" + kTwoTurns + "  \n");
  EXPECT_EQ(all.size(), 1u);
  EXPECT_EQ(reader_->blankLines(), 2);
  EXPECT_TRUE(reader_->hasByteOrderMark());
  EXPECT_EQ(reader_->format(), DatasetFormat::Messages);
  EXPECT_EQ(reader_->bytesRead(), reader_->bytes());
}

TEST_F(DatasetReaderTest, AnEmptyFileHasNoLine) {
  EXPECT_TRUE(lines("").empty());
  EXPECT_EQ(reader_->bytes(), 0u);
}

TEST_F(DatasetReaderTest, ALineIsReadAloneAsWithinItsFile) {
  const auto all = lines(kTwoTurns);
  ASSERT_EQ(all.size(), 1u);
  const auto alone = parseRow(all[0].text, reader_->format());
  ASSERT_TRUE(alone.ok()) << alone.error().message();
  ASSERT_EQ(alone->messages.size(), all[0].row->messages.size());
  for (size_t i = 0; i < alone->messages.size(); ++i) EXPECT_EQ(alone->messages[i].content, all[0].row->messages[i].content);
  EXPECT_FALSE(parseRow("{", reader_->format()).ok());
}

}  // namespace
}  // namespace tidemark::text
