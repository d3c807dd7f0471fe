// SPDX-License-Identifier: Apache-2.0
// Activations that are one formula, at the level "bounded", with their backwards: Hardtanh,
// Hardshrink, Softshrink, Hardsigmoid, Threshold; Mish, Celu, FastGelu, LogSigmoid, Logit.
#include <cmath>

#include "aclgrad_contract/formulas.h"
#include "aclnnop/aclnn_celu.h"
#include "aclnnop/aclnn_fast_gelu.h"
#include "aclnnop/aclnn_fast_gelu_backward.h"
#include "aclnnop/aclnn_hardshrink.h"
#include "aclnnop/aclnn_hardshrink_backward.h"
#include "aclnnop/aclnn_hardsigmoid.h"
#include "aclnnop/aclnn_hardsigmoid_backward.h"
#include "aclnnop/aclnn_hardtanh.h"
#include "aclnnop/aclnn_hardtanh_backward.h"
#include "aclnnop/aclnn_log_sigmoid.h"
#include "aclnnop/aclnn_log_sigmoid_backward.h"
#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "aclnnop/aclnn_mish.h"
#include "aclnnop/aclnn_mish_backward.h"
#include "aclnnop/aclnn_softshrink.h"
#include "aclnnop/aclnn_softshrink_backward.h"
#include "aclnnop/aclnn_threshold.h"
#include "ops/contract/unary.h"

