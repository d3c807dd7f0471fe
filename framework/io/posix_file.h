// SPDX-License-Identifier: Apache-2.0
// Files by their descriptors: reading a whole regular file, and writing one that takes its name
// only when it is complete. Everything here throws IoError, which begins with the path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace aclgrad::detail {

/// Throws IoError with what `code`, a value of errno, means.
[[noreturn]] void fail_io(const std::filesystem::path& path, std::string_view action, int code);

/// Throws IoError: the content of the file does not fit into memory.
[[noreturn]] void fail_too_large(const std::filesystem::path& path, std::uint64_t size);

/// As rename_file() does, but returns false where there is no file of the first name.
bool rename_if_there(const std::filesystem::path& from, const std::filesystem::path& to);

/// Makes a change of names durable. Not every file system can do that for folders, and the files
/// themselves are complete by then, so a failure is ignored.
void sync_folder_of(const std::filesystem::path& path);

/// A regular file that is open for reading.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::filesystem::path& path() const { return path_; }

  /// In bytes, when it was opened.
  std::uint64_t size() const { return size_; }

  /// Reads `size` bytes from byte `begin` on. Throws when the file ends before.
  void read(std::uint64_t begin, void* target, std::size_t size) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// A file in the folder of its target, called target.tmp-PROCESS-NUMBER, which disappears unless it
/// takes the target's name. It is locked while its writer lives; those that are not locked were
/// left behind by processes that were killed, and the next writer to the same target removes them.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  void write(std::string_view piece);

  /// Forces to the disk what was written.
  void sync();

  /// Gives it the target's name, in the place of what had it, and, unless that may take its time,
  /// forces it to the disk.
  void take_name(bool is_forced = true);

  /// Likewise, and what had the name is called `previous` then, in the place of what had that. At
  /// every moment the target's name is that of a file, where the file system has hard links.
  void take_name_from(const std::filesystem::path& previous);

 private:
  bool create();
  std::filesystem::path next_name() const;

  std::filesystem::path target_;
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

}  // namespace aclgrad::detail
