// SPDX-License-Identifier: Apache-2.0
// Activations at the level "proven": SELU, ELU, Hardswish, GEGLU, GELU. The others are in
// bounded_contract.cpp.
#include <stdexcept>

#include "aclgrad_contract/formulas.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

using Operators = std::vector<Operator>;

// ---- SELU ---------------------------------------------------------------------------------------

void add_selu(Operators& all) {
  const DTypes dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT8};
  Operator selu = contract_of<decltype(aclnnSeluGetWorkspaceSize)>(
      "aclnnSelu", {any_dtype(in("self", -12, 12)), any_dtype(out("out"))}, dtypes);
  selu.domain.max_rank = kAnyRank;
  selu.results.formula = of_one([](const auto& x) { return formulas::selu(x); });
  selu.words.computes = {"λx for x > 0, λα(eˣ − 1) otherwise", "x > 0 时为 λx，否则为 λα(eˣ − 1)"};
  selu.words.in_graph = "selu(x)";

  Operator backward = contract_of<decltype(aclnnSeluBackwardGetWorkspaceSize)>(
      "aclnnSeluBackward", {in("gradOutput"), in("result", -1.75L, 4), out("gradInput")}, dtypes);
  backward.domain.max_rank = kAnyRank;
  backward.results.formula = of_all([](auto x, Attributes) {
    const auto& y = x[1];
    if (y < 0) return x[0] * (y + formulas::kLambdaAlpha);
    return y >= 0 ? x[0] * formulas::kLambda : x[0] * y;  // NaN goes through
  });
  backward.results.bound = kProduct;
  backward.gradient = from_result("aclnnSelu", {0}, Side::kRight);
  backward.words.check = "selu";
  backward.words.computes = {"g·λ for y ≥ 0, g·(y + λα) otherwise; y is the forward's output",
                             "y ≥ 0 时为 g·λ，否则为 g·(y + λα)；y 是正向的输出"};
  backward.words.in_graph = "selu_backward(g, y)";
  all.insert(all.end(),
             {selu, in_place_of<decltype(aclnnInplaceSeluGetWorkspaceSize)>(selu), backward});
}

// ---- ELU ----------------------------------------------------------------------------------------

Sample elu_sample(double alpha, double scale, double input_scale) {
  return {{{"alpha", alpha}, {"scale", scale}, {"inputScale", input_scale}}};
}

Sample from_elu_result(Sample sample) {
  sample.settings.emplace_back("isResult", 1.0);
  return sample;
}

