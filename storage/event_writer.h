// Applies events to the tables of one run; the caller holds the transaction and keeps the count of lines.
#pragma once

#include "core/run/event.h"
#include "storage/database.h"

namespace tidemark::storage {

class EventWriter {
 public:
  EventWriter(Database& database, int64_t run) : db_(database), run_(run) {}

  void apply(int64_t line, const run::Event& event);
  // Brings the columns of "runs" that sum up other tables in line with them.
  void refreshSummary();

 private:
  void write(const run::StartedEvent& e);
  void write(const run::ModelEvent& e);
  void write(const run::DatasetEvent& e);
  void write(const run::OperatorEvent& e);
  void write(const run::PlanEvent& e);
  void write(const run::StepEvent& e);
  void write(const run::EvalEvent& e);
  void write(const run::TimelineEvent& e);
  void write(const run::CheckpointEvent& e);
  void write(const run::SampleEvent& e);
  void write(const run::LogEvent& e);
  void write(const run::FailureEvent& e);
  void write(const run::FinishedEvent& e);
  // A step that is trained again after a resume makes what is known of it, and of all later steps, void.
  void forgetFrom(int64_t step);

  Database& db_;
  int64_t run_ = 0, line_ = 0, rank_ = -1;  // of the event at hand
  double time_ = 0;
};

}  // namespace tidemark::storage
