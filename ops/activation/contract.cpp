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

// GELU and GEGLU have one formula for all numbers of FLOAT, which takes two units. In DOUBLE they
// keep what the others promise.
constexpr Bound kGelu{.of_float = 2, .of_double = 1};
constexpr Bound kGeluProduct{.of_float = 2, .of_double = kProduct.of_float};
// One factor more, and its rounding.
constexpr Bound kGegluSlope{.of_float = 2.5, .of_double = kProduct.of_float};

// ---- SELU ---------------------------------------------------------------------------------------

void add_selu(Operators& all) {
  const DTypes dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT8};
  const Operator selu{
      .call = ACLGRAD_CALL(aclnnSelu, any_dtype(in("self", -12, 12)), any_dtype(out("out"))),
      .domain = {.everywhere = dtypes, .max_rank = kAnyRank},
      .results = {.formula = of_one([](const auto& x) { return formulas::selu(x); })},
      .words = {"λx for x > 0, λα(eˣ − 1) otherwise", "x > 0 时为 λx，否则为 λα(eˣ − 1)",
                "selu(x)"}};

  const Formula formula = of_all([](auto x, Attributes) {
    const auto& y = x[1];
    if (y < 0) return x[0] * (y + formulas::kLambdaAlpha);
    return y >= 0 ? x[0] * formulas::kLambda : x[0] * y;  // NaN goes through
  });
  const Operator backward{
      .call = ACLGRAD_CALL(aclnnSeluBackward, in("gradOutput"), in("result", -1.75L, 4),
                           out("gradInput")),
      .domain = {.everywhere = dtypes, .max_rank = kAnyRank},
      .results = {.formula = formula, .bound = kProduct},
      .gradient = from_result("aclnnSelu", {0}, Side::kRight),
      .words = {"g·λ for y ≥ 0, g·(y + λα) otherwise; y is the forward's output",
                "y ≥ 0 时为 g·λ，否则为 g·(y + λα)；y 是正向的输出", "selu_backward(g, y)",
                "selu"}};
  all.insert(all.end(), {selu, in_place_of(selu, ACLGRAD_CALL(aclnnInplaceSelu)), backward});
}

// ---- ELU ----------------------------------------------------------------------------------------

Sample elu_sample(double alpha, double scale, double input_scale) {
  return {{{"alpha", alpha}, {"scale", scale}, {"inputScale", input_scale}}};
}

Sample from_elu_result(Sample sample) {
  sample.settings.emplace_back("isResult", 1.0);
  return sample;
}

// A result is never below -alpha scale; with a negative alpha none is asked for.
void arrange_elu_backward(Arguments& a) {
  a.reshape({"selfOrResult", "gradInput"}, a.shape("gradOutput"));
  if (a.number("isResult") != 0) {
    a.tensor("selfOrResult").low = -0.99L * a.number("alpha") * a.number("scale");
  }
}

