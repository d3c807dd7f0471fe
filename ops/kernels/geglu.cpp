// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/geglu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/geglu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/block-inl.h"
#include "ops/kernels/gelu-inl.h"
#include "ops/kernels/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// The product of two elements is exact, or nearly so, and often a tie of their format: where the
// gate or the derivative is all but 1, what it lacks decides how that is rounded.

template <class Form>
HWY_INLINE void forward(const double* const* in, double* const* out, size_t count) {
  const RealTag d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto x = hn::Load(d, in[0] + i);
    const auto held = held_below<Form>(d, x);
    const auto gate = exact_gate<Form>(d, x);
    const auto factor = hn::Mul(hn::Load(d, in[1] + i), held);
    hn::Store(multiply_to_odd(d, factor, gate), d, out[0] + i);
    hn::Store(hn::Mul(held, hn::Add(gate.high, gate.low)), d, out[1] + i);
  }
}

template <class Form>
HWY_INLINE void backward(const double* const* in, double* const* out, size_t count) {
  const RealTag d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto g = hn::Load(d, in[0] + i);
    const auto factor = hn::Mul(g, hn::Load(d, in[2] + i));
    const auto slope = exact_slope<Form>(d, hn::Load(d, in[1] + i));
    hn::Store(multiply_to_odd(d, factor, slope), d, out[0] + i);
    hn::Store(hn::Mul(g, hn::Load(d, in[3] + i)), d, out[1] + i);
  }
}

// A block of gelu and of its derivative.
template <class Form>
void activation(const double* x, double* y) {
  map_block<1>(&x, &y, kBlock,
               [](auto d, auto each) HWY_ATTR { return exact_gelu<Form>(d, each); });
}
template <class Form>
void derivative(const double* x, double* y) {
  map_block<1>(&x, &y, kBlock, [](auto d, auto each) HWY_ATTR {
    const auto slope = exact_slope<Form>(d, each);
    return hn::Add(slope.high, slope.low);
  });
}

// The product of two elements as a factor of a third; where it is so small that its low part is
// lost, that is left to the exact kernel.
template <class D, class V, class M>
HWY_INLINE Twofold<V> factor_of(D d, V a, V b, M& valid) {
  const Twofold<V> factor = twofold_product(d, a, b);
  const auto large = hn::Gt(hn::Abs(factor.high), hn::Set(d, 0x1p-100f));
  valid = hn::And(valid, hn::Or(large, hn::Eq(factor.high, hn::Zero(d))));
  return factor;
}

// x[0] and x[1] are the half that is activated and the other; `gate` is that of the first.
template <class Gate, class D, class X, class Y, class M>
HWY_INLINE void forward_with(const Gate& gate, D d, const X& x, Y& y, M& valid) {
  y[0] = product(d, factor_of(d, x[1], x[0], valid), gate);
  y[1] = product(d, x[0], gate);
}

template <class Form>
HWY_INLINE void forward_stored(const StoredBlock& block) {
  constinit static ShortTables tables;
  const auto formula = [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    forward_with(gelu_gate<Form>(d, x[0], valid), d, x, y, valid);
  };
  if (block.dtype == ACL_FLOAT) {
    return map_floats<2, 2, Outputs::kNear>(
        block,
        [](auto d, const auto& x, auto& y, auto& valid)
            HWY_ATTR { forward_with(inner_part<false, Form>(d, x[0], valid), d, x, y, valid); },
        formula, forward<Form>);
  }
  map_tabled<2, 2, 0, Outputs::kNear, Outputs::kNear>(
      block, table_for<Entries::kNearest>(block, &tables, activation<Form>),
      [](auto, const auto& x, auto value, auto& y) HWY_ATTR {
        y[0] = hn::Mul(x[1], value);
        y[1] = value;
      },
      formula, forward<Form>);
}

// x: the gradient, the half that was activated, the other half, and gelu of the first; `slope` is
// the derivative.
template <class Slope, class D, class X, class Y, class M>
HWY_INLINE void backward_with(const Slope& slope, D d, const X& x, Y& y, M& valid) {
  y[0] = product(d, factor_of(d, x[0], x[2], valid), slope);
  y[1] = hn::Mul(x[0], x[3]);
}

template <class Form>
HWY_INLINE void backward_stored(const StoredBlock& block) {
  constinit static ShortTables tables;
  const auto formula = [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    backward_with(gelu_slope<Form>(d, x[1], valid), d, x, y, valid);
  };
  if (block.dtype == ACL_FLOAT) {
    return map_floats<4, 2, Outputs::kNearThenRounded>(
        block,
        [](auto d, const auto& x, auto& y, auto& valid)
            HWY_ATTR { backward_with(inner_part<true, Form>(d, x[1], valid), d, x, y, valid); },
        formula, backward<Form>);
  }
  map_tabled<4, 2, 1, Outputs::kNearThenRounded, Outputs::kNearThenRounded>(
      block, table_for<Entries::kNearest>(block, &tables, derivative<Form>),
      [](auto, const auto& x, auto value, auto& y) HWY_ATTR {
        y[0] = hn::Mul(hn::Mul(x[0], x[2]), value);  // the first product has no error that counts
        y[1] = hn::Mul(x[0], x[3]);
      },
      formula, backward<Form>);
}

void geglu_erf(const double* const* in, double* const* out, size_t count) {
  forward<GeluErf>(in, out, count);
}
void geglu_tanh(const double* const* in, double* const* out, size_t count) {
  forward<GeluTanh>(in, out, count);
}
void geglu_backward_erf(const double* const* in, double* const* out, size_t count) {
  backward<GeluErf>(in, out, count);
}
void geglu_backward_tanh(const double* const* in, double* const* out, size_t count) {
  backward<GeluTanh>(in, out, count);
}
void geglu_erf_stored(const StoredBlock& block) { forward_stored<GeluErf>(block); }
void geglu_tanh_stored(const StoredBlock& block) { forward_stored<GeluTanh>(block); }
void geglu_backward_erf_stored(const StoredBlock& block) { backward_stored<GeluErf>(block); }
void geglu_backward_tanh_stored(const StoredBlock& block) { backward_stored<GeluTanh>(block); }

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "ops/kernels/dispatch.h"

namespace aclgrad::ops {

HWY_EXPORT(geglu_erf);
HWY_EXPORT(geglu_tanh);
HWY_EXPORT(geglu_backward_erf);
HWY_EXPORT(geglu_backward_tanh);
HWY_EXPORT(geglu_erf_stored);
HWY_EXPORT(geglu_tanh_stored);
HWY_EXPORT(geglu_backward_erf_stored);
HWY_EXPORT(geglu_backward_tanh_stored);

FloatKernel geglu_kernel(GeluForm form) {
  if (form == GeluForm::kErf) {
    return {ACLGRAD_DISPATCHED(geglu_erf), ACLGRAD_DISPATCHED(geglu_erf_stored)};
  }
  return {ACLGRAD_DISPATCHED(geglu_tanh), ACLGRAD_DISPATCHED(geglu_tanh_stored)};
}

FloatKernel geglu_backward_kernel(GeluForm form) {
  if (form == GeluForm::kErf) {
    return {ACLGRAD_DISPATCHED(geglu_backward_erf), ACLGRAD_DISPATCHED(geglu_backward_erf_stored)};
  }
  return {ACLGRAD_DISPATCHED(geglu_backward_tanh), ACLGRAD_DISPATCHED(geglu_backward_tanh_stored)};
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
