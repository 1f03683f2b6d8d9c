// Checkpoints: complete on disk, or not there. A folder `step-N` holds the PEFT adapter, both moments, the progress, and a
// manifest with size and sha256 of every file, written last; the folder is renamed into place when all is fsynced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/peft/adapter_file.h"

namespace tidemark::train {

// What training needs beside tensors. Sampler and dropout are functions of (seed, step), so the step is their state.
struct Progress {
  int64_t step = 0;           // finished optimizer steps
  int64_t microBatch = 0;
  uint64_t seed = 0;
  std::string dataHash;       // of the prepared dataset: a resume on other data is refused
  int64_t tokensSeen = 0;
};

// Returns the folder's path.
Result<std::filesystem::path> writeCheckpoint(const std::filesystem::path& checkpoints, const peft::TrainableState& state,
                                              const peft::AdapterInfo& info, const Progress& progress);

// The newest checkpoint whose manifest verifies; none if there is none. Damaged ones are passed over and named.
struct FoundCheckpoint {
  std::optional<std::filesystem::path> path;
  std::vector<std::string> damaged;
};
FoundCheckpoint newestCheckpoint(const std::filesystem::path& checkpoints);

Result<Progress> loadCheckpoint(const std::filesystem::path& folder, peft::TrainableState& state);

// Deletes the oldest beyond the `keep` newest whose manifest verifies (never the newest of those), and what killed writers
// left behind: call it only while nobody writes.
void rotateCheckpoints(const std::filesystem::path& checkpoints, int64_t keep);

// The adapter directory at the end of a run: replaced as a whole.
Status publishAdapter(const std::filesystem::path& target, const peft::TrainableState& state, const peft::AdapterInfo& info);

}  // namespace tidemark::train
