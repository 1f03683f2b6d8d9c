#include "core/run/event.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/base/json.h"

namespace tidemark::run {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Each event's keys are listed once, in fields(archive, event); Writer and Reader go over the same list.

template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, StartedEvent> {
  a("run", e.run), a("name", e.name), a("directory", e.directory), a("version", e.version);
  a("ranks", e.ranks), a("resumed", e.isResumed);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, ModelEvent> {
  a("name", e.name), a("format", e.format), a("architecture", e.architecture);
  a("parameters", e.parameters), a("trainable_parameters", e.trainableParameters), a("layers", e.layers);
  a("hidden_size", e.hiddenSize), a("vocabulary_size", e.vocabularySize);
  a("frozen_bytes", e.frozenBytes), a("device", e.device);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, DatasetEvent> {
  a("train_rows", e.trainRows), a("eval_rows", e.evalRows), a("train_tokens", e.trainTokens);
  a("dropped_long", e.droppedLong), a("truncated", e.truncated), a("without_loss", e.withoutLoss), a("hash", e.hash);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, OperatorEvent> {
  a("index", e.index), a("name", e.name), a("trend", e.trend), a("parameter_bytes", e.parameterBytes);
  a("remote_bytes", e.remoteBytes), a("activation_bytes", e.activationBytes), a("workspace_bytes", e.workspaceBytes);
  a("forward_seconds", e.forwardSeconds), a("backward_seconds", e.backwardSeconds);
  a("gather_seconds", e.gatherSeconds), a("saved", e.isSaved);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, PlanEvent> {
  a("budget_bytes", e.budgetBytes), a("micro_batch", e.microBatch), a("accumulate", e.accumulate);
  a("predicted_peak_bytes", e.predictedPeakBytes), a("predicted_remote_bytes", e.predictedRemoteBytes);
  a("optimal_remote_bytes", e.optimalRemoteBytes), a("predicted_seconds", e.predictedSeconds);
  a("prefetch_depth", e.prefetchDepth), a("policy", e.policy), a("reason", e.reason);
  a("boundary_bytes", e.boundaryBytes), a("turn_bytes", e.turnBytes), a("piece_remote_bytes", e.pieceRemoteBytes);
  a.added("breadth", e.breadth);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, StepEvent> {
  a("step", e.step), a("loss", e.loss), a("tokens", e.tokens), a("target_tokens", e.targetTokens);
  a("seconds", e.seconds), a("learning_rate", e.learningRate), a("grad_norm", e.gradNorm);
  a("remote_bytes", e.remoteBytes), a("exchange_bytes", e.exchangeBytes), a("stall_seconds", e.stallSeconds);
  a("iterations", e.iterations), a("peak_bytes", e.peakBytes), a("static_bytes", e.staticBytes);
  a("dynamic_peak_bytes", e.dynamicPeakBytes), a("activation_peak_bytes", e.activationPeakBytes);
  a("workspace_peak_bytes", e.workspacePeakBytes), a("trainable_bytes", e.trainableBytes);
  a("resident_bytes", e.residentBytes);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, EvalEvent> {
  a("step", e.step), a("loss", e.loss), a("target_tokens", e.targetTokens), a("rows", e.rows), a("seconds", e.seconds);
  a.added("remote_bytes", e.remoteBytes);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, TimelineEvent> {
  a("iteration", e.iteration), a("step", e.step), a("budget_bytes", e.budgetBytes), a("points", e.points);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, CheckpointEvent> {
  a("step", e.step), a("path", e.path);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, SampleEvent> {
  a("step", e.step), a("prompt", e.prompt), a("text", e.text);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, LogEvent> {
  a("level", e.level), a("text", e.text);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, FailureEvent> {
  a("code", e.code), a("message", e.message);
}
template <typename A, typename E> void fields(A& a, E& e) requires std::is_same_v<std::remove_const_t<E>, FinishedEvent> {
  a("run", e.run), a("status", e.status), a("adapter", e.adapter), a("exit_code", e.exitCode);
}

constexpr const char* kNames[] = {"started", "model", "dataset", "operator", "plan", "step", "eval",
                                  "timeline", "checkpoint", "sample", "log", "failure", "finished"};
static_assert(std::size(kNames) == std::variant_size_v<EventBody>);

// A timeline's points, as parallel arrays; reasons repeat, so each is written once and referred to by its position.
struct PointColumns {
  std::vector<int64_t> operators, forward, activation, staticCache, dynamicCache, workspace, trainable, resize, reason;
  std::vector<std::string> reasons;
};

template <typename A, typename C>
void columns(A& a, C& c) {
  a("operator", c.operators), a("forward", c.forward), a("activation", c.activation), a("static", c.staticCache);
  a("dynamic", c.dynamicCache), a("workspace", c.workspace), a("trainable", c.trainable), a("resize", c.resize);
  a("reason", c.reason), a("reasons", c.reasons);
}

PointColumns toColumns(const std::vector<MemoryPoint>& points) {
  PointColumns c;
  for (const MemoryPoint& p : points) {
    c.operators.push_back(p.operatorIndex);
    c.forward.push_back(p.isForward ? 1 : 0);
    c.activation.push_back(p.activation);
    c.staticCache.push_back(p.staticCache);
    c.dynamicCache.push_back(p.dynamicCache);
    c.workspace.push_back(p.workspace);
    c.trainable.push_back(p.trainable);
    c.resize.push_back(p.resize);
    size_t reason = 0;
    while (reason < c.reasons.size() && c.reasons[reason] != p.reason) ++reason;
    if (reason == c.reasons.size()) c.reasons.push_back(p.reason);
    c.reason.push_back(static_cast<int64_t>(reason));
  }
  return c;
}

bool toPoints(const PointColumns& c, std::vector<MemoryPoint>& points) {
  const size_t count = c.operators.size();
  for (const auto* column : {&c.forward, &c.activation, &c.staticCache, &c.dynamicCache, &c.workspace, &c.trainable, &c.resize, &c.reason})
    if (column->size() != count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (c.reason[i] < 0 || static_cast<size_t>(c.reason[i]) >= c.reasons.size()) return false;
    points.push_back({c.operators[i], c.forward[i] != 0, c.activation[i], c.staticCache[i], c.dynamicCache[i],
                      c.workspace[i], c.trainable[i], c.resize[i], c.reasons[static_cast<size_t>(c.reason[i])]});
  }
  return true;
}

class Writer {
 public:
  explicit Writer(OrderedJson& object) : object_(object) {}
  template <typename T> void operator()(const char* key, const T& value) { object_[key] = value; }
  void operator()(const char* key, double value) { object_[key] = std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr); }
  template <typename T> void added(const char* key, const T& value) { (*this)(key, value); }
  void operator()(const char* key, const std::vector<MemoryPoint>& points) {
    OrderedJson object = OrderedJson::object();
    Writer writer(object);
    const PointColumns c = toColumns(points);
    columns(writer, c);
    object_[key] = std::move(object);
  }

 private:
  OrderedJson& object_;
};

// Stops at the first key that is missing or of another type; `problem` then says which.
class Reader {
 public:
  explicit Reader(const Json& object, std::string prefix = "") : object_(object), prefix_(std::move(prefix)) {}

  template <typename T> void operator()(const char* key, T& value) {
    if (!problem.empty()) return;
    const auto at = object_.find(key);
    if (at == object_.end()) problem = "the key \"" + prefix_ + key + "\" is missing";
    else if (!read(*at, value) && problem.empty()) problem = "the key \"" + prefix_ + key + "\" has a value of the wrong type";
  }
  // A key that older logs do not have.
  template <typename T> void added(const char* key, T& value) {
    if (object_.contains(key)) (*this)(key, value);
  }
  std::string problem;

 private:
  static bool read(const Json& json, std::string& value) {
    if (json.is_string()) value = json.get<std::string>();
    return json.is_string();
  }
  static bool read(const Json& json, bool& value) {
    if (json.is_boolean()) value = json.get<bool>();
    return json.is_boolean();
  }
  static bool read(const Json& json, int64_t& value) {
    if (!json.is_number_integer()) return false;
    if (json.is_number_unsigned() && json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return false;
    value = json.get<int64_t>();
    return true;
  }
  static bool read(const Json& json, double& value) {
    if (!json.is_number() && !json.is_null()) return false;
    value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
    return true;
  }
  template <typename T> static bool read(const Json& json, std::vector<T>& values) {
    if (!json.is_array()) return false;
    values.resize(json.size());
    for (size_t i = 0; i < json.size(); ++i)
      if (!read(json[i], values[i])) return false;
    return true;
  }
  bool read(const Json& json, std::vector<MemoryPoint>& points) {
    if (!json.is_object()) return false;
    Reader reader(json, prefix_ + "points.");
    PointColumns c;
    columns(reader, c);
    problem = reader.problem;
    if (problem.empty() && !toPoints(c, points)) problem = "the arrays of \"points\" do not fit together";
    return problem.empty();
  }

  const Json& object_;
  std::string prefix_;
};

template <size_t I = 0>
bool emplaceNamed(const std::string& name, EventBody& body) {
  if constexpr (I < std::variant_size_v<EventBody>) {
    if (name != kNames[I]) return emplaceNamed<I + 1>(name, body);
    body.emplace<I>();
    return true;
  }
  return false;
}

}  // namespace

std::string toJsonLine(const Event& event) {
  OrderedJson object = OrderedJson::object();
  object["event"] = kNames[event.body.index()];
  Writer writer(object);
  writer("time", event.time);
  if (event.rank >= 0) object["rank"] = event.rank;
  std::visit([&](const auto& body) { fields(writer, body); }, event.body);
  return object.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

Result<Event> parseEvent(const std::string& line) {
  TIDEMARK_ASSIGN(const Json json, parseJson(line, "event", {64ull << 20, 8}));
  const auto refused = [](const std::string& subject, const std::string& detail) {
    return Error{ErrorCode::InvalidInput, subject, detail};
  };
  if (!json.is_object()) return refused("event", "is not a JSON object");
  Event event;
  std::string name;
  Reader common(json);
  common("event", name);
  common("time", event.time);
  if (json.contains("rank")) common("rank", event.rank);
  if (!common.problem.empty()) return refused("event", common.problem);
  if (std::isnan(event.time)) return refused("event", "the key \"time\" has a value of the wrong type");
  if (!emplaceNamed(name, event.body)) return refused("event", "\"" + name.substr(0, 80) + "\" is not a known event");
  Reader reader(json);
  std::visit([&](auto& body) { fields(reader, body); }, event.body);
  if (!reader.problem.empty()) return refused("event " + name, reader.problem);
  return event;
}

Event makeEvent(int64_t rank, EventBody body) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(now).count(), rank, std::move(body)};
}

}  // namespace tidemark::run
