// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradients.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"

namespace aclgrad {
namespace {

auto find(const std::vector<Gradients::Pair>& pairs, const Value& value) {
  return std::find_if(pairs.begin(), pairs.end(),
                      [&](const Gradients::Pair& pair) { return pair.value == value; });
}

}  // namespace

const Value& Gradients::operator[](const Value& value) const {
  const auto found = find(pairs_, value);
  if (found == pairs_.end()) {
    throw ValueError(
        fmt::format("backward was not asked for the gradient of {}", value.description()));
  }
  return found->gradient;
}

bool Gradients::contains(const Value& value) const { return find(pairs_, value) != pairs_.end(); }

}  // namespace aclgrad
