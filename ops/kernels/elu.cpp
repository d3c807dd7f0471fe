// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/elu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/elu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/block-inl.h"
#include "ops/kernels/math-inl.h"
#include "ops/kernels/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// -infinity becomes the lowest finite number, so that its product with an inputScale of 0 is 0, and
// so that the limit holds for every other inputScale. NaN stays.
template <class D, class V>
HWY_INLINE V above_minus_infinity(D d, V x) {
  const V lowest = hn::Set(d, -0x1.fffffffffffffp+1023);
  return hn::IfThenElse(hn::Lt(x, lowest), lowest, x);
}

// ---- Exact --------------------------------------------------------------------------------------

void elu(const double* const* in, double* const* out, size_t count,
         const EluParameters& parameters) {
  const double scale = static_cast<double>(parameters.scale);
  const double limit = static_cast<double>(parameters.alpha) * scale;  // exact
  const double input_scale = static_cast<double>(parameters.input_scale);
  map_block<1>(in, out, count, [=](auto d, auto x) HWY_ATTR {
    const auto scaled = hn::Mul(above_minus_infinity(d, x), hn::Set(d, input_scale));
    // For tiny z, e^z - 1 = z + z^2/2 lies just above z.
    const auto tiny = hn::Lt(hn::Abs(scaled), hn::Set(d, kTiny));
    const auto growth = hn::IfThenElse(tiny, round_to_odd(d, scaled, hn::Abs(scaled)),
                                       exponential_minus_one(d, scaled));
    const auto falling = hn::Mul(hn::Set(d, limit), growth);
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Mul(x, hn::Set(d, scale)), falling);
  });
}

// The path for an alpha or inputScale that is not finite.
void elu_constant(const double* const* in, double* const* out, size_t count,
                  const EluParameters& parameters) {
  const double scale = static_cast<double>(parameters.scale);
  const double limit = static_cast<double>(parameters.alpha) * scale;
  map_block<1>(in, out, count, [=](auto d, auto x) HWY_ATTR {
    const auto product = hn::Mul(x, hn::Set(d, scale));  // also carries NaN
    return hn::IfThenElse(hn::Le(x, hn::Zero(d)), hn::Set(d, -limit), product);
  });
}

void elu_backward(const double* const* in, double* const* out, size_t count,
                  const EluParameters& parameters) {
  const double scale = static_cast<double>(parameters.scale);
  const double input_scale = static_cast<double>(parameters.input_scale);
  const double factor = static_cast<double>(parameters.alpha) * scale * input_scale;
  map_block<2>(in, out, count, [=](auto d, auto g, auto x) HWY_ATTR {
    const auto held = above_minus_infinity(d, x);
    const auto scaled = hn::Mul(held, hn::Set(d, input_scale));
    const auto tiny = hn::Lt(hn::Abs(scaled), hn::Set(d, kTiny));
    const auto decay = hn::IfThenElse(tiny, round_to_odd(d, hn::Set(d, 1.0), scaled),
                                      exponential_of_product(d, held, hn::Set(d, input_scale)));
    const auto falling = hn::Mul(hn::Set(d, factor), decay);
    return hn::Mul(g, hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Set(d, scale), falling));
  });
}

void elu_backward_of_result(const double* const* in, double* const* out, size_t count,
                            const EluParameters& parameters) {
  const double scale = static_cast<double>(parameters.scale);
  const double limit = static_cast<double>(parameters.alpha) * scale;
  const double input_scale = static_cast<double>(parameters.input_scale);
  map_block<2>(in, out, count, [=](auto d, auto g, auto y) HWY_ATTR {
    const auto factor = hn::Mul(g, hn::Set(d, input_scale));
    const auto falling = multiply_to_odd(d, factor, two_sum(y, hn::Set(d, limit)));
    const auto rising = hn::Mul(g, hn::Set(d, scale));
    return hn::IfThenElse(hn::Gt(y, hn::Zero(d)), rising, falling);
  });
}

// ---- In float, for positive parameters of moderate size -----------------------------------------

// An exact kernel above, as map_stored wants it.
template <class Function>
auto with_parameters(const Function& function, const EluParameters& parameters) {
  return [&](const double* const* in, double* const* out, size_t count) {
    function(in, out, count, parameters);
  };
}

// The usual case, which saves much.
bool all_are_one(const EluParameters& parameters) {
  return parameters.alpha == 1 && parameters.scale == 1 && parameters.input_scale == 1;
}

// x scale for elements x, such that the rounding to the element type that follows changes nothing:
// for 16-bit types the product is often a tie, of which it alone knows on which side it lies.
template <class D, class V, class CellsOf>
HWY_INLINE V rising(D d, V x, float scale, CellsOf cells) {
  if constexpr (!cells.kRoundsAgain) return hn::Mul(x, hn::Set(d, scale));
  const Twofold<V> product = twofold_product(d, x, hn::Set(d, scale));
  const auto large = hn::Gt(hn::Abs(product.high), hn::Set(d, 0x1p-90f));
  return hn::IfThenElse(large, cells.as_float(d, product), product.high);
}

