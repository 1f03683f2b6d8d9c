#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "tests/arch/source_tree.h"

namespace tidemark::arch {
namespace {

using ::testing::IsEmpty;
using Parts = std::set<std::string>;

std::string where(const Include& include) {
  return include.path + ":" + std::to_string(include.line) + " includes " + include.target;
}

// Which parts each part may include. Dependencies point one way: base <- run <- launch; base <- weights <- text; run <- text;
// all of these <- fit and the engine; run <- storage <- ui; plots <- ui.
const std::map<std::string, Parts>& allowedParts() {
  static const Parts engine{"core/base", "core/run",   "core/text", "core/weights", "core/comm",
                            "core/model", "core/peft", "core/memory", "core/train", "core/fit"};
  static const std::map<std::string, Parts> allowed{
      {"core/base", {"core/base"}},
      {"core/run", {"core/base", "core/run"}},
      {"core/launch", {"core/base", "core/run", "core/launch"}},
      {"core/sweep", {"core/base", "core/run", "core/sweep"}},
      {"core/weights", {"core/base", "core/weights"}},
      {"core/text", {"core/base", "core/run", "core/weights", "core/text"}},
      {"core/fit", {"core/base", "core/run", "core/text", "core/weights", "core/memory", "core/fit"}},
      {"core/report", {"core/base", "core/run", "core/report"}},
      {"core/comm", engine},
      {"core/model", engine},
      {"core/peft", engine},
      {"core/memory", engine},
      {"core/train", engine},
      {"storage", {"core/base", "core/run", "storage"}},
      {"plots", {"plots"}},
      {"ui", {"core/base", "core/run", "core/launch", "core/text", "core/weights", "core/fit", "core/report", "core/sweep", "storage", "plots", "ui"}},
  };
  return allowed;
}

bool isOurs(const std::string& target) {
  static const std::regex pattern(R"re(^(core|app|ui|plots|storage)/)re");
  return std::regex_search(target, pattern);
}

bool isTorch(const std::string& target) {
  static const std::regex pattern(R"re(^(torch|ATen|c10|caffe2)/)re");
  return std::regex_search(target, pattern);
}

bool isQt(const std::string& target) {
  static const std::regex pattern(R"re(^(Q[A-Z]\w*|Qt\w*/\w+|qcustomplot\.h)$)re");
  return std::regex_search(target, pattern);
}

bool isEngine(const std::string& path) {
  static const Parts parts{"core/comm", "core/model", "core/peft", "core/memory", "core/train"};
  return parts.count(partOf(path)) != 0 || path == "app/worker_main.cpp";
}

TEST(IncludesTest, TheTreeIsThere) {
  // Guards the tests below: an empty list of files would satisfy all of them.
  EXPECT_GT(includesBelow("core/").size(), 20u);
  EXPECT_GT(includesBelow("core/base/").size(), 5u);
}

TEST(IncludesTest, QtAndTorchAreRecognised) {
  EXPECT_TRUE(isQt("QWidget"));
  EXPECT_TRUE(isQt("QtWidgets/QLabel"));
  EXPECT_FALSE(isQt("core/base/result.h"));
  EXPECT_TRUE(isTorch("ATen/ATen.h"));
  EXPECT_FALSE(isTorch("core/train/trainer.h"));
}

TEST(IncludesTest, NoQtInCoreAndStorage) {
  std::vector<std::string> found;
  for (const char* part : {"core/", "storage/"})
    for (const Include& include : includesBelow(part))
      if (isQt(include.target)) found.push_back(where(include));
  EXPECT_THAT(found, IsEmpty());
}

TEST(IncludesTest, NoTorchOutsideTheEngine) {
  std::vector<std::string> found;
  for (const char* part : {"core/", "storage/", "plots/", "ui/", "app/"})
    for (const Include& include : includesBelow(part))
      if (isTorch(include.target) && !isEngine(include.path)) found.push_back(where(include));
  EXPECT_THAT(found, IsEmpty());
}

TEST(IncludesTest, NoTorchInThePlan) {
  // The command line and the workbench may use the plan: it is plain arithmetic.
  std::vector<std::string> found;
  for (const char* part : {"core/memory/plan", "core/memory/estimate", "core/memory/figures", "core/memory/memory_choice", "core/memory/piece_parts",
                           "core/memory/block_sizes"})
    for (const Include& include : includesBelow(part))
      if (isTorch(include.target) || include.target == "core/memory/parameter_store.h" || include.target == "core/memory/profile.h")
        found.push_back(where(include));
  EXPECT_THAT(found, IsEmpty());
}

TEST(IncludesTest, DependenciesPointOneWay) {
  std::vector<std::string> found;
  for (const auto& [part, allowed] : allowedParts())
    for (const Include& include : includesBelow(part + "/"))
      if (isOurs(include.target) && allowed.count(partOf(include.target)) == 0 &&
          !beginsWith(include.target, "core/memory/plan"))
        found.push_back(where(include));
  EXPECT_THAT(found, IsEmpty());
}

TEST(IncludesTest, EveryPartHasARule) {
  std::set<std::string> unknown;
  for (const SourceFile& file : sourceFiles()) {
    const std::string part = partOf(file.path);
    const bool isCode = endsWith(file.path, ".cpp") || endsWith(file.path, ".h");
    if (isCode && part != "app" && part != "tests" && allowedParts().count(part) == 0) unknown.insert(part);
  }
  EXPECT_THAT(unknown, IsEmpty());
}

TEST(IncludesTest, TheWorkerKnowsNeitherWorkbenchNorDatabase) {
  std::vector<std::string> found;
  for (const Include& include : includesBelow("app/worker_main.cpp"))
    for (const char* part : {"ui/", "plots/", "storage/"})
      if (beginsWith(include.target, part)) found.push_back(where(include));
  EXPECT_THAT(found, IsEmpty());
}

// Plan and estimate are plain arithmetic in a target of their own, which links no libtorch.
TEST(IncludesTest, CommandLineAndWorkbenchDoNotIncludeTheEngine) {
  std::vector<std::string> found;
  for (const Include& include : includesBelow("app/"))
    if (include.path != "app/worker_main.cpp" && isEngine(include.target) && !beginsWith(include.target, "core/memory/plan") &&
        include.target != "core/memory/estimate.h")
      found.push_back(where(include));
  EXPECT_THAT(found, IsEmpty());
}

TEST(IncludesTest, SqliteStaysInsideStorage) {
  static const std::regex sqlite(R"re(^(sqlite3\.h|SQLiteCpp/))re");
  std::vector<std::string> found;
  for (const char* part : {"core/", "app/", "ui/", "plots/"})
    for (const Include& include : includesBelow(part))
      if (std::regex_search(include.target, sqlite)) found.push_back(where(include));
  EXPECT_THAT(found, IsEmpty());
}

}  // namespace
}  // namespace tidemark::arch
