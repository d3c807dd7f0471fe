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

const std::vector<int64_t> kShape = {kN, 3, 4};

Case forward(std::string api, bool in_place, PhaseOne phase_one, PhaseTwo phase_two) {
  return {
      .api = std::move(api),
      .attributes = "",
      .dtypes = kFloatTypes,
      .inputs = {{kShape, -5, 5}},
      .outputs = {{.shape = kShape, .aliases = in_place ? std::optional<size_t>(0) : std::nullopt}},
      .phase_one = std::move(phase_one),
      .phase_two = phase_two,
      .reference = elementwise(hardswish)};
}

Case backward(std::string api, PhaseOne phase_one, PhaseTwo phase_two, Reference reference) {
  return {.api = std::move(api),
          .attributes = "",
          .dtypes = kFloatTypes,
          .inputs = {{kShape}, {kShape, -5, 5}},
          .outputs = {{kShape}},
          .phase_one = std::move(phase_one),
          .phase_two = phase_two,
          .reference = std::move(reference),
          .max_ulp = kUlpOfProduct,
          .derivative_of = DerivativeOf{"aclnnHardswish",
                                        [](const Arrays& x, const Arrays&, const Array& g) {
                                          return Arrays{g, x[0]};
                                        },
                                        {-3, 3}}};
}

}  // namespace

std::vector<Case> hardswish_cases() {
  return {
      forward(
          "aclnnHardswish", false,
          [](auto t, auto* size, auto** executor) {
            return aclnnHardswishGetWorkspaceSize(t[0], t[1], size, executor);
          },
          aclnnHardswish),
      forward(
          "aclnnInplaceHardswish", true,
          [](auto t, auto* size, auto** executor) {
            return aclnnInplaceHardswishGetWorkspaceSize(t[0], size, executor);
          },
          aclnnInplaceHardswish),
      backward(
          "aclnnHardswishBackward",
          [](auto t, auto* size, auto** executor) {
            return aclnnHardswishBackwardGetWorkspaceSize(t[0], t[1], t[2], size, executor);
          },
          aclnnHardswishBackward, elementwise(closed_slope)),
      backward(
          "aclnnHardswishBackwardV2",
          [](auto t, auto* size, auto** executor) {
            return aclnnHardswishBackwardV2GetWorkspaceSize(t[0], t[1], t[2], size, executor);
          },
          aclnnHardswishBackwardV2, elementwise(open_slope)),
  };
}

}  // namespace aclgrad::cases
