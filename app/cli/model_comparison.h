// Pretrained models side by side on one dataset, before any training: what each makes of the rows, how well it foretells
// them, and what training it would take. One model is held at a time, each in a process of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/run/config.h"

namespace tidemark::cli {

// What is known of one model; each part is filled by a stage and stays empty where that stage failed.
struct ComparedModel {
  std::string model;     // as given
  std::string name, format, architecture;
  bool hasBuiltInTemplate = false;   // its files hold no chat template: its family's was used
  int64_t parameters = 0, trainableParameters = 0;
  int64_t frozenBytes = 0;           // all of them, as memory.weights holds them
  int64_t rows = 0, tokens = 0, longestRow = 0;        // that training would take
  int64_t cutRows = 0, droppedRows = 0, rowsWithoutLoss = 0;
  int64_t leastBudgetBytes = 0, wholeBudgetBytes = 0;  // from formulas; see memory::Estimate
  struct Score {
    int64_t rows = 0, targetTokens = 0, textTokens = 0, textBytes = 0;
    double loss = 0, perplexity = 0;   // for each token: of this tokenizer alone
    double bitsPerByte = 0;            // of the answers' text: comparable between tokenizers
  };
  std::optional<Score> score;
  struct Profile {  // of the configured policy's best micro-batch, from one measured iteration
    int64_t microBatch = 0, peakBytes = 0, remoteBytes = 0;
    double tokensPerSecond = 0, bytesPerSecond = 0;    // text that passes in a second
  };
  std::optional<Profile> profile;
  std::string trouble;               // why a stage failed, and so what follows it
};

struct ComparisonSettings {
  std::string config;                 // as given, for the worker
  std::vector<std::string> overrides;
  std::vector<std::string> models;
  int64_t scoredRows = 100;           // at most, the same ones for all
  bool profiles = true;
};

// What is going on: "data", "score" or "profile" of model `index`, with done of `of` rows; of 0: not known.
struct ComparisonProgress {
  size_t index = 0;
  std::string stage;
  int64_t done = 0, of = 0;
};

class ModelComparison {
 public:
  // `onModel` is called whenever a stage of one has ended.
  ModelComparison(run::RunConfig config, ComparisonSettings settings, std::function<void(const ComparisonProgress&)> onProgress,
                  std::function<void(size_t, const std::string&)> onStage);
  ~ModelComparison();

  // An error: not one of the models could be looked at, or no folder for prepared data. What single models lack is in
  // their `trouble`.
  Status run();
  const std::vector<ComparedModel>& models() const { return models_; }
  int64_t commonRows() const { return commonRows_; }  // rows that every model keeps, of which some are scored

 private:
  Status lookAt(size_t index);
  Status chooseRows();
  void score(size_t index);
  void profile(size_t index);
  std::filesystem::path dataOf(size_t index) const { return scratch_ / ("data-" + std::to_string(index) + ".bin"); }

  run::RunConfig config_;
  ComparisonSettings settings_;
  std::function<void(const ComparisonProgress&)> onProgress_;
  std::function<void(size_t, const std::string&)> onStage_;
  std::filesystem::path scratch_;
  std::vector<ComparedModel> models_;
  int64_t commonRows_ = 0;
};

// One line for programs: everything known of a model. `stage` names the one that has just ended.
Json comparedJson(const ComparedModel& model, const std::string& stage);

}  // namespace tidemark::cli
