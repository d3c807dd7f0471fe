// SPDX-License-Identifier: Apache-2.0
// Wrong formulas of the elementwise activations.
#include <cmath>

#include "aclgrad_contract/formulas.h"
#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using gradcheck::Attributes;

constexpr double kLambda = 1.0507009873554804934;
constexpr double kAlpha = 1.6732632423543772848;
constexpr double kLambdaAlpha = kLambda * kAlpha;
constexpr double kInvSqrt2Pi = 0.39894228040143267794;
constexpr double kRoot = 0.79788456080286535588;  // sqrt(2/pi)
constexpr double kCubic = 0.044715;

bool nan(double s) { return std::isnan(s); }

struct Wrong {
  const char* edit;
  Formula formula;
};

void add(std::vector<Mutant>& all, const char* family, const char* op, const Attributes& attributes,
         std::vector<Wrong> rows) {
  for (Wrong& row : rows) {
    all.push_back({family, row.edit, [=, formula = std::move(row.formula)] {
                     return with_backward(op, attributes, run_formula(formula));
                   }});
  }
}

// Both forms of GELU's derivative, with every constant in reach of a mistake.
double erf_slope(double x, double density = kInvSqrt2Pi, double rate = 0.5) {
  return std::erfc(-x / std::sqrt(2.0)) / 2 + x * density * std::exp(-x * x * rate);
}

double tanh_slope(double x, double cubic = kCubic, double root = kRoot, double three = 3) {
  const double z = 2 * root * (x + cubic * x * x * x);
  const double s = 1 / (1 + std::exp(-z));
  const double rest = 1 / (1 + std::exp(z));
  return s + (rest == 0 || s == 0 ? 0 : x * s * rest * 2 * root * (1 + three * cubic * x * x));
}

Formula selu(double lambda, double lambda_alpha) {
  return [=](double g, double y) { return nan(y) ? y : g * (y < 0 ? y + lambda_alpha : lambda); };
}

// alpha, scale and inputScale of the ELU rows: all different, so that none can stand for another.
const Attributes kElu = {{{"alpha", 1.25}, {"scale", 0.75}, {"inputScale", 1.5}}};
const Attributes kEluResult = {
    {{"alpha", 1.25}, {"scale", 0.75}, {"inputScale", 1.5}, {"isResult", 1.0}}};

Formula elu(double positive, double negative, double rate) {
  return [=](double g, double x) {
    return nan(x) ? x : g * (x > 0 ? positive : negative * std::exp(rate * x));
  };
}

Formula elu_from_result(double positive, double factor, double offset) {
  return [=](double g, double y) {
    return nan(y) ? y : g * (y > 0 ? positive : factor * (y + offset));
  };
}

Formula hardswish(bool closed, double low, double high, double divisor, double middle) {
  return [=](double g, double x) {
    if (nan(x)) return x;
    if (x < low || (x == low && !closed)) return g * 0;
    if (x > high || (x == high && !closed)) return g;
    return g * (x / divisor + middle);
  };
}

Formula times(double (*slope)(double)) {
  return [slope](double g, double x) { return g * slope(x); };
}

}  // namespace

std::vector<Mutant> unchanged() {
  std::vector<Mutant> all;
  add(all, "selu", "selu", {}, {{"unchanged", selu(kLambda, kLambdaAlpha)}});
  add(all, "elu", "elu", kElu, {{"unchanged", elu(0.75, 1.40625, 1.5)}});
  add(all, "elu from result", "elu", kEluResult,
      {{"unchanged", elu_from_result(0.75, 1.5, 0.9375)}});
  add(all, "hardswish", "hardswish", {}, {{"unchanged", hardswish(true, -3, 3, 3, 0.5)}});
  add(all, "hardswish v2", "hardswish_v2", {}, {{"unchanged", hardswish(false, -3, 3, 3, 0.5)}});
  add(all, "gelu erf", "gelu_v2", {{{"approximate", 0.0}}},
      {{"unchanged", times([](double x) { return erf_slope(x); })}});
  add(all, "gelu tanh", "gelu", {}, {{"unchanged", times([](double x) { return tanh_slope(x); })}});
  return all;
}

