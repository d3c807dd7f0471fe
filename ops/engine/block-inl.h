// SPDX-License-Identifier: Apache-2.0
// Per-target: maps a formula over vectors onto the dense blocks of the elementwise engine. Included
// by kernel files inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_ENGINE_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_BLOCK_INL_H_
#undef ACLGRAD_OPS_ENGINE_BLOCK_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_BLOCK_INL_H_
#endif

#include <cassert>
#include <cstddef>
#include <utility>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using RealTag = hn::ScalableTag<double>;
using Real = hn::Vec<RealTag>;

// out[0][i] = formula(tag, in[0][i], in[1][i], ...). Whole vectors only: blocks are padded.
template <size_t kInputs, class Formula>
HWY_ATTR void map_block(const double* const* in, double* const* out, size_t count,
                        const Formula& formula) {
  for (size_t k = 0; k < kInputs; ++k) assert(out[0] != in[k] && "a kernel in place");
  const RealTag tag;
  for (size_t i = 0; i < count; i += hn::Lanes(tag)) {
    [&]<size_t... k>(std::index_sequence<k...>) HWY_ATTR {
      hn::Store(formula(tag, hn::Load(tag, in[k] + i)...), tag, out[0] + i);
    }
    (std::make_index_sequence<kInputs>{});
  }
}

// That as a kernel.
template <size_t kInputs, class Formula>
auto blockwise(const Formula& formula) {
  return [formula](const double* const* in, double* const* out, size_t count)
             HWY_ATTR { map_block<kInputs>(in, out, count, formula); };
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
