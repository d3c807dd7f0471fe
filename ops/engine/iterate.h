// SPDX-License-Identifier: Apache-2.0
// The one way over strided tensors. A view is a StridedIndex: its elements in row-major order, with
// dimensions joined where the layout allows it, in runs along the last. Elements are a tensor
// parameter in such an order, read into dense blocks of a compute type and written out of them.
// Threads take pieces of what there is, cut by its size alone.
//
// Three ways to compute stand on it: map (elementwise.h), map over rows in several passes
// (rowwise.h), and reduce (reduce.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ops/engine/function_ref.h"
#include "ops/meta/operator.h"

namespace aclgrad::ops {

// ---- Dimensions ---------------------------------------------------------------------------------

// Drops dimensions of size 1 and joins neighbours that every operand steps through as if they were
// one. Afterwards there is at least one dimension. The order of elements stays the same.
void collapse_dimensions(Dims& shape, std::span<Dims* const> strides);

// The strides of a view of `shape`, broadcast to `common`.
Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& common);

// Some of a tensor's dimensions.
using DimSet = std::array<bool, kMaxRank>;
inline DimSet dimensions(size_t first, size_t count) {
  DimSet some{};
  std::fill_n(some.begin() + first, count, true);
  return some;
}
// The sizes or strides of the dimensions in the set, or of those that are not.
Dims selected(const Dims& all, const DimSet& set, bool inside);

// ---- A view -------------------------------------------------------------------------------------

class StridedIndex {
 public:
  // A single element.
  StridedIndex() : StridedIndex(Dims{}, Dims{}) {}
  // Strides in elements; 0 for a broadcast dimension.
  StridedIndex(const Dims& shape, const Dims& strides);

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
  void for_runs(int64_t begin, int64_t end, const Visit& visit) const;

 private:
  Dims shape_;
  Dims strides_;
  int64_t count_;
};

template <class Visit>
void StridedIndex::for_runs(int64_t begin, int64_t end, const Visit& visit) const {
  int64_t count = end - begin;
  if (count == 0) return;
  if (is_line()) return visit(begin * strides_[0], strides_[0], count);
  const size_t last = shape_.size() - 1;
  std::array<int64_t, kMaxRank> position;  // runs allocate nothing, as Dims may
  int64_t offset = 0;
  for (size_t d = last + 1; d-- > 0; begin /= shape_[d]) {
    position[d] = begin % shape_[d];
    offset += position[d] * strides_[d];
  }
  while (true) {
    const int64_t length = std::min(shape_[last] - position[last], count);
    visit(offset, strides_[last], length);
    count -= length;
    if (count == 0) return;
    offset -= position[last] * strides_[last];
    position[last] = 0;
    for (size_t d = last; d-- > 0;) {
      offset += strides_[d];
      if (++position[d] < shape_[d]) break;
      offset -= shape_[d] * strides_[d];
      position[d] = 0;
    }
  }
}

// ---- Blocks of a compute type -------------------------------------------------------------------

// Elements per block.
inline constexpr size_t kBlock = 512;

// Calls body(first, end) for [begin, end) in blocks of at most kBlock.
template <class Body>
void for_blocks(int64_t begin, int64_t end, const Body& body) {
  constexpr auto kStep = static_cast<int64_t>(kBlock);
  for (int64_t i = begin; i < end; i += kStep) body(i, std::min(end, i + kStep));
}

// Conversion of `count` elements with strides (in elements) between a tensor's dtype and a compute
// type: double (each result rounded once), int64_t or std::complex<double>. Float to integer
// truncates and saturates, NaN becomes 0; integer to integer wraps; to BOOL: non-zero (NaN too) is
// true.
template <class T>
void load(const void* source, aclDataType dtype, int64_t stride, T* block, size_t count);
template <class T>
void store(const T* block, void* target, aclDataType dtype, int64_t stride, size_t count);

// The same for at most kBlock values, by way of `through`: read as elements of `dtype`, converted
// to `through`, handed over in the compute type; and the other way round, written as elements of
// `dtype` after rounding to `through`.
template <class T>
void load_through(const void* source, aclDataType dtype, aclDataType through, int64_t stride,
                  T* block, size_t count);
template <class T>
void store_through(const T* block, void* target, aclDataType through, aclDataType dtype,
                   int64_t stride, size_t count);

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

// ---- A tensor parameter -------------------------------------------------------------------------

// Its elements in the order of a view, from `start` on: none, or the start of a slice.
struct Elements {
  size_t parameter = 0;
  aclDataType dtype = ACL_FLOAT;
  StridedIndex index = {};
  int64_t offset = 0;  // in elements, of the first on top of the parameter's own

  Elements() = default;
  Elements(const Arguments& arguments, size_t tensor);
  // Broadcast to `common`.
  Elements(const Arguments& arguments, size_t tensor, const Dims& common);

  void* at(const Run& run, int64_t distance) const {
    return element(run.data(parameter), dtype, offset + distance);
  }
  template <class T>
  void read(const Run& run, int64_t begin, int64_t end, T* block, int64_t start = 0) const {
    read_elements(static_cast<const void*>(at(run, start)), dtype, index, begin, end, block);
  }
  template <class T>
  void write(const Run& run, const T* block, int64_t begin, int64_t end, int64_t start = 0) const {
    write_elements(block, at(run, start), dtype, index, begin, end);
  }
  // By way of `through`; at most kBlock elements.
  template <class T>
  void read_through(const Run& run, int64_t begin, int64_t end, T* block,
                    aclDataType through) const {
    index.for_runs(begin, end, [&](int64_t distance, int64_t stride, int64_t n) {
      load_through(at(run, distance), dtype, through, stride, block, static_cast<size_t>(n));
      block += n;
    });
  }
  template <class T>
  void write_through(const Run& run, const T* block, aclDataType through, int64_t begin,
                     int64_t end) const {
    index.for_runs(begin, end, [&](int64_t distance, int64_t stride, int64_t n) {
      store_through(block, at(run, distance), through, dtype, stride, static_cast<size_t>(n));
      block += n;
    });
  }
};

// A tensor parameter cut into slices. A slice stretches over some of its dimensions; where slices
// start is in the order of the others.
struct Slices : Elements {
  StridedIndex starts = {};

  Slices() = default;
  Slices(const Arguments& arguments, size_t tensor, const DimSet& inside);
};

// The first place in a workspace where a T may lie; kernels ask for as many bytes more.
template <class T>
T* aligned(void* workspace) {
  const auto address = reinterpret_cast<uintptr_t>(workspace);
  return reinterpret_cast<T*>((address + alignof(T) - 1) & -alignof(T));
}

// ---- Threads ------------------------------------------------------------------------------------

// Runs body(begin, end) over [0, count) in fixed pieces of `grain`, on the threads in force. The
// cut does not depend on the number of threads.
void parallel_pieces(int64_t count, int64_t grain,
                     FunctionRef<void(int64_t begin, int64_t end)> body);

// Runs body(begin, end) over [0, count) in one range for each thread, longer for faster threads.
void parallel_shares(int64_t count, FunctionRef<void(int64_t begin, int64_t end)> body);

}  // namespace aclgrad::ops
