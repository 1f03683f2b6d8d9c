// Renders conversations with a model's own Jinja template, in a resource-limited child process.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace tidemark::text {

struct Message {
  std::string role;  // system, user, assistant, tool
  std::string content;
};
using Conversation = std::vector<Message>;

struct RenderRequest {
  Conversation messages;
  bool addsGenerationPrompt = false;
};

struct TemplateSettings {
  std::string source;     // Jinja
  std::string bosToken;
  std::string eosToken;
  std::string python;     // interpreter with Jinja2; empty: the one found when building, or $TIDEMARK_PYTHON
};

// All requests in one child process; the result has one text per request, byte-equal with what transformers renders.
// An error names the first request that failed and why (template error, time or memory limit).
Result<std::vector<std::string>> renderConversations(const TemplateSettings& settings,
                                                     const std::vector<RenderRequest>& requests);

}  // namespace tidemark::text
