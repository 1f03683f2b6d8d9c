#include "core/text/gemma_turns.h"

#include <algorithm>

namespace tidemark::text {
namespace {

// Turns begin with the role's name and alternate; the assistant is called "model"; there is no system turn: its text
// stands in front of the first question (Google's "Gemma formatting" page).
constexpr const char* kTemplate = R"({{- bos_token -}}
{%- set ns = namespace(preface='', turns=messages) -%}
{%- if messages and messages[0].role == 'system' -%}
  {%- set ns.preface = messages[0].content ~ '\n\n' -%}
  {%- set ns.turns = messages[1:] -%}
{%- endif -%}
{%- for turn in ns.turns -%}
  {%- if (turn.role == 'user') != (loop.index0 % 2 == 0) -%}
    {{- raise_exception('Gemma wants questions of the user and answers of the assistant in turn') -}}
  {%- endif -%}
  {{- '<start_of_turn>' ~ ('model' if turn.role == 'assistant' else turn.role) ~ '\n' -}}
  {{- ns.preface if loop.first else '' -}}
  {{- turn.content | trim ~ '<end_of_turn>\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
  {{- '<start_of_turn>model\n' -}}
{%- endif -%})";

}  // namespace

void addGemmaTurns(TokenizerParts& parts) {
  const auto idOf = [&](const std::string& content) {
    const auto found = std::find_if(parts.addedTokens.begin(), parts.addedTokens.end(),
                                    [&](const AddedToken& token) { return token.content == content; });
    return found == parts.addedTokens.end() ? TokenId{-1} : found->id;
  };
  const TokenId begin = idOf("<start_of_turn>"), end = idOf("<end_of_turn>");
  if (begin < 0 || end < 0) return;
  parts.endIds.push_back(end);
  if (!parts.chatTemplate.empty()) return;
  parts.chatTemplate = kTemplate;
  parts.isTemplateBuiltIn = true;
}

}  // namespace tidemark::text
