// SPDX-License-Identifier: Apache-2.0
// What contracts of sorting and searching share.
#pragma once

#include <stdexcept>

#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {

inline const DTypes kOrdered =
    kFloatsAndDouble + DTypes{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};

// The dimension that a call names, which self has.
inline size_t ordered_axis(const Arguments& a) {
  const Shape& shape = a.shape("self");
  const auto rank = static_cast<int64_t>(shape.size());
  const auto dim = static_cast<int64_t>(a.number("dim"));
  if (rank == 0 || dim < -rank || dim >= rank) throw std::invalid_argument("no such dimension");
  return axis_of(a, shape);
}

// A tensor of these numbers, over and over again.
inline Parameter of_elements(Parameter tensor, std::vector<Number> elements) {
  std::get<TensorSpec>(tensor.spec).elements = std::move(elements);
  return tensor;
}

// What has files of its own.
void add_unique(std::vector<Operator>& all);
void add_searches(std::vector<Operator>& all);

}  // namespace aclgrad::contract
