// Files that are no JSONL: one thing is said of the whole file, with the way to convert it.
#include "core/text/dataset_shape.h"

#include <cstdlib>

#include "tests/text/dataset_fixture.h"

namespace tidemark::text {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPretty = "[\n  {\n    \"prompt\": \"a\",\n    \"completion\": \"b\"\n  },\n  {\n    \"prompt\": \"c\",\n"
                                "    \"completion\": \"d\"\n  }\n]\n";

class DatasetShapeTest : public DatasetTest {
 protected:
  std::string refusal(const std::string& content) {
    const auto report = prepare(content);
    return report.ok() ? "" : report.error().message();
  }
};

TEST_F(DatasetShapeTest, AnArrayIsSaidOnceWithTheWayToConvertIt) {
  for (const std::string content : {std::string(kPretty), std::string("\xef\xbb\xbf\n [{\"prompt\": \"a\", \"completion\": \"b\"}]")}) {
    const auto message = refusal(content);
    EXPECT_THAT(message, AllOf(HasSubstr("is a JSON array; a dataset has one JSON object a line"), HasSubstr("To convert it: "),
                               Not(HasSubstr("train.jsonl:1"))));
  }
}

TEST_F(DatasetShapeTest, TheCommandMakesADatasetOfIt) {
  const std::string message = refusal(kPretty), lead = "To convert it: ";
  const std::string command = message.substr(message.find(lead) + lead.size());
  ASSERT_EQ(std::system(("cd '" + settings_.train.parent_path().string() + "' && " + command).c_str()), 0);
  settings_.train = settings_.train.parent_path() / "train.rows.jsonl";
  const auto report = prepareDataset(settings_, *tokenizer_, target());
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->trainRows, 2);
}

TEST_F(DatasetShapeTest, ObjectsOverSeveralLinesAreSaidOnce) {
  const auto message = refusal("{\n  \"prompt\": \"a }\\\" {\",\n  \"completion\": \"b\"\n}\n{\n  \"prompt\": \"c\"\n}\n");
  EXPECT_THAT(message, AllOf(HasSubstr("objects that go over several lines"), HasSubstr("jq -c ."), Not(HasSubstr("train.jsonl:2"))));
}

TEST_F(DatasetShapeTest, OtherFilesAreNamed) {
  EXPECT_THAT(refusal(std::string("PAR1\0\0\0", 7)), HasSubstr("is a Parquet file"));
  EXPECT_THAT(refusal("\x1f\x8b\b"), HasSubstr("is a gzip file"));
}

TEST_F(DatasetShapeTest, BadRowsOfAJsonlFileAreStillListedOneByOne) {
  const auto message = refusal("{\"prompt\": \n{\"prompt\": \"a\", \"completion\"}\n{\n");
  EXPECT_THAT(message, AllOf(HasSubstr("train.jsonl:1:"), HasSubstr("train.jsonl:2:"), HasSubstr("train.jsonl:3:")));
}

}  // namespace
}  // namespace tidemark::text
