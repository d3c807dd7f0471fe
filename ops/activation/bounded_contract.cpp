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

// Of numbers; those of dual numbers are found by their argument.
using std::exp;
using std::log1p;
using std::tanh;

// g times the slope, which is a formula in the forward's result.
template <class PhaseOne, class Slope>
Operator backward_of_result(const Operator& forward, Number low, Number high, Slope slope) {
  Operator op = contract_of<PhaseOne>(
      forward.name() + "Backward",
      {promotes(in("gradOutput")), promotes(filled(in("output", low, high), 0.5)),
       promotes(out("gradInput"))},
      {});
  op.results.formula = of_all([slope](auto x, Attributes) { return x[0] * slope(x[1]); });
  op.results.bound = bounded(3);
  op.gradient = from_result(forward.name());
  return op;
}

void add_saturating(std::vector<Operator>& all) {
  Functions functions(all);
  const DTypes whole = kWholeNumbers;
  Operator forward = function(-5, 5, of_one([](const auto& x) { return tanh(x); }), kFloats);
  forward.domain.equal_formats = true;
  functions.add<decltype(aclnnTanhGetWorkspaceSize), decltype(aclnnInplaceTanhGetWorkspaceSize)>(
      "aclnnTanh", "self", forward, {{"tanh x", "tanh x"}, "tanh(x)", whole, true});
  Operator tanh = backward_of_result<decltype(aclnnTanhBackwardGetWorkspaceSize)>(
      all[all.size() - 2], -1, 1, [](const auto& y) { return (1 - y) * (1 + y); });
  tanh.domain.everywhere = kFloatsAndDouble;
  for (Parameter& each : tanh.call.parameters) std::get<TensorSpec>(each.spec).promotes = false;
  tanh.words.check = "tanh";
  tanh.words.computes = {"g·(1 − y²); y is the forward's output", "g·(1 − y²)；y 是正向的输出"};
  tanh.words.in_graph = "tanh_backward(g, y)";
  all.push_back(tanh);

  functions
      .add<decltype(aclnnSigmoidGetWorkspaceSize), decltype(aclnnInplaceSigmoidGetWorkspaceSize)>(
          "aclnnSigmoid", "self",
          function(-20, 20, of_one([](const auto& x) { return formulas::sigmoid(x); }), kAllAndBf16,
                   {}),
          {{"1/(1 + e⁻ˣ)", "1/(1 + e⁻ˣ)"}, "sigmoid(x)", whole, true});
  Operator sigmoid = backward_of_result<decltype(aclnnSigmoidBackwardGetWorkspaceSize)>(
      all[all.size() - 2], 0, 1, [](const auto& y) { return y * (1 - y); });
  sigmoid.domain.everywhere = kAllAndBf16;
  sigmoid.domain.from_a2_on = {};
  sigmoid.words.check = "sigmoid";
  sigmoid.words.computes = {"g·y·(1 − y); y is the forward's output",
                            "g·y·(1 − y)；y 是正向的输出"};
  sigmoid.words.in_graph = "sigmoid_backward(g, y)";
  all.push_back(sigmoid);
}

void add_relu(std::vector<Operator>& all) {
  Functions functions(all);
  Operator relu =
      function(-6, 6, of_one([](const auto& x) { return x <= 0 ? decltype(-x)(0) : -(-x); }),
               {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8, ACL_INT32, ACL_INT64});
  for (const size_t i : {size_t{0}, size_t{1}})
    std::get<TensorSpec>(relu.call.parameters[i].spec).any_dtype = false;
  relu.call.parameters[1] = as_const(relu.call.parameters[1]);
  functions.add<decltype(aclnnReluGetWorkspaceSize), decltype(aclnnInplaceReluGetWorkspaceSize)>(
      "aclnnRelu", "self", relu, {{"max(x, 0)", "max(x, 0)"}, "relu(x)", {}, true});

  Operator threshold = contract_of<decltype(aclnnThresholdBackwardGetWorkspaceSize)>(
      "aclnnThresholdBackward",
      {in("gradOutput", -6, 6), in("self", -6, 6), scalar("threshold", 0.5), out("out")},
      {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8, ACL_INT32});
  threshold.domain.samples = {{{{"threshold", 0.0}}},
                              {{{"threshold", 2.0}}, /*is_gradient=*/false}};
  threshold.results.formula = of_all([](auto x, Attributes a) {
    if (x[1] > a[0]) return x[0];
    return x[1] <= a[0] ? decltype(-x[1])(0) : -(-x[1]);
  });
  threshold.results.bound = bounded(3);
  threshold.gradient = from_input("aclnnRelu", {0}, Side::kLeft);
  threshold.domain.also_accepts = [](const Arguments& a, std::string_view product,
                                     aclDataType dtype) {
    return product == "Ascend950" && dtype == ACL_INT64 && a.number("threshold") == 0;
  };
  threshold.words.check = "relu";
  threshold.words.computes = {"g for x > threshold, 0 otherwise; x where it is NaN",
                              "x > threshold 时为 g，否则为 0；x 为 NaN 时为 x"};
  threshold.words.in_graph = "threshold_backward(g, x, threshold)";
  all.push_back(threshold);
}

