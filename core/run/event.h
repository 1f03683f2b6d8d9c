// The events of a run, one JSON object per line. Names and keys are an interface: see core/run/EVENTS.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace tidemark::run {

// Every event has "event" (its name), "time" (seconds since the epoch) and, where it comes from a rank, "rank".

struct StartedEvent {          // "started": written by the agent
  std::string run, name, directory, version;
  int64_t ranks = 0;
  bool isResumed = false;
};

struct ModelEvent {            // "model": rank 0, once
  std::string name, format, architecture;
  int64_t parameters = 0, trainableParameters = 0, layers = 0, hiddenSize = 0, vocabularySize = 0;
  int64_t frozenBytes = 0;     // whole model as computed with (float32)
  std::string device;
};

struct DatasetEvent {          // "dataset": rank 0 or agent, once
  int64_t trainRows = 0, evalRows = 0, trainTokens = 0, droppedLong = 0, truncated = 0, withoutLoss = 0;
  std::string hash;
};

struct OperatorEvent {         // "operator": every rank, after the first iteration
  int64_t index = 0;
  std::string name;            // "layers.0.mlp"
  std::string trend;           // of the forward: "rise" | "flat" | "fall"
  int64_t parameterBytes = 0;  // frozen, over all ranks
  int64_t remoteBytes = 0, activationBytes = 0, workspaceBytes = 0;
  double forwardSeconds = 0, backwardSeconds = 0, gatherSeconds = 0;
  bool isSaved = true;         // JSON key "saved"
};

struct PlanEvent {             // "plan": every rank, whenever a plan takes effect
  int64_t budgetBytes = 0, microBatch = 0, accumulate = 0;
  int64_t predictedPeakBytes = 0, predictedRemoteBytes = 0, optimalRemoteBytes = 0;  // per iteration
  double predictedSeconds = 0;  // per iteration
  int64_t prefetchDepth = 0;
  std::string policy, reason;   // reason: "first iteration measured", "longer batch", ...
  std::vector<int64_t> boundaryBytes, turnBytes, pieceRemoteBytes;  // per operator
  int64_t breadth = 1;          // micro-batches that pass an operator together, in every iteration
};

struct StepEvent {             // "step": every rank, each optimizer step
  int64_t step = 0;
  double loss = 0;             // mean over the step's target tokens of all ranks
  int64_t tokens = 0, targetTokens = 0;  // of all ranks
  double seconds = 0, learningRate = 0, gradNorm = 0;
  int64_t remoteBytes = 0;     // remote weights gathered by this rank in the step
  int64_t exchangeBytes = 0;   // hidden states, gradients and statistics received by this rank
  double stallSeconds = 0;
  int64_t iterations = 1;
  int64_t peakBytes = 0, staticBytes = 0, dynamicPeakBytes = 0, activationPeakBytes = 0, workspacePeakBytes = 0,
          trainableBytes = 0, residentBytes = 0;
};

struct EvalEvent {             // "eval": rank 0
  int64_t step = 0, targetTokens = 0, rows = 0;
  double loss = 0, seconds = 0;
  int64_t remoteBytes = 0;  // gathered by rank 0 for it
};

// One point of a timeline: the state right after an operator ran, and why the dynamic cache changed there.
struct MemoryPoint {
  int64_t operatorIndex = 0;
  bool isForward = true;
  int64_t activation = 0, staticCache = 0, dynamicCache = 0, workspace = 0, trainable = 0;  // bytes; workspace is its peak
  int64_t resize = 0;          // bytes by which the dynamic cache grew (+) or shrank (-) since the point before
  std::string reason;          // "" | "gathered" | "evicted: its slot becomes its activation" | ...
};
struct TimelineEvent {         // "timeline": every rank, when it differs from the last one sent
  int64_t iteration = 0, step = 0, budgetBytes = 0;
  std::vector<MemoryPoint> points;
};

struct CheckpointEvent {       // "checkpoint": rank 0, when it is complete on disk
  int64_t step = 0;
  std::string path;
};

struct SampleEvent {           // "sample"
  int64_t step = 0;
  std::string prompt, text;
};

struct LogEvent {              // "log"
  std::string level, text;     // info | warning | error
};

struct FailureEvent {          // "failure": what ended the run, from a rank or the agent
  std::string code;            // out_of_memory | rank_lost | invalid_input | failed
  std::string message;
};

struct FinishedEvent {         // "finished": written by the agent, last
  std::string run, status;     // completed | stopped | failed
  std::string adapter;         // path, or empty
  int64_t exitCode = 0;
};

using EventBody = std::variant<StartedEvent, ModelEvent, DatasetEvent, OperatorEvent, PlanEvent, StepEvent, EvalEvent,
                               TimelineEvent, CheckpointEvent, SampleEvent, LogEvent, FailureEvent, FinishedEvent>;

struct Event {
  double time = 0;
  int64_t rank = -1;           // -1: the agent
  EventBody body;
};

// One line without its newline. snake_case keys as in design.md section 8.
std::string toJsonLine(const Event& event);
// Unknown keys are ignored; a missing key or an unknown event is an error that names it.
Result<Event> parseEvent(const std::string& line);

Event makeEvent(int64_t rank, EventBody body);  // stamps the present time

}  // namespace tidemark::run
