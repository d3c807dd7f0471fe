// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "aclgrad/error.h"
#include "io/posix_file.h"

namespace aclgrad::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInfix = ".tmp-";

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// "12-3"
bool is_process_and_number(std::string_view text) {
  const auto all_digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
  };
  const std::size_t dash = text.find('-');
  return dash != text.npos && all_digits(text.substr(0, dash)) && all_digits(text.substr(dash + 1));
}

void remove_unless_locked(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  ::close(descriptor);
}

/// Whatever cannot be removed stays: that is no reason not to write.
void remove_leftovers(const fs::path& target) {
  const std::string beginning = target.filename().string() + std::string(kInfix);
  std::error_code error;
  for (fs::directory_iterator at(folder_of(target), error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(beginning) &&
        is_process_and_number(std::string_view(name).substr(beginning.size()))) {
      remove_unless_locked(at->path());
    }
  }
}

}  // namespace

void sync_folder_of(const fs::path& path) {
  const int descriptor = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

bool rename_if_there(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    if (errno == ENOENT) return false;
    fail_io(from, "rename to " + to.string(), errno);
  }
  sync_folder_of(to);
  return true;
}

TemporaryFile::TemporaryFile(fs::path target) : target_(std::move(target)) {
  // Renaming would put a file in the place of a device or a pipe.
  std::error_code ignored;
  if (fs::is_other(fs::symlink_status(target_, ignored))) {
    throw IoError(target_.string() + ": is not a regular file, so it is not replaced");
  }
  remove_leftovers(target_);
  while (!create()) {
  }
}

fs::path TemporaryFile::next_name() const {
  static std::atomic<unsigned> counter{0};
  fs::path name = target_;
  return name += std::string(kInfix) + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

/// False when another name must be tried.
bool TemporaryFile::create() {
  path_ = next_name();
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    if (errno == EEXIST) return false;
    fail_io(target_, "create a temporary file next to it", errno);
  }
  // Another writer may take the file for a leftover and remove it until it is locked. Where a file
  // system has no locks, none is taken, and nothing is removed.
  struct stat status = {};
  const bool taken = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!taken && (::fstat(descriptor_, &status) != 0 || status.st_nlink != 0)) return true;
  ::close(std::exchange(descriptor_, -1));
  return false;
}

TemporaryFile::~TemporaryFile() {
  if (!renamed_) ::unlink(path_.c_str());
  ::close(descriptor_);
}

void TemporaryFile::write(std::string_view piece) {
  while (!piece.empty()) {
    const ssize_t written = ::write(descriptor_, piece.data(), piece.size());
    if (written >= 0) {
      piece.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail_io(target_, "write", errno);
    }
  }
}

void TemporaryFile::sync() {
  if (::fsync(descriptor_) != 0) fail_io(target_, "write to the disk", errno);
}

// The lock is held until the name is taken, so the file stays open.
void TemporaryFile::take_name(bool is_forced) {
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail_io(target_, "replace", errno);
  renamed_ = true;
  if (is_forced) sync_folder_of(target_);
}

// Another writer to the same target may take the second name for a leftover, or have been faster:
// then what is called `previous` stays.
void TemporaryFile::take_name_from(const fs::path& previous) {
  const fs::path second = next_name();
  if (::link(target_.c_str(), second.c_str()) != 0) {
    if (errno != ENOENT && errno != EEXIST) rename_if_there(target_, previous);
    return take_name();
  }
  try {
    take_name();
  } catch (const IoError&) {
    ::unlink(second.c_str());
    throw;
  }
  rename_if_there(second, previous);
  ::unlink(second.c_str());  // it stays where both are names of one file
}

}  // namespace aclgrad::detail
