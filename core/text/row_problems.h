// Collects what is wrong with rows: the first thousand in full, the rest as a count.
#pragma once

#include <string>
#include <vector>

#include "core/text/prepared_dataset.h"

namespace tidemark::text {

class RowProblems {
 public:
  static constexpr size_t kMaxListed = 1000;

  void add(RowProblem problem);
  bool hasFatal() const { return fatalCount_ > 0; }

  // Fatal ones first, each kind in the order of the rows; a last entry counts those that are not listed.
  std::vector<RowProblem> list() const;
  // All fatal ones, one a line: "file:line:column: what".
  Error toError(const std::string& subject) const;

 private:
  std::vector<RowProblem> fatal_, others_;
  size_t fatalCount_ = 0, otherCount_ = 0;
};

}  // namespace tidemark::text
