// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_apply_adam_w.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

constexpr float kLr = 0.01f;
constexpr float kBeta1 = 0.875f;
constexpr float kBeta2 = 0.9375f;
constexpr float kWeightDecay = 0.125f;
constexpr float kEps = 1e-6f;

// What aclnnApplyAdamWV2 promises: m and v within 1 ulp of FLOAT; theta within 0.51 ulp and 2^-21
// of its change, which is at most 1 ulp on the scale of 8 changes; 16-bit elements those, rounded
// again, with an ulp of FLOAT16 of 2^13 of FLOAT's.
constexpr double kUlp = 1.51;
constexpr double kUlp16Bit = 0.5 + 0x1p-13 * kUlp;
constexpr int kScaleOfChange = 8;

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

// The same, with the scale on which its error counts for theta.
Arrays adam_w_scale(const Arrays& in) {
  Arrays out = adam_w(in);
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    long double& theta = out[0].values[i];
    theta = std::max(std::abs(theta), kScaleOfChange * std::abs(theta - in[0].values[i]));
  }
  return out;
}

// Inputs: var, m, v, the powers of the step before, lr, weightDecay, beta1, beta2, eps, grad,
// largest v. Outputs: var, m, v.
Arrays adam_w_of_tensors(const Arrays& in) {
  const auto number = [&](size_t i) { return in[i].values[0]; };
  Arrays out = {in[0], in[1], in[2]};
  const long double beta1 = number(7), beta2 = number(8);
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    const long double g = in[10].values[i];
    long double& theta = out[0].values[i];
    long double& m = out[1].values[i];
    long double& v = out[2].values[i];
    theta *= 1 - number(5) * number(6);
    m += (1 - beta1) * (g - m);
    v = beta2 * v + (1 - beta2) * g * g;
    const long double u = std::max(v, in[11].values[i]);
    const long double root = std::sqrt(u) / std::sqrt(1 - number(4) * beta2);
    theta -= number(5) / (1 - number(3) * beta1) * m / (root + number(9));
  }
  return out;
}

}  // namespace

std::vector<Case> optimizer_cases() {
  const std::vector<int64_t> shape = {kN, 3, 4};
  const Slot power = {.shape = {1}, .low = 0.5L, .high = 0.75L};
  const Slot rate = {.shape = {}, .low = 0.01L, .high = 0.1L};
  const Slot beta = {.shape = {1}, .low = 0.75L, .high = 0.9375L};
  return {{.api = "aclnnApplyAdamW",
           .attributes = "amsgrad",
           .dtypes = kFloatTypes,
           .inputs = {{shape},
                      {shape, -1, 1},
                      {shape, 0.5L, 2},
                      power,
                      power,
                      rate,
                      rate,
                      beta,
                      beta,
                      rate,
                      {shape, -2, 2},
                      {shape, 0, 2}},
           .outputs = {{.shape = shape, .aliases = 0},
                       {.shape = shape, .aliases = 1},
                       {.shape = shape, .aliases = 2}},
           .phase_one =
               [](auto t, auto* size, auto** executor) {
                 return aclnnApplyAdamWGetWorkspaceSize(t[0], t[1], t[2], t[3], t[4], t[5], t[6],
                                                        t[7], t[8], t[9], t[10], t[11], true, false,
                                                        size, executor);
               },
           .phase_two = aclnnApplyAdamW,
           .reference = adam_w_of_tensors},
          {.api = "aclnnApplyAdamWV2",
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
           .reference = adam_w,
           .max_ulp = kUlp,
           .max_ulp_16bit = kUlp16Bit,
           .magnitude = adam_w_scale}};
}

}  // namespace aclgrad::cases
