// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "aclgrad/error.h"

namespace aclgrad {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& action, int code) {
  throw IoError(path.string() + ": cannot " + action + ": " +
                std::generic_category().message(code));
}

/// An open temporary file that disappears unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : target_(target) {
    static std::atomic<unsigned> counter{0};
    do {
      path_ = target;
      path_ += ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail(target_, "create a temporary file beside it", errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!renamed_) ::unlink(path_.c_str());
  }

  void write(std::string_view piece) {
    while (!piece.empty()) {
      const ssize_t written = ::write(descriptor_, piece.data(), piece.size());
      if (written >= 0) {
        piece.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        fail(target_, "write", errno);
      }
    }
  }

  void take_name() {
    if (::fsync(descriptor_) != 0) fail(target_, "write to the disk", errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(target_, "close", errno);
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, "replace", errno);
    renamed_ = true;
  }

 private:
  const fs::path& target_;
  fs::path path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

/// Makes the renaming itself durable. Not every file system can do that for folders, and the file
/// is complete by now, so a failure here is none of the caller's.
void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    // status() reports a missing file without an error code in some cases.
    fail(path, "read", error ? error.value() : ENOENT);
  }
  if (!fs::is_regular_file(status)) throw IoError(path.string() + ": is not a regular file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail(path, "open", errno);
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) fail(path, "read", error.value());
  std::string content(static_cast<std::size_t>(size), '\0');
  stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (static_cast<std::size_t>(stream.gcount()) != content.size()) {
    throw IoError(path.string() + ": the file became shorter while it was read");
  }
  return content;
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_file_atomically(path, std::span(&content, 1));
}

void write_file_atomically(const fs::path& path, std::span<const std::string_view> pieces) {
  TemporaryFile file(path);
  for (const std::string_view piece : pieces) file.write(piece);
  file.take_name();
  sync_folder_of(path);
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail(from, "rename to " + to.string(), errno);
  sync_folder_of(to);
}

}  // namespace aclgrad
