// SPDX-License-Identifier: Apache-2.0
// What the contracts of random numbers share: seed and offset in INT64 tensors of one element.
#pragma once

#include "ops/contract/describe.h"

namespace aclgrad::contract {

inline Parameter index_tensor(const char* name, Number value) {
  const auto fill = static_cast<double>(value);
  return filled(typed(shaped(in(name, value, value), {1}), ACL_INT64), fill);
}

// What has a file of its own.
void add_draws(std::vector<Operator>& all);

}  // namespace aclgrad::contract
