#include "core/text/dataset_row.h"

#include <map>
#include <optional>

namespace tidemark::text {
namespace {

Error problem(const std::string& what) { return {ErrorCode::InvalidInput, "", what}; }

bool isSet(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && !found->is_null();
}

std::string keysOf(const Json& row) {
  std::string keys;
  for (const auto& [key, value] : row.items()) keys += (keys.empty() ? "\"" : ", \"") + key + "\"";
  return keys.empty() ? "none" : keys;
}

Result<std::string> textAt(const Json& object, const std::string& key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return problem(where + "the key \"" + key + "\" is missing");
  if (!found->is_string()) return problem(where + "\"" + key + "\" is not a text but " + found->type_name());
  return found->get<std::string>();
}

// ShareGPT's names for who speaks.
std::optional<std::string> roleOfSpeaker(const std::string& from) {
  static const std::map<std::string, std::string> roles{
      {"human", "user"}, {"user", "user"},     {"gpt", "assistant"}, {"assistant", "assistant"}, {"chatgpt", "assistant"},
      {"system", "system"}, {"tool", "tool"}, {"observation", "tool"}};
  const auto found = roles.find(from);
  if (found == roles.end()) return std::nullopt;
  return found->second;
}

Result<std::string> checkedRole(const std::string& role, const std::string& where) {
  for (const char* known : {"system", "developer", "user", "assistant", "tool"})
    if (role == known) return role;
  return problem(where + "the role \"" + role + "\" is not one of system, developer, user, assistant, tool");
}

Result<Message> readMessage(const Json& json, const std::string& where) {
  if (!json.is_object()) return problem(where + "is not an object");
  for (const char* key : {"tool_calls", "function_call", "reasoning_content", "thinking", "images"})
    if (isSet(json, key)) return problem(where + "\"" + key + "\" is not supported");
  Message message;
  if (json.contains("from") && !json.contains("role")) {
    TIDEMARK_ASSIGN(const std::string from, textAt(json, "from", where));
    const auto role = roleOfSpeaker(from);
    if (!role) return problem(where + "the speaker \"" + from + "\" is not known (human, gpt, system, tool)");
    message.role = *role;
    TIDEMARK_ASSIGN(message.content, textAt(json, "value", where));
    return message;
  }
  TIDEMARK_ASSIGN(const std::string role, textAt(json, "role", where));
  TIDEMARK_ASSIGN(message.role, checkedRole(role, where));
  TIDEMARK_ASSIGN(message.content, textAt(json, "content", where));
  return message;
}

Result<Conversation> readConversation(const Json& row, const std::string& key) {
  const Json& list = row.at(key);
  if (!list.is_array()) return problem("\"" + key + "\" is not a list but " + std::string(list.type_name()));
  if (list.empty()) return problem("\"" + key + "\" holds no message");
  Conversation conversation;
  for (const Json& json : list) {
    TIDEMARK_ASSIGN(Message message,
                    readMessage(json, "\"" + key + "\", message " + std::to_string(conversation.size() + 1) + ": "));
    conversation.push_back(std::move(message));
  }
  return conversation;
}

Result<SourceRow> readMessages(const Json& row) {
  const bool hasMessages = row.contains("messages"), hasConversations = row.contains("conversations");
  if (hasMessages && hasConversations) return problem("has both \"messages\" and \"conversations\"");
  if (!hasMessages && !hasConversations) return problem("the key \"messages\" is missing; the keys are " + keysOf(row));
  if (isSet(row, "tools")) return problem("\"tools\" is not supported");
  SourceRow result;
  TIDEMARK_ASSIGN(result.messages, readConversation(row, hasMessages ? "messages" : "conversations"));
  return result;
}

// The instruction, an empty line and the input, as one question.
Result<SourceRow> readAlpaca(const Json& row) {
  SourceRow result;
  if (isSet(row, "system")) {
    TIDEMARK_ASSIGN(std::string system, textAt(row, "system", ""));
    if (!system.empty()) result.messages.push_back({"system", std::move(system)});
  }
  TIDEMARK_ASSIGN(std::string question, textAt(row, "instruction", ""));
  if (isSet(row, "input")) {
    TIDEMARK_ASSIGN(const std::string input, textAt(row, "input", ""));
    if (!input.empty()) question += "\n\n" + input;
  }
  TIDEMARK_ASSIGN(std::string answer, textAt(row, "output", ""));
  result.messages.push_back({"user", std::move(question)});
  result.messages.push_back({"assistant", std::move(answer)});
  return result;
}

Result<SourceRow> readPromptCompletion(const Json& row) {
  for (const char* key : {"prompt", "completion"})
    if (!row.contains(key)) return problem(std::string("the key \"") + key + "\" is missing");
  SourceRow result;
  if (!row["prompt"].is_array() && !row["completion"].is_array()) {
    TIDEMARK_ASSIGN(result.prompt, textAt(row, "prompt", ""));
    TIDEMARK_ASSIGN(result.completion, textAt(row, "completion", ""));
    return result;
  }
  if (!row["prompt"].is_array() || !row["completion"].is_array())
    return problem("\"prompt\" and \"completion\" are not of one kind: both texts, or both lists of messages");
  TIDEMARK_ASSIGN(result.messages, readConversation(row, "prompt"));
  TIDEMARK_ASSIGN(Conversation completion, readConversation(row, "completion"));
  result.firstTrained = result.messages.size();
  result.messages.insert(result.messages.end(), completion.begin(), completion.end());
  return result;
}

}  // namespace

std::string nameOf(DatasetFormat format) {
  switch (format) {
    case DatasetFormat::Messages: return "messages";
    case DatasetFormat::Alpaca: return "alpaca";
    case DatasetFormat::PromptCompletion: return "prompt-completion";
    case DatasetFormat::Auto: break;
  }
  return "auto";
}

Result<DatasetFormat> detectFormat(const Json& row) {
  if (!row.is_object()) return problem("is not an object but " + std::string(row.type_name()));
  std::vector<DatasetFormat> found;
  if (row.contains("messages") || row.contains("conversations")) found.push_back(DatasetFormat::Messages);
  if (row.contains("instruction") && row.contains("output")) found.push_back(DatasetFormat::Alpaca);
  if (row.contains("prompt") && row.contains("completion")) found.push_back(DatasetFormat::PromptCompletion);
  if (found.size() == 1) return found[0];
  if (found.size() > 1) return problem("has the keys of more than one form: " + keysOf(row) + "; say which with dataset.format");
  return problem("is of no known form (messages; instruction and output; prompt and completion); its keys are " + keysOf(row));
}

Result<SourceRow> readRow(const Json& row, DatasetFormat format) {
  if (!row.is_object()) return problem("is not an object but " + std::string(row.type_name()));
  switch (format) {
    case DatasetFormat::Messages: return readMessages(row);
    case DatasetFormat::Alpaca: return readAlpaca(row);
    default: return readPromptCompletion(row);
  }
}

}  // namespace tidemark::text
