// SPDX-License-Identifier: Apache-2.0
// The elementwise functions at the level "bounded".
#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
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
  row.max_ulp_double = 4;
  row.max_ulp_16bit = 0.5 + max_ulp / 8192;
  return row;
}

using Function = long double (*)(long double);
using Rows = std::vector<Case>;
const std::vector<aclDataType> kWithDouble = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};

// Of x within [low, high].
Case forward(std::string api, PlanUnary plan, PhaseTwo phase_two,
             const std::vector<aclDataType>& dtypes, long double low, long double high,
             Function function) {
  return bounded({.api = std::move(api),
                  .attributes = "",
                  .dtypes = dtypes,
                  .inputs = {{kShape, low, high}},
                  .outputs = {{kShape}},
                  .phase_one = [plan](auto t, auto* size,
                                      auto** executor) { return plan(t[0], t[1], size, executor); },
                  .phase_two = phase_two,
                  .reference = elementwise(
                      [function](std::span<const long double> x) { return function(x[0]); })},
                 2);
}

// The same in place, for a tensor that is const (Reciprocal) or not.
template <class Tensor>
Case in_place(std::string api, aclnnStatus (*plan)(Tensor*, uint64_t*, aclOpExecutor**),
              PhaseTwo phase_two, const Case& out_of_place) {
  Case row = out_of_place;
  row.api = std::move(api);
  row.outputs[0].aliases = 0;
  row.phase_one = [plan](auto t, auto* size, auto** executor) {
    return plan(t[0], size, executor);
  };
  row.phase_two = phase_two;
  return row;
}

// The gradient g times the slope at the forward's input, or, of a result y, at the y of it.
enum class SlopeOf { kInput, kResult };
Case backward(std::string api, PlanBinary plan, PhaseTwo phase_two,
              const std::vector<aclDataType>& dtypes, long double low, long double high,
              std::string forward_row, SlopeOf of, Function slope) {
  return bounded(
      {.api = std::move(api),
       .attributes = "",
       .dtypes = dtypes,
       .inputs = {{kShape}, {kShape, low, high}},
       .outputs = {{kShape}},
       .phase_one = [plan](auto t, auto* size,
                           auto** executor) { return plan(t[0], t[1], t[2], size, executor); },
       .phase_two = phase_two,
       .reference = elementwise(
           [slope](std::span<const long double> g_x) { return g_x[0] * slope(g_x[1]); }),
       .derivative_of = DerivativeOf{std::move(forward_row),
                                     [of](const Arrays& x, const Arrays& y, const Array& g) {
                                       return Arrays{g, of == SlopeOf::kInput ? x[0] : y[0]};
                                     }}},
      3);
}

// A row with scalars among its parameters, by its reference and its call.
Case with_scalars(std::string api, const std::vector<aclDataType>& dtypes, size_t inputs,
                  PhaseOne phase_one, PhaseTwo phase_two, Reference reference) {
  return bounded({.api = std::move(api),
                  .attributes = "",
                  .dtypes = dtypes,
                  .inputs = std::vector<Slot>(inputs, {kShape, -6, 6}),
                  .outputs = {{kShape}},
                  .phase_one = std::move(phase_one),
                  .phase_two = phase_two,
                  .reference = std::move(reference)},
                 inputs == 1 ? 2 : 3);
}

DerivativeOf of_input(std::string forward_row, std::vector<long double> corners = {}) {
  return {std::move(forward_row),
          [](const Arrays& x, const Arrays&, const Array& g) {
            return Arrays{g, x[0]};
          },
          std::move(corners)};
}

constexpr float kNegativeSlope = 0.125f;
constexpr float kBeta = 1.5f;
constexpr float kUpper = 6;