struct EluTables {
  ShortTables forward;
  ShortTables backward;
  ShortTables of_result;
};

// Null when too many others are in use.
ShortTables* tables_of(const EluParameters& parameters, ShortTables EluTables::*which) {
  constinit static TablesByKey<EluParameters, EluTables> tables;
  EluTables* const found = tables.find(parameters);
  return found == nullptr ? nullptr : &(found->*which);
}

// A formula for any dtype, with an exact kernel for x and for g and x.
template <class Formula, class Exact>
void elu_by(const StoredBlock& block, const EluParameters& parameters, const Formula& formula,
            const Exact& exact) {
  if (block.dtype == ACL_FLOAT) return map_floats<1, 1, Outputs::kNear>(block, formula, exact);
  map_short_function<Outputs::kNear>(block, tables_of(parameters, &EluTables::forward), formula,
                                     exact);
}
template <class Formula, class Exact>
void elu_backward_by(const StoredBlock& block, const EluParameters& parameters,
                     const Formula& formula, const Exact& exact) {
  if (block.dtype == ACL_FLOAT) return map_floats<2, 1, Outputs::kNear>(block, formula, exact);
  map_short_product<Entries::kOdd, Outputs::kNear>(
      block, tables_of(parameters, &EluTables::backward), formula, exact);
}

void elu_plain_stored(const StoredBlock& block, const EluParameters& parameters) {
  elu_by(
      block, parameters,
      [](auto d, const auto& x, auto& y) HWY_ATTR {
        const auto held = hn::Max(x[0], hn::Set(d, kVanishingExponential));
        const auto growth = exponential_less_one(d, held);
        const auto falling = hn::Add(growth.high, growth.low);
        y[0] = hn::IfThenElse(hn::Lt(x[0], hn::Zero(d)), falling, x[0]);
      },
      with_parameters(elu, parameters));
}

void elu_stored(const StoredBlock& block, const EluParameters& parameters) {
  if (all_are_one(parameters)) return elu_plain_stored(block, parameters);
  const double exact_limit =
      static_cast<double>(parameters.alpha) * static_cast<double>(parameters.scale);
  const TwofoldConstant limit(exact_limit);
  const float lowest = kVanishingExponential / parameters.input_scale;
  elu_by(
      block, parameters,
      [=](auto d, const auto& x, auto& y, auto& valid, auto cells) HWY_ATTR {
        const auto negative = hn::Lt(x[0], hn::Zero(d));
        const auto held = hn::Max(x[0], hn::Set(d, lowest));
        const auto z = twofold_product(d, held, hn::Set(d, parameters.input_scale));
        const auto growth = exponential_less_one(d, z.high, z.low);
        const auto falling = unsigned_product(d, twofold(d, limit), growth);
        y[0] = hn::IfThenElse(negative, falling, rising(d, x[0], parameters.scale, cells));
        // For tiny x the low parts are lost.
        const auto tiny = hn::Gt(x[0], hn::Set(d, -0x1p-80f));
        valid = hn::Not(hn::And(negative, tiny));
      },
      with_parameters(elu, parameters));
}

void elu_plain_backward_stored(const StoredBlock& block, const EluParameters& parameters) {
  elu_backward_by(
      block, parameters,
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const auto g = x[0];
        const auto e = reduce_shortly(d, x[1]);
        const auto rest = hn::Mul(e.n, hn::Set(d, kLn2Excess));
        const auto growth = hn::Add(e.r, beyond_linear(d, e.r, rest));
        const auto scaled = fused(d, g, growth, g);
        const auto falling = hn::Mul(scaled, power_of(d, e));
        y[0] = hn::IfThenElse(hn::Gt(x[1], hn::Zero(d)), g, hn::CopySign(falling, g));
        valid = hn::Gt(x[1], hn::Set(d, -kExponentialLimit));
      },
      with_parameters(elu_backward, parameters));
}

