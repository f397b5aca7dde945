// SPDX-License-Identifier: Apache-2.0
#include "base/write_file.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>

#include "data/npy.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

using test::TempFolder;
namespace fs = std::filesystem;

// No file may grow beyond `bytes`: the nearest to a full disk that a test can have.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(WriteFile, WritesAndReplacesAndLeavesNothingElse) {
  const TempFolder folder;
  const std::string large(3'000'000, 'x');

  ASSERT_TRUE(write_file(folder / "a.txt", "first"));
  ASSERT_TRUE(write_file(folder / "a.txt", large));
  ASSERT_TRUE(write_file(folder / "b.txt", ""));

  EXPECT_EQ(folder.read("a.txt"), large);
  EXPECT_EQ(folder.read("b.txt"), "");
  EXPECT_EQ(folder.count(), 2U);
}

TEST(WriteFile, GivesTheFileThePermissionsOfAnyNewFile) {
  const TempFolder folder;
  const mode_t mask = ::umask(022);

  ASSERT_TRUE(write_file(folder / "a.txt", "x"));

  ::umask(mask);
  EXPECT_EQ(fs::status(folder / "a.txt").permissions(), fs::perms{0644});
}

TEST(WriteFile, KeepsWhatWasThereWhenTheDiskIsFull) {
  const TempFolder folder;
  folder.write("a.npy", "before");
  const std::vector<double> vector(1'000'000, 1.0);
  Result<void> written;
  {
    const SmallDisk disk(100'000);

    written = write_npy(folder / "a.npy", vector);
  }

  ASSERT_FALSE(written);
  EXPECT_EQ(folder.local(written.error().message), "cannot write a.npy: File too large");
  EXPECT_EQ(folder.read("a.npy"), "before");
  EXPECT_EQ(folder.count(), 1U);
}

TEST(WriteFile, WritesIntoADeviceInPlaceOfReplacingIt) {
  const auto full = write_file("/dev/full", "x");

  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().message, "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(write_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/full") && fs::is_character_file("/dev/null"));
}

TEST(WriteFile, FollowsALinkAndKeepsIt) {
  const TempFolder folder;
  folder.write("real.txt", "before");
  fs::create_symlink("real.txt", folder / "link.txt");

  ASSERT_TRUE(write_file(folder / "link.txt", "after"));

  EXPECT_TRUE(fs::is_symlink(folder / "link.txt"));
  EXPECT_EQ(folder.read("real.txt"), "after");
}

TEST(WriteFile, SaysWhyItCannot) {
  const TempFolder folder;
  fs::create_directory(folder / "sub");
  const auto message = [&](const std::string& name) {
    return folder.local(write_file(folder / name, "x").error().message);
  };

  EXPECT_EQ(message("none/a.txt"), "cannot write none/a.txt: No such file or directory");
  EXPECT_EQ(message("sub"), "cannot write sub: Is a directory");
  EXPECT_EQ(message(std::string(300, 'n')), "cannot write " + std::string(300, 'n') + ": File name too long");
  EXPECT_EQ(folder.count(), 1U);
}

TEST(WriteFile, TakesTheLongestNameThatTheFileSystemTakes) {
  const TempFolder folder;

  EXPECT_TRUE(write_file(folder / std::string(255, 'n'), "x"));
}

TEST(WritableFolder, IsMadeWithItsParentsAndLeftEmpty) {
  const TempFolder folder;

  ASSERT_TRUE(make_writable_folder(folder / "runs/today"));
  ASSERT_TRUE(make_writable_folder(folder / "runs/today"));

  EXPECT_TRUE(fs::is_empty(folder / "runs/today"));
}

TEST(WritableFolder, SaysWhyItCannotBe) {
  const TempFolder folder;
  folder.write("file", "x");

  const auto made = make_writable_folder(folder / "file");
  const auto below = make_writable_folder(folder / "file/sub");

  ASSERT_FALSE(made);
  EXPECT_EQ(folder.local(made.error().message), "cannot write into file: Not a directory");
  ASSERT_FALSE(below);
  EXPECT_EQ(folder.local(below.error().message), "cannot write into file/sub: Not a directory");
}

}  // namespace
}  // namespace fedrk::io