namespace aclgrad::contract {
namespace {

using Operators = std::vector<Operator>;
using Parameters = std::vector<Parameter>;

const DTypes kReal = kFloatsAndDouble + without(kWholeNumbers, ACL_BOOL);

// A function of self, drawn from these, and numbers.
Operator forward(Signature call, Number low, Number high, Formula formula, Words words,
                 const Parameters& numbers = {}, std::vector<Sample> samples = {{}}) {
  call.parameters = Parameters{in("self", low, high)} + numbers + Parameters{out("out")};
  return {.call = std::move(call),
          .domain = {.everywhere = kFloatsAndDouble, .samples = std::move(samples)},
          .results = {.formula = std::move(formula), .bound = bounded(2)},
          .words = std::move(words)};
}

// Its backward, of gradOutput and self, which promote where they may differ.
Operator backward(const Operator& of, Signature call, Formula formula, Words words,
                  bool differ = false, std::vector<Number> corners = {}, Side side = Side::kAny) {
  Parameters& all = call.parameters;
  all = of.call.parameters;
  all.back() = out("gradInput");
  all.insert(all.begin(), in("gradOutput"));
  if (differ) {
    for (Parameter* each : {&all[0], &all[1], &all.back()}) *each = promotes(*each);
  }
  return {.call = std::move(call),
          .domain = of.domain,
          .results = {.formula = std::move(formula), .bound = bounded(3)},
          .gradient = from_input(of.name(), std::move(corners), side),
          .words = std::move(words)};
}

// A backward whose slope has a root, near which its terms cancel: their sizes for a gradient of 1.
Operator with_root(Operator op, Number (*terms)(Number x)) {
  op.results.magnitude = [terms](const Arguments&, const Arrays& in) {
    Array sizes = in[0];
    for (size_t i = 0; i < sizes.values.size(); ++i) {
      sizes.values[i] = abs(sizes.values[i]) * terms(in[1].values[i]);
    }
    return Arrays{sizes};
  };
  return op;
}

// One that gives a gradient where x is NaN, as the usual framework does.
Operator without_nan(Operator op) {
  op.results.nan_goes_through = false;
  return op;
}

// Where the result is a constant, a gradient of 0 proves nothing.
constexpr bool kConstant = false;

Sample two(const char* first, double a, const char* second, double b, bool is_gradient = true) {
  return {{{first, a}, {second, b}}, is_gradient};
}

// ---- Straight pieces ----------------------------------------------------------------------------

void add_hardtanh(Operators& all) {
  Operator tanh = forward(
      ACLGRAD_CALL(aclnnHardtanh), -4, 4, of_one([](const auto& x, Attributes a) {
        const auto raised = x <= a[0] ? decltype(-x)(a[0]) : -(-x);
        return raised >= a[1] ? decltype(-x)(a[1]) : raised;
      }),
      {"min(max(x, minVal), maxVal)", "min(max(x, minVal), maxVal)", "hardtanh(x, min, max)"},
      {scalar("minVal", -1), scalar("maxVal", 2)},
      {{}, two("minVal", -2, "maxVal", 1.5), two("minVal", 2, "maxVal", 1, kConstant)});
  const Formula inside = of_all([](auto x, Attributes a) {
    return x[1] <= a[0] || x[1] >= a[1] ? decltype(-x[0])(0) : -(-x[0]);
  });
  const Operator slope =
      backward(tanh, ACLGRAD_CALL(aclnnHardtanhBackward), inside,
               {"g for minVal < x < maxVal, 0 otherwise", "minVal < x < maxVal 时为 g，否则为 0",
                "hardtanh_backward(g, x, min, max)", "hardtanh"},
               false, {-2, -1, 1.5, 2}, Side::kOutside);
  tanh.domain.everywhere = kReal;
  all.insert(all.end(),
             {tanh, in_place_of(tanh, ACLGRAD_CALL(aclnnInplaceHardtanh)), without_nan(slope)});
}

void add_shrinks(Operators& all) {
  // No 16-bit number lies where Hardshrink jumps.
  const Parameters lambda = {scalar("lambd", 0.3F)};
  const std::vector<Sample> samples = samples_of("lambd", {0.3F});
  const std::vector<Number> corners = {-0.3F, 0.3F};
  const char* const english = "0 for |x| ≤ lambd, g otherwise";
  const char* const chinese = "|x| ≤ lambd 时为 0，否则为 g";
  const Formula slope = of_all([](auto x, Attributes a) {
    return x[1] >= -a[0] && x[1] <= a[0] ? decltype(-x[0])(0) : -(-x[0]);
  });
  const Operator hard = forward(
      ACLGRAD_CALL(aclnnHardshrink), -4, 4, of_one([](const auto& x, Attributes a) {
        return x >= -a[0] && x <= a[0] ? decltype(-x)(0) : -(-x);
      }),
      {"0 for |x| ≤ lambd, x otherwise", "|x| ≤ lambd 时为 0，否则为 x", "hardshrink(x, lambda)"},
      lambda, samples);
  Operator soft =
      forward(ACLGRAD_CALL(aclnnSoftshrink), -4, 4, of_one([](const auto& x, Attributes a) {
                if (x > a[0]) return x - a[0];
                return x < -a[0] ? x + a[0] : x * 0;
              }),
              {"0 for |x| ≤ lambd, x ∓ lambd otherwise", "|x| ≤ lambd 时为 0，否则为 x ∓ lambd",
               "softshrink(x, lambda)"},
              lambda, samples);
  soft.error_inputs = {refused("lambd", "negative", ScalarSpec{-1}, "-1")};
  all.insert(
      all.end(),
      {hard,
       without_nan(backward(hard, ACLGRAD_CALL(aclnnHardshrinkBackward), slope,
                            {english, chinese, "hardshrink_backward(g, x, lambda)", "hardshrink"},
                            true, corners, Side::kInside)),
       soft,
       without_nan(backward(soft, ACLGRAD_CALL(aclnnSoftshrinkBackward), slope,
                            {english, chinese, "softshrink_backward(g, x, lambda)", "softshrink"},
                            true, corners, Side::kInside))});
}

void add_hardsigmoid(Operators& all) {
  const Operator sigmoid =
      forward(ACLGRAD_CALL(aclnnHardsigmoid), -5, 5, of_one([](const auto& x) {
                if (x <= -3) return decltype(-x)(0);
                return x >= 3 ? decltype(-x)(1) : (x + 3) / 6;
              }),
              {"min(max(x + 3, 0), 6)/6", "min(max(x + 3, 0), 6)/6", "hardsigmoid(x)"});
  const Formula slope = of_all(
      [](auto x, Attributes) { return x[1] > -3 && x[1] < 3 ? x[0] / 6 : decltype(-x[0])(0); });
  all.insert(
      all.end(),
      {sigmoid, in_place_of(sigmoid, ACLGRAD_CALL(aclnnInplaceHardsigmoid)),
       without_nan(backward(sigmoid, ACLGRAD_CALL(aclnnHardsigmoidBackward), slope,
                            {"g/6 for −3 < x < 3, 0 otherwise", "−3 < x < 3 时为 g/6，否则为 0",
                             "hardsigmoid_backward(g, x)", "hardsigmoid"},
                            true, {-3, 3}, Side::kOutside))});
}

void add_threshold(Operators& all) {
  Operator threshold = forward(
      ACLGRAD_CALL(aclnnThreshold), -6, 6,
      of_one([](const auto& x, Attributes a) { return x <= a[0] ? decltype(-x)(a[1]) : -(-x); }),
      {"x for x > threshold, value otherwise", "x > threshold 时为 x，否则为 value",
       "threshold(x, threshold, value)", "threshold"},
      {scalar("threshold", 0.5), scalar("value", 2)}, {{}, two("threshold", 1, "value", 3)});
  threshold.domain.everywhere = kReal;
  const Operator in_place = in_place_of(threshold, ACLGRAD_CALL(aclnnInplaceThreshold));
  for (Parameter* each : {&threshold.call.parameters.front(), &threshold.call.parameters.back()}) {
    *each = any_dtype(*each);
  }
  all.insert(all.end(), {threshold, in_place});
}

// ---- Smooth ones --------------------------------------------------------------------------------

// tanh(log(1 + e^x)), with e = e^-|x| for x < 0 and elsewhere.
template <class T>
T mish_gate(const T& x) {
  const T e = exp(-abs(x));
  return x < 0 ? e * (e + 2) / (e * (e + 2) + 2) : (1 + 2 * e) / (1 + 2 * e * (1 + e));
}

void add_mish(Operators& all) {
  const Operator mish = forward(ACLGRAD_CALL(aclnnMish), -20, 20,
                                of_one([](const auto& x) { return x * mish_gate(x); }),
                                {"x·tanh(ln(1 + eˣ))", "x·tanh(ln(1 + eˣ))", "mish(x)"});
  const Formula slope = of_all([](auto x, Attributes) {
    const auto t = mish_gate(x[1]);
    return x[0] * (t + x[1] * formulas::sigmoid(x[1]) * (1 - t) * (1 + t));
  });
  const auto terms = [](Number x) {
    const Number t = mish_gate(x);
    return t + abs(x) * formulas::sigmoid(x) * (1 - t) * (1 + t);
  };
  all.insert(all.end(),
             {mish, in_place_of(mish, ACLGRAD_CALL(aclnnInplaceMish)),
              with_root(backward(mish, ACLGRAD_CALL(aclnnMishBackward), slope,
                                 {"g·mish′(x)", "g·mish′(x)", "mish_backward(g, x)", "mish"}, true),
                        terms)});
}

void add_celu(Operators& all) {
  Operator celu = forward(
      ACLGRAD_CALL(aclnnCelu), -9, 9,
      of_one([](const auto& x, Attributes a) { return x > 0 ? -(-x) : a[0] * expm1(x / a[0]); }),
      {"x for x > 0, alpha·(e^(x/alpha) − 1) otherwise",
       "x > 0 时为 x，否则为 alpha·(e^(x/alpha) − 1)", "celu(x, alpha)", "celu"},
      {scalar("alpha", 1)}, samples_of("alpha", {1, 1.5, -2}));
  celu.error_inputs = {refused("alpha", "= 0", ScalarSpec{0}, "alpha must not be 0")};
  all.insert(all.end(),
             {celu, in_place_of(celu, ACLGRAD_CALL(aclnnInplaceCelu), celu.error_inputs)});
}

constexpr Number kFactor = 1.702;  // as a double
void add_fast_gelu(Operators& all) {
  const Operator gelu =
      forward(ACLGRAD_CALL(aclnnFastGelu), -9, 9,
              of_one([](const auto& x) { return x * formulas::sigmoid(kFactor * x); }),
              {"x·σ(1.702x), with σ(x) = 1/(1 + e⁻ˣ)", "x·σ(1.702x)，其中 σ(x) = 1/(1 + e⁻ˣ)",
               "fast_gelu(x)"});
  const Operator slope = backward(
      gelu, ACLGRAD_CALL(aclnnFastGeluBackward), slope_of(gelu),
      {"g·(u + 1.702x·u·(1 − u)), u = σ(1.702x)", "g·(u + 1.702x·u·(1 − u))，u = σ(1.702x)",
       "fast_gelu_backward(g, x)", "fast_gelu"});
  const auto terms = [](Number x) {
    const Number u = formulas::sigmoid(kFactor * x);
    return u * (1 + abs(kFactor * x) * (1 - u));
  };
  all.insert(all.end(), {gelu, with_root(slope, terms)});
}

Number log_sigmoid(Number x) { return std::min<Number>(x, 0) - log1p(exp(-abs(x))); }

// The buffer keeps its shape whatever that of self is; e^-|x| is written where they are equal.
void add_log_sigmoid(Operators& all) {
  Operator plain = forward(
      ACLGRAD_CALL(aclnnLogSigmoid), -20, 20,
      of_one([](const auto& x) { return (x < 0 ? -(-x) : decltype(-x)(0)) - log1p(exp(-abs(x))); }),
      {"ln σ(x), with σ(x) = 1/(1 + e⁻ˣ)", "ln σ(x)，其中 σ(x) = 1/(1 + e⁻ˣ)", "log_sigmoid(x)"});
  const Reference with_buffer = [](const Arguments& a, const Arrays& in) {
    Array result = in[0], buffer = in[0];
    for (size_t i = 0; i < result.values.size(); ++i) {
      result.values[i] = log_sigmoid(in[0].values[i]);
      buffer.values[i] = exp(-abs(in[0].values[i]));
    }
    buffer.shape = a.shape("buffer");
    if (buffer.shape != in[0].shape) buffer.values.clear();
    return Arrays{result, buffer};
  };
  plain.call.form_of = "aclnnLogSigmoidForward";
  Operator forward = plain;
  forward.call = {};
  forward.call = ACLGRAD_CALL(aclnnLogSigmoidForward, in("self", -20, 20), out("out"),
                              any_shape(out("buffer")));
  forward.words = {"ln σ(x); and e^−|x| into the buffer, where it has the shape of x",
                   "ln σ(x)；buffer 与 x 同形时写入 e^−|x|"};
  forward.domain.samples = {{}, {{{"buffer", Shape{0}}}}};
  forward.results = {.reference = with_buffer, .bound = bounded(2)};
  const Reference slope = [](const Arguments&, const Arrays& in) {
    Array result = in[0];
    for (size_t i = 0; i < result.values.size(); ++i) {
      result.values[i] *= formulas::sigmoid(-in[1].values[i]);
    }
    return Arrays{result};
  };
  const auto given = [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
    return Arrays{g, x[0], y[1]};
  };
  const Operator backward{
      .call = ACLGRAD_CALL(aclnnLogSigmoidBackward, in("gradOutput"), in("self", -20, 20),
                           any_shape(in("buffer")), out("gradInput")),
      .domain = plain.domain,
      .results = {.reference = slope, .bound = bounded(3)},
      .gradient = Gradient{.of = "aclnnLogSigmoidForward", .inputs = given},
      .words = {"g·σ(−x)", "g·σ(−x)", "log_sigmoid_backward(g, x)", "log_sigmoid"}};
  all.insert(all.end(), {plain, forward, backward});
}

void add_logit(Operators& all) {
  Operator logit =
      forward(ACLGRAD_CALL(aclnnLogit), 0.35L, 0.65L, of_one([](const auto& x, Attributes a) {
                const Number high = static_cast<double>(1 - a[0]);
                auto z = -(-x);
                if (a[0] >= 0 && x < a[0]) z = a[0];
                if (a[0] >= 0 && x > high) z = high;
                return log(z / (1 - z));
              }),
              {"ln(z/(1 − z)), z = x or, for eps ≥ 0, held within [eps, 1 − eps]",
               "ln(z/(1 − z))，z = x；eps ≥ 0 时限制在 [eps, 1 − eps]", "logit(x, eps)"},
              {{"eps", -1.0}}, samples_of("eps", {-1, 0.4375}));
  logit.call.parameters.front() = filled(logit.call.parameters.front(), 0.25);
  const Formula slope = of_all([](auto x, Attributes a) {
    const Number low = std::max<Number>(a[0], 0), high = static_cast<double>(1 - low);
    if (x[0] < low || x[0] > high) return a[0] < 0 ? x[1] * std::nan("") : decltype(-x[1])(0);
    return x[1] / (x[0] * (1 - x[0]));
  });
  Operator backward{
      .call = ACLGRAD_CALL(aclnnLogitGrad, filled(in("self", 0.35L, 0.65L), 0.25), in("gradOutput"),
                           {"eps", -1.0}, out("gradInput")),
      .domain = logit.domain,
      .results = {.formula = slope, .bound = bounded(3)},
      .gradient =
          Gradient{.of = "aclnnLogit",
                   .inputs =
                       [](const Arguments&, const Arrays& x, const Arrays&, const Array& g) {
                         return Arrays{x[0], g};
                       },
                   .corners = {0.4375, 0.5625},
                   .side = Side::kInside},
      .words = {"g/(x(1 − x)), and 0 where z is no x", "g/(x(1 − x))，x 被限制之处为 0",
                "logit_backward(g, x, eps)", "logit"}};
  all.insert(all.end(), {logit, without_nan(backward)});
}

}  // namespace

void add_formula_activations(Operators& all) {
  add_hardtanh(all);
  add_shrinks(all);
  add_hardsigmoid(all);
  add_threshold(all);
  add_mish(all);
  add_celu(all);
  add_fast_gelu(all);
  add_log_sigmoid(all);
  add_logit(all);
}

}  // namespace aclgrad::contract
