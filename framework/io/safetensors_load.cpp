// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <string>

#include "aclgrad/error.h"
#include "aclgrad/io/safetensors.h"
#include "io/file_kind.h"
#include "io/json_members.h"
#include "io/posix_file.h"
#include "io/safetensors_format.h"
#include "io/shown.h"

namespace aclgrad {
namespace {

using Json = nlohmann::json;

/// What is wrong with a file, still without the file's name.
struct Damage {
  std::string reason;
};

/// Where one tensor lies, as the header says; offsets count from the end of the header.
struct Entry {
  std::string name;
  Shape shape;
  DType dtype = DType::float32;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string refusal = {};  ///< why it cannot be held here, though the file is sound
};

struct Header {
  std::vector<Entry> entries;  // in the order of the file
  Metadata metadata;
};

/// Throws Damage.
std::vector<detail::JsonMember> members_of(const std::string& text, const char* what, int deepest) {
  std::string problem;
  std::vector<detail::JsonMember> members = detail::json_members(text, what, deepest, problem);
  if (!problem.empty()) throw Damage{problem};
  return members;
}

Metadata read_metadata(const Json& value) {
  if (!value.is_object()) throw Damage{"the metadata is not a JSON object"};
  Metadata metadata;
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) throw Damage{"the metadata " + detail::shown(key) + " is not a string"};
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

const Json& field_of(const Json& entry, const char* field, const std::string& where) {
  const auto found = entry.find(field);
  if (found == entry.end()) throw Damage{fmt::format("{}: there is no '{}'", where, field)};
  return *found;
}

std::vector<std::int64_t> counts_of(const Json& array, const char* field,
                                    const std::string& where) {
  if (!array.is_array()) throw Damage{fmt::format("{}: '{}' is not an array", where, field)};
  std::vector<std::int64_t> counts;
  for (const Json& item : array) {
    if (!item.is_number_unsigned() || item.get<std::uint64_t>() > INT64_MAX) {
      throw Damage{
          fmt::format("{}: '{}' holds {}, which is not a count", where, field,
                      item.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 40))};
    }
    counts.push_back(static_cast<std::int64_t>(item.get<std::uint64_t>()));
  }
  return counts;
}

std::optional<DType> dtype_named(const Json& name, const std::string& where) {
  if (!name.is_string()) throw Damage{where + ": 'dtype' is not a string"};
  for (const detail::SafetensorsDType& row : detail::kSafetensorsDTypes) {
    if (row.name == name.get_ref<const std::string&>()) return row.dtype;
  }
  return std::nullopt;
}

Entry read_entry(const std::string& name, const Json& value, std::uint64_t data_size) {
  const std::string where = "tensor " + detail::shown(name);
  if (!value.is_object()) throw Damage{where + ": its entry is not a JSON object"};
  Entry entry;
  entry.name = name;
  const Json& dtype_name = field_of(value, "dtype", where);
  const std::optional<DType> dtype = dtype_named(dtype_name, where);
  const auto dims = counts_of(field_of(value, "shape", where), "shape", where);
  const auto offsets = counts_of(field_of(value, "data_offsets", where), "data_offsets", where);
  if (value.size() != 3) throw Damage{where + ": its entry has fields that the format does not"};
  if (offsets.size() != 2) throw Damage{where + ": 'data_offsets' does not hold two numbers"};
  entry.begin = static_cast<std::uint64_t>(offsets[0]);
  entry.end = static_cast<std::uint64_t>(offsets[1]);
  if (entry.begin > entry.end || entry.end > data_size) {
    throw Damage{fmt::format("{}: offsets {} to {} do not lie in the {} bytes of data", where,
                             entry.begin, entry.end, data_size)};
  }
  if (!dtype) {
    entry.refusal = fmt::format("{}: dtype {} is not known here", where,
                                detail::shown(dtype_name.get_ref<const std::string&>()));
    return entry;
  }
  entry.dtype = *dtype;
  try {
    entry.shape = Shape(dims);
  } catch (const ShapeError& error) {
    throw Damage{where + ": " + error.what()};
  }
  const std::uint64_t length = entry.end - entry.begin;
  const std::uint64_t width = size_of(entry.dtype);
  if (length % width != 0 || length / width != static_cast<std::uint64_t>(entry.shape.numel())) {
    throw Damage{fmt::format("{}: shape {} of {} does not have the {} bytes from {} to {}", where,
                             to_string(entry.shape), to_string(entry.dtype), length, entry.begin,
                             entry.end)};
  }
  return entry;
}

/// Every byte of the data must belong to exactly one tensor.
void check_coverage(const std::vector<Entry>& entries, std::uint64_t data_size) {
  std::vector<const Entry*> sorted;
  for (const Entry& entry : entries) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, [](const Entry* e) { return std::pair(e->begin, e->end); });
  std::uint64_t reached = 0;
  for (const Entry* entry : sorted) {
    if (entry->begin < reached) {
      throw Damage{fmt::format("tensor {}: its data overlaps that of another tensor before byte {}",
                               detail::shown(entry->name), reached)};
    }
    if (entry->begin > reached) {
      throw Damage{
          fmt::format("bytes {} to {} of the data belong to no tensor", reached, entry->begin)};
    }
    reached = entry->end;
  }
  if (reached != data_size) {
    throw Damage{fmt::format("bytes {} to {} of the data belong to no tensor", reached, data_size)};
  }
}

