// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>

#include "aclgrad/error.h"
#include "aclgrad/io/safetensors.h"
#include "io/safetensors_format.h"

namespace aclgrad {
namespace {

using Json = nlohmann::json;

std::string_view format_name(DType dtype) {
  for (const detail::SafetensorsDType& row : detail::kSafetensorsDTypes) {
    if (row.dtype == dtype) return row.name;
  }
  throw DTypeError("safetensors has no name for dtype " + to_string(dtype));
}

void check_names(const NamedTensors& tensors) {
  std::set<std::string_view> seen;
  for (const auto& [name, tensor] : tensors) {
    if (name == detail::kMetadataKey) {
      throw ValueError("the tensor name '" + name + "' is reserved by the safetensors format");
    }
    if (!seen.insert(name).second) {
      throw ValueError("the tensor name '" + name + "' is given twice");
    }
  }
}

/// JSON text of a value. Only strings that are not UTF-8 can fail here.
std::string json_text(const Json& value) {
  try {
    return value.dump();
  } catch (const Json::exception&) {
    throw ValueError("tensor names and metadata must be UTF-8, got " +
                     value.dump(-1, ' ', true, Json::error_handler_t::replace));
  }
}

/// Tensor numbers in the order of their data: wider elements first keeps each one aligned.
std::vector<std::size_t> data_order(const NamedTensors& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return size_of(tensors[a].second.dtype()) > size_of(tensors[b].second.dtype());
  });
  return order;
}

std::string header_text(const NamedTensors& tensors, const std::vector<std::size_t>& order,
                        const Metadata& metadata) {
  std::vector<std::size_t> begin(tensors.size());
  std::size_t offset = 0;
  for (const std::size_t number : order) {
    begin[number] = offset;
    offset += tensors[number].second.nbytes();
  }
  std::string text = "{";
  if (!metadata.empty()) {
    text.append(json_text(detail::kMetadataKey)).append(":").append(json_text(metadata));
  }
  for (std::size_t number = 0; number < tensors.size(); ++number) {
    const auto& [name, tensor] = tensors[number];
    const Json entry = {{"dtype", format_name(tensor.dtype())},
                        {"shape", tensor.shape().dims()},
                        {"data_offsets", {begin[number], begin[number] + tensor.nbytes()}}};
    if (text.size() > 1) text += ',';
    text.append(json_text(name)).append(":").append(json_text(entry));
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

void detail::write_safetensors(TemporaryFile& file, const NamedTensors& tensors,
                               const Metadata& metadata) {
  check_names(tensors);
  const std::vector<std::size_t> order = data_order(tensors);
  const std::string header = header_text(tensors, order, metadata);
  if (header.size() > kLongestHeader) {
    throw ValueError("names, shapes and metadata need a header of " +
                     std::to_string(header.size()) + " bytes, the format allows " +
                     std::to_string(kLongestHeader));
  }
  char length[8];
  const std::uint64_t header_size = header.size();
  std::memcpy(length, &header_size, sizeof length);
  file.write({length, sizeof length});
  file.write(header);
  for (const std::size_t number : order) {
    const Tensor& tensor = tensors[number].second;
    file.write({reinterpret_cast<const char*>(tensor.bytes()), tensor.nbytes()});
  }
  file.sync();
}

void save_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                      const Metadata& metadata) {
  detail::TemporaryFile file(path);
  detail::write_safetensors(file, tensors, metadata);
  file.take_name();
}

}  // namespace aclgrad
