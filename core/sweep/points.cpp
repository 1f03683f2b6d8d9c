#include "core/sweep/points.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/random.h"

namespace tidemark::sweep {
namespace {

using Kind = SweptKey::Kind;
using Values = std::vector<std::pair<std::string, std::string>>;

constexpr int kDigits = 4;             // of a number that is drawn: more tell nothing
constexpr int64_t kMostDraws = 1'000;  // in a row that gave nothing new

// As the configuration writes it: "2e-4" and "0.0002" are one value.
std::string normalised(const std::string& key, const std::string& text) {
  run::RunConfig config;
  if (!run::setKey(config, key, text).ok()) return text;
  for (const auto& [name, value] : run::flatten(config))
    if (name == key) return value;
  return text;
}

std::string rounded(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*g", kDigits, value);
  return buffer;
}

std::string draw(const SweptKey& key, SplitMix64& random) {
  switch (key.kind) {
    case Kind::Choice: return key.choices[random.below(key.choices.size())];
    case Kind::Uniform: return rounded(std::clamp(key.low + (key.high - key.low) * random.real(), key.low, key.high));
    case Kind::LogUniform:
      return rounded(std::clamp(std::exp(std::log(key.low) + std::log(key.high / key.low) * random.real()), key.low, key.high));
    case Kind::Integer:
      return std::to_string(static_cast<int64_t>(key.low) +
                            static_cast<int64_t>(random.below(static_cast<uint64_t>(key.high - key.low) + 1)));
  }
  return {};
}

run::RunConfig withValues(run::RunConfig config, const Values& values) {
  for (const auto& [key, value] : values) {
    // A value that the key does not take was told when the file was read; the base's stays.
    [[maybe_unused]] const bool isTaken = run::setKey(config, key, value).ok();
  }
  return config;
}

std::vector<Values> gridOf(const Sweep& sweep) {
  std::vector<Values> grid{{}};
  for (const SweptKey& key : sweep.keys) {
    std::vector<std::string> choices;
    for (const std::string& choice : key.choices) choices.push_back(normalised(key.key, choice));
    std::vector<Values> longer;
    for (const Values& values : grid) {
      for (const std::string& choice : choices) {
        if (static_cast<int64_t>(longer.size()) > kMostRuns) break;
        longer.push_back(values);
        longer.back().emplace_back(key.key, choice);
      }
    }
    grid = std::move(longer);
  }
  return grid;
}

std::vector<Values> drawnFrom(const Sweep& sweep) {
  std::vector<Values> drawn;
  std::set<Values> known;
  SplitMix64 random(static_cast<uint64_t>(sweep.seed));
  const bool canDraw = std::none_of(sweep.keys.begin(), sweep.keys.end(),
                                    [](const SweptKey& key) { return key.kind == Kind::Choice && key.choices.empty(); });
  for (int64_t inVain = 0; canDraw && static_cast<int64_t>(drawn.size()) < std::min(sweep.count, kMostRuns) && inVain < kMostDraws;) {
    Values values;
    for (const SweptKey& key : sweep.keys) values.emplace_back(key.key, normalised(key.key, draw(key, random)));
    inVain = known.insert(values).second ? 0 : inVain + 1;
    if (inVain == 0) drawn.push_back(std::move(values));
  }
  return drawn;
}

}  // namespace

int64_t combinations(const Sweep& sweep) {
  int64_t count = 1;
  for (const SweptKey& key : sweep.keys) {
    double here = 0;
    if (key.kind == Kind::Choice) here = static_cast<double>(key.choices.size());
    else if (key.kind == Kind::Integer) here = key.high - key.low + 1;
    else here = static_cast<double>(kMostRuns) + 1;
    count = static_cast<int64_t>(std::clamp(static_cast<double>(count) * here, 0.0, static_cast<double>(kMostRuns) + 1));
  }
  return count;
}

std::vector<Point> pointsOf(const Sweep& sweep) {
  const auto combined = sweep.mode == Mode::Grid ? gridOf(sweep) : drawnFrom(sweep);
  std::vector<Point> points;
  for (int64_t seed = 0; seed < std::max<int64_t>(sweep.seeds, 1); ++seed) {
    for (const Values& values : combined) {
      if (static_cast<int64_t>(points.size()) > kMostRuns) return points;
      // The base's seed, or the one that is swept.
      points.push_back({static_cast<int64_t>(points.size()), values, withValues(sweep.base, values).training.seed + seed});
    }
  }
  return points;
}

run::RunConfig configOf(const Sweep& sweep, const Point& point) {
  run::RunConfig config = withValues(sweep.base, point.values);
  config.training.seed = point.seed;
  config.output.dir = "auto";
  return config;
}

std::string labelOf(const Sweep& sweep, const Point& point) {
  std::string label;
  for (const auto& [key, value] : point.values) {
    const bool isPath = key == "model" || key.starts_with("dataset.");
    const std::string shown = isPath && value.find('/') != std::string::npos ? value.substr(value.rfind('/') + 1) : value;
    label += (label.empty() ? "" : " ") + key.substr(key.rfind('.') + 1) + "=" + shown;
  }
  if (sweep.seeds > 1) label += (label.empty() ? "" : " ") + ("seed=" + std::to_string(point.seed));
  return label;
}

}  // namespace tidemark::sweep
