// What is wrong with a dataset is said completely: file, line, column, key.
#include "tests/text/dataset_fixture.h"

namespace tidemark::text {
namespace {

using testing::HasSubstr;
using testing::Not;

class DatasetProblemsTest : public DatasetTest {
 protected:
  std::string refusal(const std::string& content) {
    const auto report = prepare(content);
    EXPECT_FALSE(std::filesystem::exists(target())) << "nothing may be written";
    return report.ok() ? "" : report.error().message();
  }
};

TEST_F(DatasetProblemsTest, EveryMalformedLineIsListed) {
  const std::string message = refusal(kTwoTurns + "{\"messages\": [}\n" + kTwoTurns + "not json\n" +
                                      R"({"messages": [], "messages": []})" "\n" + R"({"text": "x"})" "\n" +
                                      R"({"messages": [{"role": "user"}]})" "\n" + R"({"messages": [{"role": "king", "content": "x"}]})" "\n" +
                                      R"({"messages": [{"role": "user", "content": 7}]})" "\n" + R"({"messages": []})" "\n" +
                                      R"({"messages": [{"role": "assistant", "content": "x", "tool_calls": [1]}]})" "\n" + "\"\xff\"\n" + "3\n");
  EXPECT_THAT(message, HasSubstr("11 rows cannot be used"));
  EXPECT_THAT(message, HasSubstr("train.jsonl:2:15: "));
  EXPECT_THAT(message, HasSubstr("train.jsonl:4:2: "));
  EXPECT_THAT(message, HasSubstr("train.jsonl:5: the key \"messages\" is given twice"));
  EXPECT_THAT(message, HasSubstr("train.jsonl:6: is of no known form"));
  EXPECT_THAT(message, HasSubstr("its keys are \"text\""));
  EXPECT_THAT(message, HasSubstr("train.jsonl:7: \"messages\", message 1: the key \"content\" is missing"));
  EXPECT_THAT(message, HasSubstr("train.jsonl:8: \"messages\", message 1: the role \"king\""));
  EXPECT_THAT(message, HasSubstr("train.jsonl:9: \"messages\", message 1: \"content\" is not a text but number"));
  EXPECT_THAT(message, HasSubstr("train.jsonl:10: \"messages\" holds no message"));
  EXPECT_THAT(message, HasSubstr("train.jsonl:11: \"messages\", message 1: \"tool_calls\" is not supported"));
  EXPECT_THAT(message, HasSubstr("train.jsonl:12:2: "));
  EXPECT_THAT(message, HasSubstr("train.jsonl:13: is not an object but number"));
}

TEST_F(DatasetProblemsTest, MixedFormsAreErrors) {
  const std::string message = refusal(R"({"prompt": "a", "completion": "b"})" "\n" + kTwoTurns);
  EXPECT_THAT(message, HasSubstr("train.jsonl:2: has the form messages, but line 1 has the form prompt-completion"));
}

TEST_F(DatasetProblemsTest, AGivenFormNamesItsMissingKeys) {
  settings_.format = DatasetFormat::Alpaca;
  EXPECT_THAT(refusal(R"({"instruction": "x"})"), HasSubstr("the key \"output\" is missing"));
  settings_.format = DatasetFormat::PromptCompletion;
  EXPECT_THAT(refusal(R"({"prompt": "x"})"), HasSubstr("the key \"completion\" is missing"));
  settings_.format = DatasetFormat::Messages;
  EXPECT_THAT(refusal(R"({"prompt": "x"})"), HasSubstr("the key \"messages\" is missing"));
}

TEST_F(DatasetProblemsTest, AThousandAreListedAndTheRestCounted) {
  std::string content;
  for (int i = 0; i < 1500; ++i) content += "{\n";
  const std::string message = refusal(content);
  EXPECT_THAT(message, HasSubstr("1500 rows cannot be used"));
  EXPECT_THAT(message, HasSubstr("train.jsonl:1000:"));
  EXPECT_THAT(message, Not(HasSubstr("train.jsonl:1001:")));
  EXPECT_THAT(message, HasSubstr("and 500 more rows with problems"));
}

TEST_F(DatasetProblemsTest, AnArrayIsToldFromLines) { EXPECT_THAT(refusal("[{\"prompt\": 1}]"), HasSubstr("JSONL")); }

TEST_F(DatasetProblemsTest, AnEmptyFileIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("no row is left"));
  EXPECT_THAT(refusal("\n\n"), HasSubstr("2 blank lines"));
}

TEST_F(DatasetProblemsTest, AMissingFileIsNamed) {
  settings_.train = folder_ / "absent.jsonl";
  const auto report = prepare();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::NotFound);
  EXPECT_THAT(report.error().message(), HasSubstr("absent.jsonl"));
}

