// Going through a dataset without the page: batches, stopping, and what ends it.
#include <gtest/gtest.h>

#include <set>

#include "data_file.h"
#include "core/text/dataset_settings.h"
#include "ui/data/find_rows.h"
#include "ui/data/scan_dataset.h"

namespace tidemark::ui {
namespace {

using tests::chatRow;
using tests::DataFile;

OpenedData openedData(const DataFile& file) {
  auto opened = openData(tests::chatModel(), text::datasetSettings(file.config()));
  EXPECT_TRUE(opened.ok()) << opened.error().message();
  return std::move(opened).value();
}

std::string manyRows(int count) {
  std::string content;
  for (int i = 0; i < count; ++i) content += chatRow("question " + std::to_string(i), "answer");
  return content;
}

TEST(ScanDataset, HandsOverEveryRowOnceInOrder) {
  const DataFile file(manyRows(1000));
  std::vector<int64_t> lines;
  uint64_t bytes = 0;
  const Status status = scanDataset(openedData(file), [&](ScanBatch batch) {
    for (const RowFacts& row : batch.rows) {
      lines.push_back(row.place.line);
      EXPECT_EQ(row.state, RowFacts::State::Usable);
      EXPECT_GT(row.tokens, 0);
    }
    EXPECT_GE(batch.bytesRead, bytes);
    bytes = batch.bytesRead;
    EXPECT_EQ(batch.format, text::DatasetFormat::Messages);
    return true;
  });
  ASSERT_TRUE(status.ok()) << status.error().message();
  ASSERT_EQ(lines.size(), 1000u);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i], static_cast<int64_t>(i) + 1);
  EXPECT_EQ(bytes, manyRows(1000).size());
}

TEST(ScanDataset, StopsWhenItIsTold) {
  const DataFile file(manyRows(2000));
  size_t rows = 0;
  const Status status = scanDataset(openedData(file), [&](const ScanBatch& batch) {
    rows += batch.rows.size();
    return false;
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::Cancelled);
  EXPECT_GT(rows, 0u);
  EXPECT_LT(rows, 2000u);
}

TEST(ScanDataset, DuplicatesNameTheFirstRowOfTheirKind) {
  const DataFile file(chatRow("a", "b") + chatRow("c", "d") + chatRow("a", "b") + chatRow("a", "b"));
  std::vector<int64_t> first;
  ASSERT_TRUE(scanDataset(openedData(file), [&](const ScanBatch& batch) {
                for (const RowFacts& row : batch.rows) first.push_back(row.duplicateOf);
                return true;
              }).ok());
  EXPECT_EQ(first, (std::vector<int64_t>{0, 0, 1, 1}));
}

TEST(ScanDataset, GivesUpOnAFileWithoutAUsableRow) {
  std::string content;
  for (int i = 0; i < 5000; ++i) content += "{\"text\": \"no known form\"}\n";
  const DataFile file(content);
  size_t rows = 0;
  const Status status = scanDataset(openedData(file), [&](const ScanBatch& batch) {
    rows += batch.rows.size();
    return true;
  });
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message().find("none of its first 1000 lines is a usable row"), std::string::npos);
  EXPECT_EQ(rows, 1000u) << "what is wrong with them is shown all the same";
}

TEST(FindRows, StopsWhenItIsTold) {
  const DataFile file(manyRows(50));
  int asked = 0;
  const auto lines = findRows(openedData(file), QStringLiteral("question"), [&] { return ++asked < 10; });
  ASSERT_FALSE(lines.ok());
  EXPECT_EQ(lines.error().code, ErrorCode::Cancelled);
}

TEST(FindRows, FindsPromptAndCompletionToo) {
  const DataFile file(R"({"prompt": "Grüße", "completion": "x"})" "\n" R"({"prompt": "y", "completion": "the GRÜSSE or grüße"})" "\n"
                      R"({"prompt": "y", "completion": "z"})" "\n");
  const auto lines = findRows(openedData(file), QStringLiteral("GRÜßE"), [] { return true; });
  ASSERT_TRUE(lines.ok());
  EXPECT_EQ(*lines, (std::unordered_set<int64_t>{1, 2}));
}

}  // namespace
}  // namespace tidemark::ui
