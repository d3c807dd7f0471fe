// SPDX-License-Identifier: Apache-2.0
// The elementwise functions at the level "bounded".
#include <cmath>

#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

const std::vector<int64_t> kShape = {kN, 3, 4};

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }

using PlanUnary = aclnnStatus (*)(const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
using PlanBinary = aclnnStatus (*)(const aclTensor*, const aclTensor*, aclTensor*, uint64_t*,
                                   aclOpExecutor**);

// 16-bit results are those of FLOAT, rounded: beside a tie, an error of theirs counts.
Case bounded(Case row, double max_ulp) {
  row.max_ulp = max_ulp;
  row.max_ulp_16bit = 0.5 + max_ulp / 8192;
  return row;
}

// Of x within [low, high].
Case forward(std::string api, PlanUnary plan, PhaseTwo phase_two, long double low, long double high,
             long double (*function)(long double)) {
  return bounded({.api = std::move(api),
                  .attributes = "",
                  .dtypes = kFloatTypes,
                  .inputs = {{kShape, low, high}},
                  .outputs = {{kShape}},
                  .phase_one = [plan](auto t, auto* size,
                                      auto** executor) { return plan(t[0], t[1], size, executor); },
                  .phase_two = phase_two,
                  .reference = elementwise(
                      [function](std::span<const long double> x) { return function(x[0]); })},
                 2);
}

// The gradient g times slope(x).
Case backward(std::string api, PlanBinary plan, PhaseTwo phase_two, long double low,
              long double high, std::string forward_row, long double (*slope)(long double)) {
  return bounded(
      {.api = std::move(api),
       .attributes = "",
       .dtypes = kFloatTypes,
       .inputs = {{kShape}, {kShape, low, high}},
       .outputs = {{kShape}},
       .phase_one = [plan](auto t, auto* size,
                           auto** executor) { return plan(t[0], t[1], t[2], size, executor); },
       .phase_two = phase_two,
       .reference = elementwise(
           [slope](std::span<const long double> g_x) { return g_x[0] * slope(g_x[1]); }),
       .derivative_of = DerivativeOf{std::move(forward_row),
                                     [](const Arrays& x, const Arrays&, const Array& g) {
                                       return Arrays{g, x[0]};
                                     }}},
      3);
}

}  // namespace

std::vector<Case> function_cases() {
  return {
      forward("aclnnSilu", aclnnSiluGetWorkspaceSize, aclnnSilu, -20, 20,
              [](long double x) { return x * sigmoid(x); }),
      backward("aclnnSiluBackward", aclnnSiluBackwardGetWorkspaceSize, aclnnSiluBackward, -20, 20,
               "aclnnSilu", [](long double x) { return sigmoid(x) * (1 + x * sigmoid(-x)); })};
}

}  // namespace aclgrad::cases
