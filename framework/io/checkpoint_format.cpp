// SPDX-License-Identifier: Apache-2.0
#include "io/checkpoint_format.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <span>
#include <string_view>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "tensor/fnv1a.h"

namespace aclgrad::detail {
namespace {

constexpr std::string_view kFormat = "aclgrad checkpoint 2", kOldFormat = "aclgrad checkpoint 1";
constexpr std::string_view kRandom = "random.";
constexpr std::string_view kNote = "note.";

// Of files of the old format the checksum is one of bytes.
class Checksum {
 public:
  explicit Checksum(bool is_old) : is_old_(is_old) {}
  void add(std::span<const std::byte> bytes) {
    hash_ = is_old_ ? fnv1a(bytes, hash_) : fnv1a_of_words(bytes, hash_);
  }
  /// Texts are distinguished by their lengths.
  void add(std::string_view text) {
    const std::uint64_t size = text.size();
    add(std::as_bytes(std::span(&size, 1)));
    add(std::as_bytes(std::span(text)));
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  bool is_old_;
  std::uint64_t hash_ = fnv1a({});
};

bool is_old(const Metadata& metadata) {
  const auto found = metadata.find("format");
  return found != metadata.end() && found->second == kOldFormat;
}

std::string checksum_of(const Metadata& metadata, const NamedTensors& tensors) {
  Checksum sum(is_old(metadata));
  for (const auto& [key, value] : metadata) {
    if (key == "checksum") continue;
    sum.add(key);
    sum.add(value);
  }
  for (const auto& [name, tensor] : tensors) {
    sum.add(name);
    sum.add(fmt::format("{} {}", tensor.dtype(), tensor.shape()));
    sum.add({tensor.bytes(), tensor.nbytes()});
  }
  return sum.text();
}

/// Reads the metadata of one file.
class Reader {
 public:
  Reader(const std::filesystem::path& path, const Metadata& metadata)
      : path_(path), metadata_(metadata) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(fmt::format("{}: not a sound checkpoint: {}", path_.string(), what));
  }

  const std::string& text(std::string_view key) const {
    const auto found = metadata_.find(std::string(key));
    if (found == metadata_.end()) fail(fmt::format("it has no `{}`", key));
    return found->second;
  }

  /// Numbers with a space between each two.
  template <class Number, std::size_t kCount>
  std::array<Number, kCount> numbers(std::string_view key) const {
    const std::string& all = text(key);
    const char* at = all.data();
    const char* const end = at + all.size();
    std::array<Number, kCount> result;
    for (std::size_t i = 0; i < kCount; ++i) {
      const bool separated = i == 0 || (at != end && *at++ == ' ');
      const auto [rest, error] = std::from_chars(at, end, result[i]);
      if (!separated || error != std::errc()) fail(fmt::format("`{}` is \"{}\"", key, all));
      at = rest;
    }
    if (at != end) fail(fmt::format("`{}` is \"{}\"", key, all));
    return result;
  }

 private:
  const std::filesystem::path& path_;
  const Metadata& metadata_;
};

}  // namespace

Metadata metadata_of(const Checkpoint& checkpoint) {
  Metadata metadata = {{"format", std::string(kFormat)},
                       {"step", std::to_string(checkpoint.step)},
                       {"epoch", std::to_string(checkpoint.position.epoch)},
                       {"batch", std::to_string(checkpoint.position.batch)},
                       {"data_order", checkpoint.data_order}};
  for (const auto& [name, sequence] : checkpoint.random) {
    metadata[std::string(kRandom) + name] =
        fmt::format("{} {} {}", sequence.seed(), sequence.stream(), sequence.index());
  }
  for (const auto& [key, value] : checkpoint.notes) metadata[std::string(kNote) + key] = value;
  metadata["checksum"] = checksum_of(metadata, checkpoint.tensors);
  return metadata;
}

bool is_checkpoint(const Metadata& metadata) {
  const auto found = metadata.find("format");
  return is_old(metadata) || (found != metadata.end() && found->second == kFormat);
}

Checkpoint checkpoint_of(const std::filesystem::path& path, SafetensorsFile file) {
  const Reader read(path, file.metadata);
  if (read.text("format") != kFormat && !is_old(file.metadata)) {
    read.fail(fmt::format("its format is \"{}\" instead of \"{}\"", read.text("format"), kFormat));
  }
  if (read.text("checksum") != checksum_of(file.metadata, file.tensors)) {
    read.fail("its checksum is not that of its content");
  }
  Checkpoint checkpoint;
  checkpoint.step = read.numbers<std::int64_t, 1>("step")[0];
  checkpoint.position = {read.numbers<std::uint64_t, 1>("epoch")[0],
                         read.numbers<std::int64_t, 1>("batch")[0]};
  if (checkpoint.step < 0) read.fail(fmt::format("its step is {}", checkpoint.step));
  if (checkpoint.position.batch < 0) {
    read.fail(fmt::format("its batch is {}", checkpoint.position.batch));
  }
  checkpoint.data_order = read.text("data_order");
  for (const auto& [key, value] : file.metadata) {
    if (key.starts_with(kRandom)) {
      const auto [seed, stream, index] = read.numbers<std::uint64_t, 3>(key);
      checkpoint.random.emplace(key.substr(kRandom.size()), RandomSequence(seed, stream, index));
    }
    if (key.starts_with(kNote)) checkpoint.notes[key.substr(kNote.size())] = value;
  }
  checkpoint.tensors = std::move(file.tensors);
  return checkpoint;
}

}  // namespace aclgrad::detail