Header read_header(const std::string& text, std::uint64_t data_size) {
  if (!text.starts_with('{')) throw Damage{"the header does not begin with '{'"};
  constexpr int kDeepest = 3;  // header object, entry object, arrays of numbers
  Header header;
  for (const auto& [name, value, keys] : members_of(text, "the header", kDeepest)) {
    if (name == detail::kMetadataKey) {
      header.metadata = read_metadata(value);
    } else {
      header.entries.push_back(read_entry(name, value, data_size));
    }
  }
  check_coverage(header.entries, data_size);
  return header;
}

Tensor read_tensor(const detail::InputFile& file, const Entry& entry, std::uint64_t data_start) {
  Tensor tensor = Tensor::zeros(entry.shape, entry.dtype);
  file.read(data_start + entry.begin, tensor.bytes(), tensor.nbytes());
  // Any other byte in a bool is undefined behaviour for who reads it.
  if (entry.dtype == DType::boolean &&
      std::any_of(tensor.bytes(), tensor.bytes() + tensor.nbytes(),
                  [](std::byte b) { return std::to_integer<int>(b) > 1; })) {
    throw Damage{"tensor " + detail::shown(entry.name) + ": a BOOL is neither 0 nor 1"};
  }
  return tensor;
}

// Where the data begins, after the header.
std::uint64_t data_start_of(const detail::InputFile& file, Header& header) {
  std::uint64_t header_size = 0;
  if (file.size() < sizeof header_size) {
    throw Damage{fmt::format("{} bytes are too few for the length of the header", file.size())};
  }
  file.read(0, &header_size, sizeof header_size);
  if (header_size > detail::kLongestHeader) {
    throw Damage{fmt::format("a header of {} bytes is longer than the format allows", header_size)};
  }
  if (header_size > file.size() - sizeof header_size) {
    throw Damage{
        fmt::format("a header of {} bytes does not fit a file of {}", header_size, file.size())};
  }
  std::string text(header_size, '\0');
  file.read(sizeof header_size, text.data(), header_size);
  const std::uint64_t data_start = sizeof header_size + header_size;
  header = read_header(text, file.size() - data_start);
  return data_start;
}

SafetensorsFile read_all(const detail::InputFile& file) {
  Header header;
  const std::uint64_t data_start = data_start_of(file, header);
  SafetensorsFile result;
  result.metadata = std::move(header.metadata);
  for (const Entry& entry : header.entries) {
    if (entry.refusal.empty()) {
      result.tensors.emplace_back(entry.name, read_tensor(file, entry, data_start));
    } else {
      result.tensors.refused.emplace(entry.name, entry.refusal);
    }
  }
  return result;
}