TEST_F(DatasetProblemsTest, ASettingOutOfRangeIsNamed) {
  settings_.evalFraction = 1.5;
  EXPECT_THAT(refusal(kTwoTurns), HasSubstr("dataset.eval"));
  settings_.evalFraction = 0;
  settings_.maxSequenceLength = 1;
  EXPECT_THAT(refusal(kTwoTurns), HasSubstr("dataset.max_seq_length"));
}

// The golden model with another template.
class DatasetTemplateTest : public DatasetProblemsTest {
 protected:
  void useTemplate(const std::string& source) {
    std::filesystem::copy_file(golden("chat_model") / "tokenizer.json", folder_ / "tokenizer.json",
                               std::filesystem::copy_options::overwrite_existing);
    write("tokenizer_config.json", R"({"eos_token": "<|im_end|>"})");
    if (!source.empty()) write("chat_template.jinja", source);
    auto opened = Tokenizer::open(folder_);
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    tokenizer_ = *opened;
  }
};

TEST_F(DatasetTemplateTest, AModelWithoutTemplateSaysSo) {
  useTemplate("");
  EXPECT_THAT(refusal(kTwoTurns), HasSubstr("chat template: the model has none"));
}

TEST_F(DatasetTemplateTest, ATemplateThatIsNotMadeOfPrefixesSaysSo) {
  useTemplate("{{ messages | length }}{% for m in messages %}{{ m.content }};{% endfor %}");
  EXPECT_THAT(refusal(kTwoTurns), HasSubstr("train.jsonl:1: the chat template renders the beginning of this conversation differently"));
  settings_.trainOn = TrainOn::All;
  EXPECT_TRUE(prepare(kTwoTurns).ok());
}

TEST_F(DatasetTemplateTest, ARefusingTemplateNamesTheRow) {
  useTemplate("{% if messages[0].content == 'bad' %}{{ raise_exception('not this') }}{% endif %}{% for m in messages %}{{ m.content }};{% endfor %}");
  const std::string bad = R"({"messages": [{"role": "user", "content": "bad"}, {"role": "assistant", "content": "x"}]})" "\n";
  const std::string message = refusal(kTwoTurns + bad + kTwoTurns + bad);
  EXPECT_THAT(message, HasSubstr("2 rows cannot be used"));
  EXPECT_THAT(message, HasSubstr("train.jsonl:2: the chat template refuses this conversation: TemplateError: not this"));
  EXPECT_THAT(message, HasSubstr("train.jsonl:4: "));
}

TEST_F(DatasetTemplateTest, AHostileTemplateNamesTheRow) {
  useTemplate("{% if messages[0].content == 'bad' %}{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}{% endif %}{% for m in messages %}{{ m.content }};{% endfor %}");
  const std::string bad = R"({"messages": [{"role": "user", "content": "bad"}, {"role": "assistant", "content": "x"}]})" "\n";
  EXPECT_THAT(refusal(kTwoTurns + bad + kTwoTurns), HasSubstr("train.jsonl:2: the chat template refuses this conversation: "
                                                              "the template took more processor time"));
}

TEST_F(DatasetTemplateTest, ATurnThatEndsWithALineEndKeepsIt) {
  useTemplate("{% for m in messages %}{{ m.role }}: {{ m.content }}{{ '\\n' }}{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}");
  ASSERT_TRUE(prepare(R"({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "12"}]})").ok());
  EXPECT_EQ(trained(opened().train(0)), "12\n");
}

}  // namespace
}  // namespace tidemark::text
