// SPDX-License-Identifier: Apache-2.0
// Sets of bytes: what a strided view touches, and what was touched so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "aclgrad_ext.h"

namespace aclgrad::diagnostics {

// The bytes [begin, end).
struct Bytes {
  uintptr_t begin = 0;
  uintptr_t end = 0;

  bool empty() const { return begin >= end; }
  size_t size() const { return end - begin; }
  bool overlaps(const Bytes& other) const { return begin < other.end && other.begin < end; }
  Bytes common(const Bytes& other) const {
    return {begin > other.begin ? begin : other.begin, end < other.end ? end : other.end};
  }
};

// What a view touches. Few bytes to keep, however large or scattered the view is.
class Region {
 public:
  Region() = default;
  Region(const void* address, size_t bytes);

  // Strides of any sign; empty when a size is 0.
  explicit Region(const aclgradTaskOperand& view);

  // This region, moved by so many bytes.
  Region moved(intptr_t bytes) const;

  bool empty() const { return hull_.empty(); }
  // From the lowest byte to behind the highest one.
  const Bytes& hull() const { return hull_; }

  // The bytes without gaps, ascending and apart. A view of too many pieces gives
  // none, and false.
  bool pieces(std::vector<Bytes>& into) const;

 private:
  struct Axis {
    size_t count;
    size_t step;
  };

  Bytes hull_;
  size_t run_ = 0;          // bytes in a row
  std::vector<Axis> axes_;  // that the rows are repeated along, small steps first
};

// The first bytes that both touch; empty when there are none, or when a view has too many
// pieces to compare.
Bytes first_common(const Region& a, const Region& b);

class ByteSet {
 public:
  void add(const Bytes& bytes);

  // The parts of `bytes` that are not in the set.
  std::vector<Bytes> missing(const Bytes& bytes) const;

 private:
  std::map<uintptr_t, uintptr_t> ends_;  // by begin; apart from each other
};

}  // namespace aclgrad::diagnostics
