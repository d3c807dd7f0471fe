// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "aclgrad/error.h"
#include "io/posix_file.h"

namespace aclgrad::detail {

void fail_io(const std::filesystem::path& path, std::string_view action, int code) {
  throw IoError(fmt::format("{}: cannot {}: {}", path.string(), action,
                            std::generic_category().message(code)));
}

void fail_too_large(const std::filesystem::path& path, std::uint64_t size) {
  throw IoError(
      fmt::format("{}: cannot read: its {} bytes do not fit into memory", path.string(), size));
}

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  // Without O_NONBLOCK a pipe would wait for its writer here.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail_io(path_, "read", errno);
  struct stat status = {};
  const int code = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  if (code == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  if (code != 0) fail_io(path_, "read", code);
  throw IoError(path_.string() + ": is not a regular file");
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::read(std::uint64_t begin, void* target, std::size_t size) const {
  auto* at = static_cast<char*>(target);
  while (size != 0) {
    const ssize_t got = ::pread(descriptor_, at, size, static_cast<off_t>(begin));
    if (got == 0) throw IoError(path_.string() + ": the file became shorter while it was read");
    if (got < 0) {
      if (errno == EINTR) continue;
      fail_io(path_, "read", errno);
    }
    at += got;
    begin += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace aclgrad::detail