void add_elu(Operators& all) {
  const Parameter alpha = scalar("alpha", 1.5);
  const Parameter scale = scalar("scale", 1.25);
  const Parameter input_scale = scalar("inputScale", 0.75);
  const Sample scaled = elu_sample(1.25, 0.75, 1.5);
  const Sample plain = elu_sample(1, 1, 1);
  const Sample wide = elu_sample(0.5, 2, 0.25);
  Operator elu = contract_of<decltype(aclnnEluGetWorkspaceSize)>(
      "aclnnElu", {any_dtype(in("self", -9, 9)), alpha, scale, input_scale, any_dtype(out("out"))},
      {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}, {});
  elu.domain.samples = {plain, scaled, elu_sample(1.3, 1, 1), wide};
  elu.results.formula =
      of_one([](const auto& x, Attributes a) { return formulas::elu(x, a[0], a[1], a[2]); });
  elu.results.bound.of_float = 1.5;
  elu.results.bound.of_double = 4;  // two multiplications and expm1 in double precision
  elu.words.computes = {"scale·x for x > 0, alpha·scale·(e^(x·inputScale) − 1) otherwise",
                        "x > 0 时为 scale·x，否则为 alpha·scale·(e^(x·inputScale) − 1)"};
  elu.words.in_graph = "elu(x, alpha, scale, input_scale)";

  Operator backward = contract_of<decltype(aclnnEluBackwardGetWorkspaceSize)>(
      "aclnnEluBackward",
      {in("gradOutput"), alpha, scale, input_scale, flag("isResult"), in("selfOrResult", -9, 4),
       any_dtype(out("gradInput"))},
      kFloats);
  backward.domain.samples = {
      plain, scaled, elu_sample(1.3, 1, 1), wide, from_elu_result(plain), from_elu_result(scaled)};
  // A result is never below -alpha scale.
  backward.domain.arrange = [](Arguments& a) {
    const Shape shape = a.shape("gradOutput");
    for (Parameter& each : a.parameters()) {
      if (each.tensor() != nullptr) std::get<TensorSpec>(each.spec).shape = shape;
    }
    if (a.number("isResult") == 0) return;
    for (Parameter& each : a.parameters()) {
      if (each.name == "selfOrResult") {
        std::get<TensorSpec>(each.spec).low = -0.99L * a.number("alpha") * a.number("scale");
      }
    }
  };
  backward.results.formula = of_all([](auto x, Attributes a) {
    using std::exp;
    const auto& s = x[1];
    if (s > 0) return x[0] * a[1];
    return a[3] != 0 ? x[0] * a[2] * (s + a[0] * a[1]) : x[0] * a[2] * a[0] * a[1] * exp(s * a[2]);
  });
  backward.results.bound = kProduct;
  backward.gradient =
      Gradient{"aclnnElu",
               [](const Arguments& a, const Arrays& x, const Arrays& y, const Array& g) {
                 return Arrays{g, a.number("isResult") != 0 ? y[0] : x[0]};
               },
               {0},
               Side::kLeft};
  backward.error_inputs = {{.what = "negative with isResult",
                            .changes = {{"alpha", ScalarSpec{-1}}, {"isResult", true}},
                            .words = {"-1"}}};
  backward.words.check = "elu";
  backward.words.computes = {
      "g·scale for s > 0; otherwise g·inputScale·alpha·scale·e^(s·inputScale) of the input, or "
      "g·inputScale·(s + alpha·scale) of the output (`isResult`)",
      "s > 0 时为 g·scale；否则按输入为 g·inputScale·alpha·scale·e^(s·inputScale)，按输出"
      "（`isResult`）为 g·inputScale·(s + alpha·scale)"};
  backward.words.in_graph = "elu_backward(g, s, ...)";
  all.insert(all.end(),
             {elu, in_place_of<decltype(aclnnInplaceEluGetWorkspaceSize)>(elu), backward});
}

// ---- Hardswish ----------------------------------------------------------------------------------

// The slope is x/3 + 1/2 between -3 and 3; one version includes the ends.
template <class PhaseOne>
Operator hardswish_backward(std::string name, bool closed) {
  Operator op = contract_of<PhaseOne>(std::move(name),
                                      {in("gradOutput"), in("self", -5, 5), out("out")}, kFloats);
  op.results.formula = of_all([closed](auto x, Attributes) {
    if (x[1] < -3 || (!closed && x[1] <= -3)) return x[0] * 0;
    return x[1] > 3 || (!closed && x[1] >= 3) ? x[0] * 1 : x[0] * (x[1] / 3 + 0.5L);
  });
  op.results.bound = kProduct;
  op.gradient = from_input("aclnnHardswish", {-3, 3}, closed ? Side::kInside : Side::kOutside);
  return op;
}

void add_hardswish(Operators& all) {
  Operator forward = contract_of<decltype(aclnnHardswishGetWorkspaceSize)>(
      "aclnnHardswish", {any_dtype(in("self", -5, 5)), as_const(any_dtype(out("out")))}, kFloats);
  forward.domain.max_rank = kAnyRank;
  forward.results.formula = of_one([](const auto& x) { return formulas::hardswish(x); });
  forward.words.computes = {"0, x(x + 3)/6 or x below, within and above ±3",
                            "在 −3 以下、±3 之间、3 以上分别为 0、x(x + 3)/6、x"};
  forward.words.in_graph = "hardswish(x)";
  Operator closed = hardswish_backward<decltype(aclnnHardswishBackwardGetWorkspaceSize)>(
      "aclnnHardswishBackward", true);
  closed.words.check = "hardswish";
  closed.words.computes = {"g·(0, x/3 + ½, 1); the middle piece includes ±3",
                           "g·(0, x/3 + ½, 1)；±3 属于中间一段"};
  closed.words.in_graph = "hardswish_backward(g, x, CornerSlope::inside)";
  Operator open = hardswish_backward<decltype(aclnnHardswishBackwardV2GetWorkspaceSize)>(
      "aclnnHardswishBackwardV2", false);
  open.words.check = "hardswish_v2";
  open.words.computes = {"g·(0, x/3 + ½, 1); the middle piece excludes ±3",
                         "g·(0, x/3 + ½, 1)；±3 不属于中间一段"};
  open.words.in_graph = "hardswish_backward(g, x)";
  Operator inplace = in_place_of<decltype(aclnnInplaceHardswishGetWorkspaceSize)>(forward, "self");
  inplace.call.parameters[0] = as_const(inplace.call.parameters[0]);
  all.insert(all.end(), {forward, inplace, closed, open});
}

