// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "tests/cases/families.h"
#include "tests/cases/gelu_formulas.h"

namespace aclgrad::cases {
namespace {

// A zero of the derivative makes relative error a matter of the input's own spacing: stay off it.
constexpr long double kLow = -9;

Reference forward_reference(bool tanh_form) {
  return elementwise([tanh_form](auto x) { return gelu(x[0], tanh_form); });
}

Reference backward_reference(bool tanh_form) {
  return elementwise([tanh_form](auto g_x) { return g_x[0] * gelu_slope(g_x[1], tanh_form); });
}

Case forward(std::string api, std::string attributes, bool tanh_form, PhaseOne phase_one,
             PhaseTwo phase_two) {
  const std::vector<int64_t> shape = {kN, 3, 4};
  return {.api = std::move(api),
          .attributes = std::move(attributes),
          .dtypes = kFloatTypes,
          .inputs = {{shape, kLow, 6}},
          .outputs = {{shape}},
          .phase_one = std::move(phase_one),
          .phase_two = phase_two,
          .reference = forward_reference(tanh_form)};
}

Case backward(std::string api, std::string attributes, const std::string& forward_row,
              bool tanh_form, PhaseOne phase_one, PhaseTwo phase_two) {
  const std::vector<int64_t> shape = {kN, 3, 4};
  return {.api = std::move(api),
          .attributes = std::move(attributes),
          .dtypes = kFloatTypes,
          .inputs = {{shape}, {shape, kLow, 6}},
          .outputs = {{shape}},
          .phase_one = std::move(phase_one),
          .phase_two = phase_two,
          .reference = backward_reference(tanh_form),
          .max_ulp = kUlpOfProduct,
          .derivative_of =
              DerivativeOf{forward_row, [](const Arrays& x, const Arrays&, const Array& g) {
                             return Arrays{g, x[0]};
                           }}};
}

}  // namespace

std::vector<Case> gelu_cases() {
  std::vector<Case> rows = {forward(
                                "aclnnGelu", "", true,
                                [](auto t, auto* size, auto** executor) {
                                  return aclnnGeluGetWorkspaceSize(t[0], t[1], size, executor);
                                },
                                aclnnGelu),
                            backward(
                                "aclnnGeluBackward", "", "aclnnGelu", true,
                                [](auto t, auto* size, auto** executor) {
                                  return aclnnGeluBackwardGetWorkspaceSize(t[0], t[1], t[2], size,
                                                                           executor);
                                },
                                aclnnGeluBackward)};
  for (bool tanh_form : {false, true}) {
    const std::string form = tanh_form ? "approximate=tanh" : "approximate=none";
    rows.push_back(forward(
        "aclnnGeluV2", form, tanh_form,
        [tanh_form](auto t, auto* size, auto** executor) {
          return aclnnGeluV2GetWorkspaceSize(t[0], tanh_form ? 1 : 0, t[1], size, executor);
        },
        aclnnGeluV2));
    rows.push_back(backward(
        "aclnnGeluBackwardV2", form, "aclnnGeluV2 " + form, tanh_form,
        [tanh_form](auto t, auto* size, auto** executor) {
          static char none[] = "none";
          static char tanh[] = "tanh";
          return aclnnGeluBackwardV2GetWorkspaceSize(t[0], t[1], tanh_form ? tanh : none, t[2],
                                                     size, executor);
        },
        aclnnGeluBackwardV2));
  }
  return rows;
}

}  // namespace aclgrad::cases
