// SPDX-License-Identifier: Apache-2.0
// aclnnSigmoid and aclnnTanh with their forms in place, aclnnSigmoidBackward, aclnnTanhBackward.
#include "ops/activation/sigmoid_kernel.h"

#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "ops/arithmetic/unary_rules.h"
#include "ops/engine/dtype/dtype_sets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/sigmoid.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"
#include "ops/engine/math/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// 1 - y^2
template <class D, class V>
HWY_INLINE V one_minus_square(D d, V y) {
  if constexpr (kIsFloat<D>) {
    return mul_add(d, hn::Neg(y), y, one(d));
  } else {
    return hn::Mul(hn::Sub(one(d), y), hn::Add(one(d), y));
  }
}

FloatKernel tanh_formula() {
  return unary([](auto d, auto x) HWY_ATTR { return tanh(d, x); });
}

// g (1 - y^2)
FloatKernel tanh_backward_formula() {
  return binary([](auto d, auto g, auto y) HWY_ATTR { return hn::Mul(g, one_minus_square(d, y)); });
}

FloatKernel sigmoid_formula() {
  return unary([](auto d, auto x) HWY_ATTR { return sigmoid(d, x); });
}

// g y (1 - y)
FloatKernel sigmoid_backward_formula() {
  return binary([](auto d, auto g, auto y)
                    HWY_ATTR { return hn::Mul(g, hn::Mul(y, hn::Sub(one(d), y))); });
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(tanh_formula);
HWY_EXPORT(tanh_backward_formula);
HWY_EXPORT(sigmoid_formula);
HWY_EXPORT(sigmoid_backward_formula);

using namespace unary_function;

constexpr DtypeSet kSigmoidDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64,
                                   ACL_COMPLEX128, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64,
                                   ACL_UINT8, ACL_BOOL, ACL_BF16}};
constexpr DtypeSet kTanhDtypes{
    {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL},
    {ACL_BF16}};

using Complex = std::complex<double>;

void complex_sigmoid(const Complex* const* in, Complex* const* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[0][i] = 1.0 / (1.0 + std::exp(-in[0][i]));
}

void complex_sigmoid_backward(const Complex* const* in, Complex* const* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[0][i] = in[0][i] * in[1][i] * (1.0 - in[1][i]);
}

Kernel tanh_kernel(aclDataType) { return HWY_DYNAMIC_DISPATCH(tanh_formula)(); }

Kernel sigmoid_of(aclDataType dtype) {
  if (is_complex(dtype)) return ComplexKernel(complex_sigmoid);
  return sigmoid_kernel();
}

Kernel sigmoid_backward_kernel(aclDataType dtype) {
  if (is_complex(dtype)) return ComplexKernel(complex_sigmoid_backward);
  return HWY_DYNAMIC_DISPATCH(sigmoid_backward_formula)();
}

const Unary kTanh{{"aclnnTanh",
                   {input("self"), output("out")},
                   unary_rules({dtype_in(kSelf, kTanhDtypes), dtype_in(kOut, kTanhDtypes),
                                unary_result_converts()},
                               {no_private_format(kSelf), same_format(kOut, kSelf)})},
                  unary_in_place("aclnnInplaceTanh", "selfRef", kFloats),
                  tanh_kernel,
                  Integers::kAsFloat};
const Unary kSigmoid{
    {"aclnnSigmoid",
     {input("self"), output("out")},
     unary_rules({dtype_in(kSelf, kSigmoidDtypes), dtype_in(kOut, kComplexFloatsAndBf16)})},
    unary_in_place("aclnnInplaceSigmoid", "selfRef", kComplexFloatsAndBf16),
    sigmoid_of,
    Integers::kAsOutput};

enum : size_t { kGradOutput, kOutput, kGradInput };

OperatorSpec backward_spec(const char* name, const DtypeSet& dtypes, const Rules& on_dtypes,
                           const Rules& after_ranks) {
  return {name,
          {input("gradOutput"), input("output"), output("gradInput")},
          Rules{not_null({kGradOutput, kOutput, kGradInput}),
                dtype_in({kGradOutput, kOutput, kGradInput}, dtypes), on_dtypes,
                max_rank({kGradOutput, kOutput, kGradInput}), after_ranks,
                broadcastable(kGradOutput, kOutput),
                shape_is_broadcast(kGradInput, kGradOutput, kOutput)}};
}

const OperatorSpec kTanhBackward = backward_spec(
    "aclnnTanhBackward", kRealFloats, Rules{same_dtype({kOutput, kGradInput}, kGradOutput)}, {});
const OperatorSpec kSigmoidBackward =
    backward_spec("aclnnSigmoidBackward", kComplexFloatsAndBf16, {},
                  {result_converts(promote_tensors(kGradOutput, kOutput), kGradInput)});

Plan plan_backward(const Arguments& arguments, Kernel (*kernel)(aclDataType)) {
  const aclDataType dtype = *promote_tensors(kGradOutput, kOutput)(arguments);
  return plan_arithmetic(arguments, kGradInput, {kGradOutput, kOutput}, dtype, kernel(dtype));
}

}  // namespace

FloatKernel sigmoid_kernel() { return HWY_DYNAMIC_DISPATCH(sigmoid_formula)(); }

ACLGRAD_UNARY(Tanh)
ACLGRAD_UNARY(Sigmoid)
ACLGRAD_OPERATOR(aclnnTanhBackward, kTanhBackward, [](const Arguments& arguments) {
  return plan_backward(
      arguments, [](aclDataType) { return Kernel(HWY_DYNAMIC_DISPATCH(tanh_backward_formula)()); });
})
ACLGRAD_OPERATOR(aclnnSigmoidBackward, kSigmoidBackward, [](const Arguments& arguments) {
  return plan_backward(arguments, sigmoid_backward_kernel);
})

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
