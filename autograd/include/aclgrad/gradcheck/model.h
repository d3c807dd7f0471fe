// SPDX-License-Identifier: Apache-2.0
// Taylor-remainder test of whole models: a second opinion that shares nothing with check_gradients
// but the copy in float64. Along a random direction d of all variables together,
//
//   |L(w + h d) - L(w) - h g.d|                  falls like h^2 when g is the gradient,
//   |L(w + h d) - L(w) - h g.d - h^2/2 d.H d|    falls like h^3 when d.H d is right, too.
//
// H d is the gradient of g.d, recorded by backward(). A wrong gradient leaves a remainder that
// falls like h, whatever its size. The whole model takes some twenty evaluations a direction:
//
//   ModelReport report = check_model(loss, {}, {{x, batch}, {t, labels}});
//   if (!report.passed()) fmt::print("{}", report.to_string());
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/report.h"
#include "aclgrad/graph.h"
#include "aclgrad/session.h"

namespace aclgrad {

struct ModelCheckOptions {
  std::uint64_t seed = 1;  // of the directions
  int directions = 3;      // 1 or more
  /// The largest h, finite and above 0; each next one is half of it. Directions have the length 1.
  double largest_step = 1;
  /// Off: only the gradient. It is also left out, and the report says why, where an operator's
  /// backward has no gradient rule.
  bool second_order = true;
};

/// What the remainders of one order say.
struct TaylorRate {
  int order = 2;
  gradcheck::Verdict verdict = gradcheck::Verdict::inconclusive;
  double rate = 0;          // of the smallest steps whose remainders are no rounding
  std::string reason = {};  // why it is inconclusive, or wrong without remainders
};

/// The remainders for one length of step.
struct TaylorStep {
  double h = 0;
  double first = 0;   // |L(w + h d) - L(w) - h g.d|
  double second = 0;  // without h^2/2 d.H d, too
};

/// What was found along one direction.
struct TaylorDirection {
  double slope = 0;      // g.d
  double curvature = 0;  // d.H d
  double rounding = 0;   // remainders below it are noise
  std::vector<TaylorStep> steps = {};
  std::vector<TaylorRate> rates = {};  // of order 2, and of order 3 unless it was left out
};

struct ModelReport {
  double loss = 0;
  std::int64_t elements = 0;  // of the variables
  std::vector<TaylorDirection> directions = {};
  std::string without_second_order = {};  // why; empty where it was checked

  bool passed() const;
  /// Wrong where one rate is; else inconclusive where one is, and where there is no direction.
  gradcheck::Verdict verdict() const;
  /// A headline, then for every direction the table of h, remainders and rates.
  std::string to_string() const;
};

/// Checks the gradient of `loss`, of one element, with respect to all of `wrt` together: inputs and
/// parameters; empty means all floating ones that the loss depends on. `feeds` and float64 as for
/// check_gradients; random masks and running statistics stay as they are.
///
/// A verdict is inconclusive, with the reason, where rounding hides the remainders, and where they
/// follow no power of h: a corner (relu, max pooling) lies at the point, or between all steps; and
/// where the loss is no finite number. A gradient that is none, of losses that are, is wrong.
///
/// Throws ShapeError for a loss of more elements, ValueError for options that are no numbers above
/// 0, and what check_gradients throws.
ModelReport check_model(const Value& loss, std::vector<Value> wrt, std::span<const Feed> feeds,
                        ModelCheckOptions options = {});
ModelReport check_model(const Value& loss, std::vector<Value> wrt,
                        std::initializer_list<Feed> feeds, ModelCheckOptions options = {});

}  // namespace aclgrad