void elu_backward_stored(const StoredBlock& block, const EluParameters& parameters) {
  if (all_are_one(parameters)) return elu_plain_backward_stored(block, parameters);
  const TwofoldConstant factor(static_cast<double>(parameters.alpha) *
                               static_cast<double>(parameters.scale) *
                               static_cast<double>(parameters.input_scale));
  elu_backward_by(
      block, parameters,
      [=](auto d, const auto& x, auto& y, auto& valid, auto cells) HWY_ATTR {
        const auto positive = hn::Gt(x[1], hn::Zero(d));
        const auto z = twofold_product(d, x[1], hn::Set(d, parameters.input_scale));
        const auto e = reduce_shortly(d, z.high);
        const auto rest = fused(d, e.n, hn::Set(d, kLn2Excess), z.low);
        auto scaled = twofold_product(d, x[0], hn::Set(d, factor.high));
        scaled.low = fused(d, x[0], hn::Set(d, factor.low), scaled.low);
        const auto low = fused(d, scaled.high, beyond_linear(d, e.r, rest), scaled.low);
        const auto sum = hn::Add(scaled.high, fused(d, scaled.high, e.r, low));
        const auto falling = hn::Mul(sum, power_of(d, e));
        y[0] = hn::IfThenElse(positive, rising(d, x[0], parameters.scale, cells),
                              hn::CopySign(falling, x[0]));
        valid = hn::Gt(z.high, hn::Set(d, -kExponentialLimit));
      },
      with_parameters(elu_backward, parameters));
}

void elu_plain_backward_of_result_floats(const StoredBlock& block,
                                         const EluParameters& parameters) {
  map_floats<2, 1, Outputs::kNear>(
      block,
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const auto held = hn::Min(x[1], hn::Zero(d));  // the slope is 1 from there on
        y[0] = product_by_positive(d, x[0], sum_with_larger(d, held, 1));
        // No result of ELU lies below, and no slope below 0.
        valid = hn::Ge(x[1], hn::Set(d, -1.0f));
      },
      with_parameters(elu_backward_of_result, parameters));
}

void elu_backward_of_result_floats(const StoredBlock& block, const EluParameters& parameters,
                                   TwofoldConstant limit) {
  map_floats<2, 1, Outputs::kNear>(
      block,
      [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const auto factor = hn::Set(d, parameters.input_scale);
        const auto sum = sum_with_larger(d, x[1], limit.high);
        const auto low = hn::Add(sum.low, hn::Set(d, limit.low));
        auto slope = twofold_product(d, sum.high, factor);
        slope.low = fused(d, low, factor, slope.low);
        const auto rising = hn::Mul(x[0], hn::Set(d, parameters.scale));
        y[0] = hn::IfThenElse(hn::Gt(x[1], hn::Zero(d)), rising, product(d, x[0], slope));
        valid = hn::Gt(x[1], hn::Set(d, -2 * limit.high));  // beyond, more would be lost
      },
      with_parameters(elu_backward_of_result, parameters));
}

// What elu_backward_of_result_quickly() can do: products with the smallest elements do not vanish.
bool is_quick_of_result(const EluParameters& parameters, TwofoldConstant limit) {
  const TwofoldConstant steepest(static_cast<double>(limit.high) *
                                 static_cast<double>(parameters.input_scale));
  return limit.low == 0 && steepest.low == 0 && parameters.input_scale >= 0x1p-15f;
}

// g (y inputScale + steepest) for 16-bit elements, for Outputs::kNearOrExact.
template <class D, class X, class Y, class Valid>
HWY_INLINE void elu_backward_of_result_quickly(D d, const EluParameters& parameters, const X& x,
                                               Y& y, Valid& valid) {
  const float limit = parameters.alpha * parameters.scale;
  const auto steepest = hn::Set(d, limit * parameters.input_scale);
  // y inputScale is no larger than steepest. If it is a float, what their sum loses is found in
  // this way (Dekker, 1971). If it is not, it differs from the float next to slope - steepest, and
  // that something is lost is seen as well; how much it is does not matter.
  const auto held = hn::Min(x[1], hn::Zero(d));
  const auto slope = fused(d, held, hn::Set(d, parameters.input_scale), steepest);
  const auto of_slope =
      fused(d, held, hn::Set(d, -parameters.input_scale), hn::Sub(slope, steepest));
  const auto positive = hn::Gt(x[1], hn::Zero(d));
  const auto factor = hn::IfThenElse(positive, hn::Set(d, parameters.scale), slope);
  const auto product = twofold_product(d, x[0], factor);
  y[0] = inexact_if(d, hn::Or(product.low, of_slope), product.high);
  valid = hn::Ge(x[1], hn::Set(d, -limit));  // beyond, it is no sum with a larger number
}

