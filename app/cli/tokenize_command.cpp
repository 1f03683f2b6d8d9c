// tidemark-cli tokenize --model M: lines in, one JSON array of ids per line out; --decode is the way back.
#include <iostream>
#include <memory>
#include <string>

#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/preflight.h"
#include "app/cli/words.h"
#include "core/base/json.h"
#include "core/text/tokenizer.h"

namespace tidemark::cli {
namespace {

struct Options {
  std::string model;
  bool isDecoding = false, skipsSpecial = false, addsNone = false;
  Output output = Output::Words;
};

Result<std::string> encoded(const text::Tokenizer& tokenizer, const std::string& line, const Options& options) {
  const auto special = options.addsNone ? text::SpecialTokens::Parse : text::SpecialTokens::AddAndParse;
  TIDEMARK_ASSIGN(const auto tokens, tokenizer.encode(line, special));
  std::string ids;
  for (const auto& token : tokens) ids += (ids.empty() ? "" : ", ") + std::to_string(token.id);
  return "[" + ids + "]";
}

Result<std::string> decoded(const text::Tokenizer& tokenizer, const std::string& line, const Options& options) {
  TIDEMARK_ASSIGN(const auto json, parseJson(line, "the line"));
  std::vector<text::TokenId> ids;
  if (!json.is_array()) return Error{ErrorCode::InvalidInput, "the line", "is not a JSON array of token ids"};
  for (const auto& entry : json) {
    const bool isId = entry.is_number_integer() && entry >= 0 && entry < tokenizer.vocabularySize();
    if (!isId) {
      return Error{ErrorCode::InvalidInput, entry.dump(),
                   "is not a token id; they go from 0 to " + std::to_string(tokenizer.vocabularySize() - 1)};
    }
    ids.push_back(entry.get<text::TokenId>());
  }
  const auto text = tokenizer.decode(ids, options.skipsSpecial);
  return options.output == Output::Json ? Json(text).dump(-1, ' ', false, Json::error_handler_t::replace) : text;
}

run::ExitCode tokenize(const Options& options) {
  const auto tokenizer = openTokenizer(options.model);
  if (!tokenizer.ok()) return fail("the tokenizer cannot be opened", run::Concern::Model, tokenizer.error(), Output::Words);
  int64_t number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    ++number;
    const auto result = options.isDecoding ? decoded(**tokenizer, line, options) : encoded(**tokenizer, line, options);
    if (!result.ok()) return fail("line " + std::to_string(number) + " cannot be read", run::Concern::Text, result.error(), Output::Words);
    printData(*result);
  }
  return run::ExitCode::Done;
}

}  // namespace

void addTokenizeCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("tokenize", "Lines in, one JSON array of token ids per line out");
  command
      ->add_option("--model", options->model,
                   "GGUF file, Hugging Face directory, tokenizer.json, or org/name from the hub cache")
      ->required()
      ->type_name("M");
  command->add_flag("--decode", options->isDecoding, "The way back: arrays in, texts out");
  command->add_flag("--skip-special", options->skipsSpecial, "With --decode: leave special tokens out");
  command->add_flag("--no-add-special", options->addsNone, "Do not add the tokens that the model puts around a text");
  command->add_flag_callback(
      "--json", [options] { options->output = Output::Json; }, "With --decode: texts as JSON strings, one a line");
  command->callback([options, &action] { action = [options] { return tokenize(*options); }; });
}

}  // namespace tidemark::cli
