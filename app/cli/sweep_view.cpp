#include "app/cli/sweep_view.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/cli/table.h"
#include "app/cli/words.h"
#include "core/base/bytes.h"
#include "core/base/counted.h"
#include "core/base/json.h"
#include "core/base/printable.h"
#include "core/sweep/points.h"

namespace tidemark::cli {
namespace {

using storage::PointState;
using storage::SweepPoint;
using OrderedJson = nlohmann::ordered_json;
using Points = std::vector<SweepPoint>;

constexpr auto kDrawInterval = std::chrono::milliseconds(400);
constexpr size_t kReasonColumns = 60;

winsize terminalSize() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) size = {24, 80, 0, 0};
  return size;
}

std::string decimal(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, std::abs(value) < 100 ? "%.4f" : "%.1f", value);
  return buffer;
}

std::string objectiveText(const SweepPoint& point) { return point.objective ? decimal(*point.objective) : "-"; }

sweep::Point pointOf(const SweepPoint& point) { return {point.number, point.values, point.seed}; }

int64_t bestOf(const Points& points, const sweep::Sweep& sweep) {
  const bool isGreater = sweep.objective == sweep::Objective::TokensPerSecond;
  return storage::bestPoint(points, isGreater ? storage::Wanted::Greatest : storage::Wanted::Least);
}

int64_t countOf(const Points& points, PointState state) {
  return std::count_if(points.begin(), points.end(), [state](const SweepPoint& point) { return point.state == state; });
}

}  // namespace

std::vector<std::vector<std::string>> sweepRows(const Points& points, const sweep::Sweep& sweep) {
  std::vector<std::vector<std::string>> rows{{"POINT"}};
  for (const auto& key : sweep.keys) rows[0].push_back(key.key.substr(key.key.rfind('.') + 1));
  if (sweep.seeds > 1) rows[0].push_back("seed");
  std::string name = nameOf(sweep.objective);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return c == '_' ? ' ' : static_cast<char>(std::toupper(c)); });
  for (const char* header : {"STATE", "STEP"}) rows[0].emplace_back(header);
  rows[0].push_back(name);
  rows[0].emplace_back("RUN");
  const int64_t best = bestOf(points, sweep);
  for (const SweepPoint& point : points) {
    std::vector<std::string> row{std::to_string(point.number + 1)};
    for (const auto& [key, value] : point.values) row.push_back(elided(value, 32));
    if (sweep.seeds > 1) row.push_back(std::to_string(point.seed));
    row.push_back(std::string(stateName(point.state)) + (point.number == best ? ", best" : ""));
    row.push_back(std::to_string(point.step));
    row.push_back(objectiveText(point));
    row.push_back(point.run.empty() ? "-" : point.run);
    rows.push_back(std::move(row));
  }
  return rows;
}

SweepView::SweepView(std::string id, sweep::Sweep sweep, Output output)
    : id_(std::move(id)), sweep_(std::move(sweep)), output_(output), isRedrawn_(output == Output::Words && ::isatty(STDERR_FILENO)) {}

