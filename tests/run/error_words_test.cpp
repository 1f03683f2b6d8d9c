#include "core/run/error_words.h"

#include <gmock/gmock.h>

namespace tidemark::run {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Concern kConcerns[] = {Concern::Configuration, Concern::Model,    Concern::Adapter, Concern::Dataset,
                                 Concern::Run,           Concern::RunFiles, Concern::Database, Concern::Report,
                                 Concern::Program,       Concern::Settings, Concern::Text};
constexpr ErrorCode kCodes[] = {ErrorCode::InvalidConfig, ErrorCode::InvalidInput, ErrorCode::NotFound, ErrorCode::Unsupported,
                                ErrorCode::Io,            ErrorCode::OutOfMemory,  ErrorCode::Busy,     ErrorCode::RankLost,
                                ErrorCode::Cancelled,     ErrorCode::Internal};

TEST(ErrorWords, EveryNextStepIsASentence) {
  for (const Concern concern : kConcerns) {
    for (const ErrorCode code : kCodes) {
      const std::string step = nextStep(concern, {code, "s", "d"});
      if (!step.empty()) EXPECT_THAT(step, testing::MatchesRegex("[A-Z].*\\.")) << step;
    }
  }
}

TEST(ErrorWords, WhatIsAboutAFileIsNotSaidOfRunsAndSettings) {
  for (const Concern concern : {Concern::Run, Concern::Settings}) {
    for (const ErrorCode code : kCodes) {
      const std::string step = nextStep(concern, {code, "s", "d"});
      for (const char* word : {"file", "path", "damaged", "Wait"}) EXPECT_THAT(step, Not(HasSubstr(word)));
    }
  }
}

TEST(ErrorWords, TheSameCodeAsksForWhatFitsItsSubject) {
  const Error damaged{ErrorCode::InvalidInput, "x", "ends too early"};
  EXPECT_THAT(nextStep(Concern::Model, damaged), HasSubstr("another model"));
  EXPECT_THAT(nextStep(Concern::Dataset, damaged), HasSubstr("Mend the dataset"));
  EXPECT_THAT(nextStep(Concern::RunFiles, damaged), HasSubstr("new run"));
  EXPECT_THAT(nextStep(Concern::Database, damaged), HasSubstr("--db"));
}

TEST(ErrorWords, TellWhatFailedOnWhatAndWhatNext) {
  EXPECT_EQ(errorWords("the data cannot be used", Concern::Dataset, {ErrorCode::NotFound, "d.jsonl", "is not there"}),
            "the data cannot be used: d.jsonl: is not there\n  Check the path of the dataset.");
  EXPECT_EQ(errorWords("it failed", {ErrorCode::Busy, "", "now"}, ""), "it failed: now");
  EXPECT_EQ(errorWords("it failed", {ErrorCode::Busy, "a\x1b\nb", "one\ntwo"}, "Next."), "it failed: a  b: one\ntwo\n  Next.");
}

}  // namespace
}  // namespace tidemark::run
