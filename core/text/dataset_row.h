// One row of a dataset as its form says, before any template or tokenizer has seen it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/chat_template.h"
#include "core/text/prepared_dataset.h"

namespace tidemark::text {

struct SourceRow {
  int64_t line = 0;
  // A conversation, of which the messages from firstTrained on may carry loss ...
  Conversation messages;
  size_t firstTrained = 0;
  // ... or plain text, if there are no messages.
  std::string prompt, completion;

  bool isConversation() const { return !messages.empty(); }
};

// The form that the row's keys say; the error names its keys.
Result<DatasetFormat> detectFormat(const Json& row);
// `format` is not Auto. The error says which key is missing or wrong.
Result<SourceRow> readRow(const Json& row, DatasetFormat format);

std::string nameOf(DatasetFormat format);

}  // namespace tidemark::text
