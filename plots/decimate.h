// Makes long curves short enough to draw, and noisy ones readable. Not responsible for drawing.
#pragma once

#include "plots/series.h"

namespace tidemark::plots {

// At most 4 * buckets points of a curve sorted by x: of every bucket of equal width in x the first, lowest, highest and last
// point, in order. So no extreme is lost and a drawing `buckets` pixels wide looks the same. Points that are not finite end a
// line: one of them per gap is kept.
Curve decimate(const Curve& curve, std::size_t buckets);

// Exponential moving average without bias towards the first value. weight 0: unchanged; towards 1: smoother.
Curve smooth(const Curve& curve, double weight);

}  // namespace tidemark::plots
