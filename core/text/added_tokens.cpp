#include "core/text/added_tokens.h"

#include <algorithm>

#include "core/text/unicode_class.h"

namespace tidemark::text {

AddedTokenFinder::AddedTokenFinder() : nodes_(1) {}

void AddedTokenFinder::add(const AddedToken& token) {
  const std::string& form = token.form;
  if (form.empty()) return;
  uint32_t node = 0;
  for (const char c : form) {
    const auto [child, isNew] = nodes_[node].children.try_emplace(c, static_cast<uint32_t>(nodes_.size()));
    node = child->second;
    if (isNew) nodes_.emplace_back();
  }
  nodes_[node].token = static_cast<int32_t>(tokens_.size());
  tokens_.push_back(token);
  isFirstByte_[static_cast<uint8_t>(form[0])] = true;
}

std::pair<size_t, int32_t> AddedTokenFinder::longestAt(std::string_view text, size_t at) const {
  std::pair<size_t, int32_t> best{0, -1};
  uint32_t node = 0;
  for (size_t i = at; i < text.size(); ++i) {
    const auto child = nodes_[node].children.find(text[i]);
    if (child == nodes_[node].children.end()) break;
    node = child->second;
    if (nodes_[node].token >= 0) best = {i + 1 - at, nodes_[node].token};
  }
  return best;
}

bool AddedTokenFinder::standsAlone(std::string_view text, size_t begin, size_t end) const {
  return !endsWithWordCharacter(text.substr(0, begin)) && !beginsWithWordCharacter(text.substr(end));
}

std::vector<AddedTokenSpan> AddedTokenFinder::split(std::string_view text) const {
  std::vector<AddedTokenSpan> spans;
  size_t done = 0;
  for (size_t at = 0; at < text.size();) {
    if (!isFirstByte_[static_cast<uint8_t>(text[at])]) {
      ++at;
      continue;
    }
    const auto [length, index] = longestAt(text, at);
    if (length == 0) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<size_t>(index)];
    size_t begin = at, end = at + length;
    at = end;
    if (token.isSingleWord && !standsAlone(text, begin, end)) continue;
    if (token.stripsLeft) begin -= trailingSpace(text.substr(0, begin));
    begin = std::max(begin, done);  // what an earlier token took stays with it
    if (token.stripsRight) end += leadingSpace(text.substr(end));
    if (done < begin) spans.push_back({-1, done, begin});
    spans.push_back({token.id, begin, std::max(begin, end)});
    done = std::max(begin, end);
  }
  if (done < text.size()) spans.push_back({-1, done, text.size()});
  return spans;
}

}  // namespace tidemark::text
