// SPDX-License-Identifier: Apache-2.0
// Gradients, and gradients of those gradients, against derivatives in double.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"

namespace aclgrad::derivatives {

using Values = std::vector<Value>;
using Build = std::function<Value(const Values&)>;

/// Normal numbers of deviation 2, moved away from the corners that functions have at 0 and +-3.
inline Tensor points(const Shape& shape, std::uint64_t seed) {
  Tensor tensor = init::normal(shape, seed, 2);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    for (const double corner : {-3.0, 0.0, 3.0}) {
      const double distance = tensor.get(i) - corner;
      if (std::abs(distance) < 0.05) tensor.set(i, corner + (distance < 0 ? -0.05 : 0.05));
    }
  }
  return tensor;
}

inline void expect_passed(const gradcheck::Report& report) {
  EXPECT_TRUE(report.passed()) << report.to_string();
  const auto proves = [](const gradcheck::Gradient& it) { return it.largest > 1e-3; };
  EXPECT_TRUE(std::ranges::any_of(report.gradients, proves)) << "zeros prove nothing";
}

/// Values named x0, x1, ... of these shapes, and their feeds.
struct Recorded {
  explicit Recorded(const std::vector<Shape>& shapes) {
    for (const Shape& shape : shapes) {
      const std::size_t i = values.size();
      values.push_back(graph.input(fmt::format("x{}", i), shape));
      feeds.emplace_back(values.back(), points(shape, 100 + i));
    }
  }
  Graph graph;
  Values values;
  std::vector<Feed> feeds;
};

/// The gradients of `y` by these inputs, each weighted by numbers of its own, are a function of the
/// inputs and of what arrives at `y`, whose gradients are checked.
inline gradcheck::Report check_second_order(Recorded& recorded, const Value& y, const Values& wrt) {
  const Value arrives = recorded.graph.input("arrives", y.shape(), y.dtype());
  const Gradients gradients = backward(y, wrt, {.seed = arrives});
  Value sum;
  for (const Value& x : wrt) {
    const Value numbers =
        recorded.graph.constant(init::normal(x.shape(), static_cast<std::uint64_t>(9 + x.id())));
    const Value part = reduce_sum(mul(gradients[x], numbers));
    sum = sum ? add(sum, part) : part;
  }
  // What is linear has a gradient that does not depend on its inputs.
  std::vector<Feed> feeds;
  for (const Value& needed : Session(recorded.graph, {sum}).inputs()) {
    const auto given = std::ranges::find(recorded.values, needed);
    if (given == recorded.values.end()) {
      feeds.emplace_back(arrives, init::normal(y.shape(), 7).to(y.dtype()));
    } else {
      feeds.push_back(recorded.feeds[static_cast<std::size_t>(given - recorded.values.begin())]);
    }
  }
  return check_gradients(sum, {}, feeds);
}

inline Value expect_first_order(Recorded& recorded, const Build& build) {
  const Value y = build(recorded.values);
  const gradcheck::Report report = check_gradients(y, recorded.values, recorded.feeds);
  expect_passed(report);
  for (const gradcheck::Gradient& gradient : report.gradients) {
    EXPECT_LE(gradient.max_abs_error, 1e-8) << report.to_string();
  }
  return y;
}

/// Where the gradients have none of their own, which is shown, too.
inline void expect_right_once(const std::vector<Shape>& shapes, const Build& build) {
  Recorded recorded(shapes);
  const Value y = expect_first_order(recorded, build);
  EXPECT_THROW(check_second_order(recorded, y, recorded.values), ValueError);
}

/// By all inputs together and, where there are two to four, by each alone, when a backward is not
/// to make the others' gradients.
inline void expect_right(const std::vector<Shape>& shapes, const Build& build) {
  Recorded recorded(shapes);
  const Value y = expect_first_order(recorded, build);
  expect_passed(check_second_order(recorded, y, recorded.values));
  const bool is_each_alone = shapes.size() > 1 && shapes.size() <= 4;
  for (std::size_t i = 0; is_each_alone && i < shapes.size(); ++i) {
    Recorded again(shapes);
    const gradcheck::Report alone =
        check_second_order(again, build(again.values), {again.values[i]});
    EXPECT_TRUE(alone.passed()) << alone.to_string();
  }
}

}  // namespace aclgrad::derivatives