SafetensorsFile load_single(const std::filesystem::path& path) {
  const detail::InputFile file(path);
  try {
    return read_all(file);
  } catch (const Damage& damage) {
    std::string beginning(std::min<std::uint64_t>(file.size(), 1 << 16), '\0');
    file.read(0, beginning.data(), beginning.size());
    const std::string kind = detail::other_kind(beginning, detail::Expected::tensors);
    throw IoError(path.string() +
                  ": not a sound safetensors file: " + (kind.empty() ? damage.reason : kind));
  } catch (const std::bad_alloc&) {
    detail::fail_too_large(path, file.size());
  } catch (const ShapeError&) {  // of a tensor that there is no memory for
    detail::fail_too_large(path, file.size());
  }
}

// The text of an index of several files; empty where the file is none.
std::string index_text(const std::filesystem::path& path) {
  const detail::InputFile file(path);
  char first = 0;
  if (file.size() == 0 || file.size() > detail::kLongestHeader) return {};
  file.read(0, &first, 1);
  if (first != '{') return {};
  std::string text(file.size(), '\0');
  file.read(0, text.data(), text.size());
  return text.find("\"weight_map\"") == std::string::npos ? std::string() : text;
}

// In the order of the index, from files beside it.
SafetensorsFile load_indexed(const std::filesystem::path& path, const std::string& text) {
  const auto fail = [&](const std::string& what) {
    throw IoError(
        fmt::format("{}: not a sound index of safetensors files: {}", path.string(), what));
  };
  constexpr int kDeepest = 8;
  std::vector<detail::JsonMember> index;
  try {
    index = members_of(text, "it", kDeepest);
  } catch (const Damage& damage) {
    fail(damage.reason);
  }
  const auto map = std::ranges::find(index, "weight_map", &detail::JsonMember::name);
  if (map == index.end() || !map->value.is_object()) fail("its weight_map is not a JSON object");
  struct Part {
    SafetensorsFile file;
    std::map<std::string, std::size_t, std::less<>> places;  // of the tensors by name
  };
  std::map<std::string, Part> parts;
  SafetensorsFile all;
  for (const std::string& name : map->keys) {
    const Json& given = map->value.at(name);
    const std::string file_name = given.is_string() ? given.get<std::string>() : "";
    // No index reads what lies elsewhere.
    if (file_name.empty() || file_name.find('/') != std::string::npos || file_name == "..") {
      fail(fmt::format("tensor {} is in no file beside it", detail::shown(name)));
    }
    const auto [known_part, is_new] = parts.try_emplace(file_name);
    Part& part = known_part->second;
    if (is_new) {
      part.file = load_single(path.parent_path() / file_name);
      for (const auto& [key, value] : part.file.metadata) {
        const std::string known = all.metadata.emplace(key, value).first->second;
        if (key == "format" && known != value) {
          fail(fmt::format("its files have the formats '{}' and '{}'", known, value));
        }
      }
      for (const auto& [tensor_name, tensor] : part.file.tensors) {
        part.places.emplace(tensor_name, part.places.size());
      }
    }
    const auto& refusals = part.file.tensors.refused;
    if (const auto place = part.places.find(name); place != part.places.end()) {
      all.tensors.emplace_back(name, std::move(part.file.tensors[place->second].second));
    } else if (const auto refused = refusals.find(name); refused != refusals.end()) {
      all.tensors.refused.insert(*refused);
    } else {
      fail(fmt::format("{} has no tensor {}", file_name, detail::shown(name)));
    }
  }
  return all;
}

}  // namespace

std::optional<Metadata> detail::metadata_of_whole(const std::filesystem::path& path) {
  try {
    Header header;
    data_start_of(InputFile(path), header);
    return std::move(header.metadata);
  } catch (const Damage&) {
    return std::nullopt;
  } catch (const IoError&) {
    return std::nullopt;
  }
}

SafetensorsFile load_safetensors(const std::filesystem::path& path) {
  const std::string index = index_text(path);
  return index.empty() ? load_single(path) : load_indexed(path, index);
}

const Tensor& SafetensorsFile::operator[](std::string_view name) const {
  try {
    return tensors[name];
  } catch (const ValueError&) {
    throw IoError(
        fmt::format("there is no tensor '{}' in the file, only: {}", name, tensors.names()));
  }
}

}  // namespace aclgrad
