#include "core/train/checkpoint.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/sha256.h"

namespace tidemark::train {
namespace fs = std::filesystem;

namespace {

constexpr const char* kManifest = "manifest.json";
constexpr const char* kTemporary = ".tmp-";
constexpr int kFormatVersion = 1;
constexpr const char* kFiles[] = {"adapter_config.json", "adapter_model.safetensors", "first_moment.safetensors",
                                  "second_moment.safetensors", "progress.json"};

Status writeManifest(const fs::path& folder) {
  Json files = Json::object();
  for (const auto& entry : fs::directory_iterator(folder)) {
    TIDEMARK_ASSIGN(const std::string digest, sha256OfFile(entry.path()));
    files[entry.path().filename().string()] = {{"bytes", entry.file_size()}, {"sha256", digest}};
  }
  return writeFileAtomically(folder / kManifest, Json{{"version", kFormatVersion}, {"files", files}}.dump(2) + "\n");
}

Status verify(const fs::path& folder) {
  const std::string file = (folder / kManifest).string();
  TIDEMARK_ASSIGN(const std::string text, readFile(file, 1 << 20));
  TIDEMARK_ASSIGN(const Json manifest, parseJson(text, file));
  const auto bad = [&](const std::string& name, const std::string& what) { return Error{ErrorCode::InvalidInput, (folder / name).string(), what}; };
  if (!manifest.is_object() || !manifest.contains("files") || !manifest["files"].is_object()) return bad(kManifest, "is not a manifest");
  for (const char* name : kFiles)
    if (!manifest["files"].contains(name)) return bad(kManifest, std::string("says nothing of ") + name);
  for (const auto& [name, facts] : manifest["files"].items()) {
    if (name.find('/') != std::string::npos || !facts.is_object()) return bad(kManifest, "names a file outside the checkpoint");
    std::error_code failed;
    if (!facts.contains("bytes") || facts["bytes"] != fs::file_size(folder / name, failed) || failed)
      return bad(name, "has not the size that the manifest says");
    TIDEMARK_ASSIGN(const std::string digest, sha256OfFile(folder / name));
    if (!facts.contains("sha256") || facts["sha256"] != digest) return bad(name, "has not the content that the manifest says");
  }
  return {};
}

// Folders `step-N` by N, newest first.
std::vector<std::pair<int64_t, fs::path>> finishedCheckpoints(const fs::path& checkpoints) {
  std::vector<std::pair<int64_t, fs::path>> found;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(checkpoints, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("step-")) continue;
    int64_t step = 0;
    const auto [end, status] = std::from_chars(name.data() + 5, name.data() + name.size(), step);
    if (status == std::errc() && end == name.data() + name.size()) found.emplace_back(step, entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

Result<fs::path> temporaryFolder(const fs::path& beside) {
  std::string pattern = beside.string() + kTemporary + "XXXXXX";
  if (!::mkdtemp(pattern.data())) return Error{ErrorCode::Io, beside.string(), "cannot make a temporary folder beside it"};
  ::chmod(pattern.c_str(), 0755);
  return fs::path(pattern);
}

Status writeInto(const fs::path& folder, const peft::TrainableState& state, const peft::AdapterInfo& info, const Progress& progress) {
  TIDEMARK_TRY(peft::writeAdapter(folder, state, info));
  TIDEMARK_TRY(peft::writeBuffer(folder / "first_moment.safetensors", state, state.firstMoment));
  TIDEMARK_TRY(peft::writeBuffer(folder / "second_moment.safetensors", state, state.secondMoment));
  const Json values{{"version", kFormatVersion}, {"step", progress.step}, {"micro_batch", progress.microBatch}, {"seed", progress.seed},
                    {"data_hash", progress.dataHash}, {"tokens_seen", progress.tokensSeen}};
  TIDEMARK_TRY(writeFileAtomically(folder / "progress.json", values.dump(2) + "\n"));
  return writeManifest(folder);
}

}  // namespace

Result<fs::path> writeCheckpoint(const fs::path& checkpoints, const peft::TrainableState& state, const peft::AdapterInfo& info, const Progress& progress) {
  std::error_code failed;
  fs::create_directories(checkpoints, failed);
  if (failed) return Error{ErrorCode::Io, checkpoints.string(), "cannot be created: " + failed.message()};
  const fs::path target = checkpoints / ("step-" + std::to_string(progress.step));
  if (fs::exists(target)) {
    if (verify(target).ok()) return target;  // trained to this step before, and resumed from an older one
    fs::remove_all(target, failed);
  }
  TIDEMARK_ASSIGN(const fs::path temporary, temporaryFolder(target));
  Status written = writeInto(temporary, state, info, progress);
  if (written.ok()) written = publishFolder(temporary, target);
  if (written.ok()) return target;
  fs::remove_all(temporary, failed);
  return written.error();
}

FoundCheckpoint newestCheckpoint(const fs::path& checkpoints) {
  FoundCheckpoint found;
  for (const auto& [step, path] : finishedCheckpoints(checkpoints)) {
    const Status verified = verify(path);
    if (verified.ok()) {
      found.path = path;
      return found;
    }
    found.damaged.push_back(verified.error().message());
  }
  return found;
}

Result<Progress> loadCheckpoint(const fs::path& folder, peft::TrainableState& state) {
  const std::string file = (folder / "progress.json").string();
  TIDEMARK_ASSIGN(const std::string text, readFile(file, 1 << 20));
  TIDEMARK_ASSIGN(const Json values, parseJson(text, file));
  Progress progress;
  try {
    if (values.at("version").get<int>() != kFormatVersion)
      return Error{ErrorCode::Unsupported, file, "has version " + values.at("version").dump() + "; this program reads version " + std::to_string(kFormatVersion)};
    progress = {values.at("step"), values.at("micro_batch"), values.at("seed"), values.at("data_hash"), values.at("tokens_seen")};
  } catch (const Json::exception& e) {
    return Error{ErrorCode::InvalidInput, file, e.what()};
  }
  TIDEMARK_TRY(peft::loadAdapter(folder, state));
  TIDEMARK_TRY(peft::readBuffer(folder / "first_moment.safetensors", state, state.firstMoment));
  TIDEMARK_TRY(peft::readBuffer(folder / "second_moment.safetensors", state, state.secondMoment));
  return progress;
}

void rotateCheckpoints(const fs::path& checkpoints, int64_t keep) {
  int64_t good = 0;
  std::error_code ignored;
  for (const auto& [step, path] : finishedCheckpoints(checkpoints)) {
    if (good >= std::max<int64_t>(1, keep)) fs::remove_all(path, ignored);
    else if (verify(path).ok()) ++good;  // a damaged one takes nobody's place
  }
  std::vector<fs::path> leftBehind;
  for (const auto& entry : fs::directory_iterator(checkpoints, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("step-") && name.find(kTemporary) != std::string::npos) leftBehind.push_back(entry.path());
  }
  for (const fs::path& path : leftBehind) fs::remove_all(path, ignored);
}

Status publishAdapter(const fs::path& target, const peft::TrainableState& state, const peft::AdapterInfo& info) {
  TIDEMARK_ASSIGN(const fs::path temporary, temporaryFolder(target));
  std::error_code failed;
  const Status written = peft::writeAdapter(temporary, state, info);
  if (!written.ok()) {
    fs::remove_all(temporary, failed);
    return written;
  }
  if (!fs::exists(target, failed)) return publishFolder(temporary, target);
  return replaceFolder(temporary, target);
}

}  // namespace tidemark::train
