// A dataset made ready for training: token ids with the mask of those that carry loss, in one file that ranks map.
// Format document: core/text/FORMAT.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/text/tokenizer.h"

namespace tidemark::text {

enum class DatasetFormat { Auto, Messages, Alpaca, PromptCompletion };
enum class TrainOn { Assistant, All };
enum class Truncation { Drop, Truncate, Error };  // rows longer than maxSequenceLength

struct DatasetSettings {
  std::filesystem::path train;
  std::filesystem::path eval;      // empty: evalFraction of train instead
  double evalFraction = 0.0;
  DatasetFormat format = DatasetFormat::Auto;
  int64_t maxSequenceLength = 512;
  TrainOn trainOn = TrainOn::Assistant;
  Truncation truncation = Truncation::Drop;
  uint64_t seed = 42;              // chooses the evaluation rows
};

// One thing wrong with one row. Problems that refuse the dataset come first in `DatasetReport::problems`.
struct RowProblem {
  std::string file;
  int64_t line = 0;
  int64_t column = 0;       // 0: the whole row
  std::string what;
  bool isFatal = false;     // malformed: nothing is prepared. Not fatal: the row is left out or cut, and said
};

struct DatasetReport {
  int64_t trainRows = 0, evalRows = 0;
  int64_t droppedLong = 0, truncated = 0, withoutLoss = 0, blankLines = 0;
  int64_t trainTokens = 0, trainTargetTokens = 0, longestRow = 0;
  std::vector<RowProblem> problems;  // every malformed line, not the first only
  std::string contentHash;           // sha256 of the prepared file's rows: equal data, template and mask give equal hashes
};

// Reads, renders, tokenises and masks the whole dataset and writes it to `target` (temporary file, fsync, rename).
// With fatal problems nothing is written and the error lists all of them.
Result<DatasetReport> prepareDataset(const DatasetSettings& settings, const Tokenizer& tokenizer,
                                     const std::filesystem::path& target);

class PreparedDataset {
 public:
  struct Row {
    std::span<const TokenId> ids;
    std::span<const uint8_t> hasLoss;  // hasLoss[t]: token t is a target, i.e. is predicted from position t - 1
    int64_t targetCount = 0;           // number of ones in hasLoss[1..]
    int64_t sourceLine = 0;
  };
  static Result<PreparedDataset> open(const std::filesystem::path& path);

  int64_t trainCount() const;
  int64_t evalCount() const;
  Row train(int64_t index) const;
  Row eval(int64_t index) const;
  const std::string& contentHash() const;
  TokenId largestId() const { return largestId_; }  // -1: no tokens

 private:
  MappedFile file_;
  struct Index { uint64_t begin, length, targets, line; };
  Row row(const Index& index) const;
  std::span<const Index> train_, eval_;
  const TokenId* ids_ = nullptr;
  const uint8_t* masks_ = nullptr;
  std::string hash_;
  TokenId largestId_ = -1;
};

// InvalidInput where the data has tokens that a model with `vocabularySize` embeddings does not: its tokenizer is another's.
Status checkVocabulary(TokenId largestId, int64_t vocabularySize);

}  // namespace tidemark::text
