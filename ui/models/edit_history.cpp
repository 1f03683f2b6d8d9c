#include "ui/models/edit_history.h"

#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::size_t kMostSteps = 200;

std::optional<EditHistory::Texts> step(std::vector<EditHistory::Texts>& from, std::vector<EditHistory::Texts>& to,
                                       const EditHistory::Texts& present) {
  if (from.empty()) return std::nullopt;
  to.push_back(present);
  EditHistory::Texts texts = std::move(from.back());
  from.pop_back();
  return texts;
}

}  // namespace

void EditHistory::note(const Texts& texts, const QString& key) {
  future_.clear();
  const bool continues = !key.isEmpty() && key == lastKey_;
  lastKey_ = key;
  if (continues) return;
  past_.push_back(texts);
  if (past_.size() > kMostSteps) past_.erase(past_.begin());
}

std::optional<EditHistory::Texts> EditHistory::undo(const Texts& present) {
  lastKey_.clear();
  return step(past_, future_, present);
}

std::optional<EditHistory::Texts> EditHistory::redo(const Texts& present) {
  lastKey_.clear();
  return step(future_, past_, present);
}

}  // namespace tidemark::ui
