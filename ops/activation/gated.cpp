// SPDX-License-Identifier: Apache-2.0
// A tensor is split along a dimension into a gate and what it multiplies: Glu, SwiGlu and their
// backwards.
#include <fmt/format.h>

#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "ops/activation/formula_rules.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/gated.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/activation/in_doubles-inl.h"
#include "ops/engine/formula-inl.h"
#include "ops/engine/math/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// In double and rounded once: the logistic function may be too small for a float where the product
// is not.
FloatKernel glu_formula() {
  return binary(
      in_doubles([](auto d, auto a, auto b) HWY_ATTR { return hn::Mul(a, sigmoid(d, b)); }));
}
FloatKernel swi_glu_formula() {
  return binary(in_doubles([](auto d, auto a, auto b) HWY_ATTR { return hn::Mul(silu(d, a), b); }));
}

// Of g, a, b.
FloatKernel glu_slope_by_a() {
  return ternary(
      in_doubles([](auto d, auto g, auto, auto b) HWY_ATTR { return hn::Mul(g, sigmoid(d, b)); }));
}
FloatKernel glu_slope_by_b() {
  return ternary(in_doubles([](auto d, auto g, auto a, auto b) HWY_ATTR {
    const auto s = logistic_pair(d, b, hn::Zero(d));
    return hn::Mul(hn::Mul(g, a), hn::Mul(s.of_plus, s.of_minus));
  }));
}
FloatKernel swi_glu_slope_by_a() {
  return ternary(in_doubles([](auto d, auto g, auto a, auto b)
                                HWY_ATTR { return silu_backward(d, hn::Mul(g, b), a); }));
}
FloatKernel swi_glu_slope_by_b() {
  return ternary(
      in_doubles([](auto d, auto g, auto a, auto) HWY_ATTR { return hn::Mul(silu(d, a), g); }));
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(glu_formula);
HWY_EXPORT(glu_slope_by_a);
HWY_EXPORT(glu_slope_by_b);
HWY_EXPORT(swi_glu_formula);
HWY_EXPORT(swi_glu_slope_by_a);
HWY_EXPORT(swi_glu_slope_by_b);

Rule has_even_size(size_t tensor, size_t dim) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    const int64_t size = shape[normalize_axis(arguments.integer(dim), shape.size())];
    if (size % 2 == 0) return std::nullopt;
    return fmt::format("tensor {} must have an even size along dimension {}, but is {}.",
                       arguments.name(tensor), arguments.integer(dim), to_string(shape));
  });
}

// The shape of one half.
Dims half_shape(const Arguments& arguments, size_t tensor, size_t dim) {
  Dims shape = arguments.shape(tensor);
  shape[normalize_axis(arguments.integer(dim), shape.size())] /= 2;
  return shape;
}
Rule is_half(size_t half, size_t tensor, size_t dim) {
  return [=](const Arguments& arguments) {
    return has_shape(half, half_shape(arguments, tensor, dim))(arguments);
  };
}

// The first and the second half of a tensor.
std::vector<Operand> halves(const Arguments& arguments, size_t tensor, size_t dim) {
  const size_t axis = normalize_axis(arguments.integer(dim), arguments.shape(tensor).size());
  const Dims& strides = arguments.strides(tensor);
  const aclDataType dtype = arguments.dtype(tensor);
  const int64_t second = arguments.shape(tensor)[axis] / 2 * strides[axis];
  return {{tensor, dtype, strides, 0, dtype}, {tensor, dtype, strides, second, dtype}};
}

namespace forward_of {

enum : size_t { kSelf, kDim, kOut };

OperatorSpec spec(const char* name, const char* self) {
  return {name,
          {input(self), attribute("dim"), output("out")},
          {all_given(), dtype_in(kSelf, kRealFloats), same_dtype(kOut, kSelf), not_0d(kSelf),
           max_rank(kSelf), axis_of(kDim, kSelf), has_even_size(kSelf, kDim),
           is_half(kOut, kSelf, kDim)}};
}

const OperatorSpec kGlu = spec("aclnnGlu", "self"), kSwiGlu = spec("aclnnSwiGlu", "x");

Plan plan(const Arguments& arguments, const FloatKernel& kernel) {
  if (arguments.empty(kOut)) return {};
  const Dims& shape = arguments.shape(kOut);
  return Elementwise(shape, {operand(arguments, kOut, shape)}, halves(arguments, kSelf, kDim),
                     kernel)
      .plan();
}

}  // namespace forward_of

namespace backward_of {

enum : size_t { kGradOutput, kSelf, kDim, kGradInput };

OperatorSpec spec(const char* name, const char* gradient, const char* self, const char* result) {
  return {name,
          {input(gradient), input(self), attribute("dim"), output(result)},
          Rules{all_given(), dtype_in(kGradOutput, kRealFloats),
                same_dtype({kSelf, kGradInput}, kGradOutput), not_0d(kSelf), max_rank(kSelf),
                axis_of(kDim, kSelf), has_even_size(kSelf, kDim), is_half(kGradOutput, kSelf, kDim),
                same_shape(kGradInput, kSelf)}};
}

const OperatorSpec kGlu = spec("aclnnGluBackward", "gradOutput", "self", "gradInput");
const OperatorSpec kSwiGlu = spec("aclnnSwiGluGrad", "yGrad", "x", "xGrad");

Plan plan(const Arguments& arguments, const FloatKernel& by_a, const FloatKernel& by_b) {
  if (arguments.empty(kGradOutput)) return {};
  const Dims& shape = arguments.shape(kGradOutput);
  std::vector<Operand> inputs = halves(arguments, kSelf, kDim);
  inputs.insert(inputs.begin(), operand(arguments, kGradOutput, shape));
  return Elementwise(shape, halves(arguments, kGradInput, kDim), inputs, both(by_a, by_b)).plan();
}

}  // namespace backward_of
}  // namespace

ACLGRAD_OPERATOR(aclnnGlu, forward_of::kGlu, [](const Arguments& arguments) {
  return forward_of::plan(arguments, HWY_DYNAMIC_DISPATCH(glu_formula)());
})
ACLGRAD_OPERATOR(aclnnSwiGlu, forward_of::kSwiGlu, [](const Arguments& arguments) {
  return forward_of::plan(arguments, HWY_DYNAMIC_DISPATCH(swi_glu_formula)());
})
ACLGRAD_OPERATOR(aclnnGluBackward, backward_of::kGlu, [](const Arguments& arguments) {
  return backward_of::plan(arguments, HWY_DYNAMIC_DISPATCH(glu_slope_by_a)(),
                           HWY_DYNAMIC_DISPATCH(glu_slope_by_b)());
})
ACLGRAD_OPERATOR(aclnnSwiGluGrad, backward_of::kSwiGlu, [](const Arguments& arguments) {
  return backward_of::plan(arguments, HWY_DYNAMIC_DISPATCH(swi_glu_slope_by_a)(),
                           HWY_DYNAMIC_DISPATCH(swi_glu_slope_by_b)());
})

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
