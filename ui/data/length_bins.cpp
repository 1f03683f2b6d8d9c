#include "ui/data/length_bins.h"

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int64_t kMostBins = 48;
constexpr double kShare = 0.99;     // of the rows have to be told apart by length
constexpr double kMostSpace = 1.5;  // the limit is shown if the axis grows by no more than this for it

// 1, 2, 5, 10, 20, 50 ...
int64_t roundWidth(int64_t least) {
  for (int64_t decade = 1;; decade *= 10)
    for (const int64_t step : {1, 2, 5})
      if (step * decade >= least) return step * decade;
}

int64_t endOfAxis(std::vector<int64_t>& lengths, int64_t limit) {
  const auto place = static_cast<std::size_t>(kShare * static_cast<double>(lengths.size() - 1));
  std::nth_element(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(place), lengths.end());
  const int64_t most = lengths[place];
  const int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  const int64_t end = longest <= most + most / 2 ? longest : most;
  return static_cast<double>(limit) <= kMostSpace * static_cast<double>(end) ? std::max(end, limit + limit / 20) : end;
}

}  // namespace

plots::LengthSeries lengthSeries(const std::vector<RowFacts>& rows, int64_t limit) {
  std::vector<int64_t> lengths;
  for (const RowFacts& row : rows)
    if (row.state == RowFacts::State::Usable) lengths.push_back(row.tokens);
  plots::LengthSeries series;
  series.limit = static_cast<double>(limit);
  series.rows = static_cast<double>(lengths.size());
  series.cut = static_cast<double>(std::count_if(lengths.begin(), lengths.end(), [&](int64_t n) { return n > limit; }));
  if (lengths.empty()) return series;
  const int64_t end = std::max<int64_t>(endOfAxis(lengths, limit), 1);
  const int64_t width = roundWidth((end + kMostBins - 1) / kMostBins);
  const int64_t offset = limit % width == 0 ? width : limit % width;  // bars end at the limit
  const int64_t count = (end - offset + width - 1) / width + 1;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t last = offset + i * width;
    series.bins.push_back({static_cast<double>(std::max<int64_t>(last - width + 1, 0)), static_cast<double>(last), 0});
  }
  series.binWidth = static_cast<double>(width);
  for (const int64_t length : lengths) {
    const int64_t bin = length <= offset ? 0 : (length - offset + width - 1) / width;
    if (bin >= count) series.isLastOpen = true;
    ++series.bins[static_cast<std::size_t>(std::min(bin, count - 1))].count;
  }
  return series;
}

}  // namespace tidemark::ui
