#include "core/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/base/temporary_folder.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

std::set<std::string> names(const fs::path& folder) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename());
  return found;
}

TEST(ReadFile, ReadsTheWholeOrSaysWhyNot) {
  const TemporaryFolder folder;
  const std::string content("a\0b\n", 4);
  EXPECT_EQ(readFile(folder.write("x", content)).value(), content);
  EXPECT_EQ(readFile(folder.write("empty", "")).value(), "");
  EXPECT_TRUE(readFile(folder / "x", 4).ok());
  EXPECT_THAT(readFile(folder / "x", 3).error().detail, HasSubstr("larger than the 3 bytes"));
  EXPECT_EQ(readFile(folder / "none").error().code, ErrorCode::NotFound);
  EXPECT_THAT(readFile(folder.path()).error().detail, HasSubstr("is a folder"));
}

TEST(WriteFileAtomically, ReplacesAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  ASSERT_TRUE(writeFileAtomically(folder / "x", "first").ok());
  ASSERT_TRUE(writeFileAtomically(folder / "x", "second").ok());
  EXPECT_EQ(readFile(folder / "x").value(), "second");
  EXPECT_THAT(names(folder.path()), ElementsAre("x"));
}

TEST(WriteFileAtomically, KeepsTheOldFileWhenItFails) {
  const TemporaryFolder folder;
  EXPECT_FALSE(writeFileAtomically(folder / "no-folder/x", "content").ok());
  // A folder in the place of the target: the rename fails after the temporary file was written.
  folder.write("taken/inside", "kept");
  const Status status = writeFileAtomically(folder / "taken", "content");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().subject, HasSubstr("taken"));
  EXPECT_EQ(readFile(folder / "taken/inside").value(), "kept");
  EXPECT_THAT(names(folder.path()), ElementsAre("taken"));
}

TEST(PublishFolder, MovesAFinishedFolderOnce) {
  const TemporaryFolder folder;
  folder.write("tmp-1/a", "one");
  ASSERT_TRUE(publishFolder(folder / "tmp-1", folder / "done").ok());
  EXPECT_EQ(readFile(folder / "done/a").value(), "one");
  folder.write("tmp-2/a", "two");
  EXPECT_FALSE(publishFolder(folder / "tmp-2", folder / "done").ok());
  EXPECT_EQ(readFile(folder / "done/a").value(), "one");
  EXPECT_FALSE(publishFolder(folder / "none", folder / "other").ok());
}

TEST(ReplaceFolder, LeavesTheNewContentAndNothingElse) {
  const TemporaryFolder folder;
  folder.write("target/old", "one");
  folder.write("tmp/new", "two");
  ASSERT_TRUE(replaceFolder(folder / "tmp", folder / "target").ok());
  EXPECT_THAT(names(folder.path()), ElementsAre("target"));
  EXPECT_THAT(names(folder / "target"), ElementsAre("new"));
  EXPECT_FALSE(replaceFolder(folder / "none", folder / "target").ok());
  EXPECT_EQ(readFile(folder / "target/new").value(), "two");
}

TEST(MappedFile, ShowsTheBytesAlsoAfterDroppingPages) {
  const TemporaryFolder folder;
  auto file = MappedFile::open(folder.write("x", "content"));
  ASSERT_TRUE(file.ok()) << file.error().message();
  MappedFile moved = std::move(*file);
  EXPECT_TRUE(file->bytes().empty());
  moved.dropPages();
  ASSERT_EQ(moved.bytes().size(), 7u);
  EXPECT_EQ(static_cast<char>(moved.bytes()[3]), 't');
}

TEST(MappedFile, RefusesWhatIsNotAFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(MappedFile::open(folder.write("empty", ""))->bytes().empty());
  EXPECT_FALSE(MappedFile::open(folder.path()).ok());
  EXPECT_EQ(MappedFile::open(folder / "none").error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace tidemark
