// The normalizer, pre_tokenizer and post_processor of a tokenizer.json.
#include "core/text/tokenizer_files.h"

namespace tidemark::text {

const std::string_view kByteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

Error unsupported(const std::string& part, const std::string& what) {
  return {ErrorCode::Unsupported, part, what + " is not supported"};
}
Error malformed(const std::string& part, const std::string& what) { return {ErrorCode::InvalidInput, part, what}; }

std::string typeOf(const Json& json) {
  const auto found = json.is_object() ? json.find("type") : json.end();
  return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>() : "(none)";
}

// Absent flags have the default that `tokenizers` gives them.
bool flagOf(const Json& json, const char* key, bool fallback) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

// The members of a Sequence; the key differs from part to part.
template <typename Visit>
Status forEachMember(const Json& sequence, const std::string& part, const char* key, Visit&& visit) {
  const auto members = sequence.find(key);
  if (members == sequence.end() || !members->is_array())
    return malformed(part, std::string("a Sequence has no list \"") + key + "\"");
  for (const Json& member : *members) TIDEMARK_TRY(visit(member));
  return {};
}

Result<SplitBehavior> behaviorOf(const Json& json) {
  const std::string name = json.is_string() ? json.get<std::string>() : "(none)";
  if (name == "Removed") return SplitBehavior::Removed;
  if (name == "Isolated") return SplitBehavior::Isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::MergedWithPrevious;
  if (name == "MergedWithNext") return SplitBehavior::MergedWithNext;
  if (name == "Contiguous") return SplitBehavior::Contiguous;
  return unsupported("pre_tokenizer", "the split behavior " + name);
}

Result<SplitStep> readSplit(const Json& json) {
  const Json pattern = json.value("pattern", Json());
  SplitStep step;
  if (pattern.is_object() && pattern.contains("Regex") && pattern["Regex"].is_string()) {
    TIDEMARK_ASSIGN(step.pattern, Pattern::compile(pattern["Regex"].get<std::string>()));
  } else if (pattern.is_object() && pattern.contains("String") && pattern["String"].is_string()) {
    step.pattern = Pattern::literal(pattern["String"].get<std::string>());
  } else {
    return malformed("pre_tokenizer", "a Split has neither a Regex nor a String as its pattern");
  }
  TIDEMARK_ASSIGN(step.behavior, behaviorOf(json.value("behavior", Json())));
  step.isInverted = flagOf(json, "invert", false);
  return step;
}

// ByteLevel rewrites the text into its stand-ins, so what comes after it would see those; no known model does that.
struct PreTokenizerReader {
  PreTokenizer& target;
  Alphabet alphabet;
  bool sawByteLevel = false;

  Status read(const Json& json) {
    const std::string type = typeOf(json);
    if (type == "Sequence")
      return forEachMember(json, "pre_tokenizer", "pretokenizers", [this](const Json& member) { return read(member); });
    if (sawByteLevel) return unsupported("pre_tokenizer", type + " after ByteLevel");
    if (type == "ByteLevel" && alphabet == Alphabet::Bytes) return readByteLevel(json);
    if (type == "Digits") return readDigits(json);
    if (type != "Split") return unsupported("pre_tokenizer", "the type " + type);
    TIDEMARK_ASSIGN(SplitStep step, readSplit(json));
    target.add(std::move(step));
    return {};
  }

  Status readByteLevel(const Json& json) {
    sawByteLevel = true;
    if (flagOf(json, "add_prefix_space", true)) target.addPrefixSpace();
    if (!flagOf(json, "use_regex", true)) return {};
    TIDEMARK_ASSIGN(Pattern pattern, Pattern::compile(kByteLevelPattern));
    target.add({std::move(pattern), SplitBehavior::Isolated, false});
    return {};
  }

