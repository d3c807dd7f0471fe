// SPDX-License-Identifier: Apache-2.0
// Kills a process that writes checkpoints, at every byte and at random moments; there must always
// be a checkpoint to go on from.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "aclgrad/error.h"
#include "aclgrad/io/checkpoint.h"
#include "aclgrad/io/file.h"
#include "tests/framework/base/temporary_folder.h"

namespace aclgrad {
namespace {

namespace fs = std::filesystem;

Checkpoint numbered(std::int64_t step, std::int64_t elements = 4) {
  return {.step = step, .tensors = {{"w", Tensor::full({elements}, static_cast<double>(step))}}};
}

// A whole checkpoint whose tensor belongs to its step.
void expect_sound(const Checkpoint& checkpoint) {
  ASSERT_EQ(checkpoint.tensors.size(), 1u);
  EXPECT_EQ(checkpoint.tensors[0].second.get(0), static_cast<double>(checkpoint.step));
}

// Runs something in another process and returns that process.
pid_t start(const std::function<void()>& work) {
  const pid_t process = fork();
  if (process == 0) {
    try {
      work();
    } catch (const std::exception&) {
      _exit(1);
    }
    _exit(0);
  }
  return process;
}

int status_of(pid_t process) {
  int status = 0;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return status;
}

// A file may not grow beyond a limit: the byte after it kills the writer.
void die_at_byte(rlim_t limit) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const rlimit size = {limit, limit};
  setrlimit(RLIMIT_FSIZE, &size);
  std::signal(SIGXFSZ, SIG_DFL);
}

TEST(CheckpointKill, AtEveryByteOfAWrite) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  save_checkpoint(path, numbered(1));
  const std::uintmax_t size = fs::file_size(path);
  ASSERT_GT(size, 200u);
  for (rlim_t byte = 0; byte < size; ++byte) {
    const int status = status_of(start([&] {
      die_at_byte(byte);
      save_checkpoint(path, numbered(2));
    }));
    ASSERT_TRUE(WIFSIGNALED(status)) << "byte " << byte;
    ASSERT_EQ(WTERMSIG(status), SIGXFSZ) << "byte " << byte;
    ASSERT_EQ(load_checkpoint(path)->step, 1) << "byte " << byte;
  }
  save_checkpoint(path, numbered(2));
  EXPECT_EQ(load_checkpoint(path)->step, 2);
  EXPECT_EQ(folder.count(), 2u) << "what the killed ones left is removed";
}

// The disk is full: the writer lives and says so.
TEST(CheckpointKill, AFullDiskIsReported) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  save_checkpoint(path, numbered(1));
  const int status = status_of(start([&] {
    die_at_byte(100);
    std::signal(SIGXFSZ, SIG_IGN);  // then write() fails instead
    try {
      save_checkpoint(path, numbered(2));
    } catch (const IoError&) {
      _exit(3);
    }
  }));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(load_checkpoint(path)->step, 1);
  EXPECT_EQ(folder.count(), 1u);
}

// Between the steps that follow the write: before and after each change of a name.
TEST(CheckpointKill, BetweenTheChangesOfNames) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  save_checkpoint(path, numbered(1));
  save_checkpoint(path, numbered(2));
  const std::string old = read_file(path);
  save_checkpoint(folder.path() / "other", numbered(3));
  const std::string fresh = read_file(folder.path() / "other");
  folder.file("run.tmp-7-0", fresh);
  EXPECT_EQ(load_checkpoint(path)->step, 2) << "written, but without its name";
  fs::rename(path, folder.path() / "run.previous");
  EXPECT_EQ(load_checkpoint(path)->step, 2) << "the old one has stepped back";
  save_checkpoint(path, numbered(4));
  EXPECT_EQ(load_checkpoint(path)->step, 4) << "and it goes on from there";
  EXPECT_EQ(load_checkpoint(folder.path() / "run.previous")->step, 2);
  EXPECT_FALSE(fs::exists(folder.path() / "run.tmp-7-0"));
}

// Several runs that save to one path, as where the same training was started twice.
TEST(CheckpointKill, SeveralWritersDoNotDisturbEachOther) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  std::vector<pid_t> writers;
  for (int i = 0; i < 3; ++i) {
    writers.push_back(start([&] {
      for (std::int64_t step = 1; step <= 30; ++step) save_checkpoint(path, numbered(step, 1000));
    }));
  }
  for (const pid_t writer : writers) EXPECT_EQ(status_of(writer), 0);
  expect_sound(*load_checkpoint(path));
  expect_sound(*load_checkpoint(folder.path() / "run.previous"));
  EXPECT_EQ(folder.count(), 2u);
}

TEST(CheckpointKill, AtRandomMoments) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  std::int64_t last = 0;
  save_checkpoint(path, numbered(last, 100000));
  RandomSequence random(1);
  // On a slow disk the first writers get nowhere, and later ones are given more time.
  for (std::uint64_t attempt = 0; attempt < 60 || (last < 5 && attempt < 360); ++attempt) {
    const std::uint64_t most = std::uint64_t{20000} << attempt / 60;
    const pid_t process = start([&] {
      for (std::int64_t step = last + 1;; ++step) save_checkpoint(path, numbered(step, 100000));
    });
    usleep(static_cast<useconds_t>(random.below(most)));
    kill(process, SIGKILL);
    status_of(process);
    const std::optional<Checkpoint> loaded = load_checkpoint(path);
    ASSERT_TRUE(loaded) << "attempt " << attempt;
    expect_sound(*loaded);
    EXPECT_GE(loaded->step, last) << "attempt " << attempt;
    last = loaded->step;
  }
  EXPECT_GE(last, 5) << "the writers got somewhere";
}

}  // namespace
}  // namespace aclgrad
