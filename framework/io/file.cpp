// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/file.h"

#include <cerrno>
#include <new>
#include <stdexcept>

#include "io/posix_file.h"

namespace aclgrad {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  const detail::InputFile file(path);
  std::string content;
  try {
    content.resize(file.size());
  } catch (const std::bad_alloc&) {
    detail::fail_too_large(path, file.size());
  } catch (const std::length_error&) {
    detail::fail_too_large(path, file.size());
  }
  file.read(0, content.data(), content.size());
  return content;
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_file_atomically(path, std::span(&content, 1));
}

void write_file_atomically(const fs::path& path, std::span<const std::string_view> pieces) {
  detail::TemporaryFile file(path);
  for (const std::string_view piece : pieces) file.write(piece);
  file.sync();
  file.take_name();
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (!detail::rename_if_there(from, to)) detail::fail_io(from, "rename to " + to.string(), ENOENT);
}

}  // namespace aclgrad
