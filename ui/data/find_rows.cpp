#include "ui/data/find_rows.h"

#include "core/text/dataset_reader.h"

namespace tidemark::ui {
namespace {

bool contains(const std::string& utf8, const QString& wanted) {
  return QString::fromStdString(utf8).contains(wanted, Qt::CaseInsensitive);
}

bool contains(const text::SourceRow& row, const QString& wanted) {
  for (const text::Message& message : row.messages)
    if (contains(message.content, wanted)) return true;
  return !row.isConversation() && contains(row.prompt + row.completion, wanted);
}

}  // namespace

Result<std::unordered_set<int64_t>> findRows(const OpenedData& data, const QString& text, const std::function<bool()>& goesOn) {
  TIDEMARK_ASSIGN(auto reader, text::SourceReader::open(data.settings.train, data.settings.format));
  std::unordered_set<int64_t> lines;
  while (const auto line = reader.next()) {
    if (!goesOn()) return Error{ErrorCode::Cancelled, data.settings.train.string(), "the search was given up"};
    const bool isFound = line->row ? contains(*line->row, text) : contains(std::string(line->text), text);
    if (isFound) lines.insert(line->place.line);
  }
  return lines;
}

}  // namespace tidemark::ui
