#include "storage/event_writer.h"

#include "core/base/json.h"
#include "storage/run_store.h"
#include "storage/timeline_blob.h"

namespace tidemark::storage {

// Steps over which speed is averaged. The first step is left out: it measures, and gathers everything.
#define TIDEMARK_SPEED_STEPS "10"

void EventWriter::apply(int64_t line, const run::Event& event) {
  line_ = line;
  rank_ = event.rank;
  time_ = event.time;
  std::visit([&](const auto& body) { write(body); }, event.body);
}

void EventWriter::write(const run::StartedEvent& e) {
  db_.query("UPDATE runs SET status = 'running', finished_at = 0, exit_code = NULL, message = '', ranks = ?, "
            "name = CASE name WHEN '' THEN ? ELSE name END WHERE number = ?")
      .bind(e.ranks, e.name, run_).run();
}

void EventWriter::write(const run::ModelEvent& e) {
  db_.query("INSERT OR REPLACE INTO models VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(run_, e.name, e.format, e.architecture, e.parameters, e.trainableParameters, e.layers, e.hiddenSize,
            e.vocabularySize, e.frozenBytes, e.device).run();
  db_.query("UPDATE runs SET model = ?, model_format = ?, parameters = ?, trainable_parameters = ? WHERE number = ?")
      .bind(e.name, e.format, e.parameters, e.trainableParameters, run_).run();
}

void EventWriter::write(const run::DatasetEvent& e) {
  db_.query("INSERT OR REPLACE INTO datasets VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(run_, e.trainRows, e.evalRows, e.trainTokens, e.droppedLong, e.truncated, e.withoutLoss, e.hash).run();
}

void EventWriter::write(const run::OperatorEvent& e) {
  db_.query("INSERT OR REPLACE INTO operators VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(run_, rank_, e.index, e.name, e.trend, e.parameterBytes, e.remoteBytes, e.activationBytes, e.workspaceBytes,
            e.forwardSeconds, e.backwardSeconds, e.gatherSeconds, e.isSaved).run();
}

void EventWriter::write(const run::PlanEvent& e) {
  db_.query("INSERT OR REPLACE INTO plans VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(run_, rank_, line_, time_, e.budgetBytes, e.microBatch, e.accumulate, e.predictedPeakBytes,
            e.predictedRemoteBytes, e.optimalRemoteBytes, e.predictedSeconds, e.prefetchDepth, e.policy, e.reason,
            Json(e.boundaryBytes).dump(), Json(e.turnBytes).dump(), Json(e.pieceRemoteBytes).dump()).run();
  if (rank_ == 0) db_.query("UPDATE runs SET budget_bytes = ? WHERE number = ?").bind(e.budgetBytes, run_).run();
}

void EventWriter::forgetFrom(int64_t step) {
  db_.query("DELETE FROM metrics WHERE run = ? AND rank = ? AND step >= ?").bind(run_, rank_, step).run();
  if (rank_ != 0) return;
  // An evaluation, checkpoint or sample of this very step comes after the step's event, so the old ones go too.
  db_.query("DELETE FROM evaluations WHERE run = ? AND step >= ?").bind(run_, step).run();
  db_.query("DELETE FROM checkpoints WHERE run = ? AND step >= ?").bind(run_, step).run();
  db_.query("DELETE FROM samples WHERE run = ? AND step >= ?").bind(run_, step).run();
}

void EventWriter::write(const run::StepEvent& e) {
  Query known = db_.query("SELECT max(step) FROM metrics WHERE run = ? AND rank = ?");
  known.bind(run_, rank_);
  if (known.next() && !known.isNull(0) && known.integer(0) >= e.step) forgetFrom(e.step);
  db_.query("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(run_, rank_, e.step, time_, e.loss, e.tokens, e.targetTokens, e.seconds, e.learningRate, e.gradNorm,
            e.remoteBytes, e.exchangeBytes, e.stallSeconds, e.iterations, e.peakBytes, e.staticBytes,
            e.dynamicPeakBytes, e.activationPeakBytes, e.workspacePeakBytes, e.trainableBytes, e.residentBytes).run();
  db_.query("UPDATE runs SET peak_bytes = max(coalesce(peak_bytes, 0), ?) WHERE number = ?").bind(e.peakBytes, run_).run();
}

void EventWriter::write(const run::EvalEvent& e) {
  db_.query("INSERT OR REPLACE INTO evaluations VALUES (?, ?, ?, ?, ?, ?, ?)")
      .bind(run_, e.step, time_, e.loss, e.targetTokens, e.rows, e.seconds).run();
}

void EventWriter::write(const run::TimelineEvent& e) {
  db_.query("DELETE FROM timelines WHERE run = ? AND rank = ? AND iteration >= ?").bind(run_, rank_, e.iteration).run();
  const std::string blob = encodePoints(e.points);
  Query last = db_.query("SELECT points, budget_bytes FROM timelines WHERE run = ? AND rank = ? ORDER BY iteration DESC LIMIT 1");
  if (last.bind(run_, rank_).next() && last.text(0) == blob && last.integer(1) == e.budgetBytes) return;
  db_.query("INSERT INTO timelines VALUES (?, ?, ?, ?, ?, ?)")
      .bind(run_, rank_, e.iteration, e.step, e.budgetBytes).bindBlob(blob).run();
}

void EventWriter::write(const run::CheckpointEvent& e) {
  db_.query("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?)").bind(run_, e.step, time_, e.path).run();
}

void EventWriter::write(const run::SampleEvent& e) {
  db_.query("INSERT OR REPLACE INTO samples VALUES (?, ?, ?, ?, ?, ?)").bind(run_, line_, e.step, time_, e.prompt, e.text).run();
}

void EventWriter::write(const run::LogEvent& e) {
  db_.query("INSERT OR REPLACE INTO log VALUES (?, ?, ?, ?, ?, ?)").bind(run_, line_, time_, rank_, e.level, e.text).run();
}

// The first failure is the cause; what follows from it is in the log.
void EventWriter::write(const run::FailureEvent& e) {
  db_.query("UPDATE runs SET message = ? WHERE number = ? AND message = ''").bind(e.message, run_).run();
  write(run::LogEvent{"error", e.message});
}

void EventWriter::write(const run::FinishedEvent& e) {
  const bool isKnown = e.status == "completed" || e.status == "stopped" || e.status == "failed";
  if (!isKnown) write(run::LogEvent{"warning", "the run ended with the unknown status \"" + e.status + "\""});
  const std::string status = isKnown ? e.status : e.exitCode == 0 ? "completed" : e.exitCode == 130 ? "stopped" : "failed";
  db_.query("UPDATE runs SET status = ?, exit_code = ?, adapter = ?, finished_at = ? WHERE number = ?")
      .bind(status, e.exitCode, e.adapter, time_, run_).run();
}

void EventWriter::refreshSummary() {
  db_.query("UPDATE runs SET (step, loss, remote_bytes_per_iteration) = "
            "(SELECT step, loss, remote_bytes / max(iterations, 1) FROM metrics "
            " WHERE run = ?1 AND rank = 0 ORDER BY step DESC LIMIT 1) "
            "WHERE number = ?1 AND EXISTS (SELECT 1 FROM metrics WHERE run = ?1 AND rank = 0)")
      .bind(run_).run();
  db_.query("UPDATE runs SET (tokens_per_second, seconds_per_step) = "
            "(SELECT sum(tokens) / sum(seconds), avg(seconds) FROM (SELECT tokens, seconds FROM metrics "
            " WHERE run = ?1 AND rank = 0 AND (step > 1 OR NOT EXISTS "
            "  (SELECT 1 FROM metrics WHERE run = ?1 AND rank = 0 AND step > 1)) "
            " ORDER BY step DESC LIMIT " TIDEMARK_SPEED_STEPS ")) WHERE number = ?1")
      .bind(run_).run();
  db_.query("UPDATE runs SET eval_loss = (SELECT loss FROM evaluations WHERE run = ?1 ORDER BY step DESC LIMIT 1) WHERE number = ?1")
      .bind(run_).run();
}

}  // namespace tidemark::storage
