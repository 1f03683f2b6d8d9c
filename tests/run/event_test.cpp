#include "core/run/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/json.h"

namespace tidemark::run {
using testing::HasSubstr;

namespace {

// One event of every kind, no field at its default.
std::vector<Event> everyEvent() {
  TimelineEvent timeline{12, 3, int64_t{1} << 40, {}};
  timeline.points.push_back({0, true, 1, 2, 3, 4, 5, -6, "gathered"});
  timeline.points.push_back({1, false, 10, 20, 30, 40, 50, 60, ""});
  timeline.points.push_back({0, false, 11, 21, 31, 41, 51, 61, "gathered"});
  PlanEvent plan{1, 2, 3, 4, 5, 6, 7.5, 8, "elastic", "longer batch", {1, 2}, {3}, {4, 5, int64_t{1} << 60}, 9};
  std::vector<EventBody> bodies{
      StartedEvent{"01J", "my \"run\"\n", "/runs/1", "0.1.0", 4, true},
      ModelEvent{"m", "gguf", "llama", 1, 2, 3, 4, 5, 6, "cpu"},
      DatasetEvent{1, 2, 3, 4, 5, 6, "abc"},
      OperatorEvent{3, "layers.0.mlp", "rise", 1, 2, 3, 4, 0.1, 0.2, 0.3, false},
      plan,
      StepEvent{7, 1.25, 1, 2, 0.5, 2e-4, 0.75, 3, 4, 0.0625, 5, 6, 7, 8, 9, 10, 11, 12},
      EvalEvent{7, 1, 2, 3.5, 4.5, 6},
      timeline,
      CheckpointEvent{7, "/runs/1/checkpoints/step-7"},
      SampleEvent{7, "Hello", "\xf0\x9f\x8c\x8a"},
      LogEvent{"warning", "careful"},
      FailureEvent{"rank_lost", "rank 1 died"},
      FinishedEvent{"01J", "stopped", "/runs/1/adapter", 130}};
  std::vector<Event> events;
  for (size_t i = 0; i < bodies.size(); ++i) events.push_back({1700000000.125 + static_cast<double>(i), i % 2 ? 1 : -1, bodies[i]});
  return events;
}

}  // namespace

TEST(Event, EveryKindSurvivesTheRoundTrip) {
  ASSERT_EQ(everyEvent().size(), std::variant_size_v<EventBody>);
  for (const Event& event : everyEvent()) {
    const std::string line = toJsonLine(event);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto parsed = parseEvent(line);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message() << "\n" << line;
    EXPECT_EQ(parsed->time, event.time);
    EXPECT_EQ(parsed->rank, event.rank);
    EXPECT_EQ(parsed->body.index(), event.body.index());
    EXPECT_EQ(toJsonLine(*parsed), line);
  }
}

TEST(Event, OldLogsWithoutTheAddedKeysAreRead) {
  std::string plan = toJsonLine(everyEvent()[4]), eval = toJsonLine(everyEvent()[6]);
  plan.erase(plan.find(",\"breadth\""), std::string(",\"breadth\":9").size());
  eval.erase(eval.find(",\"remote_bytes\""), std::string(",\"remote_bytes\":6").size());
  const auto oldPlan = parseEvent(plan), oldEval = parseEvent(eval);
  ASSERT_TRUE(oldPlan.ok() && oldEval.ok()) << plan << "\n" << eval;
  EXPECT_EQ(std::get<PlanEvent>(oldPlan->body).breadth, 1);
  EXPECT_EQ(std::get<EvalEvent>(oldEval->body).remoteBytes, 0);
}

// The round trip alone would not notice two keys that change places: compare with literal text.
TEST(Event, KeysAreThoseOfTheInterface) {
  const auto events = everyEvent();
  EXPECT_EQ(toJsonLine(events[3]),
            R"({"event":"operator","time":1700000003.125,"rank":1,"index":3,"name":"layers.0.mlp","trend":"rise",)"
            R"("parameter_bytes":1,"remote_bytes":2,"activation_bytes":3,"workspace_bytes":4,"forward_seconds":0.1,)"
            R"("backward_seconds":0.2,"gather_seconds":0.3,"saved":false})");
  EXPECT_EQ(toJsonLine(events[4]),
            R"({"event":"plan","time":1700000004.125,"budget_bytes":1,"micro_batch":2,"accumulate":3,)"
            R"("predicted_peak_bytes":4,"predicted_remote_bytes":5,"optimal_remote_bytes":6,"predicted_seconds":7.5,)"
            R"("prefetch_depth":8,"policy":"elastic","reason":"longer batch","boundary_bytes":[1,2],"turn_bytes":[3],)"
            R"("piece_remote_bytes":[4,5,1152921504606846976],"breadth":9})");
  EXPECT_EQ(toJsonLine(events[5]),
            R"({"event":"step","time":1700000005.125,"rank":1,"step":7,"loss":1.25,"tokens":1,"target_tokens":2,)"
            R"("seconds":0.5,"learning_rate":0.0002,"grad_norm":0.75,"remote_bytes":3,"exchange_bytes":4,)"
            R"("stall_seconds":0.0625,"iterations":5,"peak_bytes":6,"static_bytes":7,"dynamic_peak_bytes":8,)"
            R"("activation_peak_bytes":9,"workspace_peak_bytes":10,"trainable_bytes":11,"resident_bytes":12})");
  EXPECT_EQ(toJsonLine(events[7]),
            R"({"event":"timeline","time":1700000007.125,"rank":1,"iteration":12,"step":3,"budget_bytes":1099511627776,)"
            R"("points":{"operator":[0,1,0],"forward":[1,0,0],"activation":[1,10,11],"static":[2,20,21],)"
            R"("dynamic":[3,30,31],"workspace":[4,40,41],"trainable":[5,50,51],"resize":[-6,60,61],)"
            R"("reason":[0,1,0],"reasons":["gathered",""]}})");
  EXPECT_EQ(toJsonLine(events[12]),
            R"({"event":"finished","time":1700000012.125,"run":"01J","status":"stopped","adapter":"/runs/1/adapter",)"
            R"("exit_code":130})");
  EXPECT_EQ(toJsonLine(events[0]),
            R"({"event":"started","time":1700000000.125,"run":"01J","name":"my \"run\"\n","directory":"/runs/1",)"
            R"("version":"0.1.0","ranks":4,"resumed":true})");
}

