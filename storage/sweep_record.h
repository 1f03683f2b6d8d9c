// What the database keeps of a sweep and of each of its points, as plain records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::storage {

enum class SweepStatus { Running, Completed, Stopped, Lost };  // Lost: its agent is gone without a word
const char* statusName(SweepStatus status);

struct SweepRecord {
  std::string id;           // as a run's
  std::string name;
  SweepStatus status = SweepStatus::Running;
  std::string description;  // its file with everything written out (core/sweep/SWEEP.md)
  std::string objective;    // "eval_loss"
  int64_t agentPid = 0, agentStartTicks = 0;
  double createdAt = 0, finishedAt = 0;
};

// Refused: its configuration or input was not accepted, so that there is no run.
enum class PointState { Waiting, Running, Completed, StoppedEarly, Failed, Refused, Stopped };
const char* stateName(PointState state);
bool isDone(PointState state);  // is not to be run again when the sweep is resumed

struct SweepPoint {
  int64_t number = 0;  // from 0, in the order of starting
  std::vector<std::pair<std::string, std::string>> values;  // of the swept keys
  int64_t seed = 0;
  PointState state = PointState::Waiting;
  std::string run;                  // id; empty: none yet
  std::string reason;               // why it was stopped early, failed or was refused
  std::optional<double> objective;  // the last that was reported
  int64_t step = 0;
};

enum class Wanted { Least, Greatest };
// The number of the completed point whose objective is best; -1: none has a figure.
int64_t bestPoint(const std::vector<SweepPoint>& points, Wanted wanted);

}  // namespace tidemark::storage
