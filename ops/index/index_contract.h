// SPDX-License-Identifier: Apache-2.0
// What the contracts of operators with numbers of elements share.
#ifndef ACLGRAD_OPS_INDEX_INDEX_CONTRACT_H_
#define ACLGRAD_OPS_INDEX_INDEX_CONTRACT_H_

#include <stdexcept>

#include "ops/contract/describe.h"

namespace aclgrad::contract {

// Values are copied; NaN in elements that no number names does not go through.
inline Results selected(Reference reference) {
  return {.reference = std::move(reference),
          .complex = Complex::kParts,
          .bound = {.of_float = 0.5001},
          .nan_goes_through = false};
}

// Numbers of elements; `fill` in the right call.
inline Parameter indices(std::string name, Shape shape, double fill = 1) {
  return typed(filled(shaped(in(std::move(name), 0, 1), std::move(shape)), fill), ACL_INT64);
}

inline void limit(TensorSpec& index, int64_t low, int64_t high) {
  index.low = static_cast<Number>(low);
  index.high = static_cast<Number>(high);
}

inline size_t checked_axis(const Arguments& a) {
  const Shape& self = a.shape("self");
  const size_t axis = axis_of(a, self);
  if (axis >= self.size() || self[axis] == 0) throw std::invalid_argument("no such dimension");
  return axis;
}

inline int64_t from_front(Number number, int64_t size) {
  const auto whole = static_cast<int64_t>(number);
  return whole < 0 ? whole + size : whole;
}

inline ErrorInput wrong_dim() { return refused("dim", "out of range", int64_t{2}, "is 2"); }

void add_placements(std::vector<Operator>& all);
void add_embedding_bags(std::vector<Operator>& all);

}  // namespace aclgrad::contract

#endif  // ACLGRAD_OPS_INDEX_INDEX_CONTRACT_H_
