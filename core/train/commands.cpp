#include "core/train/commands.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/text/chat_template.h"
#include "core/text/prepared_dataset.h"
#include "core/train/batches.h"
#include "core/train/inference.h"
#include "core/train/iteration.h"

namespace tidemark::train {
namespace {

run::ExitCode fail(const Error& error) {
  std::cerr << "tidemark: " << error.message() << "\n";
  return run::exitCodeFor(error);
}

std::vector<int64_t> idsOf(const std::vector<text::Token>& tokens) {
  std::vector<int64_t> ids;
  for (const text::Token& token : tokens) ids.push_back(token.id);
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

struct ScoreOptions {
  std::string model, adapter, text, tokens;
  bool json = false;
};

Result<run::ExitCode> score(const ScoreOptions& options) {
  TIDEMARK_ASSIGN(const auto inference, Inference::open(options.model, options.adapter));
  std::vector<int64_t> ids;
  if (!options.tokens.empty()) {
    TIDEMARK_ASSIGN(ids, parseIds(options.tokens, inference->model().config.vocabularySize));
  } else {
    TIDEMARK_ASSIGN(const auto tokens, inference->tokenizer().encode(options.text, text::SpecialTokens::AddAndParse));
    ids = idsOf(tokens);
  }
  if (ids.size() < 2) return Error{ErrorCode::InvalidConfig, "score", "needs at least two tokens: each is scored given those before it"};
  const std::vector<double> scores = inference->logProbabilities(ids);
  double total = 0;
  for (const double value : scores) total += value;
  const double mean = total / static_cast<double>(scores.size());
  if (options.json) {
    std::cout << Json{{"event", "score"}, {"tokens", ids}, {"log_probabilities", scores}, {"total", total},
                      {"perplexity", std::exp(-mean)}}.dump() << "\n";
    return run::ExitCode::Done;
  }
  for (size_t i = 0; i < scores.size(); ++i)
    std::printf("%8lld  %10.5f  %s\n", static_cast<long long>(ids[i + 1]), scores[i],
                Json(inference->tokenizer().tokenText(static_cast<text::TokenId>(ids[i + 1]))).dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  std::printf("%zu tokens, log-probability %.5f, perplexity %.4f\n", scores.size(), total, std::exp(-mean));
  return run::ExitCode::Done;
}

struct GenerateOptions {
  std::string model, adapter, prompt, system;
  bool raw = false, json = false;
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

Result<run::ExitCode> generate(const GenerateOptions& options) {
  TIDEMARK_ASSIGN(const auto inference, Inference::open(options.model, options.adapter));
  const text::Tokenizer& tokenizer = inference->tokenizer();
  TIDEMARK_ASSIGN(const std::string prompt, renderPrompt(tokenizer, options));
  TIDEMARK_ASSIGN(const auto tokens, tokenizer.encode(prompt, text::SpecialTokens::Parse));
  if (tokens.empty()) return Error{ErrorCode::InvalidConfig, "--prompt", "is empty"};
  const std::vector<int64_t> ids = inference->generate(idsOf(tokens), options.sampling);
  const std::string text = tokenizer.decode({ids.begin(), ids.end()}, true);
  if (options.json)
    std::cout << Json{{"event", "sample"}, {"prompt", options.prompt}, {"text", text}, {"tokens", ids}}.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
  else std::cout << text << "\n";
  return run::ExitCode::Done;
}

struct EvalOptions {
  std::string model, adapter, data;
  int64_t maxSequenceLength = 512;
  bool json = false;
};

Result<run::ExitCode> evaluate(const EvalOptions& options) {
  TIDEMARK_ASSIGN(const auto inference, Inference::open(options.model, options.adapter));
  const auto file = std::filesystem::temp_directory_path() / ("tidemark-eval-" + std::to_string(::getpid()) + ".bin");
  text::DatasetSettings settings;
  settings.train = options.data;
  settings.maxSequenceLength = options.maxSequenceLength;
  TIDEMARK_ASSIGN(const auto report, text::prepareDataset(settings, inference->tokenizer(), file));
  auto dataset = text::PreparedDataset::open(file);
  std::filesystem::remove(file);
  if (!dataset.ok()) return dataset.error();
  double sum = 0;
  int64_t targets = 0;
  for (int64_t i = 0; i < dataset->trainCount(); ++i) {
    const auto row = dataset->train(i);
    const std::vector<double> scores = inference->logProbabilities({row.ids.begin(), row.ids.end()});
    for (size_t t = 0; t < scores.size(); ++t)
      if (row.hasLoss[t + 1]) sum -= scores[t], ++targets;
  }
  const double loss = sum / static_cast<double>(targets);
  if (options.json) std::cout << Json{{"event", "eval"}, {"loss", loss}, {"perplexity", std::exp(loss)}, {"target_tokens", targets}, {"rows", dataset->trainCount()}}.dump() << "\n";
  else std::printf("loss %.5f, perplexity %.4f over %lld target tokens in %lld rows\n", loss, std::exp(loss), static_cast<long long>(targets), static_cast<long long>(dataset->trainCount()));
  return run::ExitCode::Done;
}

}  // namespace

bool isCommand(const std::string& name) {
  return name == "score" || name == "generate" || name == "eval" || name == "plan";
}

run::ExitCode runCommand(const std::string& name, std::vector<std::string> arguments) {
  CLI::App app{"tidemark " + name, "tidemark-cli " + name};
  ScoreOptions scoring;
  GenerateOptions generation;
  EvalOptions evaluation;
  std::string config;
  std::vector<std::string> overrides;
  double gibPerSecond = 0.7;
  bool json = false;
  if (name == "score") {
    app.add_option("--model", scoring.model, "GGUF file, model directory, or org/name")->required();
    app.add_option("--adapter", scoring.adapter, "PEFT adapter directory");
    auto* text = app.add_option("--text", scoring.text, "Text to score");
    auto* tokens = app.add_option("--tokens", scoring.tokens, "Token ids, separated by spaces");
    text->excludes(tokens);
    app.add_flag("--json", scoring.json);
  } else if (name == "generate") {
    app.add_option("--model", generation.model, "GGUF file, model directory, or org/name")->required();
    app.add_option("--adapter", generation.adapter, "PEFT adapter directory");
    app.add_option("--prompt", generation.prompt, "What the user says")->required();
    app.add_option("--system", generation.system, "System message");
    app.add_flag("--raw", generation.raw, "Continue the prompt as it is, without the chat template");
    app.add_option("--max-new-tokens", generation.sampling.maxNewTokens)->check(CLI::Range(1, 100000))->capture_default_str();
    app.add_option("--temperature", generation.sampling.temperature)->check(CLI::Range(0.0, 10.0))->capture_default_str();
    app.add_option("--top-p", generation.sampling.topP)->check(CLI::Range(0.0, 1.0))->capture_default_str();
    app.add_option("--seed", generation.sampling.seed)->capture_default_str();
    app.add_flag("--json", generation.json);
  } else if (name == "eval") {
    app.add_option("--model", evaluation.model, "GGUF file, model directory, or org/name")->required();
    app.add_option("--adapter", evaluation.adapter, "PEFT adapter directory");
    app.add_option("--data", evaluation.data, "JSONL file")->required();
    app.add_option("--max-seq-length", evaluation.maxSequenceLength)->check(CLI::Range(2, 1000000))->capture_default_str();
    app.add_flag("--json", evaluation.json);
  } else {
    app.add_option("config", config, "Configuration (YAML)")->required();
    app.add_option("--set", overrides, "key=value, over the file");
    app.add_option("--gather-gib-per-second", gibPerSecond, "Assumed speed of gathers")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_flag("--json", json);
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& e) {
    return app.exit(e, std::cout, std::cerr) == 0 ? run::ExitCode::Done : run::ExitCode::Refused;
  }
  if (name == "plan") return runPlanCommand(config, overrides, gibPerSecond * 1073741824.0, json);
  if (name == "score" && scoring.text.empty() && scoring.tokens.empty())
    return fail({ErrorCode::InvalidConfig, "score", "give --text or --tokens"});
  const Result<run::ExitCode> result = name == "score"      ? score(scoring)
                                       : name == "generate" ? generate(generation)
                                                            : evaluate(evaluation);
  return result.ok() ? *result : fail(result.error());
}

}  // namespace tidemark::train
