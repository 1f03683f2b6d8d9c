// Model directories: every file that an index names is checked, and none outside the directory is opened.
#include "core/weights/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/json.h"
#include "core/weights/model_source.h"
#include "core/weights/safetensors_writer.h"
#include "tests/base/temporary_folder.h"

namespace tidemark::weights {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

void writeTensor(const fs::path& path, const std::string& name) {
  const std::vector<int64_t> shape{2};
  const std::vector<float> values{1, 2};
  const std::vector<TensorToWrite> tensors{{name, shape, values}};
  fs::create_directories(path.parent_path());
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
}

void writeIndex(const test::TemporaryFolder& folder, const Json& weightMap) {
  folder.write("model/model.safetensors.index.json", Json{{"weight_map", weightMap}}.dump());
}

std::string problem(const fs::path& folder) {
  const auto shards = openShards(folder);
  return shards.ok() ? "was accepted" : shards.error().message();
}

TEST(Shards, OpensOneFileOrMany) {
  const test::TemporaryFolder folder;
  writeTensor(folder / "model/a.safetensors", "first");
  writeTensor(folder / "model/b.safetensors", "second");
  writeIndex(folder, {{"first", "a.safetensors"}, {"second", "b.safetensors"}});
  const auto many = openShards(folder / "model");
  ASSERT_TRUE(many.ok()) << many.error().message();
  EXPECT_EQ(many->files.size(), 2u);
  EXPECT_NE(many->files[many->fileOfTensor.at("second")].find("second"), nullptr);
  writeTensor(folder / "model/model.safetensors", "only");
  const auto one = openShards(folder / "model");
  ASSERT_TRUE(one.ok()) << one.error().message();
  EXPECT_EQ(one->fileOfTensor.count("only"), 1u);
}

TEST(Shards, RefusesNamesThatLeadElsewhere) {
  const test::TemporaryFolder folder;
  writeTensor(folder / "secret.safetensors", "t");
  writeTensor(folder / "model/sub/x.safetensors", "t");
  const std::string absolute = (folder / "secret.safetensors").string();
  for (const std::string& name :
       {std::string("../secret.safetensors"), absolute, std::string("sub/x.safetensors"), std::string("./sub/x.safetensors"),
        std::string("..\\secret.safetensors"), std::string("sub/../../secret.safetensors"), std::string(".."), std::string("."),
        std::string(""), std::string("/"), std::string("//etc/passwd"), std::string("/dev/zero"), std::string("../secret.safetensors\0", 22),
        std::string("x\0.safetensors", 14), std::string(".hidden.safetensors"), std::string("weights.bin"), std::string("pytorch_model.bin"),
        std::string(300, 'x') + ".safetensors", std::string("~/secret.safetensors/"), std::string("file:///secret.safetensors")}) {
    writeIndex(folder, {{"t", name}});
    EXPECT_THAT(problem(folder / "model"), HasSubstr("weight_map.t: ")) << name;
    EXPECT_THAT(problem(folder / "model"), HasSubstr("plain name")) << name;
  }
}

TEST(Shards, FollowsLinksOnlyIntoTheHubCachesOwnBlobs) {
  const test::TemporaryFolder folder;
  const fs::path repository = folder / "models--org--name";
  writeTensor(repository / "blobs/abc", "t");
  writeTensor(folder / "outside.safetensors", "t");
  fs::create_directories(repository / "snapshots/rev");
  fs::create_symlink("../../blobs/abc", repository / "snapshots/rev/model.safetensors");
  const auto shards = openShards(repository / "snapshots/rev");
  EXPECT_TRUE(shards.ok()) << shards.error().message();
  fs::remove(repository / "snapshots/rev/model.safetensors");
  fs::create_symlink("../../../outside.safetensors", repository / "snapshots/rev/model.safetensors");
  EXPECT_THAT(problem(repository / "snapshots/rev"), HasSubstr("outside the model's folder"));
  fs::create_directories(folder / "plain");
  fs::create_symlink("../outside.safetensors", folder / "plain/model.safetensors");
  EXPECT_THAT(problem(folder / "plain"), HasSubstr("outside the model's folder"));
  fs::remove(folder / "outside.safetensors");
  EXPECT_THAT(problem(folder / "plain"), HasSubstr("is missing"));
}

TEST(Shards, ComparesTheIndexWithTheFiles) {
  const test::TemporaryFolder folder;
  writeTensor(folder / "model/a.safetensors", "first");
  writeTensor(folder / "model/b.safetensors", "second");
  writeIndex(folder, {{"first", "a.safetensors"}, {"second", "c.safetensors"}});
  EXPECT_THAT(problem(folder / "model"), HasSubstr("c.safetensors: is missing"));
  writeIndex(folder, {{"first", "a.safetensors"}, {"second", "a.safetensors"}});
  EXPECT_THAT(problem(folder / "model"), HasSubstr("a.safetensors has no such tensor"));
  writeTensor(folder / "model/b.safetensors", "first");
  writeIndex(folder, {{"first", "a.safetensors"}, {"second", "b.safetensors"}});
  EXPECT_THAT(problem(folder / "model"), HasSubstr("weight_map.second"));
  folder.write("model/b.safetensors", "cut");
  EXPECT_THAT(problem(folder / "model"), HasSubstr("header length"));
}

TEST(Shards, RefusesTensorsThatTheIndexDoesNotList) {
  const test::TemporaryFolder folder;
  const std::vector<int64_t> shape{1};
  const std::vector<float> value{1};
  const std::vector<TensorToWrite> tensors{{"listed", shape, value}, {"hidden", shape, value}};
  fs::create_directories(folder / "model");
  ASSERT_TRUE(writeSafetensors(folder / "model/a.safetensors", tensors).ok());
  writeIndex(folder, {{"listed", "a.safetensors"}});
  EXPECT_THAT(problem(folder / "model"), HasSubstr("does not list tensor hidden"));
}

TEST(Shards, RefusesAMalformedIndex) {
  const test::TemporaryFolder folder;
  for (const char* text : {"", "[]", "{}", R"({"weight_map": []})", R"({"weight_map": {}})", R"({"weight_map": {"t": 3}})",
                           R"({"weight_map": {"t": "a.safetensors", "t": "b.safetensors"}})", R"({"weight_map": {"t": null}})"}) {
    folder.write("model/model.safetensors.index.json", text);
    EXPECT_THAT(problem(folder / "model"), HasSubstr("model.safetensors.index.json")) << text;
  }
}

// The golden model with one thing changed.
TEST(HuggingFaceModel, ChecksTensorsAgainstTheConfiguration) {
  const test::TemporaryFolder folder;
  const fs::path golden = fs::path(TIDEMARK_GOLDEN) / "weights/tiny-llama";
  fs::copy_file(golden / "model.safetensors", folder / "model.safetensors");
  const auto original = readFile(golden / "config.json");
  ASSERT_TRUE(original.ok());
  const auto with = [&](const char* patch) {
    Json json = Json::parse(*original);
    json.merge_patch(Json::parse(patch));
    folder.write("config.json", json.dump());
    const auto source = ModelSource::open(folder.path());
    return source.ok() ? "was accepted" : source.error().message();
  };
  EXPECT_THAT(with("{}"), HasSubstr("was accepted"));
  EXPECT_THAT(with(R"({"num_hidden_layers": 4})"), HasSubstr("model.layers.3.input_layernorm.weight: is missing"));
  EXPECT_THAT(with(R"({"num_hidden_layers": 2})"), HasSubstr("model.layers.2."));
  EXPECT_THAT(with(R"({"vocab_size": 321})"), HasSubstr("embed_tokens.weight: has the shape [320, 64]"));
  EXPECT_THAT(with(R"({"intermediate_size": 128})"), HasSubstr("gate_proj.weight: has the shape [176, 64]"));
  EXPECT_THAT(with(R"({"num_key_value_heads": 4})"), HasSubstr("k_proj.weight: has the shape [32, 64]"));
  EXPECT_THAT(with(R"({"attention_bias": true})"), HasSubstr("q_proj.bias: is missing"));
  EXPECT_THAT(with(R"({"mlp_bias": true})"), HasSubstr("gate_proj.bias: is missing"));
  EXPECT_THAT(with(R"({"tie_word_embeddings": true})"), HasSubstr("was accepted"));
  EXPECT_THAT(with(R"({"model_type": "mistral"})"), HasSubstr("\"mistral\" is not supported"));
  fs::remove(folder / "config.json");
  EXPECT_EQ(ModelSource::open(folder.path()).error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace tidemark::weights
