// The memory report of one or several runs as one offline HTML file, CSV or JSON. Plain data in, text out; no database, no torch.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/run/event.h"

namespace tidemark::report {

struct RunReport {
  std::string id, name, status, model, dataset, createdAt, tidemarkVersion, host;
  std::vector<std::pair<std::string, std::string>> hyperparameters;
  std::optional<run::ModelEvent> modelFacts;
  std::optional<run::DatasetEvent> datasetFacts;
  std::vector<run::OperatorEvent> operators;        // rank 0
  std::vector<run::PlanEvent> plans;                // rank 0
  std::vector<run::StepEvent> steps;                // rank 0
  std::vector<run::EvalEvent> evaluations;
  std::optional<run::TimelineEvent> firstTimeline, lastTimeline;  // rank 0
  std::vector<std::pair<int64_t, run::StepEvent>> lastStepOfRank;
  std::string trainedBy = {};  // version of Tidemark that started the run; empty: not known
  std::string system = {};     // operating system that the report was made on
};

// One run, or several beside each other; at least one.
using RunReports = std::vector<RunReport>;
std::string toJson(const RunReports& reports);  // one run: its object; several: {"report_version", "runs": [...]}
std::string toCsv(const RunReports& reports);   // one table, each row with its run's id; RFC 4180; text cells that start with = + - @ are quoted with '
std::string toHtml(const RunReports& reports);  // self-contained, inline SVG, Content-Security-Policy default-src 'none'

}  // namespace tidemark::report
