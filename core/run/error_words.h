// The words that a person reads about an error: what failed, on what, and what to do next. One place for the command line
// and the worker's commands.
#pragma once

#include <string>

#include "core/base/result.h"

namespace tidemark::run {

// What an error is about. The same code asks for different next steps: a damaged model is replaced, a damaged row mended.
enum class Concern {
  Configuration,  // the text of a configuration
  Model,          // weights and tokenizer
  Adapter,
  Dataset,
  Run,            // which run is meant
  RunFiles,       // the run directory and what is in it
  Database,
  Report,         // the file that is written
  Program,        // the other binaries of Tidemark
  Settings,       // values that do not go together, or with this machine
  Text,           // lines or options that were given
};

// Empty where the error's own detail says it.
std::string nextStep(Concern concern, const Error& error);

// "the model cannot be used: FILE: detail", and the next step on a line of its own.
std::string errorWords(const std::string& failed, Concern concern, const Error& error);
std::string errorWords(const std::string& failed, const Error& error, const std::string& nextStep);

}  // namespace tidemark::run
