#include "app/cli/inspect.h"

#include <unistd.h>

#include <filesystem>
#include <map>

#include "app/cli/preflight.h"
#include "app/cli/words.h"
#include "core/base/bytes.h"
#include "core/base/counted.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/weights/hub_cache.h"
#include "core/weights/safetensors.h"

namespace tidemark::cli {
namespace fs = std::filesystem;
namespace {

using OrderedJson = nlohmann::ordered_json;

void printJson(const OrderedJson& json) { printData(json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace)); }

std::string shapeText(const std::vector<int64_t>& shape) {
  std::string text;
  for (const auto size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

void line(const std::string& name, const std::string& value) {
  print(name + std::string(name.size() < 16 ? 16 - name.size() : 1, ' ') + value);
}

std::map<std::string, uint64_t> bytesByType(const weights::ModelSource& model) {
  std::map<std::string, uint64_t> bytes;
  for (const auto& tensor : model.tensors()) bytes[tensor.storedType] += tensor.storedBytes;
  return bytes;
}

OrderedJson modelJson(const weights::ModelSource& model, const fs::path& path) {
  const auto& config = model.config();
  OrderedJson json{{"event", "inspection"},
                   {"kind", "model"},
                   {"path", path.string()},
                   {"name", config.name},
                   {"format", model.format()},
                   {"architecture", weights::architectureName(config.architecture)},
                   {"parameters", model.parameterCount()},
                   {"layers", config.layerCount},
                   {"hidden_size", config.hiddenSize},
                   {"intermediate_size", config.intermediateSize},
                   {"heads", config.headCount},
                   {"key_value_heads", config.keyValueHeadCount},
                   {"head_size", config.headSize},
                   {"vocabulary_size", config.vocabularySize},
                   {"max_positions", config.maxPositions},
                   {"tied_head", config.hasTiedHead},
                   {"float32_bytes", 4 * model.parameterCount()}};
  json["bytes_by_type"] = bytesByType(model);
  json["tensors"] = OrderedJson::array();
  for (const auto& tensor : model.tensors()) {
    json["tensors"].push_back(
        {{"name", tensor.name}, {"shape", tensor.shape}, {"type", tensor.storedType}, {"bytes", tensor.storedBytes}});
  }
  return json;
}

void printModel(const weights::ModelSource& model, const fs::path& path) {
  const auto& config = model.config();
  line("model", config.name);
  line("path", path.string());
  line("format", model.format());
  line("parameters", std::to_string(model.parameterCount()));
  line("computed with", formatBytes(4 * model.parameterCount()) + " as float32");
  line("layers", std::to_string(config.layerCount));
  line("hidden size", std::to_string(config.hiddenSize) + ", MLP " + std::to_string(config.intermediateSize));
  line("heads", std::to_string(config.headCount) + " of " + std::to_string(config.headSize) + ", key/value " +
                    std::to_string(config.keyValueHeadCount));
  line("vocabulary",
       std::to_string(config.vocabularySize) + (config.hasTiedHead ? ", head tied to the embedding" : ""));
  line("positions", std::to_string(config.maxPositions));
  for (const auto& [type, bytes] : bytesByType(model)) line("stored " + type, formatBytes(static_cast<int64_t>(bytes)));
  print("");
  for (const auto& tensor : model.tensors())
    print(tensor.name + "  " + shapeText(tensor.shape) + "  " + tensor.storedType);
}

// A place for prepared data that is only looked at.
class ScratchFile {
 public:
  ScratchFile() : path_(fs::temp_directory_path() / ("tidemark-inspect-" + std::to_string(::getpid()) + ".bin")) {}
  ~ScratchFile() {
    std::error_code error;
    fs::remove(path_, error);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Result<text::DatasetReport> prepare(const InspectOptions& options, const text::Tokenizer& tokenizer) {
  run::RunConfig config;
  config.dataset.train = options.path;
  config.dataset.format = options.format;
  config.dataset.maxSeqLength = options.maxSequenceLength;
  config.dataset.trainOn = options.trainOn;
  config.dataset.truncation = options.truncation;
  const ScratchFile scratch;
  return text::prepareDataset(text::datasetSettings(config), tokenizer, scratch.path());
}

std::string placeOf(const text::RowProblem& problem) {
  return problem.file + ":" + std::to_string(problem.line) +
         (problem.column > 0 ? ":" + std::to_string(problem.column) : "");
}

OrderedJson dataJson(const text::DatasetReport& report, const std::string& path) {
  OrderedJson json{{"event", "inspection"},
                   {"kind", "data"},
                   {"path", path},
                   {"rows", report.trainRows},
                   {"tokens", report.trainTokens},
                   {"target_tokens", report.trainTargetTokens},
                   {"longest_row", report.longestRow},
                   {"dropped_long", report.droppedLong},
                   {"truncated", report.truncated},
                   {"without_loss", report.withoutLoss},
                   {"blank_lines", report.blankLines},
                   {"hash", report.contentHash},
                   {"problems", OrderedJson::array()}};
  for (const auto& problem : report.problems) {
    json["problems"].push_back(
        {{"file", problem.file}, {"line", problem.line}, {"column", problem.column}, {"what", problem.what}});
  }
  return json;
}

void printData(const text::DatasetReport& report, const std::string& path) {
  line("data", path);
  line("rows", std::to_string(report.trainRows));
  line("tokens", std::to_string(report.trainTokens) + ", with loss " + std::to_string(report.trainTargetTokens));
  line("longest row", counted(report.longestRow, "token"));
  line("left out",
       std::to_string(report.droppedLong) + " too long, " + std::to_string(report.withoutLoss) + " without a target");
  line("truncated", std::to_string(report.truncated));
  line("hash", report.contentHash);
  for (const auto& problem : report.problems) print(placeOf(problem) + ": " + problem.what);
}

}  // namespace

run::ExitCode inspectModel(const InspectOptions& options) {
  const auto path = weights::resolveModelPath(options.path);
  if (!path.ok()) return fail("the model cannot be found", run::Concern::Model, path.error(), options.output);
  const auto model = weights::ModelSource::open(*path);
  if (!model.ok()) return fail("the model cannot be used", run::Concern::Model, model.error(), options.output);
  if (options.output == Output::Json)
    printJson(modelJson(**model, *path));
  else
    printModel(**model, *path);
  return run::ExitCode::Done;
}

run::ExitCode inspectData(const InspectOptions& options) {
  const auto tokenizer = openTokenizer(options.model);
  if (!tokenizer.ok()) return fail("the tokenizer cannot be opened", run::Concern::Model, tokenizer.error(), options.output);
  const auto report = prepare(options, **tokenizer);
  if (!report.ok()) return fail("the data cannot be used", run::Concern::Dataset, report.error(), options.output);
  if (options.output == Output::Json)
    printJson(dataJson(*report, options.path));
  else
    printData(*report, options.path);
  return run::ExitCode::Done;
}

run::ExitCode inspectAdapter(const InspectOptions& options) {
  const auto folder = fs::path(options.path);
  const auto text = readFile(folder / "adapter_config.json", 1 << 20);
  if (!text.ok()) return fail("the adapter cannot be read", run::Concern::Adapter, text.error(), options.output);
  const auto config = parseJson(*text, (folder / "adapter_config.json").string());
  if (!config.ok()) return fail("the adapter cannot be read", run::Concern::Adapter, config.error(), options.output);
  const auto file = weights::SafetensorsFile::open(folder / "adapter_model.safetensors");
  if (!file.ok()) return fail("the adapter cannot be read", run::Concern::Adapter, file.error(), options.output);

  OrderedJson json{{"event", "inspection"},
                   {"kind", "adapter"},
                   {"path", options.path},
                   {"config", *config},
                   {"tensors", OrderedJson::array()}};
  int64_t parameters = 0;
  for (const auto& tensor : file->tensors()) {
    int64_t count = 1;
    for (const auto size : tensor.shape) count *= size;
    parameters += count;
    json["tensors"].push_back({{"name", tensor.name},
                               {"shape", tensor.shape},
                               {"type", std::string(weights::layoutOf(tensor.type).name)},
                               {"bytes", tensor.bytes}});
  }
  json["parameters"] = parameters;
  if (options.output == Output::Json) {
    printJson(json);
    return run::ExitCode::Done;
  }
  line("adapter", options.path);
  line("parameters", std::to_string(parameters));
  for (const auto& [key, value] : config->items()) line(key, value.dump());
  print("");
  for (const auto& tensor : file->tensors())
    print(tensor.name + "  " + shapeText(tensor.shape) + "  " + std::string(weights::layoutOf(tensor.type).name));
  return run::ExitCode::Done;
}

}  // namespace tidemark::cli