void add_elu(Operators& all) {
  const Parameter alpha = scalar("alpha", 1.5);
  const Parameter scale = scalar("scale", 1.25);
  const Parameter input_scale = scalar("inputScale", 0.75);
  const std::vector<Sample> samples = {elu_sample(1, 1, 1), elu_sample(1.25, 0.75, 1.5),
                                       elu_sample(1.3, 1, 1), elu_sample(0.5, 2, 0.25),
                                       elu_sample(-0.75, 1.5, 0.5)};
  const Operator elu{.call = ACLGRAD_CALL(aclnnElu, any_dtype(in("self", -9, 9)), alpha, scale,
                                          input_scale, any_dtype(out("out"))),
                     .domain = {.everywhere = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE},
                                .from_a2_on = {},
                                .samples = samples},
                     .results = {.formula = of_one([](const auto& x, Attributes a) {
                                   return formulas::elu(x, a[0], a[1], a[2]);
                                 }),
                                 // Two multiplications and expm1 in double precision.
                                 .bound = {.of_float = 1.5, .of_double = 4}},
                     .words = {"scale·x for x > 0, alpha·scale·(e^(x·inputScale) − 1) otherwise",
                               "x > 0 时为 scale·x，否则为 alpha·scale·(e^(x·inputScale) − 1)",
                               "elu(x, alpha, scale, input_scale)"}};

  const Formula formula = of_all([](auto x, Attributes a) {
    const auto& s = x[1];
    if (s > 0) return x[0] * a[1];
    return a[3] != 0 ? x[0] * a[2] * (s + a[0] * a[1]) : x[0] * a[2] * a[0] * a[1] * exp(s * a[2]);
  });
  const auto given = [](const Arguments& a, const Arrays& x, const Arrays& y, const Array& g) {
    return Arrays{g, a.number("isResult") != 0 ? y[0] : x[0]};
  };
  const Operator backward{
      .call =
          ACLGRAD_CALL(aclnnEluBackward, in("gradOutput"), alpha, scale, input_scale,
                       flag("isResult"), in("selfOrResult", -9, 4), any_dtype(out("gradInput"))),
      .domain = {.everywhere = kFloats,
                 .arrange = arrange_elu_backward,
                 .samples = samples +
                            std::vector{from_elu_result(samples[0]), from_elu_result(samples[1])}},
      .results = {.formula = formula, .bound = kProduct},
      .gradient = Gradient{.of = "aclnnElu", .inputs = given, .corners = {0}, .side = Side::kLeft},
      .error_inputs = {{.what = "negative with isResult",
                        .changes = {{"alpha", ScalarSpec{-1}}, {"isResult", true}},
                        .words = {"-1"}}},
      .words = {"g·scale for s > 0; otherwise g·inputScale·alpha·scale·e^(s·inputScale) of the "
                "input, or g·inputScale·(s + alpha·scale) of the output (`isResult`)",
                "s > 0 时为 g·scale；否则按输入为 "
                "g·inputScale·alpha·scale·e^(s·inputScale)，按输出（`isResult`）为 g·inputScale·(s "
                "+ alpha·scale)",
                "elu_backward(g, s, ...)", "elu"}};
  all.insert(all.end(), {elu, in_place_of(elu, ACLGRAD_CALL(aclnnInplaceElu)), backward});
}

// ---- Hardswish ----------------------------------------------------------------------------------

// The slope is x/3 + 1/2 between -3 and 3; one version includes the ends.
Operator hardswish_backward(Signature call, bool closed, Words words) {
  const Formula formula = of_all([closed](auto x, Attributes) {
    if (x[1] < -3 || (!closed && x[1] <= -3)) return x[0] * 0;
    return x[1] > 3 || (!closed && x[1] >= 3) ? x[0] * 1 : x[0] * (x[1] / 3 + 0.5L);
  });
  return {
      .call = std::move(call),
      .domain = {.everywhere = kFloats},
      .results = {.formula = formula, .bound = kProduct},
      .gradient = from_input("aclnnHardswish", {-3, 3}, closed ? Side::kInside : Side::kOutside),
      .words = std::move(words)};
}

