// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one tensor, ReLU and its kin, with their backwards.
#include <cmath>

#include "aclgrad_contract/formulas.h"
#include "aclnnop/aclnn_abs.h"
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
#include "aclnnop/aclnn_sign.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "contract/describe.h"

namespace aclgrad::contract {
namespace {

// Of numbers; those of dual numbers are found by their argument.
using std::cos;
using std::erf;
using std::exp;
using std::log;
using std::log1p;
using std::sin;
using std::sqrt;
using std::tanh;

const DTypes kAll = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128};
const DTypes kAllAndBf16 = {ACL_FLOAT,     ACL_FLOAT16,    ACL_DOUBLE,
                            ACL_COMPLEX64, ACL_COMPLEX128, ACL_BF16};
const DTypes kWholeNumbers = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL};

// What the operators of this file have in common: a function of one tensor and its form in place.
// Integers beside a floating result are accepted where `inputs` has them.
struct Function {
  Text computes;
  std::string in_graph;
  DTypes inputs = {};
  bool has_backward = false;  // of its own, under whose name it is checked
};

class Functions {
 public:
  explicit Functions(std::vector<Operator>& all) : all_(all) {}

  template <class Forward, class InPlace>
  void add(std::string name, const std::string& tensor, Operator op, const Function& function) {
    op.name = std::move(name);
    declare<Forward>(op);
    op.parameters[0].name = tensor;
    op.computes = function.computes;
    op.in_graph = function.in_graph;
    if (!function.has_backward) op.check = function.in_graph.substr(0, function.in_graph.find('('));
    op.mixed = function.inputs;
    all_.push_back(op);
    op.mixed.clear();
    all_.push_back(in_place_of<InPlace>(op, op.name == "aclnnSqrt" ? tensor : tensor + "Ref"));
    if (op.name == "aclnnReciprocal") {
      all_.back().parameters[0] = as_const(all_.back().parameters[0]);
    }
  }

 private:
  std::vector<Operator>& all_;
};

Operator function(Number low, Number high, Formula formula, DTypes everywhere = kAll,
                  DTypes from_a2_on = {ACL_BF16}) {
  Operator op;
  op.parameters = {any_dtype(in("self", low, high)), any_dtype(out("out"))};
  op.everywhere = std::move(everywhere);
  op.from_a2_on = std::move(from_a2_on);
  op.formula = std::move(formula);
  op.bound = bounded(2);
  return op;
}

void add_functions(std::vector<Operator>& all) {
  Functions functions(all);
  const DTypes few = {ACL_BOOL, ACL_INT64};
  functions.add<decltype(aclnnExpGetWorkspaceSize), decltype(aclnnInplaceExpGetWorkspaceSize)>(
      "aclnnExp", "self", function(-10, 5, of_one([](const auto& x) { return exp(x); })),
      {{"eˣ", "eˣ"}, "exp(x)", few});
  functions.add<decltype(aclnnLogGetWorkspaceSize), decltype(aclnnInplaceLogGetWorkspaceSize)>(
      "aclnnLog", "self", function(0.0625L, 9, of_one([](const auto& x) { return log(x); })),
      {{"ln x", "ln x"}, "log(x)", kWholeNumbers});
  functions.add<decltype(aclnnSqrtGetWorkspaceSize), decltype(aclnnInplaceSqrtGetWorkspaceSize)>(
      "aclnnSqrt", "self", function(0.0625L, 9, of_one([](const auto& x) { return sqrt(x); })),
      {{"√x", "√x"}, "sqrt(x)", kWholeNumbers});
  functions.add<decltype(aclnnRsqrtGetWorkspaceSize), decltype(aclnnInplaceRsqrtGetWorkspaceSize)>(
      "aclnnRsqrt", "self", function(0.0625L, 9, of_one([](const auto& x) { return 1 / sqrt(x); })),
      {{"1/√x", "1/√x"}, "rsqrt(x)", kWholeNumbers});
  Operator reciprocal = function(0.0625L, 9, of_one([](const auto& x) { return 1 / x; }));
  reciprocal.equal_formats = true;
  functions.add<decltype(aclnnReciprocalGetWorkspaceSize),
                decltype(aclnnInplaceReciprocalGetWorkspaceSize)>(
      "aclnnReciprocal", "self", reciprocal, {{"1/x", "1/x"}, "reciprocal(x)", kWholeNumbers});
  functions.add<decltype(aclnnSinGetWorkspaceSize), decltype(aclnnInplaceSinGetWorkspaceSize)>(
      "aclnnSin", "self", function(-50, 50, of_one([](const auto& x) { return sin(x); })),
      {{"sin x", "sin x"}, "sin(x)", kWholeNumbers});
  functions.add<decltype(aclnnCosGetWorkspaceSize), decltype(aclnnInplaceCosGetWorkspaceSize)>(
      "aclnnCos", "input", function(-50, 50, of_one([](const auto& x) { return cos(x); })),
      {{"cos x", "cos x"}, "cos(x)", kWholeNumbers});
  functions.add<decltype(aclnnErfGetWorkspaceSize), decltype(aclnnInplaceErfGetWorkspaceSize)>(
      "aclnnErf", "self",
      function(-4, 4, of_one([](const auto& x) { return erf(x); }), kFloatsAndDouble),
      {{"erf x", "erf x"}, "erf(x)", few});
  Operator neg = function(-6, 6, of_one([](const auto& x) { return -x; }),
                          {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128,
                           ACL_INT8, ACL_INT32, ACL_INT64});
  functions.add<decltype(aclnnNegGetWorkspaceSize), decltype(aclnnInplaceNegGetWorkspaceSize)>(
      "aclnnNeg", "self", neg, {{"−x", "−x"}, "neg(x)"});
}

