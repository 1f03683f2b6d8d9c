#include "core/run/error_words.h"

#include "core/base/printable.h"

namespace tidemark::run {
namespace {

// A name may have thousands of characters, a path up to 4096.
constexpr size_t kMostShown = 4096;

std::string shown(const std::string& subject) {
  const std::string line = oneLine(subject);
  return line.size() > kMostShown ? line.substr(0, kMostShown) + "..." : line;
}

std::string aboutNotFound(Concern concern) {
  switch (concern) {
    case Concern::Configuration: return "Check the path of the configuration.";
    case Concern::Model:
      return "A model is a GGUF file, a Hugging Face directory with its tokenizer, or org/name in the local hub cache.";
    case Concern::Adapter:
      return "An adapter is a directory with adapter_config.json and adapter_model.safetensors.";
    case Concern::Dataset: return "Check the path of the dataset.";
    case Concern::RunFiles: return "The run directory is not complete; start a new run.";
    case Concern::Report: return "Check that the folder exists.";
    case Concern::Program: return "Build or install it in the folder of tidemark-cli.";
    case Concern::Database: return "Check the path of the database.";
    case Concern::Run:
    case Concern::Settings:
    case Concern::Text: return "";
  }
  return "";
}

std::string aboutInvalidConfig(Concern concern) {
  switch (concern) {
    case Concern::Configuration:
    case Concern::Model: return "Mend the configuration and start again.";
    case Concern::RunFiles: return "Mend config.yaml in the run directory, or start a new run.";
    default: return "";  // the detail names what can be chosen
  }
}

std::string aboutInvalidInput(Concern concern) {
  switch (concern) {
    case Concern::Configuration: return "A configuration is a YAML or JSON file; README.md shows one.";
    case Concern::Model: return "If the file is damaged, fetch it again; else choose another model.";
    case Concern::Adapter: return "Check that the adapter is complete, and that it was made for this model.";
    case Concern::Dataset: return "Mend the dataset and try again.";
    case Concern::RunFiles: return "The run directory is damaged; start a new run.";
    case Concern::Database: return "Another file can be given with --db.";
    case Concern::Text: return "Mend it and try again.";
    case Concern::Run:
    case Concern::Report:
    case Concern::Program:
    case Concern::Settings: return "";
  }
  return "";
}

std::string aboutUnsupported(Concern concern) {
  switch (concern) {
    case Concern::Model: return "Choose another model, or the same one in another format.";
    case Concern::Adapter: return "Choose another adapter.";
    default: return "";
  }
}

std::string aboutIo(Concern concern) {
  switch (concern) {
    case Concern::Configuration:
    case Concern::Model:
    case Concern::Adapter: return "Check that it may be read.";
    case Concern::Dataset:
    case Concern::RunFiles:
    case Concern::Report: return "Check that the disk has space, and that you may read and write there.";
    case Concern::Database: return "Another file can be given with --db.";
    case Concern::Program: return "Check that it was built for this machine.";
    case Concern::Run:
    case Concern::Settings:
    case Concern::Text: return "";
  }
  return "";
}

}  // namespace

std::string nextStep(Concern concern, const Error& error) {
  switch (error.code) {
    case ErrorCode::InvalidConfig: return aboutInvalidConfig(concern);
    case ErrorCode::NotFound: return aboutNotFound(concern);
    case ErrorCode::InvalidInput: return aboutInvalidInput(concern);
    case ErrorCode::Unsupported: return aboutUnsupported(concern);
    case ErrorCode::Io: return aboutIo(concern);
    case ErrorCode::RankLost: return "The ranks' logs in the run directory tell more.";
    case ErrorCode::Internal: return "This is a fault in Tidemark; please report it with the command and these lines.";
    // Who finds these knows what would do, and says it.
    case ErrorCode::OutOfMemory:
    case ErrorCode::Busy:
    case ErrorCode::Cancelled: return "";
  }
  return "";
}

std::string errorWords(const std::string& failed, const Error& error, const std::string& nextStep) {
  const std::string subject = error.subject.empty() ? "" : shown(error.subject) + ": ";
  const std::string text = failed + ": " + subject + printable(error.detail);
  return nextStep.empty() ? text : text + "\n  " + nextStep;
}

std::string errorWords(const std::string& failed, Concern concern, const Error& error) {
  return errorWords(failed, error, nextStep(concern, error));
}

}  // namespace tidemark::run
