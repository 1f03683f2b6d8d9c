// Earlier and later states of a form's texts. Edits of one key that follow each other are one step.
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <vector>

namespace tidemark::ui {

class EditHistory {
 public:
  using Texts = std::map<QString, QString>;

  // Before `texts` change at `key`; an empty key: at many, which is always a step of its own.
  void note(const Texts& texts, const QString& key);
  std::optional<Texts> undo(const Texts& present);
  std::optional<Texts> redo(const Texts& present);
  bool canUndo() const { return !past_.empty(); }
  bool canRedo() const { return !future_.empty(); }

 private:
  std::vector<Texts> past_, future_;
  QString lastKey_;
};

}  // namespace tidemark::ui