void add_signs(std::vector<Operator>& all) {
  Operator magnitude = contract_of<decltype(aclnnAbsGetWorkspaceSize)>(
      "aclnnAbs", {in("self", -6, 6), out("out")}, kFloatsAndDouble + kWholeNumbers);
  magnitude.mixed = {ACL_COMPLEX64};
  magnitude.equal_formats = true;
  magnitude.formula = of_one([](const auto& x) {
    using std::abs;
    return abs(x);
  });
  magnitude.bound = {.of_float = 0, .of_16_bits = 0};
  magnitude.check = "abs";
  magnitude.computes = {"|x|", "|x|"};
  magnitude.in_graph = "abs(x)";
  Operator sign = contract_of<decltype(aclnnSignGetWorkspaceSize)>(
      "aclnnSign", {in("self", -6, 6), out("result")},
      kAll + DTypes{ACL_INT32, ACL_INT64, ACL_BOOL});
  sign.max_rank = kAnyRank;
  sign.formula = of_one([](const auto& x) {
    using T = std::decay_t<decltype(x)>;
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  });
  sign.bound = {.of_float = 0, .of_16_bits = 0};
  sign.check = "sign";
  sign.computes = {"1, −1, or x where it is 0 or NaN", "1、−1；x 为 0 或 NaN 时为 x"};
  sign.in_graph = "sign(x)";
  all.insert(all.end(), {magnitude, sign});
}

// ---- With a backward of their own ---------------------------------------------------------------

// g times the slope, which is a formula in the forward's result.
template <class PhaseOne, class Slope>
Operator backward_of_result(const Operator& forward, Number low, Number high, Slope slope) {
  Operator op = contract_of<PhaseOne>(
      forward.name + "Backward",
      {promotes(in("gradOutput")), promotes(filled(in("output", low, high), 0.5)),
       promotes(out("gradInput"))},
      {});
  op.formula = of_all([slope](auto x, Attributes) { return x[0] * slope(x[1]); });
  op.bound = bounded(3);
  op.gradient = from_result(forward.name);
  return op;
}

