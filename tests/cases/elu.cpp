// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

// alpha, scale and inputScale; float32 holds them exactly.
struct Parameters {
  std::string attributes;
  float alpha, scale, input_scale;
};
const Parameters kScaled = {"", 1.25f, 0.75f, 1.5f};
const Parameters kPlain = {"alpha=1 scale=1 inputScale=1", 1, 1, 1};

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

long double elu(std::span<const long double> x, const Parameters& p) {
  return x[0] > 0 ? p.scale * x[0] : p.alpha * p.scale * std::expm1(x[0] * p.input_scale);
}

long double from_input(std::span<const long double> g_x, const Parameters& p) {
  const auto [g, x] = std::pair(g_x[0], g_x[1]);
  return x > 0 ? g * p.scale : g * p.input_scale * p.alpha * p.scale * std::exp(x * p.input_scale);
}

long double from_result(std::span<const long double> g_y, const Parameters& p) {
  const auto [g, y] = std::pair(g_y[0], g_y[1]);
  return y > 0 ? g * p.scale
               : g * p.input_scale * (y + static_cast<long double>(p.alpha) * p.scale);
}

template <class Function>
Reference with(const Parameters& parameters, Function function) {
  return elementwise(
      [=](std::span<const long double> inputs) { return function(inputs, parameters); });
}

Case backward(const Parameters& parameters, bool is_result) {
  const std::vector<int64_t> shape = {kN, 3, 4};
  return {
      .api = "aclnnEluBackward",
      .attributes = joined(is_result ? "isResult=true" : "isResult=false", parameters.attributes),
      .dtypes = kFloatTypes,
      .inputs = {{shape}, {shape, is_result ? -0.93L : -9.0L, 4}},
      .outputs = {{shape}},
      .phase_one =
          [is_result, alpha = scalar(parameters.alpha), scale = scalar(parameters.scale),
           input_scale = scalar(parameters.input_scale)](auto t, auto* size, auto** executor) {
            return aclnnEluBackwardGetWorkspaceSize(t[0], alpha, scale, input_scale, is_result,
                                                    t[1], t[2], size, executor);
          },
      .phase_two = aclnnEluBackward,
      .reference = with(parameters, is_result ? from_result : from_input),
      .max_ulp = kUlpOfProduct,
      .derivative_of = DerivativeOf{joined("aclnnElu", parameters.attributes),
                                    [is_result](const Arrays& x, const Arrays& y, const Array& g) {
                                      return Arrays{g, is_result ? y[0] : x[0]};
                                    },
                                    {0}}};
}

Case forward(const Parameters& parameters) {
  const std::vector<int64_t> shape = {kN, 3, 4};
  return {.api = "aclnnElu",
          .attributes = parameters.attributes,
          .dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE},
          .inputs = {{shape, -9, 9}},
          .outputs = {{shape}},
          .phase_one =
              [alpha = scalar(parameters.alpha), scale = scalar(parameters.scale),
               input_scale = scalar(parameters.input_scale)](auto t, auto* size, auto** executor) {
                return aclnnEluGetWorkspaceSize(t[0], alpha, scale, input_scale, t[1], size,
                                                executor);
              },
          .phase_two = aclnnElu,
          .reference = with(parameters, elu),
          // Two multiplications and expm1 in double precision.
          .max_ulp = 4};
}

Case in_place(const Parameters& parameters) {
  Case made = forward(parameters);
  made.api = "aclnnInplaceElu";
  made.outputs[0].aliases = 0;
  made.phase_one = [alpha = scalar(parameters.alpha), scale = scalar(parameters.scale),
                    input_scale = scalar(parameters.input_scale)](auto t, auto* size,
                                                                  auto** executor) {
    return aclnnInplaceEluGetWorkspaceSize(t[0], alpha, scale, input_scale, size, executor);
  };
  made.phase_two = aclnnInplaceElu;
  return made;
}

}  // namespace

std::vector<Case> elu_cases() {
  std::vector<Case> rows;
  for (const Parameters& each : {kScaled, kPlain}) {
    rows.insert(rows.end(),
                {forward(each), in_place(each), backward(each, false), backward(each, true)});
  }
  return rows;
}

}  // namespace aclgrad::cases
