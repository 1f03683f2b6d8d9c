#include "core/weights/shards.h"

#include <algorithm>
#include <set>

#include "core/base/file.h"
#include "core/base/json.h"

namespace tidemark::weights {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxShards = 4096;

// A name from weight_map: a plain file name ending in .safetensors, nothing that could lead elsewhere.
bool isPlainName(const std::string& name) {
  return name.ends_with(".safetensors") && name.size() <= 255 && !name.starts_with('.') &&
         name.find_first_of(std::string("/\\\0", 3)) == std::string::npos;
}

bool isInside(const fs::path& file, const fs::path& folder) {
  const auto [inFolder, inFile] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return inFolder == folder.end();
}

// A symbolic link may lead into the hub cache's own blobs/ (models--x/snapshots/REV/file -> models--x/blobs/HASH), nowhere else.
Result<fs::path> resolveShard(const fs::path& folder, const std::string& name) {
  std::error_code failure;
  const fs::path link = folder / name;
  const fs::path target = fs::canonical(link, failure);
  if (failure) return Error{ErrorCode::NotFound, link.string(), "is missing; the download may be incomplete"};
  fs::path allowed = fs::canonical(folder, failure);
  if (failure) return Error{ErrorCode::Io, folder.string(), failure.message()};
  if (allowed.parent_path().filename() == "snapshots") allowed = allowed.parent_path().parent_path();
  if (!isInside(target, allowed))
    return Error{ErrorCode::InvalidInput, link.string(),
                 "is a link to " + target.string() + ", outside the model's folder; copy the file there instead"};
  return link;
}

// Tensor name -> shard name, as model.safetensors.index.json says.
Result<std::map<std::string, std::string>> readIndex(const fs::path& file) {
  const auto refuse = [&](const std::string& detail) { return Error{ErrorCode::InvalidInput, file.string(), detail}; };
  TIDEMARK_ASSIGN(const std::string text, readFile(file));
  TIDEMARK_ASSIGN(const Json json, parseJson(text, file.string()));
  if (!json.is_object()) return refuse("is not a JSON object");
  const auto found = json.find("weight_map");
  if (found == json.end() || !found->is_object()) return refuse("weight_map: is missing or not an object");
  if (found->empty()) return refuse("weight_map: is empty");
  std::map<std::string, std::string> shardOf;
  for (const auto& [tensor, shard] : found->items()) {
    if (!shard.is_string()) return refuse("weight_map." + tensor + ": is not a string");
    const auto name = shard.get<std::string>();
    if (!isPlainName(name))
      return refuse("weight_map." + tensor + ": " + shard.dump(-1, ' ', true, Json::error_handler_t::replace) +
                    " is not the plain name of a .safetensors file beside the index");
    shardOf[tensor] = name;
  }
  return shardOf;
}

// Each tensor must be in the shard that the index names, and each shard hold nothing else.
Status compareWithIndex(const Shards& shards, const std::map<std::string, std::string>& shardOf,
                        const std::map<std::string, size_t>& fileOf, const std::string& subject) {
  for (const auto& [tensor, shard] : shardOf)
    if (!shards.files[fileOf.at(shard)].find(tensor))
      return Error{ErrorCode::InvalidInput, subject, "weight_map." + tensor + ": " + shard + " has no such tensor"};
  for (const auto& [shard, index] : fileOf)
    for (const SafetensorsEntry& entry : shards.files[index].tensors()) {
      const auto listed = shardOf.find(entry.name);
      if (listed == shardOf.end() || listed->second != shard)
        return Error{ErrorCode::InvalidInput, subject, "weight_map: does not list tensor " + entry.name + " of " + shard};
    }
  return {};
}

Result<Shards> openIndexed(const fs::path& folder, const fs::path& index) {
  TIDEMARK_ASSIGN(const auto shardOf, readIndex(index));
  std::set<std::string> names;
  for (const auto& [tensor, shard] : shardOf) names.insert(shard);
  if (names.size() > kMaxShards) return Error{ErrorCode::InvalidInput, index.string(), "weight_map: names too many files"};
  std::vector<fs::path> paths;
  for (const std::string& name : names) {
    TIDEMARK_ASSIGN(fs::path path, resolveShard(folder, name));
    paths.push_back(std::move(path));
  }
  Shards shards;
  std::map<std::string, size_t> fileOf;
  for (const std::string& name : names) {
    fileOf[name] = shards.files.size();
    TIDEMARK_ASSIGN(SafetensorsFile file, SafetensorsFile::open(paths[shards.files.size()]));
    shards.files.push_back(std::move(file));
  }
  TIDEMARK_TRY(compareWithIndex(shards, shardOf, fileOf, index.string()));
  for (const auto& [tensor, shard] : shardOf) shards.fileOfTensor[tensor] = fileOf[shard];
  return shards;
}

Result<Shards> openSingle(const fs::path& folder) {
  TIDEMARK_ASSIGN(const fs::path path, resolveShard(folder, "model.safetensors"));
  TIDEMARK_ASSIGN(SafetensorsFile file, SafetensorsFile::open(path));
  Shards shards;
  for (const SafetensorsEntry& entry : file.tensors()) shards.fileOfTensor[entry.name] = 0;
  shards.files.push_back(std::move(file));
  return shards;
}

// Why there is nothing to open: pickled weights and GGUF files are named.
Error nothingToOpen(const fs::path& folder) {
  std::error_code failure;
  std::string pickle, gguf;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string suffix = entry->path().extension().string();
    if (suffix == ".bin" || suffix == ".pt" || suffix == ".pth") pickle = std::max(pickle, entry->path().filename().string());
    if (suffix == ".gguf") gguf = entry->path().filename().string();
  }
  if (!gguf.empty()) return {ErrorCode::InvalidInput, folder.string(), "holds no safetensors; to use " + gguf + ", give its path"};
  if (!pickle.empty())
    return {ErrorCode::Unsupported, folder.string(),
            "holds pickled weights (" + pickle + "), which can run code when they are read; convert to safetensors"};
  return {ErrorCode::NotFound, folder.string(), "holds neither model.safetensors nor model.safetensors.index.json"};
}

}  // namespace

Result<Shards> openShards(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(folder / "model.safetensors", ignored))) return openSingle(folder);
  const fs::path index = folder / "model.safetensors.index.json";
  if (fs::exists(fs::symlink_status(index, ignored))) return openIndexed(folder, index);
  return nothingToOpen(folder);
}

}  // namespace tidemark::weights
