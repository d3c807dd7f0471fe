// SPDX-License-Identifier: Apache-2.0
// What the contracts of operators with numbers of elements share.
#pragma once

#include <cmath>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
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

// What is indexed, of forms in place too.
inline const char* self_of(const Arguments& a) { return a.has("self") ? "self" : "selfRef"; }

inline size_t checked_axis(const Arguments& a) {
  const Shape& self = a.shape(self_of(a));
  const size_t axis = axis_of(a, self);
  if (axis >= self.size() || self[axis] == 0) throw std::invalid_argument("no such dimension");
  return axis;
}

inline int64_t from_front(Number number, int64_t size) {
  const auto whole = static_cast<int64_t>(number);
  return whole < 0 ? whole + size : whole;
}

inline ErrorInput wrong_dim() { return refused("dim", "out of range", int64_t{2}, "is 2"); }

// The place of a position among the elements of a shape.
inline size_t place_of(const Shape& shape, const Shape& position) {
  int64_t place = 0;
  for (size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + position[d];
  return static_cast<size_t>(place);
}

inline const DTypes kSummed = without(without(kNumbers, ACL_COMPLEX64), ACL_COMPLEX128);

// Sums of FLOAT are rounded once, of DOUBLE at every addition, of 8 terms at most here.
inline Results summed(Arrays (*sum)(const Arguments&, const Arrays&, bool magnitudes)) {
  return {.reference = [sum](const Arguments& a, const Arrays& in) { return sum(a, in, false); },
          .bound = {.of_float = 0.5005, .of_double = 8},
          .magnitude = [sum](const Arguments& a, const Arrays& in) { return sum(a, in, true); },
          .nan_goes_through = false};
}

// The number for BOOL, where a sum says whether there is a true term.
inline Number part(const Arguments& a, Number x, bool magnitudes) {
  if (a.dtype() == ACL_BOOL) return x != 0 ? 1 : 0;
  return magnitudes ? std::abs(x) : x;
}

// What has files of its own.
void add_slices_by_number(std::vector<Operator>& all);
void add_numbers(std::vector<Operator>& all);
void add_scatter(std::vector<Operator>& all);
void add_masks(std::vector<Operator>& all);
void add_puts(std::vector<Operator>& all);
void add_index_updates(std::vector<Operator>& all);
void add_embedding_bags(std::vector<Operator>& all);

}  // namespace aclgrad::contract
