// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/gelu_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/gelu_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/activation/gelu-inl.h"
#include "ops/engine/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

template <class Form>
FloatKernel forward() {
  const auto exact = blockwise<1>([](auto d, auto x) HWY_ATTR { return exact_gelu<Form>(d, x); });
  return {exact, [exact](const NativeBlock& block) HWY_ATTR {
            constinit static Lut16s tables;
            if (block.dtype != ACL_FLOAT) return map_lut16(block, &tables, exact);
            map_floats_fast_first<1, 1>(
                block,
                [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
                  const GeluAt<Form::kGate, false, decltype(d)> gate(d, x[0]);
                  y[0] = gate.value(d);
                  valid = gate.near_and_normal(d);
                },
                [](auto d, const auto& x, auto& y)
                    HWY_ATTR { y[0] = GeluAt<Form::kGate, true, decltype(d)>(d, x[0]).value(d); },
                exact);
          }};
}

template <class Form>
FloatKernel backward() {
  const auto exact = blockwise<2>([](auto d, auto g, auto x) HWY_ATTR {
    return multiply_to_odd(d, g, exact_slope<Form>(d, x));
  });
  return {exact, [exact](const NativeBlock& block) HWY_ATTR {
            constinit static Lut16s tables;
            if (block.dtype != ACL_FLOAT) {
              return map_lut16_product</*kMayBeExact=*/false>(block, &tables, exact);
            }
            map_floats_fast_first<2, 1>(
                block,
                [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
                  const GeluAt<Form::kSlope, false, decltype(d)> slope(d, x[1]);
                  y[0] = slope.times(d, x[0], x[0], valid);
                  valid = hn::And(valid, slope.near(d));
                },
                [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
                  const GeluAt<Form::kSlope, true, decltype(d)> slope(d, x[1]);
                  y[0] = slope.times(d, x[0], x[0], valid);
                },
                exact);
          }};
}

FloatKernel gelu(GeluForm form) {
  return form == GeluForm::kErf ? forward<GeluErf>() : forward<GeluTanh>();
}
FloatKernel gelu_backward(GeluForm form) {
  return form == GeluForm::kErf ? backward<GeluErf>() : backward<GeluTanh>();
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(gelu);
HWY_EXPORT(gelu_backward);

}  // namespace

FloatKernel gelu_kernel(GeluForm form) { return HWY_DYNAMIC_DISPATCH(gelu)(form); }

FloatKernel gelu_backward_kernel(GeluForm form) {
  return HWY_DYNAMIC_DISPATCH(gelu_backward)(form);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
