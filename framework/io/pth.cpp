// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/io/pth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "aclgrad/error.h"
#include "io/file_kind.h"
#include "io/pickle.h"
#include "io/pth.h"
#include "io/shown.h"
#include "io/strided.h"
#include "io/zip.h"

namespace aclgrad {
namespace {

constexpr std::string_view kPickle = "data.pkl";
constexpr std::string_view kLegacy("\x80\x02\x8A\nl\xFC\x9C", 7);

std::string beginning_of(const std::filesystem::path& path) {
  const detail::InputFile file(path);
  std::string beginning(std::min<std::uint64_t>(file.size(), 1 << 16), '\0');
  file.read(0, beginning.data(), beginning.size());
  return beginning;
}

// Throws IoError unless the tensor lies within its storage.
Shape checked(const detail::PickledTensor& it, const std::string& place) {
  const auto refuse = [&](const std::string& what) {
    throw IoError(fmt::format("{}: {}", place, what));
  };
  const auto is_negative = [](std::int64_t number) { return number < 0; };
  if (it.sizes.size() != it.strides.size() || it.offset < 0 || it.storage_numel < 0 ||
      std::ranges::any_of(it.sizes, is_negative) || std::ranges::any_of(it.strides, is_negative)) {
    refuse("its sizes, strides and offset are none of a tensor");
  }
  std::optional<Shape> shape;
  try {
    shape.emplace(it.sizes);
  } catch (const ShapeError& error) {
    refuse(error.what());
  }
  if (shape->numel() == 0) return *shape;
  std::int64_t last = it.offset;
  for (std::size_t axis = 0; axis < it.sizes.size(); ++axis) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(it.sizes[axis] - 1, it.strides[axis], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      refuse("its strides overflow");
    }
  }
  if (last >= it.storage_numel) {
    refuse(fmt::format("it reaches to element {} of a storage of {}", last, it.storage_numel));
  }
  return *shape;
}

}  // namespace

bool detail::is_pth(const std::filesystem::path& path) {
  const std::string beginning = beginning_of(path);
  return begins_as_zip(beginning) || beginning.starts_with(kLegacy);
}

NamedTensors read_pth(const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string beginning = beginning_of(path);
  if (beginning.starts_with(kLegacy)) {
    throw IoError(file +
                  ": it is in the format that PyTorch had before 1.6, which is no archive: "
                  "torch.load() it and torch.save() it again");
  }
  if (!detail::begins_as_zip(beginning)) {
    const std::string kind = detail::other_kind(beginning, detail::Expected::tensors);
    throw IoError(file + ": not a file of PyTorch" + (kind.empty() ? "" : ": " + kind));
  }
  const detail::ZipReader archive(path);
  const detail::ZipEntry* pickle = nullptr;
  for (const detail::ZipEntry& entry : archive.entries()) {
    if (entry.name.ends_with("/code/__torch__.py") || entry.name.ends_with("/constants.pkl")) {
      throw IoError(file + ": it is a TorchScript archive: save state_dict() of the module");
    }
    if (entry.name.ends_with(std::string("/").append(kPickle))) pickle = &entry;
  }
  if (pickle == nullptr) {
    const std::string kind = detail::other_kind(beginning, detail::Expected::tensors);
    throw IoError(fmt::format("{}: not a file of PyTorch: it has no {}{}", file, kPickle,
                              kind.empty() ? "" : "; " + kind));
  }
  const std::string folder = pickle->name.substr(0, pickle->name.size() - kPickle.size());
  if (const detail::ZipEntry* order = archive.find(folder + "byteorder");
      order != nullptr && archive.read(*order) != "little") {
    throw IoError(file + ": its numbers are not little endian");
  }
  const detail::PickledTensors described =
      detail::unpickle(archive.read(*pickle), archive.place(*pickle));
  const auto& tensors = described.tensors;
  NamedTensors result(tensors.size());
  result.refused.insert(described.refused.begin(), described.refused.end());

  // By storage, so that one storage at a time is held besides the tensors.
  std::map<std::string, std::vector<std::size_t>> by_storage;
  std::vector<Shape> shapes;
  std::uint64_t wanted = 0, there = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, it] = tensors[i];
    const std::string place = fmt::format("{}, {}", file, detail::shown(name));
    shapes.push_back(checked(it, place));
    const detail::ZipEntry* entry = archive.find(folder + "data/" + it.storage);
    if (entry == nullptr) {
      throw IoError(fmt::format("{}: there is no storage {}", place, detail::shown(it.storage)));
    }
    if (entry->size % size_of(it.dtype) != 0 ||
        entry->size / size_of(it.dtype) != static_cast<std::uint64_t>(it.storage_numel)) {
      throw IoError(fmt::format("{}: its storage of {} {} has {} bytes", place, it.storage_numel,
                                to_string(it.dtype), entry->size));
    }
    // Counted once, however many of its tensors are refused.
    const auto [storage, is_new] = by_storage.try_emplace(it.storage);
    if (is_new) there += entry->size;
    // A few bytes could be expanded to any number.
    const std::uint64_t size =
        static_cast<std::uint64_t>(shapes.back().numel()) * size_of(it.dtype);
    if ((wanted + size) / 16 > there + (1U << 20)) {
      result.refused.emplace(
          name, fmt::format("{}: with its {} bytes the tensors of the file are more than 16 times "
                            "as large as their storages: save tensor.contiguous() of what was "
                            "expanded",
                            place, size));
      continue;
    }
    wanted += size;
    storage->second.push_back(i);
  }
  for (const auto& [storage, users] : by_storage) {
    if (users.empty()) continue;
    const detail::ZipEntry& entry = *archive.find(folder + "data/" + storage);
    const std::string bytes = archive.read(entry);
    for (const std::size_t i : users) {
      const auto& [name, it] = tensors[i];
      result[i] = {name, detail::gathered(bytes, it.offset, shapes[i], it.strides, it.dtype,
                                          fmt::format("{}, {}", file, detail::shown(name)))};
    }
  }
  std::erase_if(result, [](const auto& named) { return named.first.empty(); });
  if (result.empty() && !result.refused.empty()) throw IoError(result.refused.begin()->second);
  return result;
}

}  // namespace aclgrad