// ---- GEGLU --------------------------------------------------------------------------------------

// A tensor is halved along dim into A and B; one half goes through gelu, the other is a factor.
void halve(Arguments& a) {
  Shape half = a.shape("self");
  const size_t axis = axis_of(a, half);
  if (axis >= half.size()) {
    throw std::invalid_argument("dim " + std::to_string(static_cast<int>(a.number("dim"))) +
                                " is not one of a tensor of rank " + std::to_string(half.size()));
  }
  if (half[axis] % 2 != 0) {
    throw std::invalid_argument("the size along dim must be even, it is " +
                                std::to_string(half[axis]));
  }
  half[axis] /= 2;
  for (const char* name : {"gradOutput", "gelu", "out", "outGelu"}) {
    if (a.has(name)) a.shape(name) = half;
  }
  if (a.has("gradInput")) a.shape("gradInput") = a.shape("self");
}

// Calls visit(place in the half, place of the gate, place of the factor).
template <class Visit>
void for_each_pair(const Arguments& a, const Shape& shape, Visit visit) {
  const size_t axis = axis_of(a, shape);
  const bool left = a.has("activateLeft") && a.number("activateLeft") != 0;
  int64_t inner = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  const int64_t half = shape[axis] / 2 * inner;
  const int64_t outer = half == 0 ? 0 : count_of(shape) / (2 * half);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < half; ++i) {
      const auto first = static_cast<size_t>(o * 2 * half + i);
      const size_t second = first + static_cast<size_t>(half);
      visit(static_cast<size_t>(o * half + i), left ? first : second, left ? second : first);
    }
  }
}

Arrays geglu(const Arguments& a, const Arrays& in) {
  const std::vector<Number>& self = in[0].values;
  Array result{a.shape("out"), std::vector<Number>(self.size() / 2)};
  Array activated = result;
  for_each_pair(a, in[0].shape, [&](size_t to, size_t gate, size_t factor) {
    activated.values[to] = formulas::gelu(self[gate], a.number("approximate") != 0);
    result.values[to] = activated.values[to] * self[factor];
  });
  return {result, activated};
}

// Inputs: gradOutput, self, gelu (used as given).
Arrays geglu_backward(const Arguments& a, const Arrays& in) {
  const std::vector<Number>& self = in[1].values;
  Array gradient{in[1].shape, std::vector<Number>(self.size())};
  for_each_pair(a, in[1].shape, [&](size_t at, size_t gate, size_t factor) {
    const Number g = in[0].values[at];
    gradient.values[factor] = g * in[2].values[at];
    gradient.values[gate] =
        g * self[factor] * formulas::gelu_slope(self[gate], a.number("approximate") != 0);
  });
  return {gradient};
}

Sample geglu_sample(double dim, double approximate) {
  return {{{"dim", dim}, {"approximate", approximate}}};
}

std::vector<Sample> geglu_samples(std::vector<double> dims, std::vector<double> sides) {
  std::vector<Sample> samples;
  for (const double dim : dims) {
    for (const double approximate : {0, 1}) {
      if (sides.empty()) samples.push_back(geglu_sample(dim, approximate));
      for (const double left : sides) {
        samples.push_back(geglu_sample(dim, approximate));
        samples.back().settings.emplace_back("activateLeft", left);
      }
    }
  }
  return samples;
}

