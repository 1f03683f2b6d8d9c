#include "ui/data/shown_row.h"

#include <algorithm>
#include <fstream>

#include "ui/data/visible_text.h"

namespace tidemark::ui {
namespace {

constexpr size_t kMostLineBytes = 64 << 20;  // as the dataset reader allows

Result<std::string> readPlace(const std::filesystem::path& file, const text::LinePlace& place) {
  std::string line(std::min<size_t>(place.bytes, kMostLineBytes), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(place.begin));
  stream.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (!stream) return Error{ErrorCode::Io, file.string(), "cannot be read any more"};
  return line;
}

// The beginning of a text; tells whether there is more.
QString beginningOf(std::string_view utf8, bool& isCut) {
  const auto most = static_cast<size_t>(ShownRow::kMostCharacters);
  isCut = utf8.size() > most;
  const std::string_view beginning = utf8.substr(0, most);
  return visibleText(QString::fromUtf8(beginning.data(), static_cast<qsizetype>(beginning.size())));
}

// What a token stands for in the text; where that is nothing (the end-of-sequence token), its name.
QString tokenText(const text::Token& token, std::string_view text, const text::Tokenizer& tokenizer) {
  if (token.end > token.begin) return visibleToken(text.substr(token.begin, token.end - token.begin));
  return visibleToken(tokenizer.tokenText(token.id));
}

}  // namespace

std::vector<ShownToken> shownTokens(const text::LabelledText& labelled, const text::Tokenizer& tokenizer) {
  std::vector<ShownToken> shown;
  const size_t count = std::min(labelled.tokens.size(), ShownRow::kMostTokens);
  shown.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const text::Token& token = labelled.tokens[i];
    const std::string_view bytes = std::string_view(labelled.text).substr(token.begin, token.end - token.begin);
    shown.push_back({token.id, tokenText(token, labelled.text, tokenizer), labelled.hasLoss[i] != 0,
                     tokenizer.isSpecial(token.id), bytes.ends_with('\n')});
  }
  return shown;
}

ShownRow RowLooker::look(const LookWish& wish) {
  ShownRow shown;
  shown.request = wish.request;
  shown.line = wish.place.line;
  const std::filesystem::path& file = wish.data->settings.train;
  const auto stamp = stampOf(file);
  auto line = readPlace(file, wish.place);
  const bool isSame = stamp.ok() && *stamp == wish.data->stamp;
  if (!line.ok() || !isSame) {
    const Error error = !stamp.ok() ? stamp.error()
                        : !isSame   ? Error{ErrorCode::Io, file.string(), "has changed since it was read; read it again"}
                                    : line.error();
    shown.problem = visibleText(QString::fromStdString(error.message()));
    return shown;
  }
  shown.source = beginningOf(*line, shown.isSourceCut);
  shown.problem = wish.problem;
  if (!shown.problem.isEmpty()) return shown;
  const Status status = label(wish, *line, shown);
  if (!status.ok()) shown.problem = visibleText(QString::fromStdString(status.error().message()));
  return shown;
}

Status RowLooker::label(const LookWish& wish, std::string_view line, ShownRow& shown) {
  TIDEMARK_ASSIGN(text::SourceRow row, text::parseRow(line, wish.format));
  row.line = wish.place.line;
  if (data_ != wish.data || !labeller_) {
    data_ = wish.data;
    labeller_ = std::make_unique<text::RowLabeller>(*data_->tokenizer, data_->settings.trainOn);
  }
  const auto labelled = labeller_->label({&row, 1});
  const bool isUsable = labelled.ok() && labelled->front().ok();
  if (!isUsable) labeller_.reset();  // its process may be gone
  if (!labelled.ok()) return labelled.error();
  if (!labelled->front().ok()) return labelled->front().error();
  const text::LabelledText& result = *labelled->front();
  shown.tokens = shownTokens(result, *data_->tokenizer);
  shown.tokenCount = static_cast<int64_t>(result.tokens.size());
  shown.text = beginningOf(result.text, shown.isTextCut);
  return {};
}

}  // namespace tidemark::ui
