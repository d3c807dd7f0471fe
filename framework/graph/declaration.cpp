// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/declaration.h"

#include <fmt/format.h>

namespace aclgrad::detail {

std::string text(double value) { return fmt::format("{}", value); }
std::string text(std::int64_t value) { return fmt::format("{}", value); }
std::string text(bool value) { return fmt::format("{}", value); }

std::string join(std::span<const std::string_view> names, std::span<const std::string> values) {
  std::string joined;
  for (std::size_t i = 0; i < names.size(); ++i) {
    joined += fmt::format("{}{}={}", i == 0 ? "" : ", ", names[i], values[i]);
  }
  return joined;
}

}  // namespace aclgrad::detail
