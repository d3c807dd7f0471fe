// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/geglu_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/geglu_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/activation/gelu-inl.h"
#include "ops/engine/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// The product of two elements is exact, or nearly so, and often a tie of their format. Where the
// gate or the derivative rounds to 1, its difference from 1 decides how the tie is rounded.

template <class Form>
void exact_forward(const double* const* in, double* const* out, size_t count) {
  const RealTag d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto x = hn::Load(d, in[0] + i);
    const auto clamped = clamped_below<Form>(d, x);
    const auto gate = exact_gate<Form>(d, x);
    const auto factor = hn::Mul(hn::Load(d, in[1] + i), clamped);
    hn::Store(multiply_to_odd(d, factor, gate), d, out[0] + i);
    hn::Store(hn::Mul(clamped, hn::Add(gate.high, gate.low)), d, out[1] + i);
  }
}

template <class Form>
void exact_backward(const double* const* in, double* const* out, size_t count) {
  const RealTag d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto g = hn::Load(d, in[0] + i);
    const auto factor = hn::Mul(g, hn::Load(d, in[2] + i));
    const auto slope = exact_slope<Form>(d, hn::Load(d, in[1] + i));
    hn::Store(multiply_to_odd(d, factor, slope), d, out[0] + i);
    hn::Store(hn::Mul(g, hn::Load(d, in[3] + i)), d, out[1] + i);
  }
}

// A block of gelu and of its derivative, rounded to odd.
template <class Form>
void activation(const double* x, double* y) {
  map_block<1>(&x, &y, kBlock,
               [](auto d, auto each) HWY_ATTR { return exact_gelu<Form>(d, each); });
}
template <class Form>
void derivative(const double* x, double* y) {
  map_block<1>(&x, &y, kBlock, [](auto d, auto each) HWY_ATTR {
    const auto slope = exact_slope<Form>(d, each);
    const auto odd = round_to_odd(d, slope.high, slope.low);
    return hn::IfThenElse(hn::IsNaN(slope.high), slope.high, odd);
  });
}

// Where a b overflows, but its product with the gate or the derivative at x may not.
template <class D, class V>
HWY_INLINE auto overflows(D d, V a, V b, V x) {
  constexpr float kAllButOne = 9.0f;
  const auto infinite = hn::IsInf(hn::Mul(a, b));
  return hn::And(hn::And(infinite, hn::Lt(x, hn::Set(d, kAllButOne))),
                 hn::And(hn::IsFinite(a), hn::IsFinite(b)));
}

// x[0] and x[1] are the half that is activated and the other.
template <class Form>
void forward_native(const NativeBlock& block) {
  constinit static Lut16s tables;
  if (block.dtype != ACL_FLOAT) {
    const Lut16Values* const table = table_for(block, &tables, Entries::kFactors, activation<Form>);
    return map_with_table<2, 2, 0, Outputs::kWithin3Ulp>(
        block, table,
        [](auto, const auto& x, auto value, auto& y, auto&) HWY_ATTR {
          y[0] = hn::Mul(x[1], value);
          y[1] = value;
        },
        exact_forward<Form>);
  }
  map_floats_fast_first<2, 2>(
      block,
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const GeluAt<Form::kGate, false, decltype(d)> gate(d, x[0]);
        y[0] = gate.times(d, two_product(d, x[1], x[0]), x[1], valid);
        y[1] = gate.value(d);
        valid = hn::And(valid, gate.near_and_normal(d));
      },
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const GeluAt<Form::kGate, true, decltype(d)> gate(d, x[0]);
        y[0] = gate.times(d, two_product(d, x[1], gate.bounded(d)), x[1], valid);
        y[1] = gate.value(d);
      },
      exact_forward<Form>);
}

// x: the gradient, the half that was activated, the other half, and gelu of the first.
template <class Form>
void backward_native(const NativeBlock& block) {
  constinit static Lut16s tables;
  if (block.dtype != ACL_FLOAT) {
    const Lut16Values* const table = table_for(block, &tables, Entries::kFactors, derivative<Form>);
    return map_with_table<4, 2, 1, Outputs::kWithin3Ulp, Outputs::kRoundedUnlessTiny>(
        block, table,
        [](auto d, const auto& x, auto value, auto& y, auto& valid) HWY_ATTR {
          const auto factor = hn::Mul(x[0], x[2]);  // without an error that counts
          y[0] = hn::Mul(factor, value);
          y[1] = hn::Mul(x[0], x[3]);
          if constexpr (kIsAsked<decltype(valid)>) valid = hn::Not(overflows(d, x[0], x[2], x[1]));
        },
        exact_backward<Form>);
  }
  map_floats_fast_first<4, 2>(
      block,
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const GeluAt<Form::kSlope, false, decltype(d)> slope(d, x[1]);
        y[0] = slope.times(d, two_product(d, x[0], x[2]), x[0], valid);
        y[1] = hn::Mul(x[0], x[3]);
        valid = hn::And(valid, slope.near(d));
      },
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const GeluAt<Form::kSlope, true, decltype(d)> slope(d, x[1]);
        const auto given = hn::IfThenElse(hn::IsFinite(x[0]), x[2], x[0]);
        y[0] = slope.times(d, two_product(d, x[0], x[2]), given, valid);
        y[1] = hn::Mul(x[0], x[3]);
      },
      exact_backward<Form>);
}

FloatKernel geglu(GeluForm form) {
  if (form == GeluForm::kErf) return {exact_forward<GeluErf>, forward_native<GeluErf>};
  return {exact_forward<GeluTanh>, forward_native<GeluTanh>};
}
FloatKernel geglu_backward(GeluForm form) {
  if (form == GeluForm::kErf) return {exact_backward<GeluErf>, backward_native<GeluErf>};
  return {exact_backward<GeluTanh>, backward_native<GeluTanh>};
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(geglu);
HWY_EXPORT(geglu_backward);

}  // namespace

FloatKernel geglu_kernel(GeluForm form) { return HWY_DYNAMIC_DISPATCH(geglu)(form); }

FloatKernel geglu_backward_kernel(GeluForm form) {
  return HWY_DYNAMIC_DISPATCH(geglu_backward)(form);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
