#include "core/weights/hub_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/base/temporary_folder.h"

namespace tidemark::weights {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The variables that say where the cache is, set for one test and restored after it.
class HubCache : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) {
      const char* value = ::getenv(name);
      before_.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      ::unsetenv(name);
    }
    ::setenv("HF_HUB_CACHE", (folder / "hub").c_str(), 1);
    folder.write("hub/models--org--name/refs/main", "abc123\n");
    folder.write("hub/models--org--name/refs/pr/1", "def456");
    folder.write("hub/models--org--name/snapshots/abc123/config.json", "{}");
    folder.write("hub/models--org--name/snapshots/def456/config.json", "{}");
  }
  void TearDown() override {
    for (const auto& [name, value] : before_)
      if (value) ::setenv(name, value->c_str(), 1);
      else ::unsetenv(name);
  }
  fs::path snapshot(const std::string& commit) const { return folder / ("hub/models--org--name/snapshots/" + commit); }

  static constexpr const char* kNames[] = {"HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HOME"};
  test::TemporaryFolder folder;

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

TEST_F(HubCache, FollowsTheBranchToItsSnapshot) {
  EXPECT_EQ(resolveModelPath("org/name").value(), snapshot("abc123"));
  EXPECT_EQ(resolveModelPath("org/name@main").value(), snapshot("abc123"));
  EXPECT_EQ(resolveModelPath("org/name@pr/1").value(), snapshot("def456"));
  EXPECT_EQ(resolveModelPath("org/name@def456").value(), snapshot("def456"));
}

TEST_F(HubCache, LooksWhereHuggingFaceLooks) {
  ::unsetenv("HF_HUB_CACHE");
  ::setenv("HF_HOME", folder.path().c_str(), 1);
  EXPECT_TRUE(resolveModelPath("org/name").ok());
  ::unsetenv("HF_HOME");
  folder.write(".cache/huggingface/hub/models--org--home/refs/main", "c1");
  folder.write(".cache/huggingface/hub/models--org--home/snapshots/c1/model.gguf", "");
  ::setenv("HOME", folder.path().c_str(), 1);
  EXPECT_TRUE(resolveModelPath("org/home").ok());
  EXPECT_FALSE(resolveModelPath("org/name").ok());
  ::setenv("XDG_CACHE_HOME", (folder / "elsewhere").c_str(), 1);
  EXPECT_FALSE(resolveModelPath("org/home").ok());
}

TEST_F(HubCache, APathThatExistsComesFirst) {
  EXPECT_EQ(resolveModelPath(folder.path().string()).value(), folder.path());
}

TEST_F(HubCache, SaysWhatIsMissing) {
  EXPECT_THAT(resolveModelPath("org/other").error().message(), HasSubstr("does not have it"));
  EXPECT_THAT(resolveModelPath("org/name@v2").error().message(), HasSubstr("its revision v2 is not"));
  EXPECT_THAT(resolveModelPath("").error().message(), HasSubstr("is empty"));
  folder.write("hub/models--org--name/refs/bad", "../../../secret");
  EXPECT_THAT(resolveModelPath("org/name@bad").error().message(), HasSubstr("does not hold a commit"));
}

TEST_F(HubCache, NamesNeverLeaveTheCache) {
  folder.write("secret/snapshots/main/config.json", "{}");
  for (const std::string name : {"../secret", "org/..", "a/b/c", "/nowhere/else", "org/name@../../../../secret/snapshots/main",
                                 "org/name@", "@main", "org//name", "org/na me", "./org/name", "-x/y", "org/name@..", "org/name@a//b"}) {
    const auto path = resolveModelPath(name);
    ASSERT_FALSE(path.ok()) << name << " became " << *path;
    EXPECT_EQ(path.error().code, ErrorCode::NotFound) << name;
    EXPECT_THAT(path.error().message(), HasSubstr("org/name@revision")) << name;
  }
}

TEST_F(HubCache, ListsModelsThatHaveASnapshot) {
  folder.write("hub/models--gpt2/snapshots/1/config.json", "{}");
  folder.write("hub/models--a--with--dashes/snapshots/1/weights.gguf", "");
  folder.write("hub/models--org--tokenizer-only/snapshots/1/tokenizer.json", "{}");
  folder.write("hub/models--org--started/refs/main", "x");
  folder.write("hub/datasets--org--data/snapshots/1/config.json", "{}");
  EXPECT_THAT(listHubModels(), ElementsAre("a/with--dashes", "gpt2", "org/name"));
  ::setenv("HF_HUB_CACHE", (folder / "no-such-folder").c_str(), 1);
  EXPECT_THAT(listHubModels(), IsEmpty());
}

}  // namespace
}  // namespace tidemark::weights
