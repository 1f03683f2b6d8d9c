// The numbered steps that bring a database file to the present schema; see SCHEMA.md.
#pragma once

#include <filesystem>
#include <span>

#include "storage/database.h"

namespace tidemark::storage {

// Migration i (from 0) takes a database from version i to i + 1.
struct Migration {
  const char* sql;
};
std::span<const Migration> migrations();

// Applies what is missing, each step in its own transaction. A file of another program and a newer version are refused.
Status migrate(Database& database, const std::filesystem::path& path, std::span<const Migration> steps);

}  // namespace tidemark::storage
