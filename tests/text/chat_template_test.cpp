#include "core/text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "core/base/json.h"
#include "core/text/template_process.h"
#include "tests/text/golden_texts.h"

namespace tidemark::text {
namespace {

using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

Json goldenChats() {
  const auto content = readFile(golden("chat.json"));
  EXPECT_TRUE(content.ok());
  return Json::parse(*content);
}

TemplateSettings settingsFor(const std::string& source) { return {source, "<s>", "</s>", ""}; }

std::vector<RenderRequest> oneRequest() { return {{{{"user", "hello"}}, true}}; }

// The text, or the error's message after "!".
std::string renderOne(const std::string& source) {
  const auto texts = renderConversations(settingsFor(source), oneRequest());
  return texts.ok() ? (*texts)[0] : "!" + texts.error().message();
}

struct GoldenCase {
  PrefixRequest request;
  Json expected;  // has "text" or "error"
};

std::vector<GoldenCase> casesOf(const Json& chats, const std::string& name) {
  std::vector<GoldenCase> cases;
  for (const Json& item : chats["cases"]) {
    if (item["template"] != name) continue;
    Conversation messages;
    for (const Json& message : chats["conversations"][item["conversation"].get<size_t>()])
      messages.push_back({message["role"], message["content"]});
    cases.push_back({{messages, {{messages.size(), item["add_generation_prompt"].get<bool>()}}}, item});
  }
  return cases;
}

TEST(ChatTemplate, RendersWhatTransformersRenders) {
  const Json chats = goldenChats();
  int compared = 0, refused = 0;
  for (const auto& [name, source] : chats["templates"].items()) {
    const auto cases = casesOf(chats, name);
    const auto process = TemplateProcess::start(settingsFor(source));
    std::vector<PrefixRequest> requests;
    for (const GoldenCase& one : cases) requests.push_back(one.request);
    std::vector<Rendering> renderings(cases.size());
    if (process.ok()) renderings = (*process)->render(requests);
    ASSERT_EQ(renderings.size(), cases.size()) << name;
    for (size_t i = 0; i < cases.size(); ++i) {
      if (!cases[i].expected.contains("text")) {
        EXPECT_TRUE(renderings[i].texts.empty()) << name << " renders what transformers refuses";
        ++refused;
        continue;
      }
      ASSERT_EQ(renderings[i].texts.size(), 1u) << name << ": " << renderings[i].refusal;
      EXPECT_EQ(renderings[i].texts[0], cases[i].expected["text"].get<std::string>()) << name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 90);
  EXPECT_GE(refused, 60);
}

TEST(ChatTemplate, OneCallRendersAll) {
  const Json chats = goldenChats();
  std::vector<RenderRequest> requests;
  std::vector<std::string> expected;
  for (const GoldenCase& one : casesOf(chats, "smollm2")) {
    requests.push_back({one.request.messages, one.request.renders[0].addsGenerationPrompt});
    expected.push_back(one.expected["text"]);
  }
  const auto texts = renderConversations(settingsFor(chats["templates"]["smollm2"]), requests);
  ASSERT_TRUE(texts.ok()) << texts.error().message();
  EXPECT_EQ(*texts, expected);
}

TEST(ChatTemplate, NamesTheFirstRequestThatFails) {
  const std::string source = "{% if messages[0].content == 'bad' %}{{ raise_exception('no thanks') }}{% endif %}ok";
  const std::vector<RenderRequest> requests{{{{"user", "good"}}, false}, {{{"user", "bad"}}, false}, {{{"user", "bad"}}, false}};
  const auto texts = renderConversations(settingsFor(source), requests);
  ASSERT_FALSE(texts.ok());
  EXPECT_THAT(texts.error().message(), HasSubstr("conversation 2"));
  EXPECT_THAT(texts.error().message(), HasSubstr("no thanks"));
}

TEST(ChatTemplate, SyntaxErrorsNameTheLine) {
  EXPECT_THAT(renderOne("line one\n{% if %}"), HasSubstr("line 2"));
}

TEST(ChatTemplate, TheCurrentTimeIsAvailable) {
  EXPECT_THAT(renderOne("{{ strftime_now('%Y') }}"), testing::MatchesRegex("20[0-9][0-9]"));
}

TEST(ChatTemplate, ATimeBombEndsWithinSeconds) {
  for (const std::string source : {"{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
                                   "{{ (10 ** 9999999) ** 99 }}"}) {
    const auto begin = Clock::now();
    EXPECT_THAT(renderOne(source), HasSubstr("more processor time"));
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(18)) << "2 s of processor time, on a machine that may be busy";
  }
}

TEST(ChatTemplate, AMemoryBombIsRefused) {
  EXPECT_THAT(renderOne("{{ 'x' * 3000000000 }}"), HasSubstr("more memory"));
}

TEST(ChatTemplate, ATemplateCannotReachPython) {
  EXPECT_EQ(renderOne("{{ cycler.__init__.__globals__.os.popen('id').read() }}")[0], '!');
  EXPECT_EQ(renderOne("{{ ().__class__.__bases__[0].__subclasses__() }}")[0], '!');
}

TEST(ChatTemplate, ABombAmongManyRequestsIsNamed) {
  std::vector<RenderRequest> requests(40, {{{"user", "fine"}}, false});
  requests[30].messages[0].content = "bomb";
  const auto texts = renderConversations(
      settingsFor("{% if messages[0].content == 'bomb' %}{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}{% endif %}"),
      requests);
  ASSERT_FALSE(texts.ok());
  EXPECT_THAT(texts.error().message(), HasSubstr("conversation 31"));
}

TEST(ChatTemplate, LargeTextsBothWaysDoNotBlock) {
  std::vector<RenderRequest> requests;
  for (int i = 0; i < 60; ++i) requests.push_back({{{"user", std::string(1 << 20, static_cast<char>('a' + i % 26))}}, false});
  const auto texts = renderConversations(settingsFor("{{ messages[0].content }}{{ messages[0].content }}"), requests);
  ASSERT_TRUE(texts.ok()) << texts.error().message();
  ASSERT_EQ(texts->size(), 60u);
  for (size_t i = 0; i < 60; ++i) EXPECT_EQ((*texts)[i], requests[i].messages[0].content + requests[i].messages[0].content);
}

TEST(ChatTemplate, NoRequestsGiveNoTexts) {
  const auto texts = renderConversations(settingsFor("x"), {});
  ASSERT_TRUE(texts.ok()) << texts.error().message();
  EXPECT_TRUE(texts->empty());
}

TEST(ChatTemplate, AMissingInterpreterIsNamed) {
  TemplateSettings settings = settingsFor("x");
  settings.python = "/nowhere/python3";
  const auto texts = renderConversations(settings, oneRequest());
  ASSERT_FALSE(texts.ok());
  EXPECT_EQ(texts.error().code, ErrorCode::Unsupported) << "no file of the dataset is missing";
  EXPECT_THAT(texts.error().message(), HasSubstr("/nowhere/python3"));
}

TEST(ChatTemplate, AProgramThatIsNoPythonIsAnError) {
  TemplateSettings settings = settingsFor("x");
  settings.python = "/bin/true";
  const auto texts = renderConversations(settings, oneRequest());
  ASSERT_FALSE(texts.ok());
  EXPECT_THAT(texts.error().message(), HasSubstr("ended with status 0"));
}

}  // namespace
}  // namespace tidemark::text
