// Says which tokens of a row carry loss. Rules: core/text/FORMAT.md, "Which tokens carry loss".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/dataset_row.h"
#include "core/text/prepared_dataset.h"
#include "core/text/template_process.h"
#include "core/text/tokenizer.h"

namespace tidemark::text {

struct LabelledRow {
  std::vector<TokenId> ids;
  std::vector<uint8_t> hasLoss;  // hasLoss[0] is 0
  int64_t line = 0;

  int64_t targetCount() const;
};

// A row as the text that the model sees, with the place of each token in it.
struct LabelledText {
  std::string text;
  std::vector<Token> tokens;
  std::vector<uint8_t> hasLoss;  // hasLoss[0] is 0
  int64_t line = 0;

  LabelledRow row() const;
};

// Bytes [begin, end) of a text.
struct TextSpan {
  size_t begin = 0, end = 0;
};

// What a template has to render for a conversation: first all of it; for the assistant's messages also what leads up
// to and through each of them.
PrefixRequest requestFor(const SourceRow& row, TrainOn trainOn);

// The spans that carry loss, from the texts that requestFor asked for. An error: the template is not made of prefixes.
Result<std::vector<TextSpan>> lossSpans(const SourceRow& row, TrainOn trainOn, const std::vector<std::string>& texts);

Result<LabelledText> labelConversation(const SourceRow& row, TrainOn trainOn, const std::vector<std::string>& texts,
                                       const Tokenizer& tokenizer);
Result<LabelledText> labelPlainText(const SourceRow& row, TrainOn trainOn, const Tokenizer& tokenizer);

}  // namespace tidemark::text
