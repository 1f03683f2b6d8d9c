// Run identifiers: ULIDs (48 bits of milliseconds, 80 random bits, 26 characters of Crockford's base 32).
#pragma once

#include <string>
#include <string_view>

namespace tidemark::storage {

// Later ids of one process sort after earlier ones, also within a millisecond. Any thread.
std::string newRunId();
bool isRunId(std::string_view text);

}  // namespace tidemark::storage
