// What the file of a sweep says of the keys that are swept: lists and distributions to values. Internal to core/sweep.
#pragma once

#include <vector>

#include "core/run/config_document.h"
#include "core/sweep/sweep.h"

namespace tidemark::sweep {

constexpr const char* kKeysPrefix = "keys.";

// `entry` is one below keys:, such as keys.peft.r or keys.training.learning_rate.log_uniform.
void takeSweptKey(const run::DocumentEntry& entry, std::vector<SweptKey>& keys, std::vector<run::ConfigProblem>& problems);

// Whether the configuration takes what is tried, in this mode.
void checkSweptKey(const SweptKey& key, Mode mode, std::vector<run::ConfigProblem>& problems);

// "{log_uniform: [1e-05, 0.001]}"
std::string yamlOf(const SweptKey& key);

bool parseNumber(const std::string& text, double& value);
std::string formatNumber(double value);  // reads back as the same number

}  // namespace tidemark::sweep
