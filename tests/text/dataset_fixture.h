// A folder of its own for each test, with helpers that write JSONL and prepare it with the golden chat model.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <fstream>

#include "core/text/prepared_dataset.h"
#include "tests/text/golden_texts.h"

namespace tidemark::text {

class DatasetTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("dataset-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    auto opened = Tokenizer::open(golden("chat_model"));
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    tokenizer_ = *opened;
    settings_.train = folder_ / "train.jsonl";
    settings_.maxSequenceLength = 4096;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  Result<DatasetReport> prepare() { return prepareDataset(settings_, *tokenizer_, target()); }
  Result<DatasetReport> prepare(const std::string& content) {
    write("train.jsonl", content);
    return prepare();
  }
  std::filesystem::path target() const { return folder_ / "prepared.bin"; }
  // Stays open until the end of the test: rows view the file.
  const PreparedDataset& opened() {
    auto dataset = PreparedDataset::open(target());
    EXPECT_TRUE(dataset.ok()) << dataset.error().message();
    return opened_.emplace_back(std::move(dataset).value());
  }
  // What the tokens with loss say.
  std::string trained(const PreparedDataset::Row& row) const {
    std::vector<TokenId> ids;
    for (size_t i = 0; i < row.ids.size(); ++i)
      if (row.hasLoss[i]) ids.push_back(row.ids[i]);
    return tokenizer_->decode(ids, false);
  }
  std::string whole(const PreparedDataset::Row& row) const {
    return tokenizer_->decode({row.ids.begin(), row.ids.end()}, false);
  }

  std::filesystem::path folder_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  DatasetSettings settings_;
  std::deque<PreparedDataset> opened_;
};

inline const std::string kTwoTurns =
    R"({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}, )"
    R"({"role": "user", "content": "more"}, {"role": "assistant", "content": "enough"}]})" "\n";

}  // namespace tidemark::text
