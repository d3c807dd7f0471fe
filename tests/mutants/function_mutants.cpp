// SPDX-License-Identifier: Apache-2.0
// Wrong backwards of the elementwise functions that have one of their own, and of dropout.
#include <algorithm>
#include <cmath>

#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

constexpr double kSlope = 0.125;  // of the leaky rectifier, and softplus's numbers, in the contract
constexpr double kBetaOfSoftplus = 1.5;
constexpr double kThreshold = 6;

using Is = std::function<bool(const char* edit)>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double tanh_gradient(double g, double y, const Is& is) {
  if (is("takes the result for the input")) y = std::tanh(y);
  return g * (is("square forgotten") ? 1 - y : is("1 forgotten") ? -y * y : 1 - y * y);
}

double sigmoid_gradient(double g, double y, const Is& is) {
  if (is("takes the result for the input")) y = sigmoid(y);
  return g * y * (is("y for 1 - y") ? y : is("sign reversed") ? y - 1 : 1 - y);
}

double relu_gradient(double g, double x, const Is& is) {
  if (std::isnan(x)) return x;
  if (is("passes at 0")) return x >= 0 ? g : 0;
  if (is("passes what is negative")) return x < 0 ? g : 0;
  if (is("the result for its slope")) return x > 0 ? g * x : 0;
  return x > (is("threshold 0.001") ? 0.001 : 0) ? g : 0;
}

double leaky_gradient(double g, double x, const Is& is) {
  if (std::isnan(x)) return x;
  const double slope = is("slope squared") ? kSlope * kSlope : is("slope 0.01") ? 0.01 : kSlope;
  const bool positive = is("positive at 0") ? x >= 0 : x > 0;
  return positive != is("sides exchanged") ? g : slope * g;
}

double softplus_gradient(double g, double x, const Is& is) {
  const double z = is("beta missing") ? x : kBetaOfSoftplus * x;
  if (is("threshold of x, not of beta x") ? x > kThreshold : z > kThreshold) return g;
  return g * sigmoid(z) * (is("times beta") ? kBetaOfSoftplus : 1);
}

double silu_gradient(double g, double x, const Is& is) {
  const double s = sigmoid(x);
  if (is("the function for its slope")) return g * s;
  return g * s * (1 + (is("x forgotten") ? 1 : x) * (is("1 - s forgotten") ? s : 1 - s));
}

// The contract's numbers: bounds -1 and 2, lambda 0.3.
double hardtanh_gradient(double g, double x, const Is& is) {
  if (is("the function for its slope")) return g * std::min(std::max(x, -1.0), 2.0);
  const double low = is("lower bound forgotten") ? -1e9 : is("bounds of another call") ? -2 : -1;
  const double high = is("upper bound forgotten") ? 1e9 : is("bounds of another call") ? 1 : 2;
  return x <= low || x >= high ? 0 : g;
}

double shrink_gradient(double g, double x, const Is& is) {
  const double lambda = is("lambda doubled") ? 0.6F : 0.3F;
  if (is("sides exchanged")) return std::abs(x) <= lambda ? g : 0;
  if (is("the positive side alone")) return x <= lambda ? 0 : g;
  return std::abs(x) <= lambda ? 0 : g;
}

double hardsigmoid_gradient(double g, double x, const Is& is) {
  const double end = is("ends at 6") ? 6 : 3;
  if (std::isnan(x)) return x;
  return std::abs(x) < end ? (is("not divided") ? g : g / 6) : 0;
}

double mish_gradient(double g, double x, const Is& is) {
  const double t = std::tanh(std::log1p(std::exp(x)));
  const double s = is("sigmoid forgotten") ? 1 : sigmoid(x);
  if (is("the function for its slope")) return g * x * t;
  if (is("product rule forgotten")) return g * t;
  return g * (t + x * s * (is("square forgotten") ? 1 - t : 1 - t * t));
}

double fast_gelu_gradient(double g, double x, const Is& is) {
  const double u = sigmoid(1.702 * x);
  return g *
         (u + (is("1.702 forgotten") ? 1 : 1.702) * x * u * (is("1 - u forgotten") ? u : 1 - u));
}

Kernels elementwise(double (*slope)(double g, double s, const Is& is), const Edits& edits) {
  return [=](const Values& in) -> Values {
    const Is is = [&](const char* edit) { return edits.contains(edit); };
    std::vector<double> out;
    for (std::size_t i = 0; i < in[0].size(); ++i) out.push_back(slope(in[0][i], in[1][i], is));
    return {out};
  };
}

// Inputs: gradient, mask of bits. A quarter is dropped.
Kernels dropout(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    std::vector<double> out;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      const auto byte = static_cast<unsigned>(in[1][i / 8]);
      const std::size_t bit = is("most significant bit first") ? 7 - i % 8 : i % 8;
      bool kept = (byte >> bit & 1) != 0;
      if (is("a byte for an element")) kept = in[1][i % in[1].size()] != 0;
      if (is("mask inverted")) kept = !kept;
      if (is("mask ignored")) kept = true;
      out.push_back(kept ? in[0][i] / (is("not scaled") ? 1 : 0.75) : 0);
    }
    return {out};
  };
}

}  // namespace

std::vector<Mutant> function_mutants() {
  std::vector<Mutant> all;
  const auto add = [&](const char* op, double (*slope)(double, double, const Is&),
                       const std::vector<const char*>& edits) {
    add_mutants(
        all, op, op, gradcheck::variants(op)[0],
        [slope](const Edits& edit) { return elementwise(slope, edit); }, edits);
  };
  add("tanh", tanh_gradient, {"square forgotten", "1 forgotten", "takes the result for the input"});
  add("sigmoid", sigmoid_gradient,
      {"y for 1 - y", "sign reversed", "takes the result for the input"});
  add("relu", relu_gradient,
      {"passes at 0", "passes what is negative", "the result for its slope", "threshold 0.001"});
  add("leaky_relu", leaky_gradient,
      {"slope squared", "slope 0.01", "positive at 0", "sides exchanged"});
  add("softplus", softplus_gradient,
      {"beta missing", "threshold of x, not of beta x", "times beta"});
  add("silu", silu_gradient, {"the function for its slope", "x forgotten", "1 - s forgotten"});
  add("hardtanh", hardtanh_gradient,
      {"the function for its slope", "lower bound forgotten", "upper bound forgotten",
       "bounds of another call"});
  add("softshrink", shrink_gradient,
      {"lambda doubled", "sides exchanged", "the positive side alone"});
  add("hardsigmoid", hardsigmoid_gradient, {"ends at 6", "not divided"});
  add("mish", mish_gradient,
      {"sigmoid forgotten", "the function for its slope", "product rule forgotten",
       "square forgotten"});
  add("fast_gelu", fast_gelu_gradient, {"1.702 forgotten", "1 - u forgotten"});
  add_mutants(all, "dropout", "dropout", gradcheck::variants("dropout")[0], dropout,
              {"mask inverted", "mask ignored", "not scaled", "most significant bit first",
               "a byte for an element"});
  return all;
}

}  // namespace aclgrad::mutants
