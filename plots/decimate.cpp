#include "plots/decimate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::plots {
namespace {

// Appends first, lowest, highest and last of curve[begin, end), each once and in order; gaps stay gaps.
void appendExtremes(const Curve& curve, std::size_t begin, std::size_t end, Curve& out) {
  std::size_t lowest = end, highest = end, gap = end;
  for (std::size_t i = begin; i < end; ++i) {
    if (!std::isfinite(curve[i].y)) {
      gap = i;
      continue;
    }
    if (lowest == end || curve[i].y < curve[lowest].y) lowest = i;
    if (highest == end || curve[i].y > curve[highest].y) highest = i;
  }
  std::array<std::size_t, 5> chosen{begin, lowest, highest, gap, end - 1};
  std::sort(chosen.begin(), chosen.end());
  const auto last = std::unique(chosen.begin(), chosen.end());
  for (auto it = chosen.begin(); it != last; ++it) {
    if (*it < end) out.push_back(curve[*it]);
  }
}

}  // namespace

Curve decimate(const Curve& curve, std::size_t buckets) {
  if (buckets == 0 || curve.size() <= 4 * buckets) return curve;
  const double left = curve.front().x;
  const double width = (curve.back().x - left) / static_cast<double>(buckets);
  if (!(width > 0)) return curve;
  Curve out;
  out.reserve(4 * buckets + 4);
  std::size_t begin = 0;
  while (begin < curve.size()) {
    const double bucket = std::min(std::floor((curve[begin].x - left) / width), static_cast<double>(buckets) - 1);
    const bool isLastBucket = bucket >= static_cast<double>(buckets) - 1;
    std::size_t end = begin + 1;
    while (end < curve.size() && (isLastBucket || (curve[end].x - left) / width < bucket + 1)) ++end;
    appendExtremes(curve, begin, end, out);
    begin = end;
  }
  return out;
}

Curve smooth(const Curve& curve, double weight) {
  weight = std::clamp(weight, 0.0, 0.999);
  Curve out;
  out.reserve(curve.size());
  double average = 0, share = 0;  // share of real values in the average; the rest is the zero it started from
  for (const CurvePoint& point : curve) {
    if (!std::isfinite(point.y)) {
      out.push_back(point);
      continue;
    }
    average = weight * average + (1 - weight) * point.y;
    share = weight * share + (1 - weight);
    out.push_back({point.x, average / share});
  }
  return out;
}

}  // namespace tidemark::plots
