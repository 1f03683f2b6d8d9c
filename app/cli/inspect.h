// What `inspect` tells about a model, a dataset or an adapter.
#pragma once

#include <cstdint>
#include <string>

#include "app/cli/output.h"
#include "core/run/exit_code.h"

namespace tidemark::cli {

struct InspectOptions {
  std::string path;
  std::string model, format = "auto", trainOn = "assistant", truncation = "drop";  // data only
  int64_t maxSequenceLength = 512;
  Output output = Output::Words;
};

run::ExitCode inspectModel(const InspectOptions& options);
run::ExitCode inspectData(const InspectOptions& options);
run::ExitCode inspectAdapter(const InspectOptions& options);

}  // namespace tidemark::cli
