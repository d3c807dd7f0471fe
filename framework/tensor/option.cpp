// SPDX-License-Identifier: Apache-2.0
#include "tensor/option.h"

#include <fmt/format.h>

#include "aclgrad/error.h"

namespace aclgrad::detail {

void require_option(std::string_view owner, std::string_view option, double value,
                    const Range& range) {
  if (range.contains(value)) return;
  throw ValueError(fmt::format("{}: {} must be in {}{}, {}{}, got {}", owner, option,
                               range.without_low ? '(' : '[', range.low, range.high,
                               range.without_high ? ')' : ']', value));
}

void require_at_least(std::string_view owner, std::string_view option, std::int64_t value,
                      std::int64_t least) {
  if (value >= least) return;
  throw ValueError(fmt::format("{}: {} must be at least {}, got {}", owner, option, least, value));
}

}  // namespace aclgrad::detail
