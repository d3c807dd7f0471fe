// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

// Values that float32 holds exactly.
constexpr float kAlpha = 1.25f;
constexpr float kScale = 0.75f;
constexpr float kInputScale = 1.5f;

long double elu(std::span<const long double> x) {
  return x[0] > 0 ? kScale * x[0] : kAlpha * kScale * std::expm1(x[0] * kInputScale);
}

long double from_input(std::span<const long double> g_x) {
  const auto [g, x] = std::pair(g_x[0], g_x[1]);
  return x > 0 ? g * kScale : g * kInputScale * kAlpha * kScale * std::exp(x * kInputScale);
}

long double from_result(std::span<const long double> g_y) {
  const auto [g, y] = std::pair(g_y[0], g_y[1]);
  return y > 0 ? g * kScale : g * kInputScale * (y + static_cast<long double>(kAlpha) * kScale);
}

Case backward(bool is_result) {
  const std::vector<int64_t> shape = {kN, 3, 4};
  return {
      .api = "aclnnEluBackward",
      .attributes = is_result ? "isResult=true" : "isResult=false",
      .dtypes = kFloatTypes,
      .inputs = {{shape}, {shape, is_result ? -0.93L : -9.0L, 4}},
      .outputs = {{shape}},
      .phase_one =
          [is_result, alpha = scalar(kAlpha), scale = scalar(kScale),
           input_scale = scalar(kInputScale)](auto t, auto* size, auto** executor) {
            return aclnnEluBackwardGetWorkspaceSize(t[0], alpha, scale, input_scale, is_result,
                                                    t[1], t[2], size, executor);
          },
      .phase_two = aclnnEluBackward,
      .reference = elementwise(is_result ? from_result : from_input),
      .max_ulp = kUlpOfProduct,
      .derivative_of = DerivativeOf{"aclnnElu",
                                    [is_result](const Arrays& x, const Arrays& y, const Array& g) {
                                      return Arrays{g, is_result ? y[0] : x[0]};
                                    },
                                    {0}}};
}

}  // namespace

std::vector<Case> elu_cases() {
  const std::vector<int64_t> shape = {kN, 3, 4};
  Case forward = {.api = "aclnnElu",
                  .attributes = "",
                  .dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE},
                  .inputs = {{shape, -9, 9}},
                  .outputs = {{shape}},
                  .phase_one =
                      [alpha = scalar(kAlpha), scale = scalar(kScale),
                       input_scale = scalar(kInputScale)](auto t, auto* size, auto** executor) {
                        return aclnnEluGetWorkspaceSize(t[0], alpha, scale, input_scale, t[1], size,
                                                        executor);
                      },
                  .phase_two = aclnnElu,
                  .reference = elementwise(elu),
                  // Two multiplications and expm1 in double precision.
                  .max_ulp = 4};
  Case in_place = forward;
  in_place.api = "aclnnInplaceElu";
  in_place.outputs[0].aliases = 0;
  in_place.phase_one = [alpha = scalar(kAlpha), scale = scalar(kScale),
                        input_scale = scalar(kInputScale)](auto t, auto* size, auto** executor) {
    return aclnnInplaceEluGetWorkspaceSize(t[0], alpha, scale, input_scale, size, executor);
  };
  in_place.phase_two = aclnnInplaceElu;
  return {forward, in_place, backward(false), backward(true)};
}

}  // namespace aclgrad::cases
