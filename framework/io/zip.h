// SPDX-License-Identifier: Apache-2.0
// ZIP archives, as NumPy and PyTorch write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/posix_file.h"

namespace aclgrad::detail {

struct ZipEntry {
  std::string name;
  std::uint64_t size = 0;    // of its content
  std::uint64_t packed = 0;  // of that in the archive
  std::uint64_t begin = 0;   // where that is
  std::uint32_t checksum = 0;
  bool deflated = false;
};

/// An archive whose entries are stored or deflated; also one of more than 4 GiB (ZIP64). Its list
/// is read, and checked, when it is opened: names given twice, entries that overlap or lie outside,
/// that are encrypted or packed in another way, or that are said to be more than 1,032 times as
/// large as they are packed, which is the most that Deflate can do: so no file becomes more than
/// that in memory. Throws IoError, which names file and entry.
class ZipReader {
 public:
  explicit ZipReader(std::filesystem::path path);

  const std::vector<ZipEntry>& entries() const { return entries_; }

  /// Nothing where there is no entry of that name.
  const ZipEntry* find(std::string_view name) const;

  /// The content of an entry. Throws IoError where it is damaged, or does not fit into memory.
  std::string read(const ZipEntry& entry) const;

  /// The text `model.pth, "model/data.pkl"`, for messages.
  std::string place(const ZipEntry& entry) const;

 private:
  void read_list();
  void locate_entries(std::uint64_t list_begin);

  InputFile file_;
  std::vector<ZipEntry> entries_;
  std::map<std::string_view, const ZipEntry*> by_name_;
};

/// Whether a file begins as an archive does.
bool begins_as_zip(std::string_view beginning);

/// Makes an archive in memory, of up to 65,535 entries and 4 GiB.
class ZipWriter {
 public:
  /// Returns false, and changes nothing, when that would be more.
  bool add(const std::string& name, std::string_view content, bool deflated);
  std::string finish() &&;

 private:
  std::string bytes_, list_;
  std::uint16_t count_ = 0;
};

}  // namespace aclgrad::detail
