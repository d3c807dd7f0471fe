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

// a b as a factor of a third number. Where a b is so small that its low part would underflow, a is
// scaled up, and undone() scales the final product down.
template <class D>
class SafeFactor {
  using V = hn::Vec<D>;

 public:
  HWY_INLINE SafeFactor(D d, V a, V b) {
    // A large number has such a small product only with 0.
    small_ = hn::And(hn::Lt(hn::Abs(hn::Mul(a, b)), hn::Set(d, 0x1p-100f)),
                     hn::Lt(hn::Abs(a), hn::Set(d, 0x1p60f)));
    number = hn::Mul(a, hn::IfThenElse(small_, hn::Set(d, 0x1p64f), hn::Set(d, 1.0f)));
  }
  HWY_INLINE V undone(D d, V product) const {
    if (HWY_LIKELY(hn::AllFalse(d, small_))) return product;
    return hn::IfThenElse(small_, hn::Mul(product, hn::Set(d, 0x1p-64f)), product);
  }

  V number;

 private:
  hn::Mask<D> small_;
};
// Where no SafeFactor is needed.
template <class D, class V>
HWY_INLINE auto is_safe(D d, V product) {
  const auto large = hn::Gt(hn::Abs(product), hn::Set(d, 0x1p-100f));
  return hn::Or(large, hn::Eq(product, hn::Zero(d)));
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
        const auto gate = inner_part<false, Form>(d, x[0], valid);
        const auto line = two_product(d, x[1], x[0]);
        y[0] = multiply_once(d, line, gate);
        y[1] = multiply_once(d, x[0], gate);
        valid = hn::And(hn::And(valid, is_safe(d, line.high)), hn::IsFinite(y[0]));
      },
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const GeluAnywhere<false, Form, decltype(d)> gelu(d, x[0]);
        const SafeFactor factor(d, x[1], x[0]);
        y[0] = factor.undone(d, gelu.value_times(d, factor.number));
        y[1] = gelu.value(d);
        valid = hn::AndNot(overflows(d, x[1], x[0], hn::Abs(x[0])), gelu.valid(d, x[1]));
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
        const auto slope = inner_part<true, Form>(d, x[1], valid);
        const auto factor = two_product(d, x[0], x[2]);
        y[0] = multiply_once(d, factor, slope);
        y[1] = hn::Mul(x[0], x[3]);
        const auto finite = hn::And(hn::IsFinite(y[0]), hn::IsFinite(y[1]));
        valid = hn::And(hn::And(valid, is_safe(d, factor.high)), finite);
      },
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const SafeFactor safe(d, x[0], x[2]);
        const auto factor = two_product(d, safe.number, x[2]);
        const GeluAnywhere<true, Form, decltype(d)> gelu(d, x[1]);
        y[0] = safe.undone(d, gelu.slope_times(d, factor));
        y[1] = hn::Mul(x[0], x[3]);
        valid = hn::AndNot(overflows(d, x[0], x[2], x[1]), gelu.valid(d, factor.high));
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
