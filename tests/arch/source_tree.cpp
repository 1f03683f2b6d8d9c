#include "tests/arch/source_tree.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <string_view>

namespace tidemark::arch {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFolders{"app", "core", "ui", "plots", "storage", "resources", "tests", "packaging", ".ci"};
constexpr std::array<std::string_view, 13> kTextSuffixes{".h",  ".cpp",  ".txt", ".cmake", ".py",  ".sh", ".md",
                                                         ".in", ".yaml", ".xml", ".qss",   ".sql", ".ts"};

bool isText(const fs::path& path) {
  const std::string suffix = path.extension().string();
  return path.filename() == "run" || std::find(kTextSuffixes.begin(), kTextSuffixes.end(), suffix) != kTextSuffixes.end();
}

bool isGoldenData(const std::string& path) {
  return beginsWith(path, "tests/golden/") && !endsWith(path, ".py") && !endsWith(path, ".md");
}

SourceFile read(const fs::path& root, const fs::path& path) {
  SourceFile file{fs::relative(path, root).generic_string(), {}};
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
  return file;
}

std::vector<SourceFile> readTree() {
  const fs::path root(TIDEMARK_SOURCE);
  std::vector<SourceFile> files;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_regular_file() && (isText(entry.path()) || entry.path().extension() == ".json"))
      files.push_back(read(root, entry.path()));
  for (const char* folder : kFolders) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if (entry.is_regular_file() && isText(entry.path()) && !isGoldenData(path)) files.push_back(read(root, entry.path()));
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace

const std::vector<SourceFile>& sourceFiles() {
  static const std::vector<SourceFile> files = readTree();
  return files;
}

std::vector<Include> includesBelow(const std::string& prefix) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  std::vector<Include> includes;
  for (const SourceFile& file : sourceFiles()) {
    if (!beginsWith(file.path, prefix) || !(endsWith(file.path, ".h") || endsWith(file.path, ".cpp"))) continue;
    for (size_t i = 0; i < file.lines.size(); ++i) {
      std::smatch match;
      if (std::regex_search(file.lines[i], match, pattern))
        includes.push_back({file.path, static_cast<int>(i) + 1, match[1].str()});
    }
  }
  return includes;
}

bool beginsWith(const std::string& text, const std::string& prefix) { return text.starts_with(prefix); }
bool endsWith(const std::string& text, const std::string& suffix) { return text.ends_with(suffix); }

std::string partOf(const std::string& path) {
  const size_t first = path.find('/');
  if (first == std::string::npos) return path;
  if (!beginsWith(path, "core/")) return path.substr(0, first);
  return path.substr(0, path.find('/', first + 1));
}

}  // namespace tidemark::arch
