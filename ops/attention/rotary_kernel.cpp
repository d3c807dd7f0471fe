// SPDX-License-Identifier: Apache-2.0
#include "ops/attention/rotary_kernel.h"

#include <algorithm>
#include <array>
#include <vector>

#include "ops/engine/thread_scratch.h"
#include "ops/meta/dtypes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention/rotary_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/dtype/doubles-inl.h"

// Once for all instruction sets.
#ifndef ACLGRAD_OPS_ATTENTION_ROTARY_ROW_
#define ACLGRAD_OPS_ATTENTION_ROTARY_ROW_
namespace aclgrad::ops {

// Dense rows of one dtype, each tensor's so many bytes apart. out may be x.
struct RotaryRows {
  enum Tensor : size_t { kX, kCos, kSin, kOut, kTensors };

  aclDataType dtype;
  std::array<std::byte*, kTensors> first;
  std::array<int64_t, kTensors> stride;
  int64_t count;
};

}  // namespace aclgrad::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// x cos and x sin, each added up or subtracted as a pair is turned.
template <bool kNeighbours, bool kBack, class Element>
HWY_INLINE void turn_row(const Element* x, const Element* cos, const Element* sin, Element* out,
                         size_t size) {
  if constexpr (kNeighbours && kDoubleLanes > 1) {  // pairs side by side in a vector
    const DoubleTag d;
    for_vectors(size, [&](size_t i, auto n) HWY_ATTR {
      const Doubles from = load_doubles(x + i, n), sines = load_doubles(sin + i, n);
      const Doubles along = hn::Mul(from, load_doubles(cos + i, n));
      const Doubles across =
          kBack ? hn::Reverse2(d, hn::Mul(from, sines)) : hn::Mul(hn::Reverse2(d, from), sines);
      const Doubles sum = hn::Add(along, across), difference = hn::Sub(along, across);
      store_doubles(kBack ? hn::OddEven(difference, sum) : hn::OddEven(sum, difference), out + i,
                    n);
    });
  } else {  // first and second columns in vectors of their own
    constexpr size_t kStep = kNeighbours ? 2 : 1;
    const size_t apart = kNeighbours ? 1 : size / 2;
    for_vectors(size / 2, [&](size_t pair, auto n) HWY_ATTR {
      const size_t i = pair * kStep, j = i + apart;
      const Doubles first = load_doubles(x + i, n), second = load_doubles(x + j, n);
      const Doubles along = hn::Mul(first, load_doubles(cos + i, n));
      const Doubles across = hn::Mul(second, load_doubles(cos + j, n));
      const Doubles first_sines = load_doubles(sin + i, n), second_sines = load_doubles(sin + j, n);
      store_doubles(kBack ? hn::Add(along, hn::Mul(second, second_sines))
                          : hn::Sub(along, hn::Mul(second, first_sines)),
                    out + i, n);
      store_doubles(kBack ? hn::Sub(across, hn::Mul(first, first_sines))
                          : hn::Add(across, hn::Mul(first, second_sines)),
                    out + j, n);
    });
  }
}

template <bool kNeighbours, bool kBack, class Element>
HWY_INLINE void turn(RotaryRows rows, size_t size) {
  const auto at = [&](size_t k) { return reinterpret_cast<Element*>(rows.first[k]); };
  for (; rows.count > 0; --rows.count) {
    turn_row<kNeighbours, kBack, Element>(at(RotaryRows::kX), at(RotaryRows::kCos),
                                          at(RotaryRows::kSin), at(RotaryRows::kOut), size);
    for (size_t k = 0; k < RotaryRows::kTensors; ++k) rows.first[k] += rows.stride[k];
  }
}