// The rows of ReLU, leaky ReLU and Softplus with their backwards, and of Neg.
void add_rows_with_scalars(Rows& rows) {
  using Span = std::span<const long double>;
  const std::vector<aclDataType> relu_types = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32};
  rows.push_back(with_scalars(
      "aclnnRelu", relu_types, 1,
      [](auto t, auto* size, auto** executor) {
        return aclnnReluGetWorkspaceSize(t[0], t[1], size, executor);
      },
      aclnnRelu, elementwise([](Span x) { return x[0] > 0 ? x[0] : 0; })));
  rows.push_back(in_place("aclnnInplaceRelu", aclnnInplaceReluGetWorkspaceSize, aclnnInplaceRelu,
                          Case(rows.back())));
  rows.push_back(with_scalars(
      "aclnnThresholdBackward", relu_types, 2,
      [](auto t, auto* size, auto** executor) {
        return aclnnThresholdBackwardGetWorkspaceSize(t[0], t[1], scalar(0), t[2], size, executor);
      },
      aclnnThresholdBackward, elementwise([](Span x) { return x[1] > 0 ? x[0] : 0; })));
  rows.back().derivative_of = of_input("aclnnRelu", {0});
  rows.push_back(with_scalars(
      "aclnnThresholdBackward", relu_types, 2,
      [](auto t, auto* size, auto** executor) {
        return aclnnThresholdBackwardGetWorkspaceSize(t[0], t[1], scalar(2), t[2], size, executor);
      },
      aclnnThresholdBackward, elementwise([](Span x) { return x[1] > 2 ? x[0] : 0; })));
  rows.back().attributes = std::string("threshold=2");
  rows.push_back(with_scalars(
      "aclnnLeakyRelu", kWithDouble, 1,
      [](auto t, auto* size, auto** executor) {
        return aclnnLeakyReluGetWorkspaceSize(t[0], scalar(kNegativeSlope), t[1], size, executor);
      },
      aclnnLeakyRelu, elementwise([](Span x) { return x[0] > 0 ? x[0] : x[0] * kNegativeSlope; })));
  Case leaky = rows.back();
  leaky.api = std::string("aclnnInplaceLeakyRelu");
  leaky.outputs[0].aliases = 0;
  leaky.phase_one = [](auto t, auto* size, auto** executor) {
    return aclnnInplaceLeakyReluGetWorkspaceSize(t[0], scalar(kNegativeSlope), size, executor);
  };
  leaky.phase_two = aclnnInplaceLeakyRelu;
  rows.push_back(leaky);
  rows.push_back(with_scalars(
      "aclnnLeakyReluBackward", kWithDouble, 2,
      [](auto t, auto* size, auto** executor) {
        return aclnnLeakyReluBackwardGetWorkspaceSize(t[0], t[1], scalar(kNegativeSlope), false,
                                                      t[2], size, executor);
      },
      aclnnLeakyReluBackward,
      elementwise([](Span x) { return x[1] > 0 ? x[0] : x[0] * kNegativeSlope; })));
  rows.back().derivative_of = of_input("aclnnLeakyRelu", {0});
  rows.push_back(with_scalars(
      "aclnnSoftplus", kFloatTypes, 1,
      [](auto t, auto* size, auto** executor) {
        return aclnnSoftplusGetWorkspaceSize(t[0], scalar(kBeta), scalar(kUpper), t[1], size,
                                             executor);
      },
      aclnnSoftplus, elementwise([](Span x) {
        return kBeta * x[0] > kUpper ? x[0] : std::log1p(std::exp(kBeta * x[0])) / kBeta;
      })));
  rows.push_back(with_scalars(
      "aclnnSoftplusBackward", kWithDouble, 2,
      [](auto t, auto* size, auto** executor) {
        return aclnnSoftplusBackwardGetWorkspaceSize(t[0], t[1], scalar(kBeta), scalar(kUpper),
                                                     t[2], size, executor);
      },
      aclnnSoftplusBackward, elementwise([](Span x) {
        return kBeta * x[1] > kUpper ? x[0] : x[0] * sigmoid(kBeta * x[1]);
      })));
  rows.back().derivative_of = of_input("aclnnSoftplus", {4});
  rows.push_back(with_scalars(
      "aclnnNeg", {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32}, 1,
      [](auto t, auto* size, auto** executor) {
        return aclnnNegGetWorkspaceSize(t[0], t[1], size, executor);
      },
      aclnnNeg, elementwise([](Span x) { return -x[0]; })));
  rows.push_back(in_place("aclnnInplaceNeg", aclnnInplaceNegGetWorkspaceSize, aclnnInplaceNeg,
                          Case(rows.back())));
}

}  // namespace