TEST(Event, LossThatIsNoNumberIsNull) {
  for (const double loss : {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    StepEvent step;
    step.loss = loss;
    const std::string line = toJsonLine({1, 0, step});
    EXPECT_THAT(line, HasSubstr("\"loss\":null"));
    const auto parsed = parseEvent(line);
    ASSERT_TRUE(parsed.ok());
    EXPECT_TRUE(std::isnan(std::get<StepEvent>(parsed->body).loss));
  }
}

TEST(Event, UnknownKeysAreIgnoredAndMissingOnesNamed) {
  for (const Event& event : everyEvent()) {
    Json object = Json::parse(toJsonLine(event));
    object["of_a_newer_version"] = {{"a", 1}};
    EXPECT_TRUE(parseEvent(object.dump()).ok()) << object.dump();
    const Json complete = object;
    for (const auto& [key, value] : complete.items()) {
      if (key == "rank" || key == "of_a_newer_version") continue;
      object = complete;
      object.erase(key);
      const bool isAdded = (key == "breadth" && event.body.index() == 4) || (key == "remote_bytes" && event.body.index() == 6);
      const auto missing = parseEvent(object.dump());
      ASSERT_EQ(missing.ok(), isAdded) << key << " came later: older logs are without";
      if (!isAdded) { EXPECT_THAT(missing.error().message(), HasSubstr("\"" + key + "\" is missing")); }
      object[key] = Json::array({Json::object()});
      const auto wrong = parseEvent(object.dump());
      ASSERT_FALSE(wrong.ok()) << key;
      EXPECT_THAT(wrong.error().message(), HasSubstr(key));
    }
  }
}

TEST(Event, RefusesWhatIsNoEvent) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "event"},
      {"[]", "not a JSON object"},
      {"{\"event\":\"step\"", "line 1"},
      {R"({"event":"dance","time":1})", "\"dance\" is not a known event"},
      {R"({"event":"log","time":null,"level":"info","text":""})", "\"time\""},
      {R"({"event":"log","time":1,"rank":"x","level":"info","text":""})", "\"rank\""},
      {R"({"event":"checkpoint","time":1,"step":1.5,"path":""})", "\"step\""},
      {R"({"event":"checkpoint","time":1,"step":18446744073709551615,"path":""})", "\"step\""}};
  for (const auto& [line, what] : cases) {
    const auto parsed = parseEvent(line);
    ASSERT_FALSE(parsed.ok()) << line;
    EXPECT_EQ(parsed.error().code, ErrorCode::InvalidInput);
    EXPECT_THAT(parsed.error().message(), HasSubstr(what));
  }
}

TEST(Event, TimelineArraysMustFitTogether) {
  Json object = Json::parse(toJsonLine(everyEvent()[7]));
  object["points"]["resize"].push_back(1);
  EXPECT_THAT(parseEvent(object.dump()).error().message(), HasSubstr("do not fit together"));
  object = Json::parse(toJsonLine(everyEvent()[7]));
  object["points"]["reason"][0] = 9;
  EXPECT_THAT(parseEvent(object.dump()).error().message(), HasSubstr("do not fit together"));
}

TEST(Event, TextThatIsNotUtf8StillGivesALine) {
  const auto parsed = parseEvent(toJsonLine({1, 0, LogEvent{"info", "bad \xff byte"}}));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(std::get<LogEvent>(parsed->body).text, "bad \xef\xbf\xbd byte");
}

TEST(Event, MakeEventStampsTheTime) {
  const Event first = makeEvent(3, LogEvent{"info", "x"});
  EXPECT_EQ(first.rank, 3);
  EXPECT_GT(first.time, 1.7e9);
  EXPECT_GE(makeEvent(3, LogEvent{}).time, first.time);
}

}  // namespace tidemark::run
