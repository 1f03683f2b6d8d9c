// What the kernel says of a process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::launch {

// The fields of /proc/PID/stat after the command name, which may itself hold spaces and brackets: [0] is the state, [1]
// the parent. Empty if there is no such process, also where it ends while it is read.
std::vector<std::string> statFields(int64_t pid);

}  // namespace tidemark::launch
