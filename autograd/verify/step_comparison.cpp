// SPDX-License-Identifier: Apache-2.0
#include "verify/step_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "aclgrad/format.h"
#include "aclgrad/io/safetensors.h"

namespace aclgrad::verify {
namespace {

// "[2, 3]" for the element of that number.
std::string place_in(const Shape& shape, std::int64_t element) {
  std::vector<std::int64_t> place(shape.rank());
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    const std::int64_t extent = shape.dims()[axis];
    place[axis] = element % extent;
    element /= extent;
  }
  return to_string(Shape(place));
}

// Exact digits, and of floating dtypes how many numbers of the dtype lie between.
std::string both_values(const Tensor& here, const Tensor& recorded, std::int64_t element) {
  std::string text = fmt::format("here {}, recorded {}", here.get(element), recorded.get(element));
  if (here.dtype() == DType::float32) {
    const auto place_of = [&](const Tensor& tensor) {
      const auto bits =
          std::bit_cast<std::int32_t>(tensor.data<float>()[static_cast<std::size_t>(element)]);
      return bits < 0 ? -static_cast<std::int64_t>(bits & 0x7FFFFFFF)
                      : static_cast<std::int64_t>(bits);
    };
    const float ours = here.data<float>()[static_cast<std::size_t>(element)];
    const float theirs = recorded.data<float>()[static_cast<std::size_t>(element)];
    if (!std::isfinite(ours) || !std::isfinite(theirs)) return text;
    const std::int64_t apart = std::abs(place_of(here) - place_of(recorded));
    text = fmt::format("here {}, recorded {}, {} unit{} of the last place apart", ours, theirs,
                       apart, apart == 1 ? "" : "s");
  }
  return text;
}

std::string difference(const Tensor& here, const Tensor& recorded) {
  if (here.dtype() != recorded.dtype() || here.shape() != recorded.shape()) {
    return fmt::format("here {} {}, recorded {} {}", here.dtype(), here.shape(), recorded.dtype(),
                       recorded.shape());
  }
  const std::size_t size = size_of(here.dtype());
  std::int64_t first = -1, count = 0;
  for (std::int64_t i = 0; i < here.numel(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * size;
    if (std::memcmp(here.bytes() + at, recorded.bytes() + at, size) == 0) continue;
    if (first < 0) first = i;
    ++count;
  }
  return fmt::format("element {} of {} {}: {}; {} of {} elements differ",
                     place_in(here.shape(), first), here.dtype(), here.shape(),
                     both_values(here, recorded, first), count, here.numel());
}

std::string text_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

// "node 3 `elu` (model.cpp:12), output 0" for "node/000003/0".
std::string name_of(const SafetensorsFile& file, const std::string& key) {
  const std::size_t slash = key.find('/');
  const std::string kind = key.substr(0, slash), name = key.substr(slash + 1);
  if (kind == "before") return fmt::format("`{}` before the step", name);
  if (kind == "after") return fmt::format("`{}` after the step", name);
  if (kind == "batch") return fmt::format("`{}` of the batch", name);
  const std::string node = key.substr(0, key.rfind('/'));
  return fmt::format("{}, output {}", text_of(file.metadata, "place of " + node),
                     key.substr(key.rfind('/') + 1));
}

}  // namespace

std::string compare_steps(const std::filesystem::path& here_path,
                          const std::filesystem::path& recorded_path) {
  const SafetensorsFile here = load_safetensors(here_path);
  const SafetensorsFile recorded = load_safetensors(recorded_path);
  const std::string no_nodes = text_of(here.metadata, "no nodes");
  for (const auto& [key, tensor] : here.tensors) {
    if (key.starts_with("node/")) {
      const std::string node = key.substr(0, key.rfind('/'));
      const std::string ours = text_of(here.metadata, node);
      const std::string theirs = text_of(recorded.metadata, node);
      if (ours != theirs) {
        return fmt::format("{} is another operator: here {}, recorded {}",
                           text_of(here.metadata, "place of " + node), ours,
                           theirs.empty() ? "none" : theirs);
      }
    }
    if (!recorded.contains(key)) return name_of(here, key) + " is not there in the recorded run";
    const Tensor& other = recorded[key];
    if (bitwise_equal(tensor, other)) continue;
    std::string text = name_of(here, key) + ": " + difference(tensor, other);
    if (key.starts_with("after/") && no_nodes.empty()) {
      text +=
          "\n  no operator of the step parts when they run one by one: what differs is how they "
          "are replayed (ACLGRAD_SESSION=compare looks at that)";
    }
    if (!no_nodes.empty()) text += "\n  the operators were not looked at: " + no_nodes;
    return text;
  }
  for (const auto& [key, tensor] : recorded.tensors) {
    if (!here.contains(key)) return name_of(recorded, key) + " is in the recorded run only";
  }
  return "";
}

}  // namespace aclgrad::verify
