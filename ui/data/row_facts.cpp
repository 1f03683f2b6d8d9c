#include "ui/data/row_facts.h"

#include <algorithm>

namespace tidemark::ui {

int64_t RowFacts::targetsWithin(int64_t limit) const {
  int64_t targets = 0;
  for (const LossRun& run : loss) targets += std::max<int64_t>(0, std::min<int64_t>(run.end, limit) - run.begin);
  return targets;
}

std::vector<LossRun> lossRuns(const std::vector<uint8_t>& hasLoss) {
  std::vector<LossRun> runs;
  for (uint32_t i = 0; i < hasLoss.size(); ++i) {
    if (!hasLoss[i]) continue;
    if (!runs.empty() && runs.back().end == i) ++runs.back().end;
    else runs.push_back({i, i + 1});
  }
  return runs;
}

}  // namespace tidemark::ui
