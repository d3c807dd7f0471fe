// SPDX-License-Identifier: Apache-2.0
#include "tool/checkable.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"

namespace aclgrad::gradcheck {

void require_checkable(const std::string& what, const Dims& shape) {
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 22;
  Number elements = 1;  // of huge shapes their number fits no integer
  for (const std::int64_t extent : shape) {
    elements *= static_cast<Number>(std::max<std::int64_t>(extent, 1));
  }
  if (elements <= kMaxElements) return;
  throw ValueError(
      fmt::format("{} of shape {} is too large to be checked, the most are {} elements", what,
                  dims_text(shape), kMaxElements));
}

}  // namespace aclgrad::gradcheck
