// What would be faster, or smaller: single changes of a configuration, each with its prediction.
#pragma once

#include "core/fit/predictor.h"

namespace tidemark::fit {

struct Neighbour {
  std::string key, value;     // the change, as written in YAML
  Prediction prediction;
};

// Changes that fit and that are clearly faster or smaller than `present`, fastest first. Where `present` does not fit: changes
// with which it would, those that change least first. Shorter sequences and other ranks are among them; what is learned from
// the data is the user's to decide.
std::vector<Neighbour> neighbours(const Predictor& predictor, const Prediction& present);

}  // namespace tidemark::fit
