// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "aclgrad/io/npy.h"
#include "io/file_kind.h"
#include "io/npy_format.h"
#include "io/zip.h"

namespace aclgrad {
namespace {

constexpr std::string_view kSuffix = ".npy";

void require_archive(const std::filesystem::path& path) {
  const detail::InputFile file(path);
  std::string beginning(std::min<std::uint64_t>(file.size(), 1 << 16), '\0');
  file.read(0, beginning.data(), beginning.size());
  if (detail::begins_as_zip(beginning)) return;
  const std::string kind = detail::other_kind(beginning, detail::Expected::tensors);
  throw IoError(fmt::format("{}: not an archive of NumPy{}{}", path.string(),
                            kind.empty() ? "" : ": ", kind));
}

}  // namespace

NamedTensors read_npz(const std::filesystem::path& path) {
  require_archive(path);
  const detail::ZipReader archive(path);
  NamedTensors tensors;
  for (const detail::ZipEntry& entry : archive.entries()) {
    std::string name = entry.name;
    const std::string content = archive.read(entry);
    if (!name.ends_with(kSuffix) && !detail::begins_as_npy(content)) {
      if (name.ends_with('/')) continue;  // a folder
      tensors.refused.emplace(name, archive.place(entry) + ": it is no array of NumPy");
      continue;
    }
    if (name.ends_with(kSuffix)) {
      name.resize(name.size() - kSuffix.size());
      if (archive.find(name) != nullptr) name = entry.name;  // as NumPy tells the two apart
    }
    // Its checksum agrees, so the others are sound, too.
    try {
      Tensor tensor = detail::parse_npy(content, archive.place(entry));
      tensors.emplace_back(std::move(name), std::move(tensor));
    } catch (const IoError& error) {
      tensors.refused.emplace(std::move(name), error.what());
    }
  }
  if (tensors.empty() && !tensors.refused.empty()) {
    throw IoError(tensors.refused.begin()->second);
  }
  return tensors;
}

void write_npz(const std::filesystem::path& path, const NamedTensors& tensors,
               const NpzOptions& options) {
  constexpr std::size_t kMostTensors = 65'534;
  if (tensors.size() > kMostTensors) throw ValueError("an archive holds at most 65,534 tensors");
  detail::ZipWriter archive;
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    if (name.empty() || name.size() > 60'000 || !names.insert(name).second) {
      throw ValueError(
          fmt::format("a tensor of an archive has a name of its own, not \"{}\"", name));
    }
    if (!archive.add(name + std::string(kSuffix), detail::npy_of(tensor), options.compressed)) {
      throw ShapeError("an archive of more than 4 GiB: write several, or save_safetensors()");
    }
  }
  write_file_atomically(path, std::move(archive).finish());
}

}  // namespace aclgrad
