// SPDX-License-Identifier: Apache-2.0
// The ways in which tests let tensors lie in memory.
#pragma once

#include <string>
#include <vector>

#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::testing {

enum class LayoutKind {
  kContiguous,
  kTransposed,  // dimensions in reverse order
  kGaps,        // an offset, unused elements between all elements and between rows
  kRows,        // an offset, unused elements between rows
  kReversed,    // backwards
  kExpanded,    // the first dimension repeats (stride 0)
  kRepeated     // one element stands for all
};

inline const std::vector<LayoutKind> kOutputLayouts = {LayoutKind::kContiguous,
                                                       LayoutKind::kTransposed, LayoutKind::kGaps,
                                                       LayoutKind::kRows, LayoutKind::kReversed};
inline const std::vector<LayoutKind> kInputLayouts = {
    LayoutKind::kContiguous, LayoutKind::kTransposed, LayoutKind::kGaps,    LayoutKind::kRows,
    LayoutKind::kReversed,   LayoutKind::kExpanded,   LayoutKind::kRepeated};

inline bool repeats_elements(LayoutKind kind) { return kind >= LayoutKind::kExpanded; }

inline std::string to_string(LayoutKind kind) {
  constexpr const char* kNames[] = {"contiguous", "transposed", "gaps",    "rows",
                                    "reversed",   "expanded",   "repeated"};
  return kNames[static_cast<int>(kind)];
}

inline Array::Layout make_layout(const Shape& shape, LayoutKind kind) {
  Array::Layout layout;
  layout.strides.assign(shape.size(), 0);
  if (kind == LayoutKind::kRepeated) return layout;
  int64_t step = kind == LayoutKind::kGaps ? 2 : 1;
  if (kind == LayoutKind::kTransposed) {
    for (size_t d = 0; d < shape.size(); ++d) {
      layout.strides[d] = step;
      step *= shape[d];
    }
    return layout;
  }
  const bool has_gaps = kind == LayoutKind::kGaps || kind == LayoutKind::kRows;
  for (size_t d = shape.size(); d-- > 0;) {
    layout.strides[d] = step;
    step *= has_gaps ? shape[d] + 1 : shape[d];
  }
  if (has_gaps) layout.offset = 3;
  if (kind == LayoutKind::kExpanded && !shape.empty()) layout.strides[0] = 0;
  if (kind == LayoutKind::kReversed && element_count(shape) > 0) {
    for (size_t d = 0; d < shape.size(); ++d) {
      layout.strides[d] = -layout.strides[d];
      layout.offset -= (shape[d] - 1) * layout.strides[d];
    }
  }
  return layout;
}

// The bytes of an array, to compare results bit by bit.
inline std::vector<unsigned char> bytes_of(const Array& array) {
  const auto* data = static_cast<const unsigned char*>(array.data());
  return {data, data + array.memory().bytes()};
}

}  // namespace aclgrad::testing