void elu_backward_of_result_shorts(const StoredBlock& block, const EluParameters& parameters,
                                   TwofoldConstant limit) {
  constexpr Outputs kQuick = Outputs::kNearOrExact;
  constexpr Outputs kCareful = Outputs::kWithRest;
  const auto careful = [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    const auto sum = two_sum(x[1], hn::Set(d, limit.high));
    const auto low = hn::Add(sum.low, hn::Set(d, limit.low));
    const auto slope = scaled(d, TwofoldConstant(static_cast<double>(parameters.input_scale)),
                              normalized(decltype(sum){sum.high, low}));
    const auto rising = twofold_product(d, x[0], hn::Set(d, parameters.scale));
    const auto falling = product_and_rest(d, decltype(sum){x[0], hn::Zero(d)}, slope);
    const auto positive = hn::Gt(x[1], hn::Zero(d));
    y[0] = if_then_else(positive, rising, falling);
    // Where the slope is not exact, which side of the middle a tiny rest is on is not known.
    const auto counts =
        hn::Gt(hn::Abs(y[0].low), hn::Mul(hn::Abs(y[0].high), hn::Set(d, 0x1p-44f)));
    const auto lost = hn::Or(slope.low, hn::Set(d, limit.low));
    valid = hn::Or(hn::Or(positive, counts), hn::Eq(lost, hn::Zero(d)));
  };
  const auto exact = with_parameters(elu_backward_of_result, parameters);
  if (all_are_one(parameters)) {
    const auto product = [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
      const auto slope = hn::Add(hn::Min(x[1], hn::Zero(d)), hn::Set(d, 1.0f));
      y[0] = hn::Mul(x[0], slope);
      valid = hn::Ge(x[1], hn::Set(d, -1.0f));  // beyond, what the sum loses may decide
      return slope;
    };
    // In BF16 the product, of 8 and 16 bits, is exact for y <= -2^-9. Nearer to 0 it is above the
    // middle between g and the element before it.
    if (block.dtype == ACL_BF16) {
      return map_shorts<2, 1, Outputs::kRounded, kCareful>(
          block,
          [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR { product(d, x, y, valid); },
          careful, exact);
    }
    // What the sum may lose, of tiny results, is not looked at: the product is then next to g, and
    // no tie.
    return map_shorts<2, 1, kQuick, kCareful>(
        block,
        [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
          const auto slope = product(d, x, y, valid);
          y[0] = inexact_if(d, fused_minus(d, x[0], slope, y[0]), y[0]);
        },
        careful, exact);
  }
  if (is_quick_of_result(parameters, limit)) {
    return map_shorts<2, 1, kQuick, kCareful>(
        block,
        [=](auto d, const auto& x, auto& y, auto& valid)
            HWY_ATTR { elu_backward_of_result_quickly(d, parameters, x, y, valid); },
        careful, exact);
  }
  map_short_product<Entries::kOdd, kCareful>(block, tables_of(parameters, &EluTables::of_result),
                                             careful, exact);
}

void elu_backward_of_result_stored(const StoredBlock& block, const EluParameters& parameters) {
  const TwofoldConstant limit(static_cast<double>(parameters.alpha) *
                              static_cast<double>(parameters.scale));
  if (block.dtype != ACL_FLOAT) return elu_backward_of_result_shorts(block, parameters, limit);
  if (all_are_one(parameters)) return elu_plain_backward_of_result_floats(block, parameters);
  elu_backward_of_result_floats(block, parameters, limit);
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cmath>

namespace aclgrad::ops {

HWY_EXPORT(elu);
HWY_EXPORT(elu_constant);
HWY_EXPORT(elu_backward);
HWY_EXPORT(elu_backward_of_result);
HWY_EXPORT(elu_stored);
HWY_EXPORT(elu_backward_stored);
HWY_EXPORT(elu_backward_of_result_stored);

namespace {

// Products of three such numbers are floats with all their digits.
bool is_moderate(float parameter) { return parameter >= 0x1p-20f && parameter <= 0x1p20f; }

bool are_moderate(const EluParameters& parameters) {
  return is_moderate(parameters.alpha) && is_moderate(parameters.scale) &&
         is_moderate(parameters.input_scale);
}

// The exported function with the parameters bound, as the kernel of a FloatKernel or on its own.
#define ACLGRAD_BOUND(function)                               \
  [parameters](const auto&... arguments) {                    \
    HWY_DYNAMIC_DISPATCH(function)(arguments..., parameters); \
  }

Kernel kernel_for(const EluParameters& parameters, RealKernel exact, StoredKernel stored) {
  if (!are_moderate(parameters)) return exact;
  return FloatKernel{std::move(exact), std::move(stored)};
}

}  // namespace

Kernel elu_kernel(const EluParameters& parameters) {
  if (!std::isfinite(parameters.alpha) || !std::isfinite(parameters.input_scale)) {
    return RealKernel(ACLGRAD_BOUND(elu_constant));
  }
  return kernel_for(parameters, ACLGRAD_BOUND(elu), ACLGRAD_BOUND(elu_stored));
}

Kernel elu_backward_kernel(const EluParameters& parameters, bool is_result) {
  if (is_result) {
    return kernel_for(parameters, ACLGRAD_BOUND(elu_backward_of_result),
                      ACLGRAD_BOUND(elu_backward_of_result_stored));
  }
  return kernel_for(parameters, ACLGRAD_BOUND(elu_backward), ACLGRAD_BOUND(elu_backward_stored));
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
