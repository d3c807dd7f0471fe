// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/io/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "aclgrad/error.h"
#include "temporary_folder.h"
#include "tests/support/allocations.h"

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

TEST(FileTest, WhatKilledWritersLeftIsRemovedByTheNextWrite) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.bin";
  const pid_t writer = ::fork();
  if (writer == 0) {
    const rlimit no_core = {0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const FileSizeLimit limit(1000);
    ::signal(SIGXFSZ, SIG_DFL);
    write_file_atomically(path, std::string(5000, 'x'));
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(writer, &status, 0), writer);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it was killed while it wrote";
  ASSERT_EQ(folder.count(), 1u) << "and left something";
  // Names of the same kind that are none of that.
  for (const char* name : {"a.bin.tmp-backup", "a.bin.tmp-7", "a.bin.tmp-7-", "b.bin.tmp-7-0"}) {
    folder.file(name, "");
  }
  write_file_atomically(path, std::string_view("whole"));
  EXPECT_EQ(read_file(path), "whole");
  EXPECT_EQ(folder.count(), 5u);
}

TEST(FileTest, WhatOtherWritersAreAtIsLeftToThem) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.bin";
  const std::filesystem::path other = folder.file("a.bin.tmp-7-0", "half");
  const int descriptor = ::open(other.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  write_file_atomically(path, std::string_view("one"));
  EXPECT_TRUE(std::filesystem::exists(other));
  ::close(descriptor);
  write_file_atomically(path, std::string_view("two"));
  EXPECT_EQ(folder.count(), 1u);
}

TEST(FileTest, ManyWritersToOnePathDoNotDisturbEachOther) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.bin";
  std::vector<std::string> problems(4);
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    writers.emplace_back([&, i] {
      const std::string content(10000, static_cast<char>('a' + i));
      try {
        for (int round = 0; round < 20; ++round) write_file_atomically(path, content);
      } catch (const std::exception& error) {
        problems[i] = error.what();
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_THAT(problems, testing::Each(""));
  const std::string content = read_file(path);
  EXPECT_EQ(content, std::string(10000, content.at(0)));
  EXPECT_EQ(folder.count(), 1u);
}

TEST(FileTest, WhatIsNoFileIsNeitherReadNorReplaced) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT([&] { read_file(pipe); }, ThrowsMessage<IoError>(HasSubstr("not a regular file")));
  EXPECT_THAT([&] { write_file_atomically(pipe, std::string_view("x")); },
              ThrowsMessage<IoError>(HasSubstr("pipe: is not a regular file")));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_THAT([&] { read_file(folder.path()); },
              ThrowsMessage<IoError>(HasSubstr("not a regular file")));
}

TEST(FileTest, AFileThatDoesNotFitIntoMemory) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.file("a.bin", std::string(200000, 'x'));
  const AllocationLimit limit(100000);
  EXPECT_THAT([&] { read_file(path); },
              ThrowsMessage<IoError>(path.string() +
                                     ": cannot read: its 200000 bytes do not fit into memory"));
}

// More bytes than a string can count.
TEST(FileTest, AFileOfAForgedSize) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.file("a.bin", "");
  std::error_code error;
  std::filesystem::resize_file(path, INT64_MAX, error);
  if (error) GTEST_SKIP() << "this file system has no files of that size";
  EXPECT_THAT([&] { read_file(path); },
              ThrowsMessage<IoError>(HasSubstr("do not fit into memory")));
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
