// What RunStore's member functions share; its sources alone include this.
#pragma once

#include <filesystem>

#include "storage/database.h"
#include "storage/run_store.h"

namespace tidemark::storage {

struct RunStore::Impl {
  explicit Impl(const std::filesystem::path& file) : path(file.string()), database(file) {}

  std::string path;
  Database database;
  int64_t changes = 0, seenVersion = -1, seenChanges = -1;  // for changeCounter
};

}  // namespace tidemark::storage
