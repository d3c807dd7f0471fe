// SPDX-License-Identifier: Apache-2.0
#include "bench/checkers/projections.h"

#include <algorithm>
#include <cmath>

#include "aclgrad/gradcheck.h"
#include "aclgrad/ops.h"
#include "aclgrad/random.h"
#include "aclgrad/rule.h"

namespace aclgrad::bench {
namespace {

constexpr std::int64_t kElements = 256;
constexpr double kAbsolute = 1e-4;  // GradcheckOptions::atol, so large that rounding is nothing

// Of this norm.
Tensor error_of(Spread spread, double norm, std::uint64_t seed) {
  Tensor error = Tensor::zeros({kElements}, DType::float64);
  const Random random(seed, 1000);
  if (spread == Spread::one_element) {
    error.set(static_cast<std::int64_t>(random.below(0, kElements)), norm);
    return error;
  }
  const double size = norm / std::sqrt(static_cast<double>(kElements));
  for (std::int64_t i = 0; i < kElements; ++i) {
    error.set(i, random.uniform(static_cast<std::uint64_t>(i)) < 0.5 ? -size : size);
  }
  return error;
}

// The sum of x + 1 e with a rule that adds e to the gradient of x.
struct Planted {
  Graph graph;
  Value x = graph.input("x", {kElements});
  Value error = graph.input("error", {kElements});
  Value one = graph.input("one", {kElements});
  Value loss = reduce_sum(addcmul(x, error, one), {0});
};

// check_gradients allows atol times the root of the sum of the gradient's magnitudes. All elements
// are the upstream gradient: one of its numbers of both signs with magnitudes in [0.5, 1].
double tolerance_of(std::uint64_t seed) {
  const double u = Random(seed, 0).uniform(0);
  return kAbsolute * std::sqrt(static_cast<double>(kElements) * std::max(u, 1 - u));
}

bool shows(Planted& planted, const Tensor& ones, const Tensor& error, int directions,
           std::uint64_t seed) {
  const GradcheckOptions options{
      .rtol = 0, .atol = kAbsolute, .seed = seed, .projections = directions};
  return !check_gradients(planted.loss, {planted.x},
                          {{planted.x, ones}, {planted.error, error}, {planted.one, ones}}, options)
              .passed();
}

}  // namespace

double detection_by_signs(Spread spread, int directions, double ratio) {
  const double missed_by_one = spread == Spread::one_element ? std::clamp(2 / ratio - 1, 0.0, 1.0)
                                                             : std::erf(std::sqrt(6.0 / 7) / ratio);
  return 1 - std::pow(missed_by_one, directions);
}

double detection_by_normals(int directions, double ratio) {
  return 1 - std::pow(std::erf(std::sqrt(0.5) / ratio), directions);
}

Measured measure_detection(Spread spread, int directions, double ratio, int seeds) {
  const ScopedRule<AddcmulOp> wrong([](const AddcmulOp&, const RuleCall& call) {
    return InputGradients{add(call.gradient(), mul(call.input(1), call.input(2))), Value(),
                          Value()};
  });
  Planted planted;
  const Tensor ones = Tensor::full({kElements}, 1, DType::float64);
  int by_signs = 0;
  int by_normals = 0;
  for (int run = 0; run < seeds; ++run) {
    const auto seed = static_cast<std::uint64_t>(run) + 1;
    const double norm = ratio * tolerance_of(seed);
    const Tensor error = error_of(spread, norm, seed);
    by_signs += shows(planted, ones, error, directions, seed) ? 1 : 0;
    bool seen = false;
    for (int k = 0; k < directions; ++k) {
      const Random random(seed, 2000 + static_cast<std::uint64_t>(k));
      double product = 0;
      for (std::int64_t i = 0; i < kElements; ++i) {
        product += error.get(i) * random.normal(static_cast<std::uint64_t>(i));
      }
      seen = seen || std::abs(product) * ratio > norm;
    }
    by_normals += seen ? 1 : 0;
  }
  return {static_cast<double>(by_signs) / seeds, static_cast<double>(by_normals) / seeds};
}

}  // namespace aclgrad::bench
