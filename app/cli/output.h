// For whom a verb writes: words for people, or one JSON object per line for programs.
#pragma once

namespace tidemark::cli {

enum class Output { Words, Json };

}  // namespace tidemark::cli
