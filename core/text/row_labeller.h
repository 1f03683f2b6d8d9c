// Labels rows as training sees them, many at a time: renders conversations in one template process, tokenises, masks.
// Not responsible for what becomes of a row that is too long.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/text/label_mask.h"
#include "core/text/template_process.h"

namespace tidemark::text {

class RowLabeller {
 public:
  RowLabeller(const Tokenizer& tokenizer, TrainOn trainOn) : tokenizer_(tokenizer), trainOn_(trainOn) {}

  // In the order of the rows: each row's tokens, or why it cannot be used. Fewer than rows: the template's process ended
  // at the last of them, and no further row can be labelled. An error: conversations cannot be rendered at all.
  Result<std::vector<Result<LabelledText>>> label(std::span<const SourceRow> rows);

 private:
  Status startTemplate();

  const Tokenizer& tokenizer_;
  TrainOn trainOn_;
  std::unique_ptr<TemplateProcess> template_;
};

}  // namespace tidemark::text