void add_saturating(std::vector<Operator>& all) {
  Functions functions(all);
  const DTypes whole = kWholeNumbers;
  Operator forward = function(-5, 5, of_one([](const auto& x) { return tanh(x); }), kFloats);
  forward.equal_formats = true;
  functions.add<decltype(aclnnTanhGetWorkspaceSize), decltype(aclnnInplaceTanhGetWorkspaceSize)>(
      "aclnnTanh", "self", forward, {{"tanh x", "tanh x"}, "tanh(x)", whole, true});
  Operator tanh = backward_of_result<decltype(aclnnTanhBackwardGetWorkspaceSize)>(
      all[all.size() - 2], -1, 1, [](const auto& y) { return (1 - y) * (1 + y); });
  tanh.everywhere = kFloatsAndDouble;
  for (Parameter& each : tanh.parameters) std::get<TensorSpec>(each.spec).promotes = false;
  tanh.check = "tanh";
  tanh.computes = {"g·(1 − y²); y is the forward's output", "g·(1 − y²)；y 是正向的输出"};
  tanh.in_graph = "tanh_backward(g, y)";
  all.push_back(tanh);

  functions
      .add<decltype(aclnnSigmoidGetWorkspaceSize), decltype(aclnnInplaceSigmoidGetWorkspaceSize)>(
          "aclnnSigmoid", "self",
          function(-20, 20, of_one([](const auto& x) { return formulas::sigmoid(x); }), kAllAndBf16,
                   {}),
          {{"1/(1 + e⁻ˣ)", "1/(1 + e⁻ˣ)"}, "sigmoid(x)", whole, true});
  Operator sigmoid = backward_of_result<decltype(aclnnSigmoidBackwardGetWorkspaceSize)>(
      all[all.size() - 2], 0, 1, [](const auto& y) { return y * (1 - y); });
  sigmoid.everywhere = kAllAndBf16;
  sigmoid.from_a2_on = {};
  sigmoid.check = "sigmoid";
  sigmoid.computes = {"g·y·(1 − y); y is the forward's output", "g·y·(1 − y)；y 是正向的输出"};
  sigmoid.in_graph = "sigmoid_backward(g, y)";
  all.push_back(sigmoid);
}

void add_relu(std::vector<Operator>& all) {
  Functions functions(all);
  Operator relu =
      function(-6, 6, of_one([](const auto& x) { return x <= 0 ? decltype(-x)(0) : -(-x); }),
               {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8, ACL_INT32, ACL_INT64});
  for (const size_t i : {size_t{0}, size_t{1}})
    std::get<TensorSpec>(relu.parameters[i].spec).any_dtype = false;
  relu.parameters[1] = as_const(relu.parameters[1]);
  functions.add<decltype(aclnnReluGetWorkspaceSize), decltype(aclnnInplaceReluGetWorkspaceSize)>(
      "aclnnRelu", "self", relu, {{"max(x, 0)", "max(x, 0)"}, "relu(x)", {}, true});

  Operator threshold = contract_of<decltype(aclnnThresholdBackwardGetWorkspaceSize)>(
      "aclnnThresholdBackward",
      {in("gradOutput", -6, 6), in("self", -6, 6), scalar("threshold", 0.5), out("out")},
      {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8, ACL_INT32});
  threshold.samples = {{{{"threshold", 0.0}}}, {{{"threshold", 2.0}}, /*is_gradient=*/false}};
  threshold.formula = of_all([](auto x, Attributes a) {
    if (x[1] > a[0]) return x[0];
    return x[1] <= a[0] ? decltype(-x[1])(0) : -(-x[1]);
  });
  threshold.bound = bounded(3);
  threshold.gradient = from_input("aclnnRelu", {0}, Side::kLeft);
  threshold.also_accepts = [](const Arguments& a, std::string_view product, aclDataType dtype) {
    return product == "Ascend950" && dtype == ACL_INT64 && a.number("threshold") == 0;
  };
  threshold.check = "relu";
  threshold.computes = {"g for x > threshold, 0 otherwise; x where it is NaN",
                        "x > threshold 时为 g，否则为 0；x 为 NaN 时为 x"};
  threshold.in_graph = "threshold_backward(g, x, threshold)";
  all.push_back(threshold);
}

