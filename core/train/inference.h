// A whole model on one process, with or without an adapter: log-probabilities of given tokens, and generation.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/comm/communicator.h"
#include "core/memory/ledger.h"
#include "core/model/llama.h"
#include "core/text/tokenizer.h"

namespace tidemark::train {

class Inference {
 public:
  // `adapter` may be empty.
  static Result<std::unique_ptr<Inference>> open(const std::string& model, const std::filesystem::path& adapter);

  const text::Tokenizer& tokenizer() const { return *tokenizer_; }
  const model::Model& model() const { return *model_; }

  // Natural-log probability of each id after the first, given those before it: ids.size() - 1 values.
  std::vector<double> logProbabilities(const std::vector<int64_t>& ids);
  at::Tensor logits(const std::vector<int64_t>& ids);  // [n, V] float32

  struct Sampling {
    int64_t maxNewTokens = 128;
    double temperature = 0;   // 0: the likeliest token always
    double topP = 1.0;
    uint64_t seed = 42;
  };
  // Ends at a token that ends a sequence or a turn (not returned). `onToken` gets every new id as it comes.
  std::vector<int64_t> generate(const std::vector<int64_t>& prompt, const Sampling& sampling,
                                const std::function<void(int64_t)>& onToken = {});

 private:
  at::Tensor extend(const std::vector<int64_t>& ids, int64_t position, std::vector<model::KeyValueCache>& caches);

  std::shared_ptr<const text::Tokenizer> tokenizer_;
  std::unique_ptr<comm::Communicator> communicator_ = comm::Communicator::single();
  memory::Ledger ledger_;
  std::unique_ptr<model::Model> model_;
};

}  // namespace tidemark::train
