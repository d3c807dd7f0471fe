// SPDX-License-Identifier: Apache-2.0
// Per-target: the output of a matrix product, out of a buffer of sums or written by tiles
// themselves. Included by kernel files inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_MATMUL_PRODUCT_OUTPUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_MATMUL_PRODUCT_OUTPUT_INL_H_
#undef ACLGRAD_OPS_MATMUL_PRODUCT_OUTPUT_INL_H_
#else
#define ACLGRAD_OPS_MATMUL_PRODUCT_OUTPUT_INL_H_
#endif

#include <algorithm>
#include <functional>
#include <type_traits>

#include "ops/engine/dtype/doubles-inl.h"
#include "ops/engine/dtype/load_store-inl.h"
#include "ops/engine/iterate.h"
#include "ops/matmul/matmul_kernel_direct.h"
#include "ops/matmul/product_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// Sums of a row that become results one after the other.
template <class T, class Element>
struct DenseRow {
  const T* sums;
  const Element* added;  // null for nothing
  bool repeats;          // the one number that is there for all
  Element* to;
};

// Results at [begin, begin + count), each rounded once.
template <class T, class Element>
HWY_INLINE void finish_in_doubles(const MatmulProblem& problem, const DenseRow<T, Element>& row,
                                  size_t begin, size_t count) {
  const DoubleTag d;
  const Doubles alpha = hn::Set(d, problem.alpha);
  const Doubles beta = hn::Set(d, problem.beta);
  const bool repeats = row.added != nullptr && row.repeats;
  const Doubles repeated = hn::Set(d, repeats ? real_part(*row.added) : 0.0);
  for_vectors(count, [&](size_t k, auto n) HWY_ATTR {
    const size_t i = begin + k;
    Doubles value = hn::Mul(load_doubles(row.sums + i, n), alpha);
    if (row.added != nullptr) {
      value = hn::Add(value, hn::Mul(beta, repeats ? repeated : load_doubles(row.added + i, n)));
    }
    store_doubles(value, row.to + i, n);
  });
}

// Results at [begin, begin + kPairLanes), with the same bits in a third of the time: where the sum
// with the addend, rounded to a float, is not just between two numbers of BFLOAT16, rounding it
// again gives what rounding the exact sum gives.
HWY_INLINE void finish_pair(const MatmulProblem& problem, const DenseRow<float, Bfloat16>& row,
                            size_t begin) {
  const FloatTag d;
  const WordTag dw;
  if (row.added == nullptr) {
    const float* const sums = row.sums + begin;
    return store_both<StoreMode::kCached>(d, {hn::LoadU(d, sums), hn::LoadU(d, sums + kFloatLanes)},
                                          row.to + begin);
  }
  const auto sum_at = [&](size_t i) HWY_ATTR {
    const auto* const bits = reinterpret_cast<const uint16_t*>(row.added + i);
    const auto added = row.repeats ? hn::Set(Tag16(), row.added->bits) : hn::LoadU(Tag16(), bits);
    return hn::Add(hn::LoadU(d, row.sums + i), floats_of_bfloat16(d, added));
  };
  const auto may_be_tie = [&](Floats v) HWY_ATTR {
    const auto low = hn::And(hn::BitCast(dw, v), hn::Set(dw, 0xffffU));
    return hn::Eq(low, hn::Set(dw, 0x8000U));
  };
  const FloatPair v{sum_at(begin), sum_at(begin + kFloatLanes)};
  if (hn::AllFalse(dw, hn::Or(may_be_tie(v.first), may_be_tie(v.second)))) {
    store_both<StoreMode::kCached>(d, v, row.to + begin);
  } else {
    finish_in_doubles(problem, row, begin, kPairLanes);
  }
}

// Copies some elements out of or into a buffer of kPairLanes, which gets zeros behind them. Rows
// end with them, and small products are all ends.
template <bool kOutOfBuffer, class Element>
HWY_INLINE void copy_part(const Element* from, size_t count, Element* to) {
#if HWY_TARGET <= HWY_AVX3
  const hn::ScalableTag<Raw<Element>> d;
  for (size_t i = 0; i < kPairLanes; i += hn::Lanes(d)) {
    const auto some = hn::FirstN(d, count > i ? count - i : 0);
    const auto elements = hn::MaskedLoad(some, d, raw(from) + i);
    if constexpr (kOutOfBuffer) {
      hn::BlendedStore(elements, some, d, raw(to) + i);
    } else {
      hn::Store(elements, d, raw(to) + i);
    }
  }
#else
  std::copy_n(from, count, to);
  if constexpr (!kOutOfBuffer) std::fill_n(to + count, kPairLanes - count, Element{});
#endif
}

