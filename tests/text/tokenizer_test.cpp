#include "core/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/text/bpe_merge.h"
#include "core/text/pattern.h"
#include "tests/text/golden_texts.h"

namespace tidemark::text {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Tokenizer> openGolden(const std::string& name) {
  auto tokenizer = Tokenizer::open(golden(name));
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.error().message();
  return tokenizer.ok() ? *tokenizer : nullptr;
}

Json goldenJson(const std::string& name) { return Json::parse(*readFile(golden(name))); }

// What opening a changed tokenizer.json says.
std::string errorOf(const Json& json) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("tokenizer-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "tokenizer.json") << json.dump();
  const auto tokenizer = Tokenizer::open(folder);
  std::filesystem::remove_all(folder);
  return tokenizer.ok() ? "" : tokenizer.error().message();
}

std::vector<TokenId> encodeIds(const Tokenizer& tokenizer, std::string_view text, SpecialTokens special = SpecialTokens::Parse) {
  const auto tokens = tokenizer.encode(text, special);
  EXPECT_TRUE(tokens.ok());
  return idsOf(*tokens);
}

TEST(Tokenizer, PostProcessorAddsTheBeginning) {
  const auto tokenizer = openGolden("llama3.json");
  auto expected = encodeIds(*tokenizer, "hello there");
  expected.insert(expected.begin(), 0);  // <|begin|>
  EXPECT_EQ(encodeIds(*tokenizer, "hello there", SpecialTokens::AddAndParse), expected);
  EXPECT_EQ(encodeIds(*openGolden("llama3.gguf"), "hello there", SpecialTokens::AddAndParse), expected);
}

TEST(Tokenizer, GgufNamesItsEnds) {
  const auto tokenizer = openGolden("llama3.gguf");
  EXPECT_EQ(tokenizer->tokenText(tokenizer->bosId()), "<|begin|>");
  EXPECT_EQ(tokenizer->tokenText(tokenizer->eosId()), "<|im_end|>");
  EXPECT_TRUE(tokenizer->isSpecial(tokenizer->eosId()));
  EXPECT_FALSE(tokenizer->isSpecial(encodeIds(*tokenizer, "a")[0]));
  EXPECT_EQ(tokenizer->vocabularySize(), 2000);
}

TEST(Tokenizer, ConfigBesideTheJsonIsRead) {
  const auto tokenizer = openGolden("chat_model");
  EXPECT_EQ(tokenizer->tokenText(tokenizer->eosId()), "<|im_end|>");
  EXPECT_EQ(tokenizer->bosId(), -1);
  EXPECT_THAT(tokenizer->chatTemplate(), HasSubstr("{% generation %}"));
}

TEST(Tokenizer, DecodingSkipsSpecialTokensIfAsked) {
  const auto tokenizer = openGolden("digits.json");
  const auto ids = encodeIds(*tokenizer, "<|im_start|>user 12<|im_end|>");
  EXPECT_EQ(tokenizer->decode(ids, false), "<|im_start|>user 12<|im_end|>");
  EXPECT_EQ(tokenizer->decode(ids, true), "user 12");
}

TEST(Tokenizer, InvalidUtf8BecomesReplacementsWithOffsetsOfTheOriginal) {
  const auto tokenizer = openGolden("digits.json");
  const std::string text = "ab\xff\xe4\xb8 cd\xf0\x9f\x98\x80\xc0\xaf";  // FF | E4 B8 | ... | C0 | AF
  const std::string repaired = "ab\ufffd\ufffd cd\U0001F600\ufffd\ufffd";
  const auto tokens = tokenizer->encode(text, SpecialTokens::Parse);
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(idsOf(*tokens), encodeIds(*tokenizer, repaired));
  EXPECT_EQ(tokens->front().begin, 0u);
  EXPECT_EQ(tokens->back().end, text.size());
  for (const Token& token : *tokens) EXPECT_LE(token.end, text.size());
}

TEST(Tokenizer, NormalisedOffsetsPointToTheOriginal) {
  const auto tokenizer = openGolden("qwen2.json");
  const std::string text = "x e\u0301 y";  // NFC joins the second and third characters, bytes 2 to 5
  const auto tokens = tokenizer->encode(text, SpecialTokens::Parse);
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(idsOf(*tokens), encodeIds(*tokenizer, "x \u00e9 y"));
  EXPECT_EQ(tokens->back().begin, 5u);  // " y"
  EXPECT_EQ(tokens->back().end, 7u);
  const Token& joined = (*tokens)[tokens->size() - 2];
  EXPECT_LE(joined.begin, 2u);
  EXPECT_EQ(joined.end, 5u);
}

TEST(Tokenizer, WhatIsNotKnownIsRefusedByName) {
  const Json good = goldenJson("digits.json");
  const auto changed = [&](auto change) {
    Json json = good;
    change(json);
    return errorOf(json);
  };
  EXPECT_EQ(errorOf(good), "");
  EXPECT_THAT(changed([](Json& j) { j["model"]["type"] = "Unigram"; }), HasSubstr("Unigram"));
  EXPECT_THAT(changed([](Json& j) { j["model"]["byte_fallback"] = true; }), HasSubstr("ByteLevel is not supported"));
  EXPECT_THAT(changed([](Json& j) { j["normalizer"] = {{"type", "Prepend"}}; }), HasSubstr("Prepend"));
  EXPECT_THAT(changed([](Json& j) { j["pre_tokenizer"] = {{"type", "Metaspace"}}; }), HasSubstr("Metaspace"));
  EXPECT_THAT(changed([](Json& j) { j["pre_tokenizer"] = {{"type", "Digits"}}; }), HasSubstr("without ByteLevel"));
  EXPECT_THAT(changed([](Json& j) { j["post_processor"] = {{"type", "BertProcessing"}}; }), HasSubstr("BertProcessing"));
  EXPECT_THAT(changed([](Json& j) { j["decoder"] = {{"type", "WordPiece"}}; }), HasSubstr("WordPiece"));
  EXPECT_THAT(changed([](Json& j) { j["model"]["merges"][3] = {"nothing", "here"}; }), HasSubstr("merge 4"));
  EXPECT_THAT(changed([](Json& j) { j["added_tokens"][0]["id"] = 77; }), HasSubstr("77"));
  EXPECT_THAT(changed([](Json& j) { j["model"]["vocab"] = Json::object(); }), HasSubstr("vocabulary is empty"));
}

TEST(Tokenizer, ByteFallbackIsReadAsGemmaWritesItAloneOrRefused) {
  const Json good = goldenJson("gemma.json");
  const auto changed = [&](auto change) {
    Json json = good;
    change(json);
    return errorOf(json);
  };
  EXPECT_EQ(errorOf(good), "");
  EXPECT_THAT(changed([](Json& j) { j["normalizer"]["content"] = "_"; }), HasSubstr("a Replace of other than spaces"));
  EXPECT_THAT(changed([](Json& j) { j["decoder"]["decoders"].erase(1); }), HasSubstr("other than Replace, ByteFallback and Fuse"));
  EXPECT_THAT(changed([](Json& j) { j["pre_tokenizer"] = {{"type", "Metaspace"}}; }), HasSubstr("Metaspace"));
  EXPECT_THAT(changed([](Json& j) {
                for (int byte = 0; byte < 256; ++byte) {
                  char name[8];
                  std::snprintf(name, sizeof name, "<0x%02X>", byte);
                  j["model"]["vocab"].erase(name);
                }
              }),
              HasSubstr("no tokens for single bytes"));
}

TEST(Tokenizer, BytesThatMakeNoCharacterAreReplacedOneByOne) {
  for (const char* name : {"gemma.json", "gemma.gguf"}) {
    const auto tokenizer = openGolden(name);
    const auto ids = encodeIds(*tokenizer, "a \U0001F9FF b");  // not in the vocabulary: four bytes
    EXPECT_EQ(tokenizer->decode(ids, false), "a \U0001F9FF b");
    std::vector<TokenId> broken;
    for (const TokenId id : ids)
      if (tokenizer->tokenText(id) != "<0x9F>") broken.push_back(id);
    EXPECT_EQ(broken.size() + 1, ids.size());
    EXPECT_EQ(tokenizer->decode(broken, false), "a \ufffd\ufffd\ufffd b");
  }
}

TEST(Tokenizer, GemmaFilesWithoutATemplateGetGemmasTurns) {
  const auto tokenizer = openGolden("gemma.gguf");
  EXPECT_TRUE(tokenizer->isTemplateBuiltIn());
  EXPECT_THAT(tokenizer->chatTemplate(), HasSubstr("<start_of_turn>"));
  ASSERT_EQ(tokenizer->endIds().size(), 2u);
  EXPECT_EQ(tokenizer->tokenText(tokenizer->endIds()[0]), "<eos>");
  EXPECT_EQ(tokenizer->tokenText(tokenizer->endIds()[1]), "<end_of_turn>");
  EXPECT_FALSE(openGolden("llama3.gguf")->isTemplateBuiltIn());
  EXPECT_EQ(encodeIds(*tokenizer, "x", SpecialTokens::AddAndParse).front(), tokenizer->bosId());
}

TEST(Tokenizer, AHostilePatternEndsInAnError) {
  Json json = goldenJson("digits.json");
  json["pre_tokenizer"] = Json::parse(R"({"type": "Sequence", "pretokenizers": [
      {"type": "Split", "pattern": {"Regex": "(?:a|aa)+[x-z]"}, "behavior": "Isolated", "invert": false},
      {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}]})");
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("hostile-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "tokenizer.json") << json.dump();
  const auto tokenizer = Tokenizer::open(folder);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message();
  const auto tokens = (*tokenizer)->encode(std::string(200, 'a'), SpecialTokens::Parse);
  ASSERT_FALSE(tokens.ok());
  EXPECT_THAT(tokens.error().message(), HasSubstr("match limit"));
}