// Those of a call with a shape that cannot be halved, or halves that do not fit.
ErrorInput bad_halves(const Shape& half, int64_t dim = -1) {
  return {.what = "of another shape",
          .changes = {{"gradOutput", TensorSpec{half}}, {"gelu", TensorSpec{half}}, {"dim", dim}},
          .words = {"[" + std::to_string(half[0])}};
}

// What all four have in common.
Operator gated(Operator op) {
  const bool backward = op.call.parameters[0].name == "gradOutput";
  const bool sides = op.name().find("V3") != std::string::npos;
  op.domain.base = "self";
  op.domain.base_shape = {kN, 4, 2, 6};  // even along every dimension
  op.domain.arrange = halve;
  op.domain.samples =
      sides ? geglu_samples({-1, 0, 1, 2, -2}, {0, 1}) : geglu_samples({-1, 0, 1, 2}, {});
  op.results.reference = backward ? geglu_backward : geglu;
  op.results.bound = kProduct;
  op.domain.also_refuses = [](const Arguments& a, std::string_view product, aclDataType) {
    return product == "Ascend310P" && a.number("approximate") == 0;
  };
  op.error_inputs = {refused("dim", "= 2", int64_t{2}, "[-2, 1]"),
                     refused("dim", "= -3", int64_t{-3}, "[-2, 1]"),
                     refused("approximate", "= 2", int64_t{2}, "0 or 1"),
                     refused("approximate", "= -1", int64_t{-1}, "0 or 1"),
                     refused("approximate", "= 0", int64_t{0}, "1 (tanh)", "Ascend310P")};
  if (backward) {
    const auto bad = [](Shape half, std::string words) {
      ErrorInput error_input = bad_halves(half);
      error_input.words = {std::move(words)};
      return error_input;
    };
    op.error_inputs.push_back(bad({2, 2, 1}, "[2, 2, 1]"));
    op.error_inputs.push_back(bad({3, 2}, "[3, 2]"));
    op.error_inputs.push_back(bad({2, 3}, "[2, 3]"));
    ErrorInput odd = bad_halves({1, 5}, 0);
    odd.words = {"[1, 5]"};
    op.error_inputs.push_back(odd);
    op.gradient = Gradient{"aclnnGeGlu" + std::string(sides ? "V3" : ""),
                           [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
                             return Arrays{g, x[0], y[1]};
                           }};
    op.words.check = sides ? "geglu_v3" : "geglu";
    op.words.computes = {"[g·gelu, g·A·gelu′(B)], or [g·B·gelu′(A), g·gelu]",
                         "[g·gelu, g·A·gelu′(B)]，或 [g·B·gelu′(A), g·gelu]"};
    op.words.in_graph = "geglu_backward(g, x, gelu, ...)";
  } else {
    op.error_inputs.push_back(refused("self", "of another shape", TensorSpec{{2, 3}}, "[2, 3]"));
    op.words.computes = {
        "self = [A, B] along dim; A·gelu(B), or gelu(A)·B with activateLeft",
        "沿 dim 把 self 分为 [A, B]；结果为 A·gelu(B)，activateLeft 时为 gelu(A)·B"};
    op.words.in_graph = "geglu(x, dim, approximate, activate_left)";
  }
  return op;
}

void add_geglu(Operators& all) {
  const Parameter dim = integer("dim", -1);
  const Parameter approximate = integer("approximate", 1);
  const auto half = [](Parameter tensor) { return shaped(std::move(tensor), {2, 2}); };
  const Operator forward = gated(contract_of<decltype(aclnnGeGluGetWorkspaceSize)>(
      "aclnnGeGlu", {in("self"), dim, approximate, half(out("out")), half(out("outGelu"))},
      kFloats));
  const Operator forward_v3 = gated(contract_of<decltype(aclnnGeGluV3GetWorkspaceSize)>(
      "aclnnGeGluV3",
      {in("self"), dim, approximate, flag("activateLeft"), half(out("out")), half(out("outGelu"))},
      kFloats));
  const Operator backward = gated(contract_of<decltype(aclnnGeGluBackwardGetWorkspaceSize)>(
      "aclnnGeGluBackward",
      {half(in("gradOutput")), in("self"), half(in("gelu")), dim, approximate, out("gradInput")},
      kFloats));
  const Operator backward_v3 = gated(contract_of<decltype(aclnnGeGluV3BackwardGetWorkspaceSize)>(
      "aclnnGeGluV3Backward",
      {half(in("gradOutput")), in("self"), half(in("gelu")), dim, approximate,
       flag("activateLeft", true), out("gradInput")},
      kFloats));
  all.insert(all.end(), {forward, forward_v3, backward, backward_v3});
}

