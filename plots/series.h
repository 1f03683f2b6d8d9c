// What the plots draw, as plain values: whoever has data of another shape converts it to these.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tidemark::plots {

// The memory after one operator ran, in bytes. Workspace is the operator's own peak.
struct MemoryMoment {
  std::string operatorName;
  int operatorIndex = 0;
  bool isForward = true;
  double activation = 0, dynamicCache = 0, staticCache = 0, trainable = 0, workspace = 0;
  double resize = 0;   // bytes by which the dynamic cache grew (+) or shrank (-) since the moment before
  std::string reason;  // why it did; may be empty
};

struct MemorySeries {
  double budget = 0;                  // bytes; 0: no budget line
  std::vector<MemoryMoment> moments;  // forward in operator order, then backward
};

struct OperatorBar {
  std::string name;
  double activationBytes = 0;
  bool isSaved = true;  // kept for the backward; otherwise computed again there
};

// Rows whose length lies in [first, last].
struct LengthBin {
  double first = 0, last = 0;
  double count = 0;
};

// Bins that do not overlap, in order, and none of which reaches over the limit. The last may take in all that is longer.
struct LengthSeries {
  std::vector<LengthBin> bins;
  double binWidth = 1;
  double limit = 0;            // tokens; 0: no line
  bool isLastOpen = false;     // the last bin is drawn as wide as the others, but holds everything longer
  double rows = 0, cut = 0;    // all rows; those longer than the limit
};

struct CurvePoint {
  double x = 0;
  double y = 0;
};
using Curve = std::vector<CurvePoint>;

}  // namespace tidemark::plots
