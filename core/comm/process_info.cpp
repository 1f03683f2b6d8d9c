#include "core/comm/process_info.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace tidemark::comm {
namespace {

Status readInteger(const char* name, int least, int& value) {
  const char* text = std::getenv(name);
  if (!text) return {};
  const auto [end, status] = std::from_chars(text, text + std::strlen(text), value);
  if (status != std::errc() || *end != '\0' || value < least)
    return Error{ErrorCode::InvalidConfig, name, "is \"" + std::string(text) + "\", not an integer of at least " +
                                                     std::to_string(least)};
  return {};
}

}  // namespace

Result<ProcessInfo> ProcessInfo::fromEnvironment() {
  ProcessInfo info;
  TIDEMARK_TRY(readInteger("WORLD_SIZE", 1, info.worldSize));
  TIDEMARK_TRY(readInteger("RANK", 0, info.rank));
  info.localRank = info.rank;
  info.localWorldSize = info.worldSize;
  TIDEMARK_TRY(readInteger("LOCAL_RANK", 0, info.localRank));
  TIDEMARK_TRY(readInteger("LOCAL_WORLD_SIZE", 1, info.localWorldSize));
  TIDEMARK_TRY(readInteger("MASTER_PORT", 0, info.masterPort));
  if (const char* address = std::getenv("MASTER_ADDR")) info.masterAddress = address;
  if (info.rank >= info.worldSize)
    return Error{ErrorCode::InvalidConfig, "RANK", "is " + std::to_string(info.rank) + ", but WORLD_SIZE is " +
                                                       std::to_string(info.worldSize)};
  if (info.worldSize > 1 && info.masterPort == 0)
    return Error{ErrorCode::InvalidConfig, "MASTER_PORT",
                 "is not set; start several ranks with tidemark-cli run, torchrun or srun"};
  return info;
}

}  // namespace tidemark::comm