  Status readDigits(const Json& json) {
    TIDEMARK_ASSIGN(Pattern pattern, Pattern::compile(R"(\p{N})"));
    const bool each = flagOf(json, "individual_digits", false);
    target.add({std::move(pattern), each ? SplitBehavior::Isolated : SplitBehavior::Contiguous, false});
    return {};
  }
};

Status readTemplate(const Json& json, TokenizerParts& parts) {
  const Json single = json.value("single", Json());
  if (!single.is_array()) return malformed("post_processor", "has no template for single texts");
  int texts = 0;
  for (const Json& piece : single) {
    if (piece.is_object() && piece.contains("Sequence")) {
      ++texts;
      continue;
    }
    if (!piece.is_object() || !piece.contains("SpecialToken"))
      return unsupported("post_processor", "a template with other than SpecialToken and Sequence");
    const Json name = piece["SpecialToken"].value("id", Json());
    const Json known = json.value("special_tokens", Json::object());
    if (!name.is_string() || !known.contains(name.get<std::string>()))
      return malformed("post_processor", "the template names a special token that it does not define");
    const Json ids = known[name.get<std::string>()].value("ids", Json::array());
    for (const Json& id : ids) {
      if (!id.is_number_integer()) return malformed("post_processor", "a special token's id is not a number");
      (texts == 0 ? parts.idsBefore : parts.idsAfter).push_back(id.get<TokenId>());
    }
  }
  if (texts != 1) return malformed("post_processor", "the template for single texts does not hold the text once");
  return {};
}

Status readReplace(const Json& json, std::vector<NormalizerStep>& steps) {
  if (json.value("pattern", Json()) != Json{{"String", " "}} || json.value("content", Json()) != std::string(kSpaceMark))
    return unsupported("normalizer", "a Replace of other than spaces by SentencePiece's mark");
  steps.push_back(NormalizerStep::SpaceToMark);
  return {};
}

// Gemma's decoder, which joinWithBytes() is.
Status checkByteFallbackDecoder(const Json& json) {
  const Json expected = {{{"type", "Replace"}, {"pattern", {{"String", kSpaceMark}}}, {"content", " "}},
                         {{"type", "ByteFallback"}},
                         {{"type", "Fuse"}}};
  if (typeOf(json) == "Sequence" && json.value("decoders", Json()) == expected) return {};
  return unsupported("decoder", "with byte_fallback, other than Replace, ByteFallback and Fuse");
}

}  // namespace

Status checkDecoder(const Json& json, Alphabet alphabet) {
  if (alphabet == Alphabet::Characters) return checkByteFallbackDecoder(json);
  const std::string type = typeOf(json);
  return type == "ByteLevel" ? Status() : unsupported("decoder", "the type " + type);
}

Status readNormalizer(const Json& json, std::vector<NormalizerStep>& steps) {
  if (json.is_null()) return {};
  const std::string type = typeOf(json);
  if (type == "Sequence")
    return forEachMember(json, "normalizer", "normalizers", [&](const Json& member) { return readNormalizer(member, steps); });
  if (type == "NFC") steps.push_back(NormalizerStep::Nfc);
  else if (type == "NFD") steps.push_back(NormalizerStep::Nfd);
  else if (type == "NFKC") steps.push_back(NormalizerStep::Nfkc);
  else if (type == "NFKD") steps.push_back(NormalizerStep::Nfkd);
  else if (type == "Lowercase") steps.push_back(NormalizerStep::Lowercase);
  else if (type == "Replace") return readReplace(json, steps);
  else return unsupported("normalizer", "the type " + type);
  return {};
}

Status readPreTokenizer(const Json& json, Alphabet alphabet, PreTokenizer& preTokenizer) {
  if (alphabet == Alphabet::Characters && json.is_null()) return {};
  PreTokenizerReader reader{preTokenizer, alphabet};
  TIDEMARK_TRY(reader.read(json));
  if (alphabet == Alphabet::Bytes && !reader.sawByteLevel) return unsupported("pre_tokenizer", "a pre-tokenizer without ByteLevel");
  return {};
}

Status readPostProcessor(const Json& json, TokenizerParts& parts) {
  if (json.is_null()) return {};
  const std::string type = typeOf(json);
  if (type == "ByteLevel") return {};  // trims offsets only; ours are never trimmed
  if (type == "TemplateProcessing") return readTemplate(json, parts);
  if (type == "Sequence")
    return forEachMember(json, "post_processor", "processors", [&](const Json& member) { return readPostProcessor(member, parts); });
  return unsupported("post_processor", "the type " + type);
}

}  // namespace tidemark::text
