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
#include <cstring>
#include <utility>

#include "ops/engine/block-inl.h"
#include "ops/engine/dtype/doubles-inl.h"
#include "ops/engine/elementwise.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The formula over a row of elements, a vector of floats at a time.
template <class Element, size_t kInputs, class Formula>
class FormulaRow {
 public:
  HWY_ATTR FormulaRow(const NativeBlock& row, const Formula& formula)
      : out_(static_cast<Element*>(row.out[0])), formula_(formula) {
    for (size_t k = 0; k < kInputs; ++k) in_[k] = static_cast<const Element*>(row.in[k]);
    const RawTag<Element, FloatTag> d;
    const size_t step = hn::Lanes(d);
    size_t i = 0;
    const size_t beyond = reinterpret_cast<uintptr_t>(out_) % (step * sizeof(Element));
    if (row.streaming && beyond % sizeof(Element) == 0) {
      const size_t unaligned = (step - beyond / sizeof(Element)) % step;
      if (unaligned != 0) i = partial_vector(0, std::min(unaligned, row.count));
      for (; i + step <= row.count; i += step) hn::Stream(at(in_, i), d, raw(out_ + i));
    }
    for (; i + step <= row.count; i += step) hn::StoreU(at(in_, i), d, raw(out_ + i));
    if (i < row.count) partial_vector(i, row.count);
  }

 private:
  // The results from element i of the rows `in` on.
  HWY_ATTR HWY_INLINE auto at(const Element* const (&in)[kInputs], size_t i) const {
    const FloatTag d;
    const RawTag<Element, FloatTag> tag;
    return [&]<size_t... k>(std::index_sequence<k...>) HWY_ATTR {
      return elements_of<Element>(
          d, formula_(d, floats_of<Element>(d, hn::LoadU(tag, raw(in[k] + i)))...));
    }
    (std::make_index_sequence<kInputs>());
  }

  // Elements [begin, end), fewer than a vector has; returns the end.
  HWY_ATTR HWY_NOINLINE size_t partial_vector(size_t begin, size_t end) {
    alignas(64) Element buffer[kInputs][hn::MaxLanes(FloatTag())] = {};
    alignas(64) Element results[hn::MaxLanes(FloatTag())];
    const Element* rows[kInputs];
    const size_t bytes = (end - begin) * sizeof(Element);
    for (size_t k = 0; k < kInputs; ++k) {
      std::memcpy(static_cast<void*>(buffer[k]), in_[k] + begin, bytes);
      rows[k] = buffer[k];
    }
    hn::StoreU(at(rows, 0), RawTag<Element, FloatTag>(), raw(results));
    std::memcpy(static_cast<void*>(out_ + begin), results, bytes);
    return end;
  }

  const Element* in_[kInputs];
  Element* out_;
  const Formula& formula_;
};

template <size_t kInputs, class Formula>
FloatKernel kernel_of(const Formula& formula) {
  return {blockwise<kInputs>(formula),
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
