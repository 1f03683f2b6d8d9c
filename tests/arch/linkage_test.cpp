// What the linked binaries load. CMake's targets express it; this looks at the result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace tidemark::arch {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

#ifdef TIDEMARK_BUILDS_TIDEMARK
constexpr bool kBuildsWorkbench = true;
#else
constexpr bool kBuildsWorkbench = false;
#endif
#ifdef TIDEMARK_BUILDS_TIDEMARK_CLI
constexpr bool kBuildsCommandLine = true;
#else
constexpr bool kBuildsCommandLine = false;
#endif
#ifdef TIDEMARK_BUILDS_TIDEMARK_WORKER
constexpr bool kBuildsWorker = true;
#else
constexpr bool kBuildsWorker = false;
#endif

// Every library that `binary` loads, those of its libraries included; one line of ldd each.
std::vector<std::string> loadedLibraries(const std::string& binary) {
  const std::string command = "ldd '" + std::string(TIDEMARK_BIN) + "/" + binary + "' 2>&1";
  std::vector<std::string> lines;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return lines;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) lines.emplace_back(buffer.data());
  pclose(pipe);
  return lines;
}

std::vector<std::string> matching(const std::vector<std::string>& lines, const std::vector<std::string>& parts) {
  std::vector<std::string> found;
  for (const std::string& line : lines)
    for (const std::string& part : parts)
      if (line.find(part) != std::string::npos) found.push_back(line);
  return found;
}

bool isThere(const std::string& binary) { return std::filesystem::exists(std::filesystem::path(TIDEMARK_BIN) / binary); }

TEST(LinkageTest, TheWorkbenchLoadsNoLibtorch) {
  if (!kBuildsWorkbench) GTEST_SKIP() << "this configuration does not build tidemark";
  ASSERT_TRUE(isThere("tidemark")) << "build the target tidemark first";
  const auto libraries = loadedLibraries("tidemark");
  ASSERT_THAT(libraries, Contains(HasSubstr("libQt6Widgets")));
  EXPECT_THAT(matching(libraries, {"libtorch", "libc10"}), IsEmpty());
}

TEST(LinkageTest, TheCommandLineLoadsNeitherLibtorchNorQt) {
  if (!kBuildsCommandLine) GTEST_SKIP() << "this configuration does not build tidemark-cli";
  ASSERT_TRUE(isThere("tidemark-cli")) << "build the target tidemark-cli first";
  const auto libraries = loadedLibraries("tidemark-cli");
  ASSERT_THAT(libraries, Contains(HasSubstr("libsqlite3")));
  EXPECT_THAT(matching(libraries, {"libtorch", "libc10", "libQt6"}), IsEmpty());
}

TEST(LinkageTest, TheWorkerLoadsLibtorchAndNoQt) {
  if (!kBuildsWorker) GTEST_SKIP() << "this configuration does not build tidemark-worker";
  ASSERT_TRUE(isThere("tidemark-worker")) << "build the target tidemark-worker first";
  const auto libraries = loadedLibraries("tidemark-worker");
  ASSERT_THAT(libraries, Contains(HasSubstr("libtorch_cpu")));
  EXPECT_THAT(matching(libraries, {"libQt6", "libsqlite3"}), IsEmpty());
}

TEST(LinkageTest, EveryLibraryIsFound) {
  int checked = 0;
  for (const char* binary : {"tidemark", "tidemark-cli", "tidemark-worker"}) {
    if (!isThere(binary)) continue;
    EXPECT_THAT(loadedLibraries(binary), Not(Contains(HasSubstr("not found")))) << binary;
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "no binary is built";
}

}  // namespace
}  // namespace tidemark::arch
