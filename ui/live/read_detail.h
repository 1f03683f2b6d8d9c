// Reads everything about one run from the database in one go. Blocks.
#pragma once

#include "ui/live/run_detail.h"

namespace tidemark::ui {

// Steps after `afterStep` only; -1: all of them.
Result<RunDetail> readDetail(const storage::RunStore& store, const RunWish& wish, int64_t afterStep);

// A run or sweep whose agent should be alive and is not has ended without a word: its status becomes Lost.
void tellLost(storage::RunRecord& run);
void tellLost(storage::SweepRecord& sweep);

}  // namespace tidemark::ui