TEST(Tokenizer, ThreadsGetTheSameAnswers) {
  const auto tokenizer = openGolden("llama3.json");
  const auto texts = goldenTexts();
  std::vector<std::vector<TokenId>> expected;
  for (size_t i = 0; i < 2000; ++i) expected.push_back(encodeIds(*tokenizer, texts[i]));
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < expected.size(); ++i) {
        const auto tokens = tokenizer->encode(texts[i], SpecialTokens::Parse);
        if (!tokens.ok() || idsOf(*tokens) != expected[i]) ++wrong[t];
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(Tokenizer, EncodesAMegabyteASecondAndMore) {
  const auto tokenizer = openGolden("llama3.json");
  std::string text;
  for (const auto& part : goldenTexts()) text += part + "\n";
  const auto begin = std::chrono::steady_clock::now();
  const auto tokens = tokenizer->encode(text, SpecialTokens::Parse);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ASSERT_TRUE(tokens.ok());
  RecordProperty("megabytes_per_second", std::to_string(static_cast<double>(text.size()) / seconds / 1e6));
  EXPECT_GT(static_cast<double>(text.size()) / seconds, 0.3e6);  // far below what it does, for busy machines and sanitizers
}

TEST(BpeMerge, HeapAndScanAgree) {
  SplitMix64 random(11);
  MergeTable merges(400);
  for (uint32_t rank = 0; rank < 400; ++rank)
    merges.insert(static_cast<TokenId>(random.below(40)), static_cast<TokenId>(random.below(40)),
                  {rank, static_cast<TokenId>(random.below(40))});
  for (int round = 0; round < 500; ++round) {
    std::vector<Token> scanned;
    const auto length = static_cast<uint32_t>(random.below(120));
    for (uint32_t i = 0; i < length; ++i) scanned.push_back({static_cast<TokenId>(random.below(40)), i, i + 1});
    std::vector<Token> heaped = scanned;
    mergeByScanning(scanned, merges);
    mergeByHeap(heaped, merges);
    ASSERT_EQ(idsOf(scanned), idsOf(heaped));
    for (size_t i = 0; i < scanned.size(); ++i) EXPECT_EQ(scanned[i].end, heaped[i].end);
  }
}

TEST(Pattern, ConstructsThatDifferAreTranslatedOrRefused) {
  EXPECT_EQ(*translateOniguruma(R"(\s[^\S\r])"), R"(\p{White_Space}[^\P{White_Space}\r])");
  EXPECT_EQ(*translateOniguruma(R"(\p{L}{,3}\u0041)"), R"(\p{L}{0,3}\x{0041})");
  EXPECT_EQ(*translateOniguruma("a{b"), "a\\{b");
  for (const char* refused : {"[a[b]]", "[a&&b]", "(?m:.)", "a(?i)b|c", R"(\p{N}{1,3}+)", R"(\K)", R"(\G)", "a{2}?", "(*ACCEPT)"})
    EXPECT_FALSE(translateOniguruma(refused).ok()) << refused;
}

}  // namespace
}  // namespace tidemark::text
