// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradients.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"

namespace aclgrad {
Gradients::Gradients(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) positions_.emplace(pairs_[i].value, i);
}

const Value& Gradients::operator[](const Value& value) const {
  const auto found = positions_.find(value);
  if (found == positions_.end()) {
    const bool other = std::ranges::any_of(
        pairs_, [&](const Pair& pair) { return pair.value.description() == value.description(); });
    throw ValueError(fmt::format(
        "backward was not asked for the gradient of {}{}", value.description(),
        other ? ", but for that of another value of this name, as it was before an update or in "
                "another graph: ask with the value that backward was given"
              : ""));
  }
  return pairs_[found->second].gradient;
}

}  // namespace aclgrad
