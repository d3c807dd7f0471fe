// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/io/file.h"

#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

#include "aclgrad/error.h"
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

void require_writable(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw IoError(path.string() + ": cannot be written, it is a folder");
  }
  detail::TemporaryFile(path).write({});
}

fs::path absolute_path(const fs::path& path) {
  if (path.empty()) return path;  // still no name
  std::error_code error;
  fs::path whole = fs::absolute(path, error);
  if (error) detail::fail_io(path, "find the folder of the program", error.value());
  return whole;
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (!detail::rename_if_there(from, to)) detail::fail_io(from, "rename to " + to.string(), ENOENT);
}

}  // namespace aclgrad
