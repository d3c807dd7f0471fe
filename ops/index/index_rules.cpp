// SPDX-License-Identifier: Apache-2.0
#include "ops/index/index_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace aclgrad::ops {

Rule one_index_for_a_scalar(size_t index, size_t self) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.shape(self).empty() || arguments.empty(index)) return std::nullopt;
    if (count_elements(arguments.shape(index)) == 1) return std::nullopt;
    return fmt::format("tensor {} must have one element for {} [], but is {}.",
                       arguments.name(index), arguments.name(self),
                       to_string(arguments.shape(index)));
  });
}

Rule index_has_rank_of(size_t index, size_t self) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = std::max<size_t>(arguments.shape(index).size(), 1);
    const size_t expected = std::max<size_t>(arguments.shape(self).size(), 1);
    if (rank == expected) return std::nullopt;
    return fmt::format("tensor {} must have as many dimensions as {}, {}, but has {}.",
                       arguments.name(index), arguments.name(self), expected, rank);
  });
}

Rule index_is_within(size_t index, size_t tensor, std::optional<size_t> dim) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& smaller = arguments.shape(index);
    const Dims& larger = arguments.shape(tensor);
    for (size_t d = 0; d < smaller.size() && d < larger.size(); ++d) {
      if (dim && d == normalize_axis(arguments.integer(*dim), larger.size())) continue;
      if (smaller[d] <= larger[d]) continue;
      return fmt::format("tensor {} {} must not be larger than {} {} in dimension {}.",
                         arguments.name(index), to_string(smaller), arguments.name(tensor),
                         to_string(larger), d);
    }
    return std::nullopt;
  });
}

Rule has_elements_to_index(size_t self, size_t elements) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.empty(self) || arguments.empty(elements)) return std::nullopt;
    return fmt::format("tensor {} {} must have elements, for {} {}.", arguments.name(self),
                       to_string(arguments.shape(self)), arguments.name(elements),
                       to_string(arguments.shape(elements)));
  });
}

}  // namespace aclgrad::ops
