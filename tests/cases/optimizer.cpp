// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

constexpr float kLr = 0.01f;
constexpr float kBeta1 = 0.875f;
constexpr float kBeta2 = 0.9375f;
constexpr float kWeightDecay = 0.125f;
constexpr float kEps = 1e-6f;

// Inputs: var, m, v, grad, step. Outputs: var, m, v.
Arrays adam_w(const Arrays& in) {
  Arrays out = {in[0], in[1], in[2]};
  const long double t = in[4].values[0] + 1;
  const long double lr = kLr;
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    const long double g = in[3].values[i];
    long double& theta = out[0].values[i];
    long double& m = out[1].values[i];
    long double& v = out[2].values[i];
    theta *= 1 - lr * kWeightDecay;
    m += (1 - static_cast<long double>(kBeta1)) * (g - m);
    v = kBeta2 * v + (1 - static_cast<long double>(kBeta2)) * g * g;
    const long double corrected = std::sqrt(v) / std::sqrt(1 - std::pow<long double>(kBeta2, t));
    theta -= lr / (1 - std::pow<long double>(kBeta1, t)) * m / (corrected + kEps);
  }
  return out;
}

}  // namespace

std::vector<Case> optimizer_cases() {
  const std::vector<int64_t> shape = {kN, 3, 4};
  return {{.api = "aclnnApplyAdamWV2",
           .attributes = "",
           .dtypes = kFloatTypes,
           .inputs = {{shape},
                      {shape, -1, 1},
                      {shape, 0.5L, 2},
                      {shape, -2, 2},
                      {.shape = {1}, .low = 3, .high = 3, .dtype = ACL_INT64}},
           .outputs = {{.shape = shape, .aliases = 0},
                       {.shape = shape, .aliases = 1},
                       {.shape = shape, .aliases = 2}},
           .phase_one =
               [](auto t, auto* size, auto** executor) {
                 return aclnnApplyAdamWV2GetWorkspaceSize(t[0], t[1], t[2], nullptr, t[3], t[4],
                                                          kLr, kBeta1, kBeta2, kWeightDecay, kEps,
                                                          false, false, size, executor);
               },
           .phase_two = aclnnApplyAdamWV2,
           .reference = adam_w}};
}

}  // namespace aclgrad::cases
