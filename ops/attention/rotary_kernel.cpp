// SPDX-License-Identifier: Apache-2.0
#include "ops/attention/rotary_kernel.h"

#include <algorithm>
#include <array>
#include <cstring>
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

// Dense rows of one dtype. out may be x.
struct RotaryRow {
  aclDataType dtype;
  const void *x, *cos, *sin;
  void* out;
};

}  // namespace aclgrad::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// The first and the second columns of a vector of pairs.
struct Points {
  Doubles first, second;
};

// Pairs [i, i + n) of a row.
template <bool kNeighbours, class Element>
HWY_INLINE Points load_points(const Element* row, size_t half, size_t i, size_t n) {
  if constexpr (!kNeighbours) {
    return {load_doubles(row + i, n), load_doubles(row + half + i, n)};
  } else {
    const RawTag<Element, DoubleTag> d;
    hn::Vec<decltype(d)> first, second;
    if (n == kDoubleLanes) {
      hn::LoadInterleaved2(d, raw(row + 2 * i), first, second);
    } else {
      alignas(64) Raw<Element> buffer[2 * kDoubleLanes] = {};
      std::memcpy(buffer, row + 2 * i, 2 * n * sizeof(Element));
      hn::LoadInterleaved2(d, buffer, first, second);
    }
    return {to_doubles<Element>(first), to_doubles<Element>(second)};
  }
}

template <bool kNeighbours, class Element>
HWY_INLINE void store_points(const Points& points, Element* row, size_t half, size_t i, size_t n) {
  if constexpr (!kNeighbours) {
    store_doubles(points.first, row + i, n);
    store_doubles(points.second, row + half + i, n);
  } else {
    const RawTag<Element, DoubleTag> d;
    const auto first = from_doubles<Element>(points.first);
    const auto second = from_doubles<Element>(points.second);
    if (n == kDoubleLanes) return hn::StoreInterleaved2(first, second, d, raw(row + 2 * i));
    alignas(64) Raw<Element> buffer[2 * kDoubleLanes];
    hn::StoreInterleaved2(first, second, d, buffer);
    std::memcpy(static_cast<void*>(row + 2 * i), buffer, 2 * n * sizeof(Element));
  }
}

template <bool kNeighbours, bool kBack, class Element>
HWY_INLINE void turn(const RotaryRow& row, size_t size) {
  const size_t half = size / 2;
  const auto points = [half](const void* from, size_t i, size_t n) HWY_ATTR {
    return load_points<kNeighbours>(static_cast<const Element*>(from), half, i, n);
  };
  for_vectors(half, [&](size_t i, auto n) HWY_ATTR {
    const Points x = points(row.x, i, n), cos = points(row.cos, i, n), sin = points(row.sin, i, n);
    const Doubles along = hn::Mul(x.first, cos.first), across = hn::Mul(x.second, cos.second);
    Points turned;
    if constexpr (kBack) {
      turned = {hn::Add(along, hn::Mul(x.second, sin.second)),
                hn::Sub(across, hn::Mul(x.first, sin.first))};
    } else {
      turned = {hn::Sub(along, hn::Mul(x.second, sin.first)),
                hn::Add(across, hn::Mul(x.first, sin.second))};
    }
    store_points<kNeighbours>(turned, static_cast<Element*>(row.out), half, i, n);
  });
}

void TurnRow(const RotaryRow& row, size_t size, bool neighbours, bool back) {
  visit_real(row.dtype, [&]<class Element>(TypeTag<Element>) HWY_ATTR {
    if (neighbours)
      return back ? turn<true, true, Element>(row, size) : turn<true, false, Element>(row, size);
    return back ? turn<false, true, Element>(row, size) : turn<false, false, Element>(row, size);
  });
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(TurnRow);

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 14;

enum : size_t { kX, kCos, kSin, kOut, kTensors };

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
    std::array<std::byte*, kTensors> at{};
    for (int64_t row = begin; row < end; ++row) {
      const bool is_next = row > begin && row % shape_[last] != 0;
      for (size_t k = 0; k < kTensors; ++k) {
        const RotaryOperand& operand = operands_[k];
        const auto bytes = static_cast<int64_t>(element_size(dtype_));
        at[k] = is_next ? at[k] + operand.strides[last] * bytes
                        : static_cast<std::byte*>(
                              element(run.data(operand.parameter), dtype_, rows_[k].offset(row)));
      }
      if (is_dense_) {
        turn_row({dtype_, at[kX], at[kCos], at[kSin], at[kOut]});
      } else {
        turn_through(at, scratch);
      }
    }
  }

  void turn_row(const RotaryRow& row) const {
    HWY_DYNAMIC_DISPATCH(TurnRow)(row, static_cast<size_t>(size_), neighbours_, back_);
  }

  void turn_through(const std::array<std::byte*, kTensors>& at, RotaryScratch& scratch) const {
    const auto size = static_cast<size_t>(size_);
    std::array<double*, kTensors> rows{};
    for (size_t k = 0; k < kTensors; ++k) rows[k] = scratch.rows[k].data();
    for (size_t k = 0; k < kOut; ++k) {
      load(static_cast<const void*>(at[k]), dtype_, operands_[k].along, rows[k], size);
    }
    turn_row({ACL_DOUBLE, rows[kX], rows[kCos], rows[kSin], rows[kOut]});
    store(rows[kOut], static_cast<void*>(at[kOut]), dtype_, operands_[kOut].along, size);
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
