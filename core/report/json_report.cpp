#include <nlohmann/json.hpp>

#include "core/report/figures.h"
#include "core/report/report.h"

namespace tidemark::report {
namespace {

using OrderedJson = nlohmann::ordered_json;

// The event's own keys, as in events.jsonl, without its envelope.
OrderedJson bodyOf(run::EventBody body) {
  auto json = OrderedJson::parse(run::toJsonLine(run::Event{0, 0, std::move(body)}));
  for (const char* key : {"event", "time", "rank"}) json.erase(key);
  return json;
}

template <typename Events>
OrderedJson listOf(const Events& events) {
  auto list = OrderedJson::array();
  for (const auto& event : events) list.push_back(bodyOf(event));
  return list;
}

OrderedJson summaryOf(const RunReport& report) {
  auto summary = OrderedJson::object();
  for (const auto& [name, value] : namedFigures(figuresOf(report))) {
    const bool isWhole = name == "steps" || name.find("bytes") != std::string::npos;
    summary[name] = isWhole ? OrderedJson(static_cast<int64_t>(value)) : OrderedJson(value);
  }
  return summary;
}

OrderedJson jsonOf(const RunReport& report) {
  OrderedJson json;
  json["run"] = {{"id", report.id},
                 {"name", report.name},
                 {"status", report.status},
                 {"model", report.model},
                 {"dataset", report.dataset},
                 {"created_at", report.createdAt},
                 {"tidemark_version", report.tidemarkVersion},
                 {"trained_by", report.trainedBy},
                 {"host", report.host},
                 {"system", report.system}};
  json["summary"] = summaryOf(report);
  json["hyperparameters"] = OrderedJson::object();
  for (const auto& [key, value] : report.hyperparameters) json["hyperparameters"][key] = value;
  if (report.modelFacts) json["model"] = bodyOf(*report.modelFacts);
  if (report.datasetFacts) json["dataset"] = bodyOf(*report.datasetFacts);
  json["operators"] = listOf(report.operators);
  json["plans"] = listOf(report.plans);
  json["steps"] = listOf(report.steps);
  json["evaluations"] = listOf(report.evaluations);
  if (report.firstTimeline) json["first_timeline"] = bodyOf(*report.firstTimeline);
  if (report.lastTimeline) json["last_timeline"] = bodyOf(*report.lastTimeline);
  json["last_step_of_rank"] = OrderedJson::array();
  for (const auto& [rank, step] : report.lastStepOfRank) {
    auto entry = bodyOf(step);
    entry["rank"] = rank;
    json["last_step_of_rank"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string toJson(const RunReports& reports) {
  OrderedJson json;
  json["report_version"] = 1;
  if (reports.size() == 1) {
    json.update(jsonOf(reports.front()));
  } else {
    json["runs"] = OrderedJson::array();
    for (const RunReport& report : reports) json["runs"].push_back(jsonOf(report));
  }
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace tidemark::report
