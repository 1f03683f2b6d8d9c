// RunStore's reading side: rows back to the events that they came from.
#include "core/base/json.h"
#include "storage/run_rows.h"
#include "storage/store_impl.h"
#include "storage/timeline_blob.h"

namespace tidemark::storage {
namespace {

// The rows of `sql`, whose first parameter is the run's number, each read by `read`.
template <typename Row, typename Read, typename... Bound>
Result<std::vector<Row>> rowsOf(const std::string& path, Database& database, const std::string& runId, const char* sql,
                                Read&& read, const Bound&... bound) {
  return guarded(path, [&]() -> Result<std::vector<Row>> {
    TIDEMARK_ASSIGN(const int64_t run, runNumber(database, runId));
    Query query = database.query(sql);
    query.bind(run, bound...);
    std::vector<Row> rows;
    while (query.next()) {
      Row row{};
      int column = 0;
      read(query, column, row);
      rows.push_back(std::move(row));
    }
    return rows;
  });
}

void readStep(Query& q, int& column, run::StepEvent& e) {
  e.step = q.integer(column++);
  e.loss = q.real(column++);
  for (auto* number : {&e.tokens, &e.targetTokens}) *number = q.integer(column++);
  for (auto* real : {&e.seconds, &e.learningRate, &e.gradNorm}) *real = q.real(column++);
  for (auto* number : {&e.remoteBytes, &e.exchangeBytes}) *number = q.integer(column++);
  e.stallSeconds = q.real(column++);
  for (auto* number : {&e.iterations, &e.peakBytes, &e.staticBytes, &e.dynamicPeakBytes, &e.activationPeakBytes,
                       &e.workspacePeakBytes, &e.trainableBytes, &e.residentBytes})
    *number = q.integer(column++);
}

void readOperator(Query& q, int& column, run::OperatorEvent& e) {
  e.index = q.integer(column++);
  for (auto* text : {&e.name, &e.trend}) *text = q.text(column++);
  for (auto* number : {&e.parameterBytes, &e.remoteBytes, &e.activationBytes, &e.workspaceBytes}) *number = q.integer(column++);
  for (auto* real : {&e.forwardSeconds, &e.backwardSeconds, &e.gatherSeconds}) *real = q.real(column++);
  e.isSaved = q.integer(column++) != 0;
}

std::vector<int64_t> integersFrom(const std::string& json) {
  std::vector<int64_t> values;
  for (const Json& value : Json::parse(json, nullptr, false))
    if (value.is_number_integer()) values.push_back(value.get<int64_t>());
  return values;
}

void readPlan(Query& q, int& column, run::PlanEvent& e) {
  for (auto* number : {&e.budgetBytes, &e.microBatch, &e.accumulate, &e.predictedPeakBytes, &e.predictedRemoteBytes,
                       &e.optimalRemoteBytes})
    *number = q.integer(column++);
  e.predictedSeconds = q.real(column++);
  e.prefetchDepth = q.integer(column++);
  for (auto* text : {&e.policy, &e.reason}) *text = q.text(column++);
  for (auto* list : {&e.boundaryBytes, &e.turnBytes, &e.pieceRemoteBytes}) *list = integersFrom(q.text(column++));
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> RunStore::hyperparameters(const std::string& runId) const {
  return rowsOf<std::pair<std::string, std::string>>(
      impl_->path, impl_->database, runId, "SELECT key, value FROM hyperparameters WHERE run = ? ORDER BY position",
      [](Query& q, int&, auto& row) { row = {q.text(0), q.text(1)}; });
}

Result<std::vector<run::StepEvent>> RunStore::steps(const std::string& runId, int64_t rank, int64_t afterStep) const {
  return rowsOf<run::StepEvent>(
      impl_->path, impl_->database, runId,
      "SELECT step, loss, tokens, target_tokens, seconds, learning_rate, grad_norm, remote_bytes, exchange_bytes, "
      "stall_seconds, iterations, peak_bytes, static_bytes, dynamic_peak_bytes, activation_peak_bytes, "
      "workspace_peak_bytes, trainable_bytes, resident_bytes "
      "FROM metrics WHERE run = ? AND rank = ? AND step > ? ORDER BY step",
      readStep, rank, afterStep);
}

Result<std::vector<run::EvalEvent>> RunStore::evaluations(const std::string& runId) const {
  return rowsOf<run::EvalEvent>(
      impl_->path, impl_->database, runId,
      "SELECT step, target_tokens, rows, loss, seconds FROM evaluations WHERE run = ? ORDER BY step",
      [](Query& q, int&, run::EvalEvent& e) { e = {q.integer(0), q.integer(1), q.integer(2), q.real(3), q.real(4)}; });
}

Result<std::vector<run::OperatorEvent>> RunStore::operators(const std::string& runId, int64_t rank) const {
  return rowsOf<run::OperatorEvent>(
      impl_->path, impl_->database, runId,
      "SELECT operator, name, trend, parameter_bytes, remote_bytes, activation_bytes, workspace_bytes, forward_seconds, "
      "backward_seconds, gather_seconds, saved FROM operators WHERE run = ? AND rank = ? ORDER BY operator",
      readOperator, rank);
}

Result<std::vector<run::PlanEvent>> RunStore::plans(const std::string& runId, int64_t rank) const {
  return rowsOf<run::PlanEvent>(
      impl_->path, impl_->database, runId,
      "SELECT budget_bytes, micro_batch, accumulate, predicted_peak_bytes, predicted_remote_bytes, optimal_remote_bytes, "
      "predicted_seconds, prefetch_depth, policy, reason, boundary_bytes, turn_bytes, piece_remote_bytes "
      "FROM plans WHERE run = ? AND rank = ? ORDER BY line",
      readPlan, rank);
}

Result<std::vector<int64_t>> RunStore::timelineIterations(const std::string& runId, int64_t rank) const {
  return rowsOf<int64_t>(impl_->path, impl_->database, runId,
                         "SELECT iteration FROM timelines WHERE run = ? AND rank = ? ORDER BY iteration",
                         [](Query& q, int&, int64_t& iteration) { iteration = q.integer(0); }, rank);
}

Result<run::TimelineEvent> RunStore::timeline(const std::string& runId, int64_t rank, int64_t iteration) const {
  return guarded(impl_->path, [&]() -> Result<run::TimelineEvent> {
    TIDEMARK_ASSIGN(const int64_t run, runNumber(impl_->database, runId));
    Query query = impl_->database.query(
        "SELECT iteration, step, budget_bytes, points FROM timelines "
        "WHERE run = ?1 AND rank = ?2 AND (?3 < 0 OR iteration <= ?3) ORDER BY iteration DESC LIMIT 1");
    if (!query.bind(run, rank, iteration).next())
      return Error{ErrorCode::NotFound, "run " + runId, "has no timeline of rank " + std::to_string(rank) + " there yet"};
    run::TimelineEvent e{query.integer(0), query.integer(1), query.integer(2), {}};
    TIDEMARK_ASSIGN(e.points, decodePoints(query.text(3)));
    return e;
  });
}

Result<std::vector<run::CheckpointEvent>> RunStore::checkpoints(const std::string& runId) const {
  return rowsOf<run::CheckpointEvent>(
      impl_->path, impl_->database, runId,
      "SELECT checkpoints.step, path, directory FROM checkpoints JOIN runs ON run = number WHERE run = ? "
      "ORDER BY checkpoints.step",
      [](Query& q, int&, run::CheckpointEvent& e) {
        e = {q.integer(0), placeInRun(q.text(1), "checkpoints", q.text(2))};
      });
}

Result<std::vector<run::SampleEvent>> RunStore::samples(const std::string& runId) const {
  return rowsOf<run::SampleEvent>(
      impl_->path, impl_->database, runId, "SELECT step, prompt, text FROM samples WHERE run = ? ORDER BY line",
      [](Query& q, int&, run::SampleEvent& e) { e = {q.integer(0), q.text(1), q.text(2)}; });
}

Result<std::vector<run::LogEvent>> RunStore::log(const std::string& runId, int64_t limit) const {
  return rowsOf<run::LogEvent>(
      impl_->path, impl_->database, runId,
      "SELECT level, text FROM (SELECT line, level, text FROM log WHERE run = ? ORDER BY line DESC LIMIT ?) ORDER BY line",
      [](Query& q, int&, run::LogEvent& e) { e = {q.text(0), q.text(1)}; }, limit);
}

Result<std::optional<run::ModelEvent>> RunStore::model(const std::string& runId) const {
  TIDEMARK_ASSIGN(auto rows, rowsOf<run::ModelEvent>(
      impl_->path, impl_->database, runId,
      "SELECT name, format, architecture, parameters, trainable_parameters, layers, hidden_size, vocabulary_size, "
      "frozen_bytes, device FROM models WHERE run = ?",
      [](Query& q, int&, run::ModelEvent& e) {
        e = {q.text(0),    q.text(1),    q.text(2),    q.integer(3), q.integer(4),
             q.integer(5), q.integer(6), q.integer(7), q.integer(8), q.text(9)};
      }));
  return rows.empty() ? std::optional<run::ModelEvent>() : std::optional(rows.front());
}

Result<std::optional<run::DatasetEvent>> RunStore::dataset(const std::string& runId) const {
  TIDEMARK_ASSIGN(auto rows, rowsOf<run::DatasetEvent>(
      impl_->path, impl_->database, runId,
      "SELECT train_rows, eval_rows, train_tokens, dropped_long, truncated, without_loss, hash FROM datasets WHERE run = ?",
      [](Query& q, int&, run::DatasetEvent& e) {
        e = {q.integer(0), q.integer(1), q.integer(2), q.integer(3), q.integer(4), q.integer(5), q.text(6)};
      }));
  return rows.empty() ? std::optional<run::DatasetEvent>() : std::optional(rows.front());
}

}  // namespace tidemark::storage
