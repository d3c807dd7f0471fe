// SPDX-License-Identifier: Apache-2.0
// Walking a strided view in row-major order, for kernels that are not elementwise. A range of
// elements is visited as runs along one dimension; dimensions that lie in one line are joined
// first.
#ifndef ACLGRAD_OPS_ENGINE_STRIDED_H_
#define ACLGRAD_OPS_ENGINE_STRIDED_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ops/engine/elementwise.h"
#include "ops/engine/walk.h"
#include "ops/meta/dims.h"

namespace aclgrad::ops {

class StridedIndex {
 public:
  // A single element.
  StridedIndex() : StridedIndex(Dims{}, Dims{}) {}
  // Strides in elements; 0 for a broadcast dimension.
  StridedIndex(const Dims& shape, const Dims& strides);
  // The view `shape` with `strides`, broadcast to `common`.
  static StridedIndex broadcast(const Dims& shape, const Dims& strides, const Dims& common);

  int64_t count() const { return count_; }
  // The innermost dimension after joining; there always is one.
  int64_t inner_extent() const { return shape_[shape_.size() - 1]; }
  int64_t inner_stride() const { return strides_[strides_.size() - 1]; }
  // All elements lie at one distance.
  bool is_line() const { return shape_.size() == 1; }
  // Every element lies right behind the one before.
  bool dense() const { return shape_.size() == 1 && (strides_[0] == 1 || shape_[0] == 1); }

  // From one to the next of the rows of `length` elements that the view consists of, if those of a
  // row lie behind each other and rows at one distance.
  std::optional<int64_t> row_distance(int64_t length) const;

  // Offset in elements of element number `index`.
  int64_t offset(int64_t index) const;

  // Calls visit(offset, stride, n) for the runs that cover elements [begin, end): the first element
  // of a run lies at `offset`, n of them follow each other at `stride`.
  template <class Visit>
  void for_runs(int64_t begin, int64_t end, const Visit& visit) const {
    visit_runs(shape_, strides_, begin, end - begin,
               [&](int64_t offset, int64_t n) { visit(offset, inner_stride(), n); });
  }

 private:
  Dims shape_;
  Dims strides_;
  int64_t count_;
};

// Address of the element `offset` elements after `base`.
const void* element(const void* base, aclDataType dtype, int64_t offset);
void* element(void* base, aclDataType dtype, int64_t offset);

// Elements [begin, end) of a view, in row-major order, to or from a dense block of a compute type.
template <class T>
void read_elements(const void* base, aclDataType dtype, const StridedIndex& index, int64_t begin,
                   int64_t end, T* block) {
  index.for_runs(begin, end, [&](int64_t offset, int64_t stride, int64_t n) {
    load(element(base, dtype, offset), dtype, stride, block, static_cast<size_t>(n));
    block += n;
  });
}
template <class T>
void write_elements(const T* block, void* base, aclDataType dtype, const StridedIndex& index,
                    int64_t begin, int64_t end) {
  index.for_runs(begin, end, [&](int64_t offset, int64_t stride, int64_t n) {
    store(block, element(base, dtype, offset), dtype, stride, static_cast<size_t>(n));
    block += n;
  });
}

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ENGINE_STRIDED_H_
