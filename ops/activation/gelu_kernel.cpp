// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/gelu_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/gelu_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/activation/gelu-inl.h"
#include "ops/engine/block-inl.h"
#include "ops/engine/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

template <class Form>
HWY_INLINE void forward(const double* const* in, double* const* out, size_t count) {
  map_block<1>(in, out, count, [](auto d, auto x) HWY_ATTR { return exact_gelu<Form>(d, x); });
}

template <class Form>
HWY_INLINE void backward(const double* const* in, double* const* out, size_t count) {
  map_block<2>(in, out, count, [](auto d, auto g, auto x) HWY_ATTR {
    return multiply_to_odd(d, g, exact_slope<Form>(d, x));
  });
}

template <class Form>
HWY_INLINE void forward_native(const NativeBlock& block) {
  constinit static Lut16s tables;
  if (block.dtype != ACL_FLOAT) return map_lut16(block, &tables, forward<Form>);
  map_floats<1, 1>(
      block,
      [](auto d, const auto& x, auto& y, auto& valid)
          HWY_ATTR { y[0] = product(d, x[0], inner_part<false, Form>(d, x[0], valid)); },
      [](auto d, const auto& x, auto& y)
          HWY_ATTR { y[0] = GeluAnywhere<false, Form, decltype(d)>(d, x[0]).value(d); },
      forward<Form>);
}

template <class Form>
HWY_INLINE void backward_native(const NativeBlock& block) {
  constinit static Lut16s tables;
  if (block.dtype != ACL_FLOAT) {
    return map_lut16_product</*kMayBeExact=*/false>(block, &tables, backward<Form>);
  }
  map_floats<2, 1>(
      block,
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        y[0] = product(d, x[0], inner_part<true, Form>(d, x[1], valid));
        valid = hn::And(valid, hn::IsFinite(y[0]));
      },
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const GeluAnywhere<true, Form, decltype(d)> gelu(d, x[1]);
        y[0] = gelu.slope_times(d, {x[0], hn::Zero(d)});
        valid = gelu.valid(d, x[0]);
      },
      backward<Form>);
}

void gelu_erf(const double* const* in, double* const* out, size_t count) {
  forward<GeluErf>(in, out, count);
}
void gelu_tanh(const double* const* in, double* const* out, size_t count) {
  forward<GeluTanh>(in, out, count);
}
void gelu_backward_erf(const double* const* in, double* const* out, size_t count) {
  backward<GeluErf>(in, out, count);
}
void gelu_backward_tanh(const double* const* in, double* const* out, size_t count) {
  backward<GeluTanh>(in, out, count);
}
void gelu_erf_native(const NativeBlock& block) { forward_native<GeluErf>(block); }
void gelu_tanh_native(const NativeBlock& block) { forward_native<GeluTanh>(block); }
void gelu_backward_erf_native(const NativeBlock& block) { backward_native<GeluErf>(block); }
void gelu_backward_tanh_native(const NativeBlock& block) { backward_native<GeluTanh>(block); }

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "ops/engine/dispatch.h"

namespace aclgrad::ops {

HWY_EXPORT(gelu_erf);
HWY_EXPORT(gelu_tanh);
HWY_EXPORT(gelu_backward_erf);
HWY_EXPORT(gelu_backward_tanh);
HWY_EXPORT(gelu_erf_native);
HWY_EXPORT(gelu_tanh_native);
HWY_EXPORT(gelu_backward_erf_native);
HWY_EXPORT(gelu_backward_tanh_native);

FloatKernel gelu_kernel(GeluForm form) {
  if (form == GeluForm::kErf)
    return {ACLGRAD_DISPATCHED(gelu_erf), ACLGRAD_DISPATCHED(gelu_erf_native)};
  return {ACLGRAD_DISPATCHED(gelu_tanh), ACLGRAD_DISPATCHED(gelu_tanh_native)};
}

FloatKernel gelu_backward_kernel(GeluForm form) {
  if (form == GeluForm::kErf)
    return {ACLGRAD_DISPATCHED(gelu_backward_erf), ACLGRAD_DISPATCHED(gelu_backward_erf_native)};
  return {ACLGRAD_DISPATCHED(gelu_backward_tanh), ACLGRAD_DISPATCHED(gelu_backward_tanh_native)};
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
