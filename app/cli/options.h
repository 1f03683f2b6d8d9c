// Options that several verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/cli/output.h"

namespace tidemark::cli {

inline void addDatabaseOption(CLI::App& command, std::string& database) {
  command.add_option("--db", database, "Database file (default: tidemark/tidemark.db in the XDG data directory)")
      ->type_name("FILE");
}
inline void addJsonFlag(CLI::App& command, Output& output) {
  command.add_flag_callback(
      "--json", [&output] { output = Output::Json; }, "One JSON object per line instead of words");
}

}  // namespace tidemark::cli