// ---- GELU ---------------------------------------------------------------------------------------

const WordSpec kForms{{"none", "tanh"}};

// Stays off the zero of the derivative, where relative error is a matter of the input's spacing.
constexpr Number kLow = -9;

Parameter promoted(std::string name, Number low = -4, Number high = 4) {
  return promotes(in(std::move(name), low, high));
}

void add_gelu(Operators& all) {
  Operator gelu = contract_of<decltype(aclnnGeluGetWorkspaceSize)>(
      "aclnnGelu", {in("self", kLow, 6), out("out")}, kFloats);
  gelu.results.formula = of_one([](const auto& x) { return formulas::gelu(x, true); });
  gelu.words.computes = {"x·Φ(x) in its tanh form", "x·Φ(x)，tanh 近似"};
  gelu.words.in_graph = "gelu(x, Approximate::tanh)";

  Operator backward = contract_of<decltype(aclnnGeluBackwardGetWorkspaceSize)>(
      "aclnnGeluBackward",
      {promoted("gradOutput"), promoted("self", kLow, 6), as_const(promotes(out("gradInput")))},
      kFloats);
  backward.results.formula = slope_of(gelu);
  backward.results.bound = kProduct;
  backward.gradient = from_input("aclnnGelu");
  backward.words.check = "gelu";
  backward.words.computes = {"g·gelu′(x), tanh form", "g·gelu′(x)，tanh 近似"};
  backward.words.in_graph = "gelu_backward(g, x, Approximate::tanh)";

  Operator v2 = contract_of<decltype(aclnnGeluV2GetWorkspaceSize)>(
      "aclnnGeluV2", {in("x", kLow, 6), integer("approximate", 0), out("y")}, kFloats);
  v2.domain.samples = {{{{"approximate", 0.0}}}, {{{"approximate", 1.0}}}};
  v2.results.formula =
      of_one([](const auto& x, Attributes a) { return formulas::gelu(x, a[0] != 0); });
  v2.words.computes = {"x·Φ(x), erf form (0) or tanh form (1)",
                       "x·Φ(x)，approximate 为 0 时用 erf，为 1 时用 tanh"};
  v2.words.in_graph = "gelu(x)";

  Operator v2_backward =
      contract_of<decltype(aclnnGeluBackwardV2GetWorkspaceSize)>("aclnnGeluBackwardV2",
                                                                 {promoted("gradOutput"),
                                                                  promoted("self", kLow, 6),
                                                                  {"approximate", kForms},
                                                                  promotes(out("gradInput"))},
                                                                 kFloats);
  v2_backward.domain.samples = v2.domain.samples;
  v2_backward.results.formula = slope_of(v2);
  v2_backward.results.bound = kProduct;
  v2_backward.gradient = from_input("aclnnGeluV2");
  v2_backward.words.check = "gelu_v2";
  v2_backward.words.computes = {"g·gelu′(x), form \"none\" or \"tanh\"",
                                "g·gelu′(x)，\"none\" 用 erf，\"tanh\" 用 tanh"};
  v2_backward.words.in_graph = "gelu_backward(g, x)";
  all.insert(all.end(), {gelu, backward, v2, v2_backward});
}

}  // namespace

FamilyContracts activation_contracts() {
  FamilyContracts family{{"Activations", "激活函数"}, {}};
  add_selu(family.operators);
  add_elu(family.operators);
  add_hardswish(family.operators);
  add_geglu(family.operators);
  add_gelu(family.operators);
  add_bounded_activations(family.operators);
  return family;
}

}  // namespace aclgrad::contract
