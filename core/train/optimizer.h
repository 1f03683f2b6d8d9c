// AdamW (Loshchilov and Hutter 2019) on the flat trainable state, with torch's order of operations; gradient clipping by
// global norm; learning rate schedules as in transformers' get_*_schedule_with_warmup.
#pragma once

#include <cstdint>
#include <string>

#include "core/peft/trainable_state.h"

namespace tidemark::train {

struct AdamWSettings {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0;
};

// `update` counts from 1. Works in pieces, so that its workspace stays small.
void adamWUpdate(peft::TrainableState& state, const AdamWSettings& settings, double learningRate, int64_t update);

// What one update takes beside the state.
int64_t optimizerWorkspaceBytes(const peft::TrainableState& state);

// The global norm; scales the gradients down to maxNorm where they exceed it (0: never).
double clipGradients(peft::TrainableState& state, double maxNorm);

struct ScheduleSettings {
  std::string type = "cosine";  // cosine | linear | constant
  double learningRate = 2e-4;
  double warmupRatio = 0;
  int64_t maxSteps = 1;
};
// Learning rate of step `step` (0-based). Warm-up takes ceil(warmupRatio * maxSteps) steps and begins at 0.
double learningRateAt(const ScheduleSettings& settings, int64_t step);

}  // namespace tidemark::train
