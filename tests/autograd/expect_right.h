// SPDX-License-Identifier: Apache-2.0
// Gradients, and gradients of those gradients, against derivatives in double.
#ifndef ACLGRAD_TESTS_AUTOGRAD_EXPECT_RIGHT_H_
#define ACLGRAD_TESTS_AUTOGRAD_EXPECT_RIGHT_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"

namespace aclgrad::derivatives {

using Values = std::vector<Value>;
using Build = std::function<Value(const Values&)>;

inline void expect_passed(const gradcheck::Report& report) {
  EXPECT_TRUE(report.passed()) << report.to_string();
  for (const gradcheck::Gradient& gradient : report.gradients) {
    EXPECT_GT(gradient.largest, 1e-3) << gradient.of << ": zeros prove nothing";
  }
}

struct Recorded {
  explicit Recorded(const std::vector<Shape>& shapes) {
    for (const Shape& shape : shapes) {
      values.push_back(graph.input(fmt::format("x{}", values.size()), shape));
      feeds.emplace_back(values.back(), init::normal(shape, 40 + values.size()));
    }
  }
  Graph graph;
  Values values;
  std::vector<Feed> feeds;
};

inline void expect_right(const std::vector<Shape>& shapes, const Build& build) {
  Recorded recorded(shapes);
  expect_passed(check_gradients(build(recorded.values), {}, recorded.feeds));
}

// The gradients with respect to all inputs, each weighted by a tensor of its own.
inline void expect_right_twice(const std::vector<Shape>& shapes, const Build& build) {
  Recorded recorded(shapes);
  const Value y = build(recorded.values);
  const Value g = recorded.graph.input("g", y.shape());
  recorded.feeds.emplace_back(g, init::normal(y.shape(), 7));
  const Gradients gradients = backward(y, recorded.values, {.seed = g});
  Value sum;
  for (const Value& x : recorded.values) {
    const Value weight = recorded.graph.constant(init::normal(x.shape(), 9));
    const Value part = reduce_sum(mul(gradients[x], weight));
    sum = sum.valid() ? add(sum, part) : part;
  }
  expect_passed(check_gradients(sum, {}, recorded.feeds));
}

}  // namespace aclgrad::derivatives

#endif  // ACLGRAD_TESTS_AUTOGRAD_EXPECT_RIGHT_H_
