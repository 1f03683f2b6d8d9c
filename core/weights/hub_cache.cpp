#include "core/weights/hub_cache.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/base/file.h"

namespace tidemark::weights {
namespace fs = std::filesystem;
namespace {

// The value of an environment variable; empty counts as not set.
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// In huggingface_hub's order. Empty where not even a home is known.
fs::path hubFolder() {
  if (const std::string cache = variable("HF_HUB_CACHE"); !cache.empty()) return cache;
  if (const std::string home = variable("HF_HOME"); !home.empty()) return fs::path(home) / "hub";
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "huggingface" / "hub";
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "huggingface" / "hub";
  return {};
}

// One part of a repository's or a revision's name: no separators, no "..", no leading dot or dash.
bool isPlainPart(const std::string& part) {
  return !part.empty() && part.size() <= 200 && part.front() != '.' && part.front() != '-' &&
         part.find("..") == std::string::npos && std::all_of(part.begin(), part.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '-' || c == '_' || c == '.';
         });
}

// Every part between slashes is plain.
bool isPlainPath(const std::string& text) {
  for (size_t begin = 0;;) {
    const size_t end = text.find('/', begin);
    if (!isPlainPart(text.substr(begin, end - begin))) return false;
    if (end == std::string::npos) return true;
    begin = end + 1;
  }
}

bool isModelFolder(const fs::path& snapshot) {
  std::error_code failure;
  if (fs::exists(snapshot / "config.json", failure)) return true;
  for (fs::directory_iterator entry(snapshot, failure), end; !failure && entry != end; entry.increment(failure))
    if (entry->path().extension() == ".gguf") return true;
  return false;
}

std::string folderName(const std::string& model) {
  const size_t slash = model.find('/');
  if (slash == std::string::npos) return "models--" + model;
  return "models--" + model.substr(0, slash) + "--" + model.substr(slash + 1);
}

// `revision` is a branch or tag (a file in refs/ holds its commit) or a commit.
Result<fs::path> findSnapshot(const fs::path& repository, const std::string& model, const std::string& revision) {
  std::string commit = revision;
  std::error_code ignored;
  if (const fs::path ref = repository / "refs" / revision; fs::is_regular_file(ref, ignored)) {
    TIDEMARK_ASSIGN(commit, readFile(ref, 4096));
    while (!commit.empty() && std::isspace(static_cast<unsigned char>(commit.back()))) commit.pop_back();
    if (!isPlainPart(commit)) return Error{ErrorCode::InvalidInput, ref.string(), "does not hold a commit"};
  }
  const fs::path snapshot = repository / "snapshots" / commit;
  if (fs::is_directory(snapshot, ignored)) return snapshot;
  return Error{ErrorCode::NotFound, model, "is in the hub cache (" + repository.string() + "), but its revision " + revision + " is not"};
}

}  // namespace

std::string hubModelName(const std::string& folder) {
  constexpr std::string_view kPrefix = "models--";
  if (!folder.starts_with(kPrefix)) return {};
  const std::string name = folder.substr(kPrefix.size());
  const size_t cut = name.find("--");
  return cut == std::string::npos ? name : name.substr(0, cut) + "/" + name.substr(cut + 2);
}

Result<fs::path> resolveModelPath(const std::string& nameOrPath) {
  std::error_code ignored;
  if (nameOrPath.empty()) return Error{ErrorCode::InvalidConfig, "model", "is empty"};
  if (fs::exists(nameOrPath, ignored)) return fs::path(nameOrPath);
  const size_t at = nameOrPath.find('@');
  const std::string model = nameOrPath.substr(0, at);
  const std::string revision = at == std::string::npos ? "main" : nameOrPath.substr(at + 1);
  if (std::count(model.begin(), model.end(), '/') > 1 || !isPlainPath(model) || !isPlainPath(revision))
    return Error{ErrorCode::NotFound, nameOrPath, "there is no such file or folder, and it is not a name like org/name or org/name@revision"};
  const fs::path hub = hubFolder();
  if (hub.empty()) return Error{ErrorCode::NotFound, nameOrPath, "there is no such file, and no hub cache (HOME is not set)"};
  const fs::path repository = hub / folderName(model);
  if (!fs::is_directory(repository, ignored))
    return Error{ErrorCode::NotFound, nameOrPath, "there is no such file, and the hub cache in " + hub.string() +
                                                      " does not have it; download it first, or give a path"};
  return findSnapshot(repository, model, revision);
}

std::vector<std::string> listHubModels() {
  std::vector<std::string> models;
  std::error_code failure;
  const fs::path hub = hubFolder();
  if (hub.empty()) return models;
  for (fs::directory_iterator entry(hub, failure), end; !failure && entry != end; entry.increment(failure)) {
    std::string name = hubModelName(entry->path().filename().string());
    if (name.empty()) continue;
    std::error_code inner;
    bool hasModel = false;
    for (fs::directory_iterator snapshot(entry->path() / "snapshots", inner), last; !inner && snapshot != last; snapshot.increment(inner))
      hasModel = hasModel || isModelFolder(snapshot->path());
    if (hasModel) models.push_back(std::move(name));
  }
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace tidemark::weights
