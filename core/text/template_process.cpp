#include "core/text/template_process.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "core/base/json.h"
#include "render_template_script.h"

namespace tidemark::text {
namespace {

constexpr ChildLimits kLimits{512ull << 20, 3600};
// The processor-time limit of 2 s per request is set by the script; these cover children that sleep or are starved.
constexpr std::chrono::seconds kStartSilence{30};
constexpr std::chrono::seconds kRenderSilence{20};

std::string findInPath(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string candidate = folder + "/" + name; ::access(candidate.c_str(), X_OK) == 0) return candidate;
  return name;
}

Result<std::string> findInterpreter(const std::string& configured) {
  std::string python = configured;
  if (const char* chosen = std::getenv("TIDEMARK_PYTHON"); python.empty() && chosen) python = chosen;
  if (python.empty()) python = TIDEMARK_PYTHON;
  if (python.find('/') == std::string::npos) python = findInPath(python);
  if (::access(python.c_str(), X_OK) == 0) return python;
  return Error{ErrorCode::Unsupported, python, "there is no Python interpreter here; chat templates need one with Jinja2. "
               "Set TIDEMARK_PYTHON to its path"};
}

std::string requestLine(const PrefixRequest& request) {
  Json messages = Json::array();
  for (const Message& message : request.messages) messages.push_back(Json::array({message.role, message.content}));
  Json renders = Json::array();
  for (const PrefixRender& render : request.renders) renders.push_back(Json::array({render.count, render.addsGenerationPrompt}));
  const Json line{{"messages", std::move(messages)}, {"renders", std::move(renders)}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The child ran a stranger's template, so its answers are checked like any input.
Rendering readReply(const std::string& line, size_t expected) {
  const Json reply = Json::parse(line, nullptr, false);
  Rendering rendering;
  if (reply.is_object() && reply.contains("error") && reply["error"].is_string()) {
    rendering.refusal = reply["error"].get<std::string>();
    return rendering;
  }
  const Json texts = reply.is_object() ? reply.value("texts", Json()) : Json();
  if (texts.is_array() && texts.size() == expected)
    for (const Json& text : texts)
      if (text.is_string()) rendering.texts.push_back(text.get<std::string>());
  if (rendering.texts.size() != expected) return {{}, "the template rendered something that is not text"};
  return rendering;
}

}  // namespace

Result<std::unique_ptr<TemplateProcess>> TemplateProcess::start(const TemplateSettings& settings) {
  TIDEMARK_ASSIGN(const std::string python, findInterpreter(settings.python));
  auto child = ChildProcess::start({python, "-I", "-B", "-X", "utf8", "-c", kRenderTemplateScript}, kLimits);
  if (!child.ok()) return child.error().within("chat template");
  Json tokens = Json::object();
  if (!settings.bosToken.empty()) tokens["bos_token"] = settings.bosToken;
  if (!settings.eosToken.empty()) tokens["eos_token"] = settings.eosToken;
  const Json hello{{"template", settings.source}, {"tokens", std::move(tokens)}};
  const auto lines =
      (*child)->exchange(hello.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", 1, kStartSilence);
  if (lines.empty()) return Error{ErrorCode::Unsupported, "chat template",
                 python + " " + (*child)->describeEnd() + "; it needs Jinja2, and TIDEMARK_PYTHON can name another interpreter"};
  const Json reply = Json::parse(lines[0], nullptr, false);
  if (reply.is_object() && reply.value("ready", Json()) == true)
    return std::unique_ptr<TemplateProcess>(new TemplateProcess(std::move(child).value()));
  const Json why = reply.is_object() ? reply.value("error", Json()) : Json();
  if (!why.is_string()) return Error{ErrorCode::Internal, "chat template", python + " gave an answer that is not understood"};
  return Error{ErrorCode::Unsupported, "chat template",
               why.get<std::string>() + "; use another model, or prompt and completion as plain text"};
}

std::vector<Rendering> TemplateProcess::render(std::span<const PrefixRequest> requests) {
  std::string text;
  for (const PrefixRequest& request : requests) text += requestLine(request);
  const auto lines = child_->exchange(text, requests.size(), kRenderSilence);
  std::vector<Rendering> renderings;
  for (size_t i = 0; i < lines.size(); ++i) renderings.push_back(readReply(lines[i], requests[i].renders.size()));
  if (lines.size() < requests.size()) renderings.push_back({{}, "the template " + child_->describeEnd()});
  return renderings;
}

}  // namespace tidemark::text
