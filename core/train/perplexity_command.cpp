// `perplexity`: how well a model foretells chosen rows of prepared data. One part of tidemark-cli compare-models, which
// reads the JSON lines that this prints; see core/run/EVENTS.md.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <set>

#include "core/base/json.h"
#include "core/text/prepared_dataset.h"
#include "core/train/commands.h"
#include "core/train/inference.h"

namespace tidemark::train {
namespace {

struct Options {
  std::string model, prepared, lines;
};

// Sums over target tokens, and over those of them that are text: a template's own tokens are not, and differ between models.
struct Sums {
  double loss = 0, textLoss = 0;  // nats
  int64_t tokens = 0, textTokens = 0, textBytes = 0;
};

void addRow(const text::PreparedDataset::Row& row, const std::vector<double>& scores, const text::Tokenizer& tokenizer, Sums& sums) {
  std::vector<text::TokenId> run;  // text tokens that follow each other: a character may need several
  const auto endRun = [&] {
    sums.textBytes += static_cast<int64_t>(tokenizer.decode(run, false).size());
    run.clear();
  };
  for (size_t t = 1; t < row.ids.size(); ++t) {
    const bool isText = row.hasLoss[t] && !tokenizer.isSpecial(row.ids[t]);
    if (!isText) endRun();
    if (!row.hasLoss[t]) continue;
    sums.loss -= scores[t - 1];
    ++sums.tokens;
    if (!isText) continue;
    sums.textLoss -= scores[t - 1];
    ++sums.textTokens;
    run.push_back(row.ids[t]);
  }
  endRun();
}

run::ExitCode measure(const Options& options) {
  std::set<int64_t> lines;
  std::ifstream listed(options.lines);
  for (int64_t line = 0; listed >> line;) lines.insert(line);
  const auto data = text::PreparedDataset::open(options.prepared);
  if (!data.ok()) return failCommand("the data cannot be used", run::Concern::Dataset, data.error());
  const auto inference = Inference::open(options.model, {});
  if (!inference.ok()) return failCommand("the model cannot be used", run::Concern::Model, inference.error());
  Inference& model = **inference;
  if (const Status known = text::checkVocabulary(data->largestId(), model.model().config.vocabularySize); !known.ok())
    return failCommand("the model cannot be used", run::Concern::Model, known.error());
  Sums sums;
  int64_t rows = 0;
  auto lastSaid = std::chrono::steady_clock::now();
  const auto begin = lastSaid;
  for (int64_t i = 0; i < data->trainCount() && rows < static_cast<int64_t>(lines.size()); ++i) {
    const auto row = data->train(i);
    if (!lines.contains(row.sourceLine)) continue;
    addRow(row, model.logProbabilities({row.ids.begin(), row.ids.end()}), model.tokenizer(), sums);
    ++rows;
    if (const auto now = std::chrono::steady_clock::now(); now - lastSaid > std::chrono::milliseconds(300)) {
      std::cout << Json{{"event", "rows_scored"}, {"rows", rows}, {"of", lines.size()}}.dump() << std::endl;
      lastSaid = now;
    }
  }
  if (sums.tokens == 0 || sums.textBytes == 0)
    return failCommand("nothing was scored", run::Concern::Dataset, {ErrorCode::InvalidInput, options.prepared, "none of the rows has a target token of text"});
  const double loss = sums.loss / static_cast<double>(sums.tokens);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::cout << Json{{"event", "perplexity"}, {"rows", rows}, {"target_tokens", sums.tokens}, {"loss", loss}, {"perplexity", std::exp(loss)},
                    {"text_tokens", sums.textTokens}, {"text_bytes", sums.textBytes},
                    {"bits_per_byte", sums.textLoss / std::log(2.0) / static_cast<double>(sums.textBytes)},
                    {"seconds", taken.count()}}.dump() << std::endl;
  return run::ExitCode::Done;
}

}  // namespace

std::function<run::ExitCode()> addPerplexity(CLI::App& app) {
  app.description("Loss and bits per byte of a model on chosen rows of prepared data, as JSON lines.");
  auto options = std::make_shared<Options>();
  app.add_option("--model", options->model, "GGUF file, Hugging Face directory, or org/name from the local hub cache")->required()->type_name("M");
  app.add_option("--prepared", options->prepared, "Prepared data file of this model's tokenizer")->required()->type_name("FILE");
  app.add_option("--lines", options->lines, "File with the source lines of the rows, one number a line")->required()->type_name("FILE");
  return [options] { return measure(*options); };
}

}  // namespace tidemark::train
