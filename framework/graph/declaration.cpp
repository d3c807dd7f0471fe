// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/graph/declaration.h"

#include <fmt/ranges.h>

namespace aclgrad::detail {

std::string text(double value) { return fmt::format("{}", value); }
std::string text(std::int64_t value) { return fmt::format("{}", value); }
std::string text(bool value) { return fmt::format("{}", value); }
std::string text(std::span<const std::int64_t> values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}
std::string text(std::span<const bool> values) {
  return fmt::format("[{:d}]", fmt::join(values, ", "));
}

std::string join(std::span<const std::string_view> names, std::span<const std::string> values) {
  std::string joined;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    joined += fmt::format("{}{}={}", joined.empty() ? "" : ", ", names[i], values[i]);
  }
  return joined;
}

}  // namespace aclgrad::detail