void add_leaky_relu(std::vector<Operator>& all) {
  const Parameter slope = scalar("negativeSlope", 0.5);
  const std::vector<Sample> samples = {{{{"negativeSlope", 0.125}}}};
  Operator forward = contract_of<decltype(aclnnLeakyReluGetWorkspaceSize)>(
      "aclnnLeakyRelu", {any_dtype(filled(in("self", -6, 6), -1)), slope, any_dtype(out("out"))},
      kFloatsAndDouble);
  forward.samples = samples;
  forward.formula = of_one([](const auto& x, Attributes a) { return x > 0 ? x : x * a[0]; });
  forward.bound = bounded(2);
  forward.computes = {"x for x > 0, negativeSlope·x otherwise",
                      "x > 0 时为 x，否则为 negativeSlope·x"};
  forward.in_graph = "leaky_relu(x, negative_slope)";
  all.push_back(forward);
  all.push_back(in_place_of<decltype(aclnnInplaceLeakyReluGetWorkspaceSize)>(forward));

  Operator backward = contract_of<decltype(aclnnLeakyReluBackwardGetWorkspaceSize)>(
      "aclnnLeakyReluBackward",
      {promotes(in("gradOutput", -6, 6)), promotes(filled(in("self", -6, 6), -1)), slope,
       flag("selfIsResult"), promotes(out("out"))},
      kFloatsAndDouble);
  backward.samples = samples;
  backward.formula = of_all([](auto x, Attributes a) {
    if (x[1] > 0) return x[0];
    return x[1] <= 0 ? x[0] * a[0] : -(-x[1]);
  });
  backward.bound = bounded(3);
  backward.gradient = from_input("aclnnLeakyRelu", {0}, Side::kLeft);
  backward.error_inputs = {{.what = "negative with selfIsResult",
                            .changes = {{"negativeSlope", ScalarSpec{-1}}, {"selfIsResult", true}},
                            .words = {"-1"}}};
  backward.check = "leaky_relu";
  backward.computes = {"g for x > 0, negativeSlope·g otherwise; x where it is NaN",
                       "x > 0 时为 g，否则为 negativeSlope·g；x 为 NaN 时为 x"};
  backward.in_graph = "leaky_relu_backward(g, x, negative_slope)";
  all.push_back(backward);
}

void add_softplus(std::vector<Operator>& all) {
  const Parameter beta = scalar("beta", 1);
  const Parameter threshold = scalar("threshold", 20);
  const std::vector<Sample> samples = {{{{"beta", 1.5}, {"threshold", 6.0}}}};
  Operator forward = contract_of<decltype(aclnnSoftplusGetWorkspaceSize)>(
      "aclnnSoftplus", {any_dtype(in("self", -6, 6)), beta, threshold, any_dtype(out("out"))},
      kFloats);
  forward.samples = samples;
  forward.formula = of_one([](const auto& x, Attributes a) {
    return x * a[0] > a[1] ? x : log1p(exp(x * a[0])) / a[0];
  });
  forward.bound = bounded(2);
  forward.computes = {"x for beta·x > threshold, ln(1 + e^(beta·x))/beta otherwise",
                      "beta·x > threshold 时为 x，否则为 ln(1 + e^(beta·x))/beta"};
  forward.in_graph = "softplus(x, beta, threshold)";
  Operator backward = contract_of<decltype(aclnnSoftplusBackwardGetWorkspaceSize)>(
      "aclnnSoftplusBackward",
      {any_dtype(in("gradOutput")), any_dtype(in("self", -6, 6)), beta, threshold,
       any_dtype(out("gradInput"))},
      kFloatsAndDouble);
  backward.mixed = kWholeNumbers;
  backward.samples = samples;
  backward.formula = slope_of(forward);
  backward.bound = bounded(3);
  backward.gradient = from_input("aclnnSoftplus", {4}, Side::kLeft);
  backward.check = "softplus";
  backward.computes = {"g for beta·x > threshold, g/(1 + e^(−beta·x)) otherwise",
                       "beta·x > threshold 时为 g，否则为 g/(1 + e^(−beta·x))"};
  backward.in_graph = "softplus_backward(g, x, beta, threshold)";
  all.insert(all.end(), {forward, backward});
}

}  // namespace

FamilyContracts functions() {
  FamilyContracts family{{"Functions", "函数"}, {}};
  add_functions(family.operators);
  add_signs(family.operators);
  add_saturating(family.operators);
  add_relu(family.operators);
  add_leaky_relu(family.operators);
  add_softplus(family.operators);
  return family;
}

}  // namespace aclgrad::contract
