// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

constexpr long double kAlpha = 1.6732632423543772848170429916717L;
constexpr long double kLambda = 1.0507009873554804934193349852946L;

long double selu(std::span<const long double> x) {
  return kLambda * (x[0] > 0 ? x[0] : kAlpha * std::expm1(x[0]));
}

// In the forward's output y: y + lambda*alpha is lambda*alpha*e^x.
long double selu_backward(std::span<const long double> g_y) {
  const auto [g, y] = std::pair(g_y[0], g_y[1]);
  return std::isnan(y) ? y : g * (y < 0 ? y + kLambda * kAlpha : kLambda);
}

const std::vector<aclDataType> kTypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_INT8};

}  // namespace

std::vector<Case> selu_cases() {
  const std::vector<int64_t> shape = {kN, 3, 4};
  return {
      {.api = "aclnnSelu",
       .attributes = "",
       .dtypes = kTypes,
       .inputs = {{shape, -12, 12}},
       .outputs = {{shape}},
       .phase_one =
           [](auto t, auto* size, auto** executor) {
             return aclnnSeluGetWorkspaceSize(t[0], t[1], size, executor);
           },
       .phase_two = aclnnSelu,
       .reference = elementwise(selu)},
      {.api = "aclnnInplaceSelu",
       .attributes = "",
       .dtypes = kTypes,
       .inputs = {{shape, -12, 12}},
       .outputs = {{.shape = shape, .aliases = 0}},
       .phase_one =
           [](auto t, auto* size, auto** executor) {
             return aclnnInplaceSeluGetWorkspaceSize(t[0], size, executor);
           },
       .phase_two = aclnnInplaceSelu,
       .reference = elementwise(selu)},
      {.api = "aclnnSeluBackward",
       .attributes = "",
       .dtypes = kTypes,
       .inputs = {{shape}, {shape, -1.75L, 4}},
       .outputs = {{shape}},
       .phase_one =
           [](auto t, auto* size, auto** executor) {
             return aclnnSeluBackwardGetWorkspaceSize(t[0], t[1], t[2], size, executor);
           },
       .phase_two = aclnnSeluBackward,
       .reference = elementwise(selu_backward),
       .max_ulp = kUlpOfProduct,
       .derivative_of = DerivativeOf{"aclnnSelu",
                                     [](const Arrays&, const Arrays& y, const Array& g) {
                                       return Arrays{g, y[0]};
                                     },
                                     {0}}},
  };
}

}  // namespace aclgrad::cases
