// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

long double hardswish(std::span<const long double> x) {
  if (x[0] <= -3) return 0;
  return x[0] >= 3 ? x[0] : x[0] * (x[0] + 3) / 6;
}

long double closed_slope(std::span<const long double> g_x) {
  const auto [g, x] = std::pair(g_x[0], g_x[1]);
  return g * (x < -3 ? 0 : x > 3 ? 1 : x / 3 + 0.5L);
}

long double open_slope(std::span<const long double> g_x) {
  const auto [g, x] = std::pair(g_x[0], g_x[1]);
  return g * (x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5L);
}

}  // namespace

std::vector<Case> hardswish_cases() {
  const std::vector<int64_t> shape = {kN, 3, 4};
  const auto derivative = DerivativeOf{"aclnnHardswish",
                                       [](const Arrays& x, const Arrays&, const Array& g) {
                                         return Arrays{g, x[0]};
                                       },
                                       {-3, 3}};
  return {
      {.api = "aclnnHardswish",
       .attributes = "",
       .dtypes = kFloatTypes,
       .inputs = {{shape, -5, 5}},
       .outputs = {{shape}},
       .phase_one =
           [](auto t, auto* size, auto** executor) {
             return aclnnHardswishGetWorkspaceSize(t[0], t[1], size, executor);
           },
       .phase_two = aclnnHardswish,
       .reference = elementwise(hardswish)},
      {.api = "aclnnInplaceHardswish",
       .attributes = "",
       .dtypes = kFloatTypes,
       .inputs = {{shape, -5, 5}},
       .outputs = {{.shape = shape, .aliases = 0}},
       .phase_one =
           [](auto t, auto* size, auto** executor) {
             return aclnnInplaceHardswishGetWorkspaceSize(t[0], size, executor);
           },
       .phase_two = aclnnInplaceHardswish,
       .reference = elementwise(hardswish)},
      {.api = "aclnnHardswishBackward",
       .attributes = "",
       .dtypes = kFloatTypes,
       .inputs = {{shape}, {shape, -5, 5}},
       .outputs = {{shape}},
       .phase_one =
           [](auto t, auto* size, auto** executor) {
             return aclnnHardswishBackwardGetWorkspaceSize(t[0], t[1], t[2], size, executor);
           },
       .phase_two = aclnnHardswishBackward,
       .reference = elementwise(closed_slope),
       .derivative_of = derivative},
      {.api = "aclnnHardswishBackwardV2",
       .attributes = "",
       .dtypes = kFloatTypes,
       .inputs = {{shape}, {shape, -5, 5}},
       .outputs = {{shape}},
       .phase_one =
           [](auto t, auto* size, auto** executor) {
             return aclnnHardswishBackwardV2GetWorkspaceSize(t[0], t[1], t[2], size, executor);
           },
       .phase_two = aclnnHardswishBackwardV2,
       .reference = elementwise(open_slope),
       .derivative_of = derivative},
  };
}

}  // namespace aclgrad::cases
