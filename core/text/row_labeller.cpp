#include "core/text/row_labeller.h"

namespace tidemark::text {

Status RowLabeller::startTemplate() {
  if (template_) return {};
  TemplateSettings settings;
  settings.source = tokenizer_.chatTemplate();
  if (settings.source.empty())
    return Error{ErrorCode::Unsupported, "chat template", "the model has none, so conversations cannot be written as its "
                 "text; use a model with one, or prompt and completion as plain text"};
  if (tokenizer_.bosId() >= 0) settings.bosToken = tokenizer_.tokenText(tokenizer_.bosId());
  if (tokenizer_.eosId() >= 0) settings.eosToken = tokenizer_.tokenText(tokenizer_.eosId());
  TIDEMARK_ASSIGN(template_, TemplateProcess::start(settings));
  return {};
}

Result<std::vector<Result<LabelledText>>> RowLabeller::label(std::span<const SourceRow> rows) {
  std::vector<PrefixRequest> requests;
  for (const SourceRow& row : rows)
    if (row.isConversation()) requests.push_back(requestFor(row, trainOn_));
  std::vector<Rendering> renderings;
  if (!requests.empty()) {
    TIDEMARK_TRY(startTemplate());
    renderings = template_->render(requests);
  }
  std::vector<Result<LabelledText>> labelled;
  size_t next = 0;
  for (const SourceRow& row : rows) {
    if (!row.isConversation()) {
      labelled.push_back(labelPlainText(row, trainOn_, tokenizer_));
      continue;
    }
    const Rendering& rendering = renderings[next++];
    if (rendering.texts.empty())
      labelled.push_back(Error{ErrorCode::InvalidInput, "",
                               "the chat template refuses this conversation: " + rendering.refusal});
    else labelled.push_back(labelConversation(row, trainOn_, rendering.texts, tokenizer_));
    if (next == renderings.size() && next < requests.size()) break;
  }
  return labelled;
}

}  // namespace tidemark::text
