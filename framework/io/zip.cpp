// SPDX-License-Identifier: Apache-2.0
#include "io/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "aclgrad/error.h"
#include "io/deflate.h"
#include "io/file_kind.h"
#include "io/little_endian.h"
#include "io/shown.h"

namespace aclgrad::detail {
namespace {

constexpr std::string_view kLocal = "PK\x03\x04", kCentral = "PK\x01\x02", kEnd = "PK\x05\x06";
constexpr std::string_view kEnd64 = "PK\x06\x06", kLocator64 = "PK\x06\x07";
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::size_t kEnd64Size = 56, kLocator64Size = 20;
constexpr std::uint16_t kStored = 0, kDeflated = 8, kEncrypted = 1;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // the number stands in a field of 64 bits

[[noreturn]] void fail(const std::string& place, const std::string& what) {
  throw IoError(fmt::format("{}: {}", place, what));
}

std::string bytes_of(const InputFile& file, std::uint64_t begin, std::uint64_t size) {
  std::string bytes(size, '\0');
  file.read(begin, bytes.data(), size);
  return bytes;
}

std::string_view packing_named(std::uint16_t method) {
  switch (method) {
    case 9:
      return "Deflate64";
    case 12:
      return "bzip2";
    case 14:
      return "LZMA";
    case 93:
      return "Zstandard";
    default:
      return "another method";
  }
}

// What an entry of the list leaves to its field of 64-bit numbers, in their order.
void read_extra64(std::string_view extra, std::initializer_list<std::uint64_t*> wanted,
                  const std::string& place) {
  while (extra.size() >= 4) {
    const auto id = number_at<std::uint16_t>(extra, 0);
    const std::size_t size = number_at<std::uint16_t>(extra, 2);
    extra.remove_prefix(4);
    if (size > extra.size()) break;
    if (id == 1) {
      std::size_t at = 0;
      for (std::uint64_t* number : wanted) {
        if (*number != kIn64) continue;
        if (at + 8 > size) break;
        *number = number_at<std::uint64_t>(extra, at);
        at += 8;
      }
      return;
    }
    extra.remove_prefix(size);
  }
  for (const std::uint64_t* number : wanted) {
    if (*number == kIn64) fail(place, "a size of more than 4 GiB is not given");
  }
}

}  // namespace

bool begins_as_zip(std::string_view beginning) {
  return beginning.starts_with(kLocal) || beginning.starts_with(kEnd);
}

ZipReader::ZipReader(std::filesystem::path path) : file_(std::move(path)) {
  try {
    read_list();
  } catch (const std::bad_alloc&) {
    fail_too_large(file_.path(), file_.size());
  }
}

std::string ZipReader::place(const ZipEntry& entry) const {
  return fmt::format("{}, {}", file_.path().string(), shown(entry.name));
}

const ZipEntry* ZipReader::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void ZipReader::read_list() {
  const std::string file = file_.path().string();
  // The end of an archive is a record with a comment of up to 64 KiB.
  constexpr std::uint64_t kFarthest = kEndSize + 0xFFFF;
  const std::uint64_t tail_size = std::min(file_.size(), kFarthest);
  const std::uint64_t tail_begin = file_.size() - tail_size;
  const std::string tail = bytes_of(file_, tail_begin, tail_size);
  std::size_t end = tail.size();
  do {
    end = end == 0 ? std::string::npos : tail.rfind(kEnd, end - 1);
    if (end == std::string::npos) fail(file, "the archive has no end: the file is cut off");
  } while (tail.size() - end < kEndSize ||
           tail.size() - end - kEndSize != number_at<std::uint16_t>(tail, end + 20));
  std::uint64_t count = number_at<std::uint16_t>(tail, end + 10);
  std::uint64_t size = number_at<std::uint32_t>(tail, end + 12);
  std::uint64_t begin = number_at<std::uint32_t>(tail, end + 16);
  std::uint64_t list_end = tail_begin + end;
  if (count == 0xFFFF || size == kIn64 || begin == kIn64) {
    if (end < kLocator64Size || !tail.substr(end - kLocator64Size).starts_with(kLocator64)) {
      fail(file, "the archive's end is damaged");
    }
    const auto at = number_at<std::uint64_t>(tail, end - kLocator64Size + 8);
    if (at > list_end || list_end - at < kEnd64Size + kLocator64Size) {
      fail(file, "the archive's end is damaged");
    }
    const std::string record = bytes_of(file_, at, kEnd64Size);
    if (!record.starts_with(kEnd64)) fail(file, "the archive's end is damaged");
    count = number_at<std::uint64_t>(record, 32);
    size = number_at<std::uint64_t>(record, 40);
    begin = number_at<std::uint64_t>(record, 48);
    list_end = at;
  }
  // PyTorch has an end of 64 bits between them in every archive.
  if (begin > list_end || size > list_end - begin) {
    fail(file, "the archive's list is not where its end says");
  }
  const std::string list = bytes_of(file_, begin, size);
  std::size_t at = 0;
  if (count > size / kCentralSize) fail(file, "the archive's list is damaged");
  entries_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (list.size() - at < kCentralSize || list.compare(at, 4, kCentral) != 0) {
      fail(file, "the archive's list is damaged");
    }
    const auto flags = number_at<std::uint16_t>(list, at + 8);
    const auto method = number_at<std::uint16_t>(list, at + 10);
    const std::size_t name_size = number_at<std::uint16_t>(list, at + 28);
    const std::size_t extra_size = number_at<std::uint16_t>(list, at + 30);
    const std::size_t all =
        kCentralSize + name_size + extra_size + number_at<std::uint16_t>(list, at + 32);
    if (list.size() - at < all) fail(file, "a name in the archive's list is cut off");
    ZipEntry entry{.name = list.substr(at + kCentralSize, name_size),
                   .size = number_at<std::uint32_t>(list, at + 24),
                   .packed = number_at<std::uint32_t>(list, at + 20),
                   .begin = number_at<std::uint32_t>(list, at + 42),
                   .checksum = number_at<std::uint32_t>(list, at + 16),
                   .deflated = method == kDeflated};
    read_extra64(std::string_view(list).substr(at + kCentralSize + name_size, extra_size),
                 {&entry.size, &entry.packed, &entry.begin}, place(entry));
    if ((flags & kEncrypted) != 0) fail(place(entry), "it is encrypted");
    if (method != kStored && method != kDeflated) {
      fail(place(entry), fmt::format("it is packed with {} ({}): only Deflate is read",
                                     packing_named(method), method));
    }
    const bool fits =
        entry.deflated ? entry.size / kMostByDeflate <= entry.packed : entry.size == entry.packed;
    if (!fits) {
      fail(place(entry), fmt::format("{} bytes cannot have become {}", entry.size, entry.packed));
    }
    entries_.push_back(std::move(entry));
    if (!by_name_.emplace(entries_.back().name, &entries_.back()).second) {
      fail(place(entries_.back()), "the archive's list has this name twice");
    }
    at += all;
  }
  locate_entries(begin);
}

