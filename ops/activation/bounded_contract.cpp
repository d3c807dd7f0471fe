// SPDX-License-Identifier: Apache-2.0
// Activations at the level "bounded" (within 2 units in the last place of FLOAT), with their
// backwards: sigmoid, tanh, ReLU, leaky ReLU, softplus, SiLU. Those at the level "proven" are in
// contract.cpp.
#include <cmath>

#include "aclgrad_contract/formulas.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "ops/contract/unary.h"

namespace aclgrad::contract {
namespace {

void add_saturating(std::vector<Operator>& all) {
  Functions functions(all);
  Operator forward = function(-5, 5, of_one([](const auto& x) { return tanh(x); }), kFloats);
  forward.domain.equal_formats = true;
  functions.add(ACLGRAD_FUNCTION(Tanh), "self", forward,
                {{"tanh x", "tanh x"}, "tanh(x)", kWholeNumbers, true});
  all.push_back({
      .call = ACLGRAD_CALL(aclnnTanhBackward, in("gradOutput"), filled(in("output", -1, 1), 0.5),
                           out("gradInput")),
      .domain = {.everywhere = kFloatsAndDouble},
      .results = {.formula =
                      of_all([](auto x, Attributes) { return x[0] * ((1 - x[1]) * (1 + x[1])); }),
                  .bound = bounded(3)},
      .gradient = from_result("aclnnTanh"),
      .words = {"g·(1 − y²); y is the forward's output", "g·(1 − y²)；y 是正向的输出",
                "tanh_backward(g, y)", "tanh"},
  });

  functions.add(ACLGRAD_FUNCTION(Sigmoid), "self",
                function(-20, 20, of_one([](const auto& x) { return formulas::sigmoid(x); }),
                         kAllAndBf16, {}),
                {{"1/(1 + e⁻ˣ)", "1/(1 + e⁻ˣ)"}, "sigmoid(x)", kWholeNumbers, true});
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSigmoidBackward, promotes(in("gradOutput")),
                           promotes(filled(in("output", 0, 1), 0.5)), promotes(out("gradInput"))),
      .domain = {.everywhere = kAllAndBf16, .from_a2_on = {}},
      .results = {.formula = of_all([](auto x, Attributes) { return x[0] * (x[1] * (1 - x[1])); }),
                  .bound = bounded(3)},
      .gradient = from_result("aclnnSigmoid"),
      .words = {"g·y·(1 − y); y is the forward's output", "g·y·(1 − y)；y 是正向的输出",
                "sigmoid_backward(g, y)", "sigmoid"},
  });
}

void add_relu(std::vector<Operator>& all) {
  Functions functions(all);
  Operator relu =
      function(-6, 6, of_one([](const auto& x) { return x <= 0 ? decltype(-x)(0) : -(-x); }),
               {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8, ACL_INT32, ACL_INT64});
  relu.call.parameters = {in("self", -6, 6), as_const(out("out"))};
  functions.add(ACLGRAD_FUNCTION(Relu), "self", relu,
                {{"max(x, 0)", "max(x, 0)"}, "relu(x)", {}, true});

  const auto also_accepts = [](const Arguments& a, std::string_view product, aclDataType dtype) {
    return product == "Ascend950" && dtype == ACL_INT64 && a.number("threshold") == 0;
  };
  const Formula formula = of_all([](auto x, Attributes a) {
    if (x[1] > a[0]) return x[0];
    return x[1] <= a[0] ? decltype(-x[1])(0) : -(-x[1]);
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnThresholdBackward, in("gradOutput", -6, 6), in("self", -6, 6),
                           scalar("threshold", 0.5), out("out")),
      .domain = {.everywhere = {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8, ACL_INT32},
                 .also_accepts = also_accepts,
                 .samples = {{{{"threshold", 0.0}}},
                             {{{"threshold", 2.0}}, /*is_gradient=*/false}}},
      .results = {.formula = formula, .bound = bounded(3)},
      .gradient = from_input("aclnnRelu", {0}, Side::kLeft),
      .words = {"g for x > threshold, 0 otherwise; x where it is NaN",
                "x > threshold 时为 g，否则为 0；x 为 NaN 时为 x",
                "threshold_backward(g, x, threshold)", "relu"},
  });
}