void add_hardswish(Operators& all) {
  const Operator forward{
      .call = ACLGRAD_CALL(aclnnHardswish, any_dtype(in("self", -5, 5)),
                           as_const(any_dtype(out("out")))),
      .domain = {.everywhere = kFloats, .max_rank = kAnyRank},
      .results = {.formula = of_one([](const auto& x) { return formulas::hardswish(x); })},
      .words = {"0, x(x + 3)/6 or x below, within and above ±3",
                "在 −3 以下、±3 之间、3 以上分别为 0、x(x + 3)/6、x", "hardswish(x)"}};
  const Parameter gradient = in("gradOutput"), input = in("self", -5, 5);
  all.insert(
      all.end(),
      {forward, as_const(in_place_of(forward, ACLGRAD_CALL(aclnnInplaceHardswish), {}, "self")),
       hardswish_backward(
           ACLGRAD_CALL(aclnnHardswishBackward, gradient, input, out("out")), true,
           {"g·(0, x/3 + ½, 1); the middle piece includes ±3", "g·(0, x/3 + ½, 1)；±3 属于中间一段",
            "hardswish_backward(g, x, CornerSlope::inside)", "hardswish"}),
       hardswish_backward(
           ACLGRAD_CALL(aclnnHardswishBackwardV2, gradient, input, out("out")), false,
           {"g·(0, x/3 + ½, 1); the middle piece excludes ±3",
            "g·(0, x/3 + ½, 1)；±3 不属于中间一段", "hardswish_backward(g, x)", "hardswish_v2"})});
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
  a.reshape({"gradOutput", "gelu", "out", "outGelu"}, half);
  a.reshape({"gradInput"}, a.shape("self"));
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

// A half that does not fit the tensor, or that belongs to one that cannot be halved.
ErrorInput bad_half(const Shape& half, std::string word, int64_t dim = -1) {
  return {.what = "of another shape",
          .changes = {{"gradOutput", TensorSpec{half}}, {"gelu", TensorSpec{half}}, {"dim", dim}},
          .words = {std::move(word)}};
}

std::vector<ErrorInput> bad_options(const std::vector<ErrorInput>& more) {
  std::vector<ErrorInput> all = {
      refused("dim", "= 2", int64_t{2}, "[-2, 1]"), refused("dim", "= -3", int64_t{-3}, "[-2, 1]"),
      refused("approximate", "= 2", int64_t{2}, "0 or 1"),
      refused("approximate", "= -1", int64_t{-1}, "0 or 1"),
      refused("approximate", "= 0", int64_t{0}, "1 (tanh)", "Ascend310P")};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Domain halved_domain(std::vector<Sample> samples) {
  return {.everywhere = kFloats,
          .also_refuses =
              [](const Arguments& a, std::string_view product, aclDataType) {
                return product == "Ascend310P" && a.number("approximate") == 0;
              },
          .base = "self",
          .base_shape = {kN, 4, 2, 6},  // even along every dimension
          .arrange = halve,
          .samples = std::move(samples)};
}

Operator geglu_forward(Signature call, std::vector<Sample> samples) {
  return {.call = std::move(call),
          .domain = halved_domain(std::move(samples)),
          .results = {.reference = geglu, .bound = kGeluProduct},
          .error_inputs =
              bad_options({refused("self", "of another shape", TensorSpec{{2, 3}}, "[2, 3]")}),
          .words = {"self = [A, B] along dim; A·gelu(B), or gelu(A)·B with activateLeft",
                    "沿 dim 把 self 分为 [A, B]；结果为 A·gelu(B)，activateLeft 时为 gelu(A)·B",
                    "geglu(x, dim, approximate, activate_left)"}};
}

Operator geglu_slope(Signature call, const Operator& forward, std::string check) {
  const auto given = [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
    return Arrays{g, x[0], y[1]};
  };
  return {.call = std::move(call),
          .domain = forward.domain,
          .results = {.reference = geglu_backward, .bound = kGegluSlope},
          .gradient = Gradient{.of = forward.name(), .inputs = given},
          .error_inputs = bad_options({bad_half({2, 2, 1}, "[2, 2, 1]"), bad_half({3, 2}, "[3, 2]"),
                                       bad_half({2, 3}, "[2, 3]"), bad_half({1, 5}, "[1, 5]", 0)}),
          .words = {"[g·gelu, g·A·gelu′(B)], or [g·B·gelu′(A), g·gelu]",
                    "[g·gelu, g·A·gelu′(B)]，或 [g·B·gelu′(A), g·gelu]",
                    "geglu_backward(g, x, gelu, ...)", std::move(check)}};
}

void add_geglu(Operators& all) {
  const Parameter self = in("self"), dim = integer("dim", -1);
  const Parameter approximate = integer("approximate", 1);
  const Parameter result = shaped(out("out"), {2, 2}), gate = shaped(out("outGelu"), {2, 2});
  const Parameter gradient = shaped(in("gradOutput"), {2, 2}), gelu = shaped(in("gelu"), {2, 2});
  const Operator forward =
      geglu_forward(ACLGRAD_CALL(aclnnGeGlu, self, dim, approximate, result, gate),
                    geglu_samples({-1, 0, 1, 2}, {}));
  const Operator v3 = geglu_forward(
      ACLGRAD_CALL(aclnnGeGluV3, self, dim, approximate, flag("activateLeft"), result, gate),
      geglu_samples({-1, 0, 1, 2, -2}, {0, 1}));
  all.insert(all.end(),
             {forward, v3,
              geglu_slope(ACLGRAD_CALL(aclnnGeGluBackward, gradient, self, gelu, dim, approximate,
                                       out("gradInput")),
                          forward, "geglu"),
              geglu_slope(ACLGRAD_CALL(aclnnGeGluV3Backward, gradient, self, gelu, dim, approximate,
                                       flag("activateLeft", true), out("gradInput")),
                          v3, "geglu_v3")});
}

// ---- GELU ---------------------------------------------------------------------------------------

const WordSpec kForms{{"none", "tanh"}};

// Stays off the zero of the derivative, where relative error is a matter of the input's spacing.
constexpr Number kLow = -9;

Parameter promoted(std::string name, Number low = -4, Number high = 4) {
  return promotes(in(std::move(name), low, high));
}

void add_gelu(Operators& all) {
  const Operator gelu{
      .call = ACLGRAD_CALL(aclnnGelu, in("self", kLow, 6), out("out")),
      .domain = {.everywhere = kFloats},
      .results = {.formula = of_one([](const auto& x) { return formulas::gelu(x, true); }),
                  .bound = kGelu},
      .words = {"x·Φ(x) in its tanh form", "x·Φ(x)，tanh 近似", "gelu(x, Approximate::tanh)"}};

  const Operator backward{
      .call = ACLGRAD_CALL(aclnnGeluBackward, promoted("gradOutput"), promoted("self", kLow, 6),
                           as_const(promotes(out("gradInput")))),
      .domain = {.everywhere = kFloats},
      .results = {.formula = slope_of(gelu), .bound = kGeluProduct},
      .gradient = from_input("aclnnGelu"),
      .words = {"g·gelu′(x), tanh form", "g·gelu′(x)，tanh 近似",
                "gelu_backward(g, x, Approximate::tanh)", "gelu"}};

  const Operator v2{
      .call = ACLGRAD_CALL(aclnnGeluV2, in("x", kLow, 6), integer("approximate", 0), out("y")),
      .domain = {.everywhere = kFloats,
                 .samples = {{{{"approximate", 0.0}}}, {{{"approximate", 1.0}}}}},
      .results = {.formula = of_one(
                      [](const auto& x, Attributes a) { return formulas::gelu(x, a[0] != 0); }),
                  .bound = kGelu},
      .words = {"x·Φ(x), erf form (0) or tanh form (1)",
                "x·Φ(x)，approximate 为 0 时用 erf，为 1 时用 tanh", "gelu(x)"}};

  const Operator v2_backward{
      .call = ACLGRAD_CALL(aclnnGeluBackwardV2, promoted("gradOutput"), promoted("self", kLow, 6),
                           {"approximate", kForms}, promotes(out("gradInput"))),
      .domain = {.everywhere = kFloats, .samples = v2.domain.samples},
      .results = {.formula = slope_of(v2), .bound = kGeluProduct},
      .gradient = from_input("aclnnGeluV2"),
      .words = {"g·gelu′(x), form \"none\" or \"tanh\"",
                "g·gelu′(x)，\"none\" 用 erf，\"tanh\" 用 tanh", "gelu_backward(g, x)", "gelu_v2"}};
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
  add_formula_activations(family.operators);
  add_gated_activations(family.operators);
  return family;
}

}  // namespace aclgrad::contract
