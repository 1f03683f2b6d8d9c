// Reads the source tree for the architecture tests: its files, their lines and their includes. Judges nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tidemark::arch {

struct SourceFile {
  std::string path;                // relative to the source root, with '/'
  std::vector<std::string> lines;
};

struct Include {
  std::string path;                // relative path of the including file
  int line = 0;
  std::string target;              // what stands between the quotes or brackets
};

// Every text file of the fixed top-level folders and of the root itself, golden data left out.
const std::vector<SourceFile>& sourceFiles();

// Every #include of the C++ files whose path begins with `prefix`.
std::vector<Include> includesBelow(const std::string& prefix);

bool beginsWith(const std::string& text, const std::string& prefix);
bool endsWith(const std::string& text, const std::string& suffix);
// "core/run" for core/run/x.h, "storage" for storage/x.h, "app" for app/cli/x.h.
std::string partOf(const std::string& path);

}  // namespace tidemark::arch
