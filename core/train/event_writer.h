// Where a rank's events go: the agent's pipe, or events.jsonl in the run directory where no agent is (torchrun, srun).
#pragma once

#include <filesystem>
#include <string>

#include "core/run/event.h"

namespace tidemark::train {

class EventWriter {
 public:
  // Descriptor from TIDEMARK_EVENT_FD; without it rank 0 appends to `directory`/events.jsonl and other ranks are silent.
  EventWriter(int rank, const std::filesystem::path& directory);
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  void write(run::EventBody body);
  bool hasAgent() const { return hasAgent_; }

 private:
  int rank_;
  int descriptor_ = -1;
  bool hasAgent_ = false;
};

}  // namespace tidemark::train
