#include "core/text/row_problems.h"

#include "core/base/counted.h"

namespace tidemark::text {
namespace {

void appendListed(std::vector<RowProblem>& target, const std::vector<RowProblem>& listed, size_t count, bool isFatal) {
  target.insert(target.end(), listed.begin(), listed.end());
  if (count == listed.size()) return;
  RowProblem rest;
  const auto more = static_cast<int64_t>(count - listed.size());
  rest.what = "and " + counted(more, "more row") + (more == 1 ? " with a problem" : " with problems");
  rest.isFatal = isFatal;
  target.push_back(rest);
}

std::string describe(const RowProblem& problem) {
  if (problem.line == 0) return problem.file.empty() ? problem.what : problem.file + ": " + problem.what;
  std::string place = problem.file + ":" + std::to_string(problem.line);
  if (problem.column > 0) place += ":" + std::to_string(problem.column);
  return place + ": " + problem.what;
}

}  // namespace

void RowProblems::add(RowProblem problem) {
  auto& listed = problem.isFatal ? fatal_ : others_;
  ++(problem.isFatal ? fatalCount_ : otherCount_);
  if (listed.size() < kMaxListed) listed.push_back(std::move(problem));
}

std::vector<RowProblem> RowProblems::list() const {
  std::vector<RowProblem> all;
  appendListed(all, fatal_, fatalCount_, true);
  appendListed(all, others_, otherCount_, false);
  return all;
}

Error RowProblems::toError(const std::string& subject) const {
  std::vector<RowProblem> all;
  appendListed(all, fatal_, fatalCount_, true);
  std::string detail = fatalCount_ == 1 ? "one row cannot be used" : std::to_string(fatalCount_) + " rows cannot be used";
  for (const RowProblem& problem : all) detail += "\n" + describe(problem);
  return {ErrorCode::InvalidInput, subject, detail};
}

}  // namespace tidemark::text