void TurnRows(const RotaryRows& rows, size_t size, bool neighbours, bool back) {
  visit_real(rows.dtype, [&]<class Element>(TypeTag<Element>) HWY_ATTR {
    if (neighbours) {
      return back ? turn<true, true, Element>(rows, size) : turn<true, false, Element>(rows, size);
    }
    return back ? turn<false, true, Element>(rows, size) : turn<false, false, Element>(rows, size);
  });
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(TurnRows);

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 14;

using enum RotaryRows::Tensor;

// Rows that are not dense, as doubles.
struct RotaryScratch {
  std::array<std::vector<double>, kTensors> rows;
};

// A tensor by the rows of x.
struct RotaryOperand {
  size_t parameter;
  Dims strides;   // of the dimensions of rows, joined as those of all tensors are
  int64_t along;  // from column to column
};

class Rotary {
 public:
  Rotary(const Arguments& arguments, const RotaryTensors& tensors, int64_t mode, bool back)
      : dtype_(arguments.dtype(tensors.x)),
        size_(arguments.shape(tensors.x)[arguments.shape(tensors.x).size() - 1]),
        neighbours_(RotaryPairs(mode, size_).are_neighbours),
        back_(back) {
    const Dims& x = arguments.shape(tensors.x);
    const size_t last = x.size() - 1;
    shape_ = Dims(x.data(), last);
    const size_t parameters[kTensors] = {tensors.x, tensors.cos, tensors.sin, tensors.out};
    std::array<Dims*, kTensors> all{};
    for (size_t k = 0; k < kTensors; ++k) {
      const Dims strides =
          broadcast_strides(arguments.shape(parameters[k]), arguments.strides(parameters[k]), x);
      operands_[k] = {parameters[k], Dims(strides.data(), last), strides[last]};
      all[k] = &operands_[k].strides;
      is_dense_ = is_dense_ && (operands_[k].along == 1 || size_ == 1);
    }
    collapse_dimensions(shape_, all);
    for (size_t k = 0; k < kTensors; ++k) rows_[k] = StridedIndex(shape_, operands_[k].strides);
  }

  void run(const Run& run) const {
    parallel_pieces(rows_[kX].count(), std::max<int64_t>(1, kGrain / size_),
                    [&](int64_t begin, int64_t end) {
                      const ThreadScratch<RotaryScratch> scratch;
                      if (!is_dense_) {
                        for (auto& row : scratch->rows) row.resize(static_cast<size_t>(size_));
                      }
                      turn_rows(run, begin, end, *scratch);
                    });
  }

 private:
  void turn_rows(const Run& run, int64_t begin, int64_t end, RotaryScratch& scratch) const {
    const size_t last = shape_.size() - 1;
    RotaryRows rows{dtype_, {}, {}, 0};
    for (size_t k = 0; k < kTensors; ++k) {
      rows.stride[k] = operands_[k].strides[last] * static_cast<int64_t>(element_size(dtype_));
    }
    // Those that follow each other along the last of the joined dimensions.
    for (int64_t row = begin; row < end; row += rows.count) {
      rows.count = std::min(end - row, shape_[last] - row % shape_[last]);
      for (size_t k = 0; k < kTensors; ++k) {
        rows.first[k] = static_cast<std::byte*>(
            element(run.data(operands_[k].parameter), dtype_, rows_[k].offset(row)));
      }
      if (is_dense_) {
        turn(rows);
      } else {
        turn_through(rows, scratch);
      }
    }
  }

  void turn(const RotaryRows& rows) const {
    HWY_DYNAMIC_DISPATCH(TurnRows)(rows, static_cast<size_t>(size_), neighbours_, back_);
  }

  void turn_through(const RotaryRows& rows, RotaryScratch& scratch) const {
    const auto size = static_cast<size_t>(size_);
    RotaryRows dense{ACL_DOUBLE, {}, {}, 1};
    for (size_t k = 0; k < kTensors; ++k) {
      dense.first[k] = reinterpret_cast<std::byte*>(scratch.rows[k].data());
    }
    for (int64_t row = 0; row < rows.count; ++row) {
      const auto at = [&](size_t k) { return rows.first[k] + row * rows.stride[k]; };
      for (size_t k = 0; k < kOut; ++k) {
        load(static_cast<const void*>(at(k)), dtype_, operands_[k].along, scratch.rows[k].data(),
             size);
      }
      turn(dense);
      store(scratch.rows[kOut].data(), static_cast<void*>(at(kOut)), dtype_, operands_[kOut].along,
            size);
    }
  }

  aclDataType dtype_;
  int64_t size_;
  bool neighbours_, back_, is_dense_ = true;
  Dims shape_;  // of the rows
  std::array<RotaryOperand, kTensors> operands_;
  std::array<StridedIndex, kTensors> rows_;
};

}  // namespace

Plan plan_rotary(const Arguments& arguments, const RotaryTensors& tensors, int64_t mode,
                 bool back) {
  if (arguments.empty(tensors.x)) return {};
  return {[rotary = Rotary(arguments, tensors, mode, back)](const Run& run) -> aclError {
    rotary.run(run);
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