std::string SweepView::jsonOf(const SweepPoint& point) const {
  OrderedJson json{{"event", "point"}, {"sweep", id_}, {"point", point.number + 1}};
  json["values"] = OrderedJson::object();
  for (const auto& [key, value] : point.values) json["values"][key] = value;
  json["seed"] = point.seed;
  json["state"] = stateName(point.state);
  json["step"] = point.step;
  json[nameOf(sweep_.objective)] = point.objective && std::isfinite(*point.objective) ? OrderedJson(*point.objective) : OrderedJson(nullptr);
  json["run"] = point.run.empty() ? OrderedJson(nullptr) : OrderedJson(point.run);
  json["reason"] = point.reason;
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

void SweepView::begin(const Points& points) {
  const auto runs = static_cast<int64_t>(points.size());
  if (output_ == Output::Json) {
    OrderedJson json{{"event", "sweep"}, {"sweep", id_}, {"name", sweep_.name}, {"runs", runs}, {"objective", nameOf(sweep_.objective)}};
    printData(json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
    told_.resize(points.size());
  } else {
    say("Sweep " + id_ + " (" + oneLine(sweep_.name) + "): " + counted(runs, "run") + ", " + std::to_string(sweep_.atOnce) + " at once");
  }
}

std::string SweepView::summary(const Points& points) const {
  const auto done = std::count_if(points.begin(), points.end(), [](const SweepPoint& point) { return storage::isDone(point.state); });
  std::string text = std::to_string(done) + " of " + counted(static_cast<int64_t>(points.size()), "run") + " done";
  for (const PointState state : {PointState::StoppedEarly, PointState::Failed, PointState::Refused, PointState::Running})
    if (const int64_t count = countOf(points, state); count > 0) text += ", " + std::to_string(count) + " " + stateName(state);
  if (const int64_t best = bestOf(points, sweep_); best >= 0) {
    const SweepPoint& point = points[static_cast<size_t>(best)];
    text += "; best: " + std::to_string(best + 1) + " (" + sweep::labelOf(sweep_, pointOf(point)) + ", " + nameOf(sweep_.objective) + " " + objectiveText(point) + ")";
  }
  const auto left = static_cast<double>(static_cast<int64_t>(points.size()) - done);
  if (runsSpent_ > 0 && left > 0) text += "; about " + formatDuration(left * secondsSpent_ / static_cast<double>(runsSpent_ * sweep_.atOnce)) + " left";
  return text;
}

void SweepView::addSeconds(double seconds) {
  secondsSpent_ += seconds;
  ++runsSpent_;
}

void SweepView::show(const Points& points) {
  const auto now = std::chrono::steady_clock::now();
  if (now - lastDrawn_ < kDrawInterval) return;
  lastDrawn_ = now;
  if (isRedrawn_) draw(points);
  if (output_ != Output::Json) return;
  for (size_t i = 0; i < points.size(); ++i) {
    std::string line = points[i].state == PointState::Waiting ? std::string() : jsonOf(points[i]);
    if (line == told_[i]) continue;
    printData(line);
    told_[i] = std::move(line);
  }
  std::fflush(stdout);
}

// The part of the table around the runs that go now, as high as the terminal allows, with the summary below.
void SweepView::draw(const Points& points) {
  const winsize size = terminalSize();
  auto lines = tableLines(sweepRows(points, sweep_));
  const size_t room = std::max<size_t>(5, size.ws_row) - 4;
  if (lines.size() > room + 1) {
    const auto first = std::find_if(points.begin(), points.end(), [](const SweepPoint& point) { return point.state == PointState::Running; });
    const size_t here = static_cast<size_t>(first - points.begin());
    const size_t from = std::min(here > room / 2 ? here - room / 2 : 0, points.size() - room);
    lines.erase(lines.begin() + 1 + static_cast<std::ptrdiff_t>(from + room), lines.end());
    lines.erase(lines.begin() + 1, lines.begin() + 1 + static_cast<std::ptrdiff_t>(from));
  }
  lines.push_back(summary(points));
  clear();
  for (const std::string& line : lines) std::fprintf(stderr, "%s\n", elided(line, size.ws_col - 1u).c_str());
  std::fflush(stderr);
  drawnLines_ = lines.size();
}

void SweepView::clear() {
  if (drawnLines_ > 0) std::fprintf(stderr, "\033[%zuA\033[J", drawnLines_);
  drawnLines_ = 0;
}

void SweepView::note(const std::string& text) {
  clear();
  say(text);
}

void SweepView::tellEnd(const SweepPoint& point) {
  if (output_ == Output::Json || (isRedrawn_ && point.reason.empty())) return;
  std::string text = "run " + std::to_string(point.number + 1) + " (" + sweep::labelOf(sweep_, pointOf(point)) + "): " + stateName(point.state);
  if (point.objective) text += std::string(", ") + nameOf(sweep_.objective) + " " + objectiveText(point) + " at step " + std::to_string(point.step);
  if (!point.reason.empty()) text += ": " + (isRedrawn_ ? elided(point.reason, kReasonColumns) : point.reason);
  note(text);
}

void SweepView::finish(const Points& points, bool isOver) {
  clear();
  if (output_ == Output::Json) {
    lastDrawn_ = {};
    show(points);
    const int64_t best = bestOf(points, sweep_);
    OrderedJson json{{"event", "sweep_finished"}, {"sweep", id_}, {"status", isOver ? "completed" : "stopped"}};
    json["best"] = best < 0 ? OrderedJson(nullptr) : OrderedJson::parse(jsonOf(points[static_cast<size_t>(best)]));
    printData(json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
    return;
  }
  printTable(sweepRows(points, sweep_));
  say(summary(points));
  if (!isOver) say("Stopped. `tidemark-cli sweep --resume " + id_ + "` goes on with what is left.");
}

}  // namespace tidemark::cli
