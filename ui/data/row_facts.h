// What the Data page keeps of each row of a dataset: its place in the file, its lengths, its first words. Never its tokens.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "core/text/dataset_reader.h"

namespace tidemark::ui {

// Tokens [begin, end) of a row, each with loss.
struct LossRun {
  uint32_t begin = 0, end = 0;
};

struct RowFacts {
  enum class State { Usable, Malformed, Refused };  // Refused: by the chat template or the tokenizer

  text::LinePlace place;
  State state = State::Malformed;
  bool isConversation = false;
  int64_t tokens = 0;
  std::vector<LossRun> loss;
  int64_t duplicateOf = 0;  // line of the first row with the same tokens and loss; 0: there is none before it
  QString start;            // first words
  QString problem;          // why it is not usable

  // Tokens with loss among the first `limit`.
  int64_t targetsWithin(int64_t limit) const;
};

std::vector<LossRun> lossRuns(const std::vector<uint8_t>& hasLoss);

}  // namespace tidemark::ui