void add_leaky_relu(std::vector<Operator>& all) {
  const Parameter slope = scalar("negativeSlope", 0.5);
  const std::vector<Sample> samples = {{{{"negativeSlope", 0.125}}}};
  Operator forward = contract_of<decltype(aclnnLeakyReluGetWorkspaceSize)>(
      "aclnnLeakyRelu", {any_dtype(filled(in("self", -6, 6), -1)), slope, any_dtype(out("out"))},
      kFloatsAndDouble);
  forward.domain.samples = samples;
  forward.results.formula =
      of_one([](const auto& x, Attributes a) { return x > 0 ? x : x * a[0]; });
  forward.results.bound = bounded(2);
  forward.words.computes = {"x for x > 0, negativeSlope·x otherwise",
                            "x > 0 时为 x，否则为 negativeSlope·x"};
  forward.words.in_graph = "leaky_relu(x, negative_slope)";
  all.push_back(forward);
  all.push_back(in_place_of<decltype(aclnnInplaceLeakyReluGetWorkspaceSize)>(forward));

  Operator backward = contract_of<decltype(aclnnLeakyReluBackwardGetWorkspaceSize)>(
      "aclnnLeakyReluBackward",
      {promotes(in("gradOutput", -6, 6)), promotes(filled(in("self", -6, 6), -1)), slope,
       flag("selfIsResult"), promotes(out("out"))},
      kFloatsAndDouble);
  backward.domain.samples = samples;
  backward.results.formula = of_all([](auto x, Attributes a) {
    if (x[1] > 0) return x[0];
    return x[1] <= 0 ? x[0] * a[0] : -(-x[1]);
  });
  backward.results.bound = bounded(3);
  backward.gradient = from_input("aclnnLeakyRelu", {0}, Side::kLeft);
  backward.error_inputs = {{.what = "negative with selfIsResult",
                            .changes = {{"negativeSlope", ScalarSpec{-1}}, {"selfIsResult", true}},
                            .words = {"-1"}}};
  backward.words.check = "leaky_relu";
  backward.words.computes = {"g for x > 0, negativeSlope·g otherwise; x where it is NaN",
                             "x > 0 时为 g，否则为 negativeSlope·g；x 为 NaN 时为 x"};
  backward.words.in_graph = "leaky_relu_backward(g, x, negative_slope)";
  all.push_back(backward);
}

void add_softplus(std::vector<Operator>& all) {
  const Parameter beta = scalar("beta", 1);
  const Parameter threshold = scalar("threshold", 20);
  const std::vector<Sample> samples = {{{{"beta", 1.5}, {"threshold", 6.0}}}};
  Operator forward = contract_of<decltype(aclnnSoftplusGetWorkspaceSize)>(
      "aclnnSoftplus", {any_dtype(in("self", -6, 6)), beta, threshold, any_dtype(out("out"))},
      kFloats);
  forward.domain.samples = samples;
  forward.results.formula = of_one([](const auto& x, Attributes a) {
    return x * a[0] > a[1] ? x : log1p(exp(x * a[0])) / a[0];
  });
  forward.results.bound = bounded(2);
  forward.words.computes = {"x for beta·x > threshold, ln(1 + e^(beta·x))/beta otherwise",
                            "beta·x > threshold 时为 x，否则为 ln(1 + e^(beta·x))/beta"};
  forward.words.in_graph = "softplus(x, beta, threshold)";
  Operator backward = contract_of<decltype(aclnnSoftplusBackwardGetWorkspaceSize)>(
      "aclnnSoftplusBackward",
      {any_dtype(in("gradOutput")), any_dtype(in("self", -6, 6)), beta, threshold,
       any_dtype(out("gradInput"))},
      kFloatsAndDouble);
  backward.domain.mixed = kWholeNumbers;
  backward.domain.samples = samples;
  backward.results.formula = slope_of(forward);
  backward.results.bound = bounded(3);
  backward.gradient = from_input("aclnnSoftplus", {4}, Side::kLeft);
  backward.words.check = "softplus";
  backward.words.computes = {"g for beta·x > threshold, g/(1 + e^(−beta·x)) otherwise",
                             "beta·x > threshold 时为 g，否则为 g/(1 + e^(−beta·x))"};
  backward.words.in_graph = "softplus_backward(g, x, beta, threshold)";
  all.insert(all.end(), {forward, backward});
}

void add_silu(std::vector<Operator>& all) {
  Operator silu = contract_of<decltype(aclnnSiluGetWorkspaceSize)>(
      "aclnnSilu", {any_dtype(in("self", -20, 20)), any_dtype(out("out"))}, kFloats);
  silu.domain.max_rank = kAnyRank;
  silu.results.formula = of_one([](const auto& x) { return x * formulas::sigmoid(x); });
  silu.results.bound = bounded(2);
  silu.words.computes = {"x·σ(x), with σ(x) = 1/(1 + e⁻ˣ)", "x·σ(x)，其中 σ(x) = 1/(1 + e⁻ˣ)"};
  silu.words.in_graph = "silu(x)";

  Operator backward = contract_of<decltype(aclnnSiluBackwardGetWorkspaceSize)>(
      "aclnnSiluBackward", {in("gradOutput"), in("self", -20, 20), out("gradInput")},
      {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}, {});
  backward.results.formula = slope_of(silu);
  backward.results.bound = bounded(3);
  backward.gradient = from_input("aclnnSilu");
  backward.error_inputs = {
      refused("self", "of another shape", TensorSpec{{3, 4}}, "[3, 4]", "Ascend950"),
      refused("gradInput", "of another shape", TensorSpec{{3, 4}}, "[3, 4]", "Ascend950"),
      refused("gradInput", "FLOAT16 of FLOAT", TensorSpec{.dtype = ACL_FLOAT16}, "DT_FLOAT16",
              "Ascend950")};
  backward.words.check = "silu";
  backward.words.computes = {"g·σ(x)·(1 + x·(1 − σ(x)))", "g·σ(x)·(1 + x·(1 − σ(x)))"};
  backward.words.in_graph = "silu_backward(g, x)";
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
