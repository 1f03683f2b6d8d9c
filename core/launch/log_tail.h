// The end of a rank's log file, for the event that says why the rank ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tidemark::launch {

// The last `lines` lines written at or after byte `from`; valid UTF-8, each line cut at 500 bytes. Empty: none.
std::string logTail(const std::filesystem::path& path, int64_t from, int lines);

}  // namespace tidemark::launch
