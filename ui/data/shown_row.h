// One row made ready for the screen: its text, its source and its tokens, each as far as a person can look through them.
#pragma once

#include <QString>
#include <vector>

#include "core/text/row_labeller.h"
#include "core/text/tokenizer.h"
#include "ui/data/row_facts.h"
#include "ui/data/scan_dataset.h"

namespace tidemark::ui {

struct ShownToken {
  text::TokenId id = 0;
  QString text;
  bool hasLoss = false;
  bool isSpecial = false;
  bool endsLine = false;
};

struct ShownRow {
  static constexpr size_t kMostTokens = 20'000;
  static constexpr qsizetype kMostCharacters = 200'000;

  quint64 request = 0;
  int64_t line = 0;
  std::vector<ShownToken> tokens;  // the first of them
  int64_t tokenCount = 0;
  QString text, source;            // the beginning; made visible
  bool isTextCut = false, isSourceCut = false;
  QString problem;                 // why there are no tokens
};

struct LookWish {
  quint64 request = 0;
  std::shared_ptr<const OpenedData> data;
  text::DatasetFormat format = text::DatasetFormat::Auto;  // as the scan found it
  text::LinePlace place;
  QString problem;  // that the scan found; then there is nothing to label
};

// Reads and labels single rows again, for looking at them. Keeps the template's process between rows of one dataset.
class RowLooker {
 public:
  ShownRow look(const LookWish& wish);

 private:
  Status label(const LookWish& wish, std::string_view line, ShownRow& shown);

  std::shared_ptr<const OpenedData> data_;
  std::unique_ptr<text::RowLabeller> labeller_;
};

std::vector<ShownToken> shownTokens(const text::LabelledText& labelled, const text::Tokenizer& tokenizer);

}  // namespace tidemark::ui