std::vector<Case> function_cases() {
  Rows rows = {
      forward("aclnnSilu", aclnnSiluGetWorkspaceSize, aclnnSilu, kFloatTypes, -20, 20,
              [](long double x) { return x * sigmoid(x); }),
      backward("aclnnSiluBackward", aclnnSiluBackwardGetWorkspaceSize, aclnnSiluBackward,
               kFloatTypes, -20, 20, "aclnnSilu", SlopeOf::kInput,
               [](long double x) { return sigmoid(x) * (1 + x * sigmoid(-x)); }),
      backward("aclnnTanhBackward", aclnnTanhBackwardGetWorkspaceSize, aclnnTanhBackward,
               kWithDouble, -1, 1, "aclnnTanh", SlopeOf::kResult,
               [](long double y) { return (1 - y) * (1 + y); }),
      backward("aclnnSigmoidBackward", aclnnSigmoidBackwardGetWorkspaceSize, aclnnSigmoidBackward,
               kWithDouble, 0, 1, "aclnnSigmoid", SlopeOf::kResult,
               [](long double y) { return y * (1 - y); }),
      forward("aclnnExp", aclnnExpGetWorkspaceSize, aclnnExp, kWithDouble, -10, 5,
              [](long double x) { return std::exp(x); }),
      forward("aclnnLog", aclnnLogGetWorkspaceSize, aclnnLog, kWithDouble, 0.0625, 9,
              [](long double x) { return std::log(x); }),
      forward("aclnnSqrt", aclnnSqrtGetWorkspaceSize, aclnnSqrt, kWithDouble, 0.0625, 9,
              [](long double x) { return std::sqrt(x); }),
      forward("aclnnRsqrt", aclnnRsqrtGetWorkspaceSize, aclnnRsqrt, kWithDouble, 0.0625, 9,
              [](long double x) { return 1 / std::sqrt(x); }),
      forward("aclnnReciprocal", aclnnReciprocalGetWorkspaceSize, aclnnReciprocal, kWithDouble,
              0.0625, 9, [](long double x) { return 1 / x; }),
      forward("aclnnSin", aclnnSinGetWorkspaceSize, aclnnSin, kWithDouble, -50, 50,
              [](long double x) { return std::sin(x); }),
      forward("aclnnCos", aclnnCosGetWorkspaceSize, aclnnCos, kWithDouble, -50, 50,
              [](long double x) { return std::cos(x); }),
      forward("aclnnTanh", aclnnTanhGetWorkspaceSize, aclnnTanh, kFloatTypes, -5, 5,
              [](long double x) { return std::tanh(x); }),
      forward("aclnnSigmoid", aclnnSigmoidGetWorkspaceSize, aclnnSigmoid, kWithDouble, -20, 20,
              [](long double x) { return sigmoid(x); }),
      forward("aclnnErf", aclnnErfGetWorkspaceSize, aclnnErf, kWithDouble, -4, 4,
              [](long double x) { return std::erf(x); }),
  };
  const auto add = [&rows](const char* name, auto plan, PhaseTwo phase_two) {
    const std::string api = std::string("aclnn") + name;
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const Case& each) { return each.api == api; });
    rows.push_back(in_place(std::string("aclnnInplace") + name, plan, phase_two, Case(*row)));
  };
  add("Exp", aclnnInplaceExpGetWorkspaceSize, aclnnInplaceExp);
  add("Log", aclnnInplaceLogGetWorkspaceSize, aclnnInplaceLog);
  add("Sqrt", aclnnInplaceSqrtGetWorkspaceSize, aclnnInplaceSqrt);
  add("Rsqrt", aclnnInplaceRsqrtGetWorkspaceSize, aclnnInplaceRsqrt);
  add("Reciprocal", aclnnInplaceReciprocalGetWorkspaceSize, aclnnInplaceReciprocal);
  add("Sin", aclnnInplaceSinGetWorkspaceSize, aclnnInplaceSin);
  add("Cos", aclnnInplaceCosGetWorkspaceSize, aclnnInplaceCos);
  add("Tanh", aclnnInplaceTanhGetWorkspaceSize, aclnnInplaceTanh);
  add("Sigmoid", aclnnInplaceSigmoidGetWorkspaceSize, aclnnInplaceSigmoid);
  add("Erf", aclnnInplaceErfGetWorkspaceSize, aclnnInplaceErf);
  add_rows_with_scalars(rows);
  return rows;
}

}  // namespace aclgrad::cases
