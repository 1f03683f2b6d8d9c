#include "core/run/config_keys.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tidemark::run {
namespace {

using Kind = KeyInfo::Kind;

constexpr double kMost = 9007199254740992.0;  // 2^53: the greatest integer that JSON readers keep exactly

Field makeField(const char* key, const char* label, const char* unit, Kind kind, Slot (*slot)(RunConfig&), const char* help) {
  Field field;
  field.info.key = key;
  field.info.label = label;
  field.info.unit = unit;
  field.info.help = help;
  field.info.kind = kind;
  field.slot = slot;
  return field;
}

#define TIDEMARK_SLOT(member) [](RunConfig& c) -> Slot { return &c.member; }

Field text(const char* key, const char* label, Kind kind, Slot (*slot)(RunConfig&), const char* help, bool isRequired) {
  Field field = makeField(key, label, "", kind, slot, help);
  field.info.isRequired = isRequired;
  return field;
}

Field choice(const char* key, const char* label, Slot (*slot)(RunConfig&), std::vector<std::string> choices, const char* help) {
  Field field = makeField(key, label, "", Kind::Choice, slot, help);
  field.info.choices = std::move(choices);
  return field;
}

Field number(const char* key, const char* label, const char* unit, Kind kind, Slot (*slot)(RunConfig&), Range range,
             const char* help) {
  Field field = makeField(key, label, unit, kind, slot, help);
  field.range = range;
  return field;
}

Field autoWhenZero(Field field) {
  field.isAutoWhenZero = true;
  return field;
}

void addData(std::vector<Field>& all) {
  all.push_back(text("model", "Model", Kind::Path, TIDEMARK_SLOT(model),
                     "GGUF file, Hugging Face directory, or org/name from the local hub cache.", true));
  all.push_back(text("dataset.train", "Training data", Kind::Path, TIDEMARK_SLOT(dataset.train),
                     "File with the training examples.", true));
  all.push_back(text("dataset.eval", "Evaluation data", Kind::Text, TIDEMARK_SLOT(dataset.eval),
                     "A file, or the fraction of the training data (0 to 0.5) held back for evaluation.", false));
  all.push_back(choice("dataset.format", "Format", TIDEMARK_SLOT(dataset.format),
                       {"auto", "messages", "alpaca", "prompt-completion"}, "How an example is laid out."));
  all.push_back(number("dataset.max_seq_length", "Sequence length", "tokens", Kind::Integer,
                       TIDEMARK_SLOT(dataset.maxSeqLength), {2, 1 << 20}, "Longest sequence that is trained on."));
  all.push_back(makeField("dataset.packing", "Packing", "", Kind::Boolean, TIDEMARK_SLOT(dataset.packing),
                          "Puts several short examples into one sequence."));
  all.push_back(choice("dataset.train_on", "Train on", TIDEMARK_SLOT(dataset.trainOn), {"assistant", "all"},
                       "Which tokens count in the loss."));
  all.push_back(choice("dataset.truncation", "Longer examples", TIDEMARK_SLOT(dataset.truncation),
                       {"drop", "truncate", "error"}, "What happens to an example that is longer than a sequence."));
}

void addPeft(std::vector<Field>& all) {
  all.push_back(choice("peft.type", "Method", TIDEMARK_SLOT(peft.type), {"lora"}, "Parameter-efficient method."));
  all.push_back(number("peft.r", "LoRA rank", "", Kind::Integer, TIDEMARK_SLOT(peft.r), {1, 4096},
                       "Inner dimension of the adapter."));
  all.push_back(number("peft.lora_alpha", "LoRA alpha", "", Kind::Real, TIDEMARK_SLOT(peft.loraAlpha), {0, 1e6, true},
                       "The adapter's output is scaled by alpha / r."));
  all.push_back(number("peft.lora_dropout", "LoRA dropout", "", Kind::Real, TIDEMARK_SLOT(peft.loraDropout),
                       {0, 1, false, true}, "Probability that an input of the adapter is dropped."));
  Field modules = makeField("peft.target_modules", "Adapted layers", "", Kind::List, TIDEMARK_SLOT(peft.targetModules),
                            "all-linear, or a list of the projections that get an adapter.");
  modules.info.choices = {"all-linear", "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  all.push_back(modules);
}

void addTraining(std::vector<Field>& all) {
  all.push_back(number("training.global_batch_size", "Global batch", "sequences", Kind::Integer,
                       TIDEMARK_SLOT(training.globalBatchSize), {1, 1 << 20}, "Sequences per step over all ranks."));
  all.push_back(autoWhenZero(number("training.micro_batch_size", "Micro-batch", "sequences", Kind::Integer,
                                    TIDEMARK_SLOT(training.microBatchSize), {0, 1 << 20},
                                    "Sequences per rank and iteration; auto lets the plan choose.")));
  all.push_back(number("training.max_steps", "Steps", "steps", Kind::Integer, TIDEMARK_SLOT(training.maxSteps), {1, 1e9},
                       "Optimizer updates in the whole run."));
  all.push_back(number("training.learning_rate", "Learning rate", "", Kind::Real, TIDEMARK_SLOT(training.learningRate),
                       {0, 1}, "Peak learning rate."));
  all.push_back(choice("training.lr_scheduler_type", "Schedule", TIDEMARK_SLOT(training.lrSchedulerType),
                       {"cosine", "linear", "constant"}, "How the learning rate goes on after the warm-up."));
  all.push_back(number("training.warmup_ratio", "Warm-up", "", Kind::Real, TIDEMARK_SLOT(training.warmupRatio), {0, 1},
                       "Fraction of the steps over which the learning rate rises."));
  all.push_back(number("training.weight_decay", "Weight decay", "", Kind::Real, TIDEMARK_SLOT(training.weightDecay), {0, 1},
                       "Decoupled weight decay of AdamW."));
  all.push_back(number("training.adam_beta1", "Adam beta 1", "", Kind::Real, TIDEMARK_SLOT(training.adamBeta1),
                       {0, 1, false, true}, "Decay of the first moment."));
  all.push_back(number("training.adam_beta2", "Adam beta 2", "", Kind::Real, TIDEMARK_SLOT(training.adamBeta2),
                       {0, 1, false, true}, "Decay of the second moment."));
  all.push_back(number("training.adam_epsilon", "Adam epsilon", "", Kind::Real, TIDEMARK_SLOT(training.adamEpsilon),
                       {0, 1, true}, "Added to the root of the second moment."));
  all.push_back(number("training.max_grad_norm", "Gradient clipping", "", Kind::Real, TIDEMARK_SLOT(training.maxGradNorm),
                       {0, 1e9}, "Greatest norm of the gradient; 0 does not clip."));
  all.push_back(choice("training.optim", "Optimizer", TIDEMARK_SLOT(training.optim), {"adamw"}, "Optimizer."));
  all.push_back(number("training.seed", "Seed", "", Kind::Integer, TIDEMARK_SLOT(training.seed), {0, kMost},
                       "Seed of the adapter, the order of the data and dropout."));
  all.push_back(choice("training.dtype", "Precision", TIDEMARK_SLOT(training.dtype), {"float32"},
                       "Number format of the computation."));
  all.push_back(number("training.eval_steps", "Evaluate every", "steps", Kind::Integer, TIDEMARK_SLOT(training.evalSteps),
                       {0, 1e9}, "Steps between evaluations; 0 evaluates before the first and after the last step only."));
}

void addMachine(std::vector<Field>& all) {
  all.push_back(autoWhenZero(number("memory.budget", "Memory budget", "bytes", Kind::Bytes,
                                    TIDEMARK_SLOT(memory.budgetBytes), {0, 1125899906842624.0},
                                    "Device bytes that one rank may use, such as 8GiB; auto takes what is free.")));
  all.push_back(choice("memory.policy", "Cache policy", TIDEMARK_SLOT(memory.policy),
                       {"elastic", "pinned", "gather-always", "unsharded"}, "Which remote weights are kept after use."));
  all.push_back(choice("memory.activations", "Activations", TIDEMARK_SLOT(memory.activations), {"auto", "save", "recompute"},
                       "Saved for the backward pass, or computed again in it; auto does what is faster and fits."));
  all.push_back(choice("memory.accumulation", "Accumulation", TIDEMARK_SLOT(memory.accumulation),
                       {"auto", "depth-first", "breadth-first"},
                       "Order of a step's micro-batches: one after the other, or all of them through an operator before the next, which gathers less."));
  all.push_back(choice("memory.weights", "Frozen weights", TIDEMARK_SLOT(memory.weights), {"float32", "stored", "int8", "nf4"},
                       "How frozen weights are held and gathered: as the file stores them, or quantised on load."));
  all.push_back(choice("parallel.device", "Device", TIDEMARK_SLOT(parallel.device), {"auto", "cpu", "cuda"},
                       "Where the ranks compute."));
  all.push_back(choice("parallel.backend", "Collectives", TIDEMARK_SLOT(parallel.backend), {"auto", "gloo", "nccl"},
                       "Library that carries the collectives."));
  all.push_back(number("parallel.ranks", "Ranks", "ranks", Kind::Integer, TIDEMARK_SLOT(parallel.ranks), {1, 1024},
                       "Processes over which the frozen weights are sharded."));
  all.push_back(number("parallel.threads_per_rank", "Threads per rank", "threads", Kind::Integer,
                       TIDEMARK_SLOT(parallel.threadsPerRank), {1, 1024}, "CPU threads of each rank."));
  all.push_back(autoWhenZero(number("parallel.master_port", "Rendezvous port", "", Kind::Integer,
                                    TIDEMARK_SLOT(parallel.masterPort), {0, 65535},
                                    "TCP port over which the ranks meet; auto takes a free one.")));
  all.push_back(text("output.dir", "Run directory", Kind::Path, TIDEMARK_SLOT(output.dir),
                     "Where the run's files go; auto makes a folder in the data directory.", false));
  all.push_back(number("output.checkpoint_every", "Checkpoint every", "steps", Kind::Integer,
                       TIDEMARK_SLOT(output.checkpointEvery), {0, 1e9},
                       "Steps between checkpoints; 0 writes one only when stopped and at the end."));
  all.push_back(number("output.keep_checkpoints", "Keep checkpoints", "", Kind::Integer,
                       TIDEMARK_SLOT(output.keepCheckpoints), {1, 1e6}, "How many of the newest checkpoints stay on disk."));
}

std::vector<Field> makeFields() {
  std::vector<Field> all;
  addData(all);
  addPeft(all);
  addTraining(all);
  addMachine(all);
  const RunConfig defaults;
  for (Field& field : all) field.info.defaultValue = textOf(defaults, field);
  return all;
}

// Levenshtein distance.
size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::string leafOf(const std::string& key) { return key.substr(key.rfind('.') + 1); }

// Names that other tools use for the same thing.
const char* knownElsewhere(const std::string& leaf) {
  static constexpr std::array<std::pair<const char*, const char*>, 16> kNames{{
      {"lr", "training.learning_rate"},
      {"lora_r", "peft.r"},
      {"rank", "peft.r"},
      {"alpha", "peft.lora_alpha"},
      {"dropout", "peft.lora_dropout"},
      {"batch_size", "training.global_batch_size"},
      {"per_device_train_batch_size", "training.micro_batch_size"},
      {"gradient_accumulation_steps", "training.global_batch_size"},
      {"num_train_epochs", "training.max_steps"},
      {"epochs", "training.max_steps"},
      {"save_steps", "output.checkpoint_every"},
      {"save_total_limit", "output.keep_checkpoints"},
      {"max_length", "dataset.max_seq_length"},
      {"output_dir", "output.dir"},
      {"world_size", "parallel.ranks"},
      {"model_name_or_path", "model"},
  }};
  for (const auto& [name, key] : kNames)
    if (leaf == name) return key;
  return nullptr;
}

std::string sectionOf(const std::string& key) { return key.find('.') == std::string::npos ? "" : key.substr(0, key.rfind('.')); }

// A slip of the hand in a section that exists: "parallel.rank".
std::string misspelt(const std::string& key) {
  std::string best;
  size_t least = 3;
  for (const Field& field : fields()) {
    if (sectionOf(key) != sectionOf(field.info.key)) continue;
    const size_t distance = editDistance(leafOf(key), leafOf(field.info.key));
    const bool isSimilar = 2 * distance < std::min(leafOf(key).size(), leafOf(field.info.key).size());
    if (!isSimilar || distance >= least) continue;
    least = distance;
    best = field.info.key;
  }
  return best;
}

std::string nearestKey(const std::string& key) {
  if (const std::string meant = misspelt(key); !meant.empty()) return meant;
  if (const char* same = knownElsewhere(leafOf(key))) return same;
  std::string best;
  size_t least = std::numeric_limits<size_t>::max();
  for (const Field& field : fields()) {
    // The right name in the wrong section is nearer than a similar name in the right one.
    const size_t whole = 2 * editDistance(key, field.info.key);
    const size_t leaf = 2 * editDistance(leafOf(key), leafOf(field.info.key)) + 1;
    const size_t distance = std::min(whole, leaf);
    if (distance < least) {
      least = distance;
      best = field.info.key;
    }
  }
  return best;
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> kFields = makeFields();
  return kFields;
}

const std::vector<KeyInfo>& configKeys() {
  static const std::vector<KeyInfo> kKeys = [] {
    std::vector<KeyInfo> keys;
    for (const Field& field : fields()) keys.push_back(field.info);
    return keys;
  }();
  return kKeys;
}

const Field* findField(const std::string& key) {
  for (const Field& field : fields())
    if (field.info.key == key) return &field;
  return nullptr;
}

bool isSection(const std::string& name) {
  return std::any_of(fields().begin(), fields().end(),
                     [&](const Field& field) { return field.info.key.starts_with(name + "."); });
}

std::string unknownKeyText(const std::string& key) {
  if (isSection(key)) return "is a group of keys, not a value; write its keys below it";
  const size_t dot = key.find('.');
  if (dot != std::string::npos && findField(key.substr(0, key.rfind('.'))))
    return "does not exist: " + key.substr(0, key.rfind('.')) + " takes a value, not a group of keys";
  if (key.size() > 64) return "is not a known key";
  return "is not a known key; did you mean " + nearestKey(key) + "?";
}

}  // namespace tidemark::run
