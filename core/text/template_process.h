// One child process that renders a template again and again. chat_template.h is the simple way in.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/text/chat_template.h"
#include "core/text/child_process.h"

namespace tidemark::text {

// The first `count` messages, with or without the prompt for the next answer.
struct PrefixRender {
  size_t count = 0;
  bool addsGenerationPrompt = false;
};

struct PrefixRequest {
  Conversation messages;
  std::vector<PrefixRender> renders;
};

// One text per render; or why the template refused the conversation (then there are none).
struct Rendering {
  std::vector<std::string> texts;
  std::string refusal;
};

class TemplateProcess {
 public:
  static Result<std::unique_ptr<TemplateProcess>> start(const TemplateSettings& settings);

  // One rendering per request. Fewer: the last one says how the child ended (a limit), and this object is of no more use.
  std::vector<Rendering> render(std::span<const PrefixRequest> requests);

 private:
  explicit TemplateProcess(std::unique_ptr<ChildProcess> child) : child_(std::move(child)) {}
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace tidemark::text
