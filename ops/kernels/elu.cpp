// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/elu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/elu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/block-inl.h"
#include "ops/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// -infinity becomes the lowest finite number, so that its product with an inputScale of 0 is 0, and
// so that the limit holds for every other inputScale. NaN stays.
template <class D, class V>
HWY_INLINE V above_minus_infinity(D d, V x) {
  const V lowest = hn::Set(d, -0x1.fffffffffffffp+1023);
  return hn::IfThenElse(hn::Lt(x, lowest), lowest, x);
}

void elu_block(const double* const* in, double* const* out, size_t count,
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
void elu_constant_block(const double* const* in, double* const* out, size_t count,
                        const EluParameters& parameters) {
  const double scale = static_cast<double>(parameters.scale);
  const double limit = static_cast<double>(parameters.alpha) * scale;
  map_block<1>(in, out, count, [=](auto d, auto x) HWY_ATTR {
    const auto product = hn::Mul(x, hn::Set(d, scale));  // also carries NaN
    return hn::IfThenElse(hn::Le(x, hn::Zero(d)), hn::Set(d, -limit), product);
  });
}

void elu_backward_block(const double* const* in, double* const* out, size_t count,
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

void elu_backward_of_result_block(const double* const* in, double* const* out, size_t count,
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

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cmath>

namespace aclgrad::ops {

HWY_EXPORT(elu_block);
HWY_EXPORT(elu_constant_block);
HWY_EXPORT(elu_backward_block);
HWY_EXPORT(elu_backward_of_result_block);

RealKernel elu_kernel(const EluParameters& parameters) {
  if (!std::isfinite(parameters.alpha) || !std::isfinite(parameters.input_scale)) {
    return [parameters](const double* const* in, double* const* out, size_t count) {
      HWY_DYNAMIC_DISPATCH(elu_constant_block)(in, out, count, parameters);
    };
  }
  return [parameters](const double* const* in, double* const* out, size_t count) {
    HWY_DYNAMIC_DISPATCH(elu_block)(in, out, count, parameters);
  };
}

RealKernel elu_backward_kernel(const EluParameters& parameters, bool is_result) {
  if (is_result) {
    return [parameters](const double* const* in, double* const* out, size_t count) {
      HWY_DYNAMIC_DISPATCH(elu_backward_of_result_block)(in, out, count, parameters);
    };
  }
  return [parameters](const double* const* in, double* const* out, size_t count) {
    HWY_DYNAMIC_DISPATCH(elu_backward_block)(in, out, count, parameters);
  };
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