void add_leaky_relu(std::vector<Operator>& all) {
  const Parameter slope = scalar("negativeSlope", 0.5);
  const std::vector<Sample> samples = samples_of("negativeSlope", {0.125, -0.5});
  const Operator forward{
      .call = ACLGRAD_CALL(aclnnLeakyRelu, any_dtype(filled(in("self", -6, 6), -1)), slope,
                           any_dtype(out("out"))),
      .domain = {.everywhere = kFloatsAndDouble, .samples = samples},
      .results = {.formula =
                      of_one([](const auto& x, Attributes a) { return x > 0 ? x : x * a[0]; }),
                  .bound = bounded(2)},
      .words = {"x for x > 0, negativeSlope·x otherwise", "x > 0 时为 x，否则为 negativeSlope·x",
                "leaky_relu(x, negative_slope)"}};
  all.push_back(forward);
  all.push_back(in_place_of(forward, ACLGRAD_CALL(aclnnInplaceLeakyRelu)));

  const Formula formula = of_all([](auto x, Attributes a) {
    if (x[1] > 0) return x[0];
    return x[1] <= 0 ? x[0] * a[0] : -(-x[1]);
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnLeakyReluBackward, promotes(in("gradOutput", -6, 6)),
                           promotes(filled(in("self", -6, 6), -1)), slope, flag("selfIsResult"),
                           promotes(out("out"))),
      .domain = {.everywhere = kFloatsAndDouble, .samples = samples},
      .results = {.formula = formula, .bound = bounded(3)},
      .gradient = from_input("aclnnLeakyRelu", {0}, Side::kLeft),
      .error_inputs = {{.what = "negative with selfIsResult",
                        .changes = {{"negativeSlope", ScalarSpec{-1}}, {"selfIsResult", true}},
                        .words = {"-1"}}},
      .words = {"g for x > 0, negativeSlope·g otherwise; x where it is NaN",
                "x > 0 时为 g，否则为 negativeSlope·g；x 为 NaN 时为 x",
                "leaky_relu_backward(g, x, negative_slope)", "leaky_relu"},
  });
}

void add_softplus(std::vector<Operator>& all) {
  const Parameter beta = scalar("beta", 1);
  const Parameter threshold = scalar("threshold", 20);
  const std::vector<Sample> samples = {{{{"beta", 1.5}, {"threshold", 6.0}}}};
  const Operator forward{.call = ACLGRAD_CALL(aclnnSoftplus, any_dtype(in("self", -6, 6)), beta,
                                              threshold, any_dtype(out("out"))),
                         .domain = {.everywhere = kFloats, .samples = samples},
                         .results = {.formula = of_one([](const auto& x, Attributes a) {
                                       return x * a[0] > a[1] ? x : log1p(exp(x * a[0])) / a[0];
                                     }),
                                     .bound = bounded(2)},
                         .words = {"x for beta·x > threshold, ln(1 + e^(beta·x))/beta otherwise",
                                   "beta·x > threshold 时为 x，否则为 ln(1 + e^(beta·x))/beta",
                                   "softplus(x, beta, threshold)"}};
  const Operator backward{
      .call =
          ACLGRAD_CALL(aclnnSoftplusBackward, any_dtype(in("gradOutput")),
                       any_dtype(in("self", -6, 6)), beta, threshold, any_dtype(out("gradInput"))),
      .domain = {.everywhere = kFloatsAndDouble, .mixed = kWholeNumbers, .samples = samples},
      .results = {.formula = slope_of(forward), .bound = bounded(3)},
      .gradient = from_input("aclnnSoftplus", {4}, Side::kLeft),
      .words = {"g for beta·x > threshold, g/(1 + e^(−beta·x)) otherwise",
                "beta·x > threshold 时为 g，否则为 g/(1 + e^(−beta·x))",
                "softplus_backward(g, x, beta, threshold)", "softplus"}};
  all.insert(all.end(), {forward, backward});
}

void add_silu(std::vector<Operator>& all) {
  const Operator silu{
      .call = ACLGRAD_CALL(aclnnSilu, any_dtype(in("self", -20, 20)), any_dtype(out("out"))),
      .domain = {.everywhere = kFloats, .max_rank = kAnyRank},
      .results = {.formula = of_one([](const auto& x) { return x * formulas::sigmoid(x); }),
                  .bound = bounded(2)},
      .words = {"x·σ(x), with σ(x) = 1/(1 + e⁻ˣ)", "x·σ(x)，其中 σ(x) = 1/(1 + e⁻ˣ)", "silu(x)"}};

  const Operator backward{
      .call =
          ACLGRAD_CALL(aclnnSiluBackward, in("gradOutput"), in("self", -20, 20), out("gradInput")),
      .domain = {.everywhere = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}, .from_a2_on = {}},
      .results = {.formula = slope_of(silu), .bound = bounded(3)},
      .gradient = from_input("aclnnSilu"),
      .error_inputs = {refused("self", "of another shape", TensorSpec{{3, 4}}, "[3, 4]",
                               "Ascend950"),
                       refused("gradInput", "of another shape", TensorSpec{{3, 4}}, "[3, 4]",
                               "Ascend950"),
                       refused("gradInput", "FLOAT16 of FLOAT", TensorSpec{.dtype = ACL_FLOAT16},
                               "DT_FLOAT16", "Ascend950")},
      .words = {"g·σ(x)·(1 + x·(1 − σ(x)))", "g·σ(x)·(1 + x·(1 − σ(x)))", "silu_backward(g, x)",
                "silu"}};
  all.insert(all.end(), {silu, backward});
}

}  // namespace

void add_bounded_activations(std::vector<Operator>& all) {
  add_saturating(all);
  add_relu(all);
  add_leaky_relu(all);
  add_softplus(all);
  add_silu(all);
}

}  // namespace aclgrad::contract
