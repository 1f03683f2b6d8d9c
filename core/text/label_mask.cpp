#include "core/text/label_mask.h"

#include <algorithm>

namespace tidemark::text {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

bool isTrained(const SourceRow& row, size_t index) {
  return index >= row.firstTrained && row.messages[index].role == "assistant";
}

// The span of one answer without the template's line end after its end-of-turn token. A template that marks the end of
// a turn by nothing but white space keeps it: the model has to learn where to stop.
TextSpan answerSpan(size_t begin, std::string_view through, const std::string& content) {
  const std::string_view span = through.substr(begin);
  if (trimmed(span) == trimmed(content)) return {begin, through.size()};
  const size_t last = span.find_last_not_of('\n');
  return {begin, last == std::string_view::npos ? begin : begin + last + 1};
}

LabelledText label(std::string text, std::vector<Token> tokens, TrainOn trainOn, const std::vector<TextSpan>& spans,
                   int64_t line) {
  LabelledText labelled{std::move(text), std::move(tokens), {}, line};
  labelled.hasLoss.reserve(labelled.tokens.size());
  for (const Token& token : labelled.tokens) {
    const bool isInside = token.end > token.begin && std::any_of(spans.begin(), spans.end(), [&](const TextSpan& span) {
      return token.begin >= span.begin && token.end <= span.end;
    });
    labelled.hasLoss.push_back(trainOn == TrainOn::All || isInside ? 1 : 0);
  }
  if (!labelled.hasLoss.empty()) labelled.hasLoss[0] = 0;  // nothing predicts the first token
  return labelled;
}

}  // namespace

int64_t LabelledRow::targetCount() const { return std::count(hasLoss.begin(), hasLoss.end(), uint8_t{1}); }

LabelledRow LabelledText::row() const {
  LabelledRow result{{}, hasLoss, line};
  result.ids.reserve(tokens.size());
  for (const Token& token : tokens) result.ids.push_back(token.id);
  return result;
}

PrefixRequest requestFor(const SourceRow& row, TrainOn trainOn) {
  PrefixRequest request{row.messages, {{row.messages.size(), false}}};
  if (trainOn == TrainOn::All) return request;
  for (size_t i = 0; i < row.messages.size(); ++i) {
    if (!isTrained(row, i)) continue;
    request.renders.push_back({i, true});
    request.renders.push_back({i + 1, false});
  }
  return request;
}

Result<std::vector<TextSpan>> lossSpans(const SourceRow& row, TrainOn trainOn, const std::vector<std::string>& texts) {
  std::vector<TextSpan> spans;
  if (trainOn == TrainOn::All) return spans;
  const std::string& whole = texts[0];
  size_t next = 1;
  for (size_t i = 0; i < row.messages.size(); ++i) {
    if (!isTrained(row, i)) continue;
    const std::string& before = texts[next++];
    const std::string& through = texts[next++];
    if (!through.starts_with(before) || !whole.starts_with(through))
      return Error{ErrorCode::Unsupported, "", "the chat template renders the beginning of this conversation differently "
                   "from its whole (message " + std::to_string(i + 1) + "), so what the assistant wrote cannot be told "
                   "apart; train on all tokens, or change the template"};
    spans.push_back(answerSpan(before.size(), through, row.messages[i].content));
  }
  return spans;
}

Result<LabelledText> labelConversation(const SourceRow& row, TrainOn trainOn, const std::vector<std::string>& texts,
                                       const Tokenizer& tokenizer) {
  TIDEMARK_ASSIGN(const auto spans, lossSpans(row, trainOn, texts));
  TIDEMARK_ASSIGN(auto tokens, tokenizer.encode(texts[0], SpecialTokens::Parse));
  return label(texts[0], std::move(tokens), trainOn, spans, row.line);
}

Result<LabelledText> labelPlainText(const SourceRow& row, TrainOn trainOn, const Tokenizer& tokenizer) {
  if (tokenizer.eosId() < 0)
    return Error{ErrorCode::Unsupported, "", "the model names no end-of-sequence token, which a completion has to end with"};
  std::string text = row.prompt + row.completion;
  TIDEMARK_ASSIGN(auto tokens, tokenizer.encode(text, SpecialTokens::AddAndParse));
  const bool endsAlready = !tokens.empty() && tokens.back().id == tokenizer.eosId();
  const auto end = static_cast<uint32_t>(text.size());
  if (!endsAlready) tokens.push_back({tokenizer.eosId(), end, end});
  LabelledText labelled =
      label(std::move(text), std::move(tokens), trainOn, {{row.prompt.size(), size_t{end}}}, row.line);
  if (labelled.hasLoss.size() > 1) labelled.hasLoss.back() = 1;
  return labelled;
}

}  // namespace tidemark::text
