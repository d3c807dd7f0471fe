// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <string>

#include "aclgrad/error.h"
#include "temporary_folder.h"

namespace aclgrad {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// While it lives, files of this process cannot grow beyond a limit: a full disk on demand.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(FileTest, WritesReplacesAndReadsBack) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.bin";
  write_file_atomically(path, std::string_view("one"));
  const std::array<std::string_view, 3> pieces = {"tw", "", std::string_view("o\0\xFF", 3)};
  write_file_atomically(path, pieces);
  EXPECT_EQ(read_file(path), std::string("two\0\xFF", 5));
  write_file_atomically(path, std::string_view());
  EXPECT_EQ(read_file(path), "");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(FileTest, AFailedWriteLeavesTheOldContentAndNothingElse) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.file("a.bin", "old");
  {
    const FileSizeLimit limit(1000);
    EXPECT_THAT([&] { write_file_atomically(path, std::string(5000, 'x')); },
                ThrowsMessage<IoError>(path.string() + ": cannot write: File too large"));
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(FileTest, TargetsThatCannotBeFiles) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { write_file_atomically(folder.path() / "no" / "a", std::string_view("x")); },
              ThrowsMessage<IoError>(HasSubstr("No such file or directory")));
  std::filesystem::create_directory(folder.path() / "sub");
  EXPECT_THAT([&] { write_file_atomically(folder.path() / "sub", std::string_view("x")); },
              ThrowsMessage<IoError>(HasSubstr("sub: cannot replace: Is a directory")));
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_THAT([&] { read_file(folder.path() / "none"); },
              ThrowsMessage<IoError>(HasSubstr("none: cannot read: No such file or directory")));
}

TEST(RenameFile, TakesThePlaceOfAnother) {
  const TemporaryFolder folder;
  const std::filesystem::path from = folder.file("from", "new");
  const std::filesystem::path to = folder.file("to", "old");
  rename_file(from, to);
  EXPECT_EQ(read_file(to), "new");
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_THAT([&] { rename_file(from, to); },
              testing::ThrowsMessage<IoError>(testing::HasSubstr("from: cannot rename to")));
  EXPECT_EQ(read_file(to), "new");
}

}  // namespace
}  // namespace aclgrad
