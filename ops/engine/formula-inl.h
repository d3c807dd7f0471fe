// SPDX-License-Identifier: Apache-2.0
// Per-target: kernels of operators at the level "bounded" out of one formula. Included by kernel
// files inside Highway's foreach_target loop.
//
// unary, binary and ternary take formula(d, x), formula(d, x, y) and so on for tags of float and of
// double: a generic lambda over the functions of ops/engine/math. FLOAT, FLOAT16 and BF16 go
// through the float one, and 16-bit results are its results rounded; DOUBLE, integers and mixed
// dtypes go through the double one.
#if defined(ACLGRAD_OPS_ENGINE_FORMULA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_FORMULA_INL_H_
#undef ACLGRAD_OPS_ENGINE_FORMULA_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_FORMULA_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "ops/engine/block-inl.h"
#include "ops/engine/dtype/doubles-inl.h"
#include "ops/engine/elementwise.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A number as a vector of either type.
template <class D>
HWY_INLINE hn::Vec<D> set(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}
template <class D>
HWY_INLINE hn::Vec<D> one(D d) {
  return hn::Set(d, hn::TFromD<D>{1});
}

// The formula over a row of elements, a vector of floats at a time. Its code is there once for each
// dtype: the ends of a row, shorter than a vector, go through buffers.
template <class Element, size_t kInputs, class Formula>
class FormulaRow {
  static constexpr size_t kStep = hn::MaxLanes(FloatTag());
  using Rows = std::array<const Element*, kInputs>;

 public:
  FormulaRow(const NativeBlock& row, const Formula& formula) : formula_(formula) {
    Rows in;
    for (size_t k = 0; k < kInputs; ++k) in[k] = static_cast<const Element*>(row.in[k]);
    auto* const out = static_cast<Element*>(row.out[0]);
    size_t begin = 0;
    const size_t beyond = reinterpret_cast<uintptr_t>(out) % (kStep * sizeof(Element));
    const bool streams = row.streaming && beyond % sizeof(Element) == 0;
    if (streams) begin = std::min((kStep - beyond / sizeof(Element)) % kStep, row.count);
    if (begin > 0) partial_vector(in, out, 0, begin);
    const size_t end = begin + (row.count - begin) / kStep * kStep;
    vectors(in, out, begin, end, streams);
    if (end < row.count) partial_vector(in, out, end, row.count);
  }

 private:
  // Elements [begin, end), whole vectors.
  HWY_ATTR HWY_NOINLINE void vectors(const Rows& in, Element* out, size_t begin, size_t end,
                                     bool streams) const {
    const FloatTag d;
    const RawTag<Element, FloatTag> tag;
    for (size_t i = begin; i < end; i += kStep) {
      const auto results = [&]<size_t... k>(std::index_sequence<k...>) HWY_ATTR {
        return elements_of<Element>(
            d, formula_(d, floats_of<Element>(d, hn::LoadU(tag, raw(in[k] + i)))...));
      }
      (std::make_index_sequence<kInputs>());
      if (streams) {
        hn::Stream(results, tag, raw(out + i));
      } else {
        hn::StoreU(results, tag, raw(out + i));
      }
    }
  }

  // Elements [begin, end), fewer than a vector has.
  HWY_NOINLINE void partial_vector(const Rows& in, Element* out, size_t begin, size_t end) const {
    alignas(64) Element buffer[kInputs][kStep] = {};
    alignas(64) Element results[kStep];
    Rows rows;
    const size_t bytes = (end - begin) * sizeof(Element);
    for (size_t k = 0; k < kInputs; ++k) {
      std::memcpy(static_cast<void*>(buffer[k]), in[k] + begin, bytes);
      rows[k] = buffer[k];
    }
    vectors(rows, results, 0, kStep, false);
    std::memcpy(static_cast<void*>(out + begin), results, bytes);
  }

  const Formula& formula_;
};

template <size_t kInputs, class Formula>
FloatKernel kernel_of(const Formula& formula) {
  return {[formula](const double* const* in, double* const* out, size_t count)
              HWY_ATTR { map_block<kInputs>(in, out, count, formula); },
          row_by_row<kInputs, 1>([formula](const NativeBlock& row) HWY_ATTR {
            if (row.dtype == ACL_FLOAT) {
              FormulaRow<float, kInputs, Formula>(row, formula);
            } else if (row.dtype == ACL_FLOAT16) {
              FormulaRow<Float16, kInputs, Formula>(row, formula);
            } else {
              FormulaRow<Bfloat16, kInputs, Formula>(row, formula);
            }
          })};
}

template <class Formula>
FloatKernel unary(const Formula& formula) {
  return kernel_of<1>(formula);
}
template <class Formula>
FloatKernel binary(const Formula& formula) {
  return kernel_of<2>(formula);
}
template <class Formula>
FloatKernel ternary(const Formula& formula) {
  return kernel_of<3>(formula);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