// From where an entry's own header is to where its content is.
void ZipReader::locate_entries(std::uint64_t list_begin) {
  std::vector<ZipEntry*> sorted;
  for (ZipEntry& entry : entries_) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, [](const ZipEntry* entry) { return entry->begin; });
  std::uint64_t reached = 0;
  for (ZipEntry* entry : sorted) {
    const auto is_within = [&](std::uint64_t size) {
      return entry->begin <= list_begin && size <= list_begin - entry->begin;
    };
    if (entry->begin < reached) fail(place(*entry), "it overlaps with another entry");
    if (!is_within(kLocalSize)) fail(place(*entry), "it is not where the archive's list says");
    const std::string header = bytes_of(file_, entry->begin, kLocalSize);
    if (!header.starts_with(kLocal)) {
      fail(place(*entry), "it is not where the archive's list says");
    }
    entry->begin += kLocalSize + std::uint64_t{number_at<std::uint16_t>(header, 26)} +
                    number_at<std::uint16_t>(header, 28);
    if (!is_within(entry->packed)) fail(place(*entry), "it is cut off");
    reached = entry->begin + entry->packed;
  }
}

std::string ZipReader::read(const ZipEntry& entry) const {
  try {
    std::string content = bytes_of(file_, entry.begin, entry.packed);
    if (entry.deflated) {
      std::string unpacked(entry.size, '\0');
      if (!inflate_all(content, unpacked)) {
        fail(place(entry), "it cannot be unpacked: the file is damaged");
      }
      content = std::move(unpacked);
    }
    if (checksum_of(content) != entry.checksum) {
      fail(place(entry), "the checksum does not agree: the file is damaged");
    }
    return content;
  } catch (const std::bad_alloc&) {
    fail(place(entry), fmt::format("its {} bytes do not fit into memory", entry.size));
  } catch (const std::length_error&) {
    fail(place(entry), fmt::format("its {} bytes do not fit into memory", entry.size));
  }
}

bool ZipWriter::add(const std::string& name, std::string_view content, bool deflated) {
  constexpr std::size_t kMostBytes = 0xFFFFFFFE;
  if (count_ == 0xFFFE || content.size() > kMostBytes) return false;
  const std::string packed = deflated ? deflated_bytes(content) : std::string();
  const std::string_view data = deflated ? std::string_view(packed) : content;
  if (bytes_.size() + data.size() + list_.size() + kLocalSize + kCentralSize + 2 * name.size() >
      kMostBytes) {
    return false;
  }
  const auto local = static_cast<std::uint32_t>(bytes_.size());
  // What both headers say alike: version, flags (names are UTF-8), method, a date.
  std::string both;
  for (const int number : {20, 0x800, deflated ? int{kDeflated} : int{kStored}, 0, 0x21}) {
    append(both, static_cast<std::uint16_t>(number));
  }
  append(both, checksum_of(content));
  append(both, static_cast<std::uint32_t>(data.size()));
  append(both, static_cast<std::uint32_t>(content.size()));
  append(both, static_cast<std::uint16_t>(name.size()));
  append(both, std::uint16_t{0});
  bytes_.append(kLocal).append(both).append(name).append(data);
  list_.append(kCentral);
  append(list_, std::uint16_t{20});
  list_ += both;
  list_.append(10, '\0');  // no comment, first disk, no attributes
  append(list_, local);
  list_ += name;
  ++count_;
  return true;
}

std::string ZipWriter::finish() && {
  const auto at = static_cast<std::uint32_t>(bytes_.size());
  bytes_ += list_;
  bytes_.append(kEnd).append(4, '\0');
  append(bytes_, count_);
  append(bytes_, count_);
  append(bytes_, static_cast<std::uint32_t>(list_.size()));
  append(bytes_, at);
  append(bytes_, std::uint16_t{0});
  return std::move(bytes_);
}

}  // namespace aclgrad::detail