std::vector<Mutant> formula_mutants() {
  std::vector<Mutant> all;
  add(all, "selu", "selu", {},
      {{"lambda missing on the right", selu(1, kLambdaAlpha)},
       {"lambda missing on the left", selu(kLambda, kAlpha)},
       {"sign reversed",
        [](double g, double y) { return nan(y) ? y : -g * (y < 0 ? y + kLambdaAlpha : kLambda); }},
       {"<= for < at 0",
        [](double g, double y) { return nan(y) ? y : g * (y <= 0 ? y + kLambdaAlpha : kLambda); }},
       {"alpha off in the 6th digit", selu(kLambda, kLambda * 1.673268)},
       {"lambda off in the 6th digit", selu(1.050706, kLambdaAlpha)},
       {"takes the result for the input",
        [](double g, double y) {
          return nan(y) ? y : g * (y < 0 ? kLambdaAlpha * std::exp(y) : kLambda);
        }},
       {"NaN swallowed",
        [](double g, double y) { return g * (y < 0 ? y + kLambdaAlpha : kLambda); }},
       {"NaN of the gradient swallowed", [](double g, double y) {
          return nan(y) ? y : (nan(g) ? 0 : g) * (y < 0 ? y + kLambdaAlpha : kLambda);
        }}});
  add(all, "elu", "elu", kElu,
      {{"scale missing on the right", elu(1, 1.40625, 1.5)},
       {"scale missing on the left", elu(0.75, 1.875, 1.5)},
       {"inputScale missing as a factor", elu(0.75, 0.9375, 1.5)},
       {"inputScale missing in the exponent", elu(0.75, 1.40625, 1)},
       {"alpha missing", elu(0.75, 1.125, 1.5)},
       {"sign of the exponent", elu(0.75, 1.40625, -1.5)},
       {"< for <= at 0",
        [](double g, double x) {
          return nan(x) ? x : g * (x >= 0 ? 0.75 : 1.40625 * std::exp(1.5 * x));
        }},
       {"the formula of the result", elu_from_result(0.75, 1.5, 0.9375)},
       {"tail cut off at -5", [](double g, double x) {
          return nan(x) ? x : g * (x > 0 ? 0.75 : x < -5 ? 0 : 1.40625 * std::exp(1.5 * x));
        }}});
  add(all, "elu from result", "elu", kEluResult,
      {{"inputScale missing", elu_from_result(0.75, 1, 0.9375)},
       {"alpha for alpha scale", elu_from_result(0.75, 1.5, 1.25)},
       {"the formula of the input", elu(0.75, 1.40625, 1.5)},
       {"offset subtracted", elu_from_result(0.75, 1.5, -0.9375)}});
  add(all, "hardswish", "hardswish", {},
      {{"open for closed interval", hardswish(false, -3, 3, 3, 0.5)},
       {"divided by 6", hardswish(true, -3, 3, 6, 0.5)},
       {"the half missing", hardswish(true, -3, 3, 3, 0)},
       {"upper bound 2.99", hardswish(true, -3, 2.99, 3, 0.5)},
       {"lower bound -3.01", hardswish(true, -3.01, 3, 3, 0.5)}});
  add(all, "hardswish v2", "hardswish_v2", {},
      {{"closed for open interval", hardswish(true, -3, 3, 3, 0.5)},
       {"1 above 6 only", hardswish(false, -3, 6, 3, 0.5)},
       {"negative zero slope",
        [](double g, double x) {
          return nan(x) ? x : g * (x <= -3 ? -1e-4 : x >= 3 ? 1 : x / 3 + 0.5);
        }},
       {"NaN swallowed", [](double g, double x) {
          return g * (x <= -3 ? 0 : x < 3 ? x / 3 + 0.5 : 1);
        }}});
  add(all, "gelu erf", "gelu_v2", {{{"approximate", 0.0}}},
      {{"the tanh form", times([](double x) { return tanh_slope(x); })},
       {"density term missing", times([](double x) { return erf_slope(x, 0); })},
       {"density off in the 6th digit", times([](double x) { return erf_slope(x, 0.398944); })},
       {"exponent not halved", times([](double x) { return erf_slope(x, kInvSqrt2Pi, 1); })},
       {"x forgotten before the density", times([](double x) {
          return std::erfc(-x / std::sqrt(2.0)) / 2 + kInvSqrt2Pi * std::exp(-x * x / 2);
        })},
       {"tail cut off at -4", times([](double x) { return x < -4 ? 0 : erf_slope(x); })}});
  add(all, "gelu tanh", "gelu", {},
      {{"the erf form", times([](double x) { return erf_slope(x); })},
       {"cubic 0.0447", times([](double x) { return tanh_slope(x, 0.0447); })},
       {"sqrt(2/pi) as 0.79788", times([](double x) { return tanh_slope(x, kCubic, 0.79788); })},
       {"factor 3 missing", times([](double x) { return tanh_slope(x, kCubic, kRoot, 1); })},
       {"saturates above 3", times([](double x) { return x > 3 ? 1 : tanh_slope(x); })}});
  return all;
}

}  // namespace aclgrad::mutants