HWY_INLINE void finish_in_floats(const MatmulProblem& problem, const DenseRow<float, Bfloat16>& row,
                                 size_t count) {
  size_t i = 0;
  for (; i + kPairLanes <= count; i += kPairLanes) finish_pair(problem, row, i);
  if (i == count) return;
  const size_t left = count - i;
  alignas(64) float sums[kPairLanes];
  alignas(64) Bfloat16 added[kPairLanes];
  alignas(64) Bfloat16 results[kPairLanes];
  copy_part<false>(row.sums + i, left, sums);
  const bool copies = row.added != nullptr && !row.repeats;
  if (copies) copy_part<false>(row.added + i, left, added);
  finish_pair(problem, {sums, copies ? added : row.added, row.repeats, results}, 0);
  copy_part<true>(results, left, row.to + i);
}

template <class T, class Element>
HWY_INLINE void finish_dense(TypeTag<Element>, const ProductPart& part, int64_t row, int64_t rows,
                             int64_t column, size_t columns, const T* sums, int64_t sums_row) {
  const MatmulProblem& problem = part.problem;
  const auto& added = problem.addend;
  const auto at = [&](const MatrixView& view) HWY_ATTR {
    return part.run.data<Element>(view.parameter) + batch_offset(problem, view, part.batch) +
           row * view.row_stride + column * view.column_stride;
  };
  DenseRow<T, Element> one{sums, added ? at(*added) : nullptr, added && added->column_stride == 0,
                           at(problem.out)};
  [[maybe_unused]] const bool scales = problem.alpha != 1 || (added && problem.beta != 1);
  for (int64_t i = 0; i < rows; ++i) {
    if constexpr (std::is_same_v<T, float> && std::is_same_v<Element, Bfloat16>) {
      if (scales) {
        finish_in_doubles(problem, one, 0, columns);
      } else {
        finish_in_floats(problem, one, columns);
      }
    } else {
      finish_in_doubles(problem, one, 0, columns);
    }
    one.sums += sums_row;
    one.to += problem.out.row_stride;
    if (added) one.added += added->row_stride;
  }
}

// finish_sums() of either type.
template <class T>
void finish(const ProductPart& part, int64_t row, int64_t rows, int64_t column, int64_t columns,
            const T* sums, int64_t sums_row) {
  const MatmulProblem& problem = part.problem;
  const auto& added = problem.addend;
  const bool dense = problem.has_dense_rows(problem.out) &&
                     (!added || (added->dtype == problem.out.dtype &&
                                 (problem.has_dense_rows(*added) || added->column_stride == 0)));
  if (dense) {
    visit_real(problem.out.dtype, [&](auto tag) HWY_ATTR {
      finish_dense(tag, part, row, rows, column, static_cast<size_t>(columns), sums, sums_row);
    });
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; j += kRowPiece) {
      const int64_t size = std::min(kRowPiece, columns - j);
      alignas(64) double values[kRowPiece];
      for (int64_t l = 0; l < size; ++l) {
        values[l] = static_cast<double>(sums[i * sums_row + j + l]);
      }
      finish_row(problem, part.run, part.batch, row + i, column + j, values, size);
    }
  }
}

// Sums of type T are results already: nothing scales or converts them.
template <class T>
class DirectOutput {
 public:
  explicit DirectOutput(const ProductPart& part) : part_(part) {
    const MatrixView& out = part.problem.out;
    if (out.dtype != kDtype || part.problem.alpha != 1) return;
    if (!part.problem.has_dense_rows(out)) return;
    data_ = at(out);
    is_possible_ = takes_addend();
  }

  bool is_possible() const { return is_possible_; }
  T* data() const { return data_; }
  int64_t row_stride() const { return part_.problem.out.row_stride; }
  // What tiles add to the sums at last; null for nothing.
  const T* added() const { return added_; }
  int64_t added_row_stride() const { return added_row_stride_; }

 private:
  static constexpr aclDataType kDtype = sizeof(T) == 8 ? ACL_DOUBLE : ACL_FLOAT;

  T* at(const MatrixView& view) const {
    T* const data = part_.run.data<T>(view.parameter);
    return part_.problem.batch.empty() ? data
                                       : data + batch_offset(part_.problem, view, part_.batch);
  }

  // It may lie where the output lies, and be needed after that is written.
  bool takes_addend() {
    const MatmulProblem& problem = part_.problem;
    const auto& view = problem.addend;
    if (!view) return true;
    if (view->dtype != kDtype || problem.beta != 1) return false;
    if (!problem.has_dense_rows(*view)) return false;
    if (view->row_stride < 0 || problem.out.row_stride < 0) return false;
    const auto length = [&](const MatrixView& of) {
      return (problem.m - 1) * of.row_stride + problem.n;
    };
    const T* const begin = at(*view);
    const std::less_equal<> before;
    if (!before(begin + length(*view), data_) && !before(data_ + length(problem.out), begin)) {
      return false;
    }
    added_ = begin;
    added_row_stride_ = view->row_stride;
    return true;
  }

  const ProductPart& part_;
  T* data_ = nullptr;
  const T* added_ = nullptr;
  int64_t added_row_stride_ = 0;
  bool is_possible_ = false;
};

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
