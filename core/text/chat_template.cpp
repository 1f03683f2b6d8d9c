#include "core/text/chat_template.h"

#include "core/text/template_process.h"

namespace tidemark::text {

Result<std::vector<std::string>> renderConversations(const TemplateSettings& settings,
                                                     const std::vector<RenderRequest>& requests) {
  TIDEMARK_ASSIGN(const auto process, TemplateProcess::start(settings));
  std::vector<PrefixRequest> prefixes;
  for (const RenderRequest& request : requests)
    prefixes.push_back({request.messages, {{request.messages.size(), request.addsGenerationPrompt}}});
  std::vector<Rendering> renderings = process->render(prefixes);
  std::vector<std::string> texts;
  for (size_t i = 0; i < renderings.size(); ++i) {
    if (renderings[i].texts.empty())
      return Error{ErrorCode::InvalidInput, "chat template, conversation " + std::to_string(i + 1), renderings[i].refusal};
    texts.push_back(std::move(renderings[i].texts[0]));
  }
  return texts;
}

}  // namespace tidemark::text
