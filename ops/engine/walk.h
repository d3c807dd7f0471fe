// SPDX-License-Identifier: Apache-2.0
// Walking over strided tensors: fewer dimensions where the layout allows it, and runs along the
// last.
#ifndef ACLGRAD_OPS_ENGINE_WALK_H_
#define ACLGRAD_OPS_ENGINE_WALK_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "ops/meta/dims.h"

namespace aclgrad::ops {

// Drops dimensions of size 1 and joins neighbours that every operand steps through as if they were
// one. Afterwards there is at least one dimension. The order of elements stays the same.
inline void collapse_dimensions(Dims& shape, const std::vector<Dims*>& strides) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    // Nothing bounds the other extents, nor the strides: they are not to be multiplied.
    shape = {0};
    for (Dims* s : strides) *s = {1};
    return;
  }
  size_t kept = 0;  // dimensions [0, kept) are final, but for joining
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    const bool joins = kept > 0 && std::all_of(strides.begin(), strides.end(), [&](const Dims* s) {
                         return (*s)[kept - 1] == (*s)[d] * shape[d];
                       });
    if (joins) {
      shape[kept - 1] *= shape[d];
      for (Dims* s : strides) (*s)[kept - 1] = (*s)[d];
    } else {
      shape[kept] = shape[d];
      for (Dims* s : strides) (*s)[kept] = (*s)[d];
      ++kept;
    }
  }
  if (kept == 0) {
    shape = {1};
    for (Dims* s : strides) *s = {1};
    return;
  }
  shape = Dims(shape.data(), kept);
  for (Dims* s : strides) *s = Dims(s->data(), kept);
}

// Calls visit(offset, length) for the runs along the last dimension that make up elements
// [begin, begin + count) in row-major order; the offset is in elements.
template <class Visit>
void visit_runs(const Dims& shape, const Dims& strides, int64_t begin, int64_t count,
                const Visit& visit) {
  if (count == 0) return;
  if (shape.size() == 1) return visit(begin * strides[0], count);
  const size_t last = shape.size() - 1;
  std::array<int64_t, kMaxRank> position;  // runs allocate nothing, as Dims may
  int64_t offset = 0;
  for (size_t d = last + 1; d-- > 0; begin /= shape[d]) {
    position[d] = begin % shape[d];
    offset += position[d] * strides[d];
  }
  while (true) {
    const int64_t length = std::min(shape[last] - position[last], count);
    visit(offset, length);
    count -= length;
    if (count == 0) return;
    offset -= position[last] * strides[last];
    position[last] = 0;
    for (size_t d = last; d-- > 0;) {
      offset += strides[d];
      if (++position[d] < shape[d]) break;
      offset -= shape[d] * strides[d];
      position[d] = 0;
    }
  }
}

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ENGINE_WALK_H_
