#include "core/train/commands.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>

#include "core/base/counted.h"
#include "core/base/json.h"
#include "core/base/printable.h"
#include "core/text/chat_template.h"
#include "core/text/prepared_dataset.h"
#include "core/train/batches.h"
#include "core/train/inference.h"
#include "core/train/iteration.h"

namespace tidemark::train {
namespace {

// What all commands but profile take.
struct ModelOptions {
  std::string model, adapter;
  bool json = false;
};

run::ExitCode failToOpen(const ModelOptions& options, const Error& error) {
  const bool isAdapter = !options.adapter.empty() && error.subject.starts_with(options.adapter);
  if (isAdapter) return failCommand("the adapter cannot be used", run::Concern::Adapter, error);
  return failCommand("the model cannot be used", run::Concern::Model, error);
}

run::ExitCode failText(const std::string& failed, const std::string& subject, const std::string& detail) {
  return failCommand(failed, run::Concern::Text, {ErrorCode::InvalidConfig, subject, detail});
}

// Those that the model has an embedding for; a tokenizer of another model may give more.
Result<std::vector<int64_t>> idsOf(const std::vector<text::Token>& tokens, const Inference& inference) {
  std::vector<int64_t> ids;
  for (const text::Token& token : tokens) {
    TIDEMARK_TRY(text::checkVocabulary(token.id, inference.model().config.vocabularySize));
    ids.push_back(token.id);
  }
  return ids;
}

Result<std::vector<int64_t>> parseIds(const std::string& text, int64_t vocabularySize) {
  std::istringstream stream(text);
  std::vector<int64_t> ids;
  std::string word;
  while (stream >> word) {
    char* end = nullptr;
    const long long id = std::strtoll(word.c_str(), &end, 10);
    if (*end != '\0' || id < 0 || id >= vocabularySize)
      return Error{ErrorCode::InvalidConfig, "--tokens", "\"" + word + "\" is not a token id from 0 to " + std::to_string(vocabularySize - 1)};
    ids.push_back(id);
  }
  return ids;
}

struct ScoreOptions : ModelOptions {
  std::string text, tokens;
  bool hasText = false, hasTokens = false;  // given, be it empty
};

Result<std::vector<int64_t>> idsToScore(const ScoreOptions& options, const Inference& inference) {
  const char* option = options.hasTokens ? "--tokens" : "--text";
  std::vector<int64_t> ids;
  if (options.hasTokens) {
    TIDEMARK_ASSIGN(ids, parseIds(options.tokens, inference.model().config.vocabularySize));
  } else {
    TIDEMARK_ASSIGN(const auto tokens, inference.tokenizer().encode(options.text, text::SpecialTokens::AddAndParse));
    TIDEMARK_ASSIGN(ids, idsOf(tokens, inference));
  }
  if (ids.size() >= 2) return ids;
  return Error{ErrorCode::InvalidConfig, option,
               "is " + counted(static_cast<int64_t>(ids.size()), "token") + "; at least two are needed, since each is scored given those before it"};
}

void printScores(const std::vector<int64_t>& ids, const std::vector<double>& scores, double total, const text::Tokenizer& tokenizer) {
  for (size_t i = 0; i < scores.size(); ++i) {
    const Json text = tokenizer.tokenText(static_cast<text::TokenId>(ids[i + 1]));
    std::printf("%8lld  %10.5f  %s\n", static_cast<long long>(ids[i + 1]), scores[i],
                printable(text.dump(-1, ' ', false, Json::error_handler_t::replace)).c_str());
  }
  std::printf("%s, log-probability %.5f, perplexity %.4f\n", counted(static_cast<int64_t>(scores.size()), "token").c_str(), total,
              std::exp(-total / static_cast<double>(scores.size())));
}

run::ExitCode score(const ScoreOptions& options) {
  if (!options.hasText && !options.hasTokens) return failText("there is nothing to score", "", "give --text T or --tokens \"1 2 3\"");
  const std::string& given = options.hasTokens ? options.tokens : options.text;
  if (given.empty()) return failText("there is nothing to score", options.hasTokens ? "--tokens" : "--text", "is empty");
  const auto inference = Inference::open(options.model, options.adapter);
  if (!inference.ok()) return failToOpen(options, inference.error());
  const auto ids = idsToScore(options, **inference);
  if (!ids.ok()) return failCommand("there is nothing to score", run::Concern::Text, ids.error());
  const std::vector<double> scores = (*inference)->logProbabilities(*ids);
  double total = 0;
  for (const double value : scores) total += value;
  if (options.json) {
    std::cout << Json{{"event", "score"}, {"tokens", *ids}, {"log_probabilities", scores}, {"total", total},
                      {"perplexity", std::exp(-total / static_cast<double>(scores.size()))}}.dump() << "\n";
  } else {
    printScores(*ids, scores, total, (*inference)->tokenizer());
  }
  return run::ExitCode::Done;
}

struct GenerateOptions : ModelOptions {
  std::string prompt, system;
  bool raw = false;
  Inference::Sampling sampling;
};

Result<std::string> renderPrompt(const text::Tokenizer& tokenizer, const GenerateOptions& options) {
  if (options.raw || tokenizer.chatTemplate().empty()) return options.prompt;
  text::RenderRequest request;
  if (!options.system.empty()) request.messages.push_back({"system", options.system});
  request.messages.push_back({"user", options.prompt});
  request.addsGenerationPrompt = true;
  text::TemplateSettings settings;
  settings.source = tokenizer.chatTemplate();
  if (tokenizer.bosId() >= 0) settings.bosToken = tokenizer.tokenText(tokenizer.bosId());
  if (tokenizer.eosId() >= 0) settings.eosToken = tokenizer.tokenText(tokenizer.eosId());
  TIDEMARK_ASSIGN(const auto rendered, text::renderConversations(settings, {request}));
  return rendered.front();
}

Result<std::vector<int64_t>> promptIds(const GenerateOptions& options, const Inference& inference) {
  TIDEMARK_ASSIGN(const std::string prompt, renderPrompt(inference.tokenizer(), options));
  TIDEMARK_ASSIGN(const auto tokens, inference.tokenizer().encode(prompt, text::SpecialTokens::Parse));
  if (tokens.empty()) return Error{ErrorCode::InvalidConfig, "--prompt", "is empty"};
  return idsOf(tokens, inference);
}

run::ExitCode generate(const GenerateOptions& options) {
  const auto inference = Inference::open(options.model, options.adapter);
  if (!inference.ok()) return failToOpen(options, inference.error());
  const text::Tokenizer& tokenizer = (*inference)->tokenizer();
  const auto prompt = promptIds(options, **inference);
  if (!prompt.ok()) return failCommand("the prompt cannot be used", run::Concern::Text, prompt.error());
  const std::vector<int64_t> ids = (*inference)->generate(*prompt, options.sampling);
  const std::string text = tokenizer.decode({ids.begin(), ids.end()}, true);
  if (options.json)
    std::cout << Json{{"event", "sample"}, {"prompt", options.prompt}, {"text", text}, {"tokens", ids}}.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
  else std::cout << printable(text) << "\n";
  return run::ExitCode::Done;
}

struct EvalOptions : ModelOptions {
  std::string data;
  int64_t maxSequenceLength = 512;
};

Result<text::PreparedDataset> prepare(const EvalOptions& options, const text::Tokenizer& tokenizer) {
  const auto file = std::filesystem::temp_directory_path() / ("tidemark-eval-" + std::to_string(::getpid()) + ".bin");
  text::DatasetSettings settings;
  settings.train = options.data;
  settings.maxSequenceLength = options.maxSequenceLength;
  TIDEMARK_ASSIGN(const auto report, text::prepareDataset(settings, tokenizer, file));
  auto dataset = text::PreparedDataset::open(file);
  std::filesystem::remove(file);
  return dataset;
}

run::ExitCode evaluate(const EvalOptions& options) {
  const auto inference = Inference::open(options.model, options.adapter);
  if (!inference.ok()) return failToOpen(options, inference.error());
  const auto dataset = prepare(options, (*inference)->tokenizer());
  if (!dataset.ok()) return failCommand("the data cannot be used", run::Concern::Dataset, dataset.error());
  if (const Status known = text::checkVocabulary(dataset->largestId(), (*inference)->model().config.vocabularySize); !known.ok())
    return failToOpen(options, known.error());
  double sum = 0;
  int64_t targets = 0;
  for (int64_t i = 0; i < dataset->trainCount(); ++i) {
    const auto row = dataset->train(i);
    const std::vector<double> scores = (*inference)->logProbabilities({row.ids.begin(), row.ids.end()});
    for (size_t t = 0; t < scores.size(); ++t)
      if (row.hasLoss[t + 1]) sum -= scores[t], ++targets;
  }
  const double loss = sum / static_cast<double>(targets);
  if (options.json) std::cout << Json{{"event", "eval"}, {"loss", loss}, {"perplexity", std::exp(loss)}, {"target_tokens", targets}, {"rows", dataset->trainCount()}}.dump() << "\n";
  else std::printf("loss %.5f, perplexity %.4f over %s in %s\n", loss, std::exp(loss), counted(targets, "target token").c_str(), counted(dataset->trainCount(), "row").c_str());
  return run::ExitCode::Done;
}

// What a command's options are, and what to call once they are parsed.
using Action = std::function<run::ExitCode()>;

void addModelOptions(CLI::App& app, ModelOptions& options) {
  app.add_option("--model", options.model, "GGUF file, Hugging Face directory, or org/name from the local hub cache")->required()->type_name("M");
  app.add_option("--adapter", options.adapter, "Directory of a PEFT adapter")->type_name("DIR");
  app.add_flag("--json", options.json, "One JSON object per line instead of words");
}

Action addScore(CLI::App& app) {
  app.description("Log-probability of each token of a text, given the tokens before it.");
  auto options = std::make_shared<ScoreOptions>();
  auto* text = app.add_option("--text", options->text, "Text to score")->type_name("T");
  auto* tokens = app.add_option("--tokens", options->tokens, "Token ids to score, separated by spaces")->type_name("IDS");
  text->excludes(tokens);
  addModelOptions(app, *options);
  return [options, text, tokens] {
    options->hasText = text->count() > 0;
    options->hasTokens = tokens->count() > 0;
    return score(*options);
  };
}

Action addGenerate(CLI::App& app) {
  app.description("Answer a prompt, written with the model's chat template, with a model and perhaps an adapter.");
  auto options = std::make_shared<GenerateOptions>();
  app.add_option("--prompt", options->prompt, "What the user says")->required()->type_name("TEXT");
  app.add_option("--system", options->system, "System message")->type_name("TEXT");
  app.add_flag("--raw", options->raw, "Continue the prompt as it is, without the chat template");
  app.add_option("--max-new-tokens", options->sampling.maxNewTokens, "End after this many tokens")->check(CLI::Range(1, 100000))->capture_default_str()->type_name("N");
  app.add_option("--temperature", options->sampling.temperature, "0 takes the likeliest token always")->check(CLI::Range(0.0, 10.0))->capture_default_str()->type_name("X");
  app.add_option("--top-p", options->sampling.topP, "Draw from the likeliest tokens of this probability together")->check(CLI::Range(0.0, 1.0))->capture_default_str()->type_name("X");
  app.add_option("--seed", options->sampling.seed, "Seed of the draws")->capture_default_str()->type_name("N");
  addModelOptions(app, *options);
  return [options] { return generate(*options); };
}

Action addEval(CLI::App& app) {
  app.description("Loss and perplexity of a model, with or without an adapter, over the answers of a dataset.");
  auto options = std::make_shared<EvalOptions>();
  app.add_option("--data", options->data, "JSONL file: messages, alpaca or prompt and completion")->required()->type_name("FILE");
  app.add_option("--max-seq-length", options->maxSequenceLength, "Longer rows are left out")->check(CLI::Range(2, 1000000))->capture_default_str()->type_name("N");
  addModelOptions(app, *options);
  return [options] { return evaluate(*options); };
}

Action addProfile(CLI::App& app) {
  app.description("One iteration measured on this process alone, as JSON lines: what `tidemark-cli plan` reckons with.");
  auto options = std::make_shared<ProfileOptions>();
  app.add_option("CONFIG", options->config, "YAML or JSON file")->required();
  app.add_option("--set", options->overrides, "Set one key (repeatable)")->type_name("KEY=VALUE")->allow_extra_args(false);
  app.add_option("--weights", options->weights, "Forms of the weights to measure with (default: memory.weights)")->delimiter(',')->type_name("A,B");
  app.add_option("--gather-gib-per-second", options->gibPerSecond, "Speed of gathers between the ranks (default: measured here)")
      ->check(CLI::PositiveNumber)->type_name("X");
  app.add_option("--prepared", options->prepared, "Folder that holds the prepared data")->type_name("DIR");
  return [options] { return runProfileCommand(*options); };
}

}  // namespace

run::ExitCode failCommand(const std::string& failed, run::Concern concern, const Error& error) {
  std::cerr << "error: " << run::errorWords(failed, concern, error) << std::endl;
  return run::exitCodeFor(error);
}

bool isCommand(const std::string& name) {
  return name == "score" || name == "generate" || name == "eval" || name == "perplexity" || name == "profile";
}

run::ExitCode runCommand(const std::string& name, std::vector<std::string> arguments) {
  CLI::App app{"", "tidemark-cli " + name};
  const Action action = name == "score"      ? addScore(app)
                        : name == "generate" ? addGenerate(app)
                        : name == "eval"     ? addEval(app)
                         : name == "profile"  ? addProfile(app)
                                              : addPerplexity(app);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& e) {
    return app.exit(e, std::cout, std::cerr) == 0 ? run::ExitCode::Done : run::ExitCode::Refused;
  }
  return action();
}

}  // namespace tidemark::train
