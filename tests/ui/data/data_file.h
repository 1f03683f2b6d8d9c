// A dataset in a folder of its own, and the golden chat model that it is read by.
#pragma once

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <fstream>
#include <string>

#include "core/run/config.h"

namespace tidemark::tests {

inline std::string chatModel() { return std::string(TIDEMARK_GOLDEN) + "/text/chat_model"; }

// A conversation of one question and one answer, as a line.
inline std::string chatRow(const std::string& question, const std::string& answer) {
  return R"({"messages": [{"role": "user", "content": ")" + question + R"("}, {"role": "assistant", "content": ")" + answer + "\"}]}\n";
}

class DataFile {
 public:
  explicit DataFile(const std::string& content) {
    EXPECT_TRUE(folder_.isValid());
    write(content);
  }
  std::string path() const { return folder_.filePath(QStringLiteral("rows.jsonl")).toStdString(); }
  void write(const std::string& content) const { std::ofstream(path(), std::ios::binary) << content; }
  run::RunConfig config(int64_t maxSeqLength = 64) const {
    run::RunConfig config;
    config.model = chatModel();
    config.dataset.train = path();
    config.dataset.maxSeqLength = maxSeqLength;
    return config;
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace tidemark::tests
