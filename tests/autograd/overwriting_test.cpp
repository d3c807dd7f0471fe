// SPDX-License-Identifier: Apache-2.0
// Gradients of elements and slices that overwrite others, in every floating dtype: what was
// overwritten has none.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/autograd/expect_right.h"

namespace aclgrad {
namespace {

using derivatives::Build;
using derivatives::expect_passed;
using derivatives::expect_right;
using derivatives::Values;

Value numbers(const Values& x, Shape shape, const std::vector<double>& list) {
  return x[0].graph().constant(Tensor::from(std::move(shape), list, DType::int64));
}

Value mask(const Values& x, Shape shape, const std::vector<double>& list) {
  return x[0].graph().constant(Tensor::from(std::move(shape), list, DType::boolean));
}

struct Case {
  const char* name;
  std::vector<Shape> shapes;
  Build build;
};

// Numbers that differ, that are equal, that count from the end, and sources that are too large.
std::vector<Case> cases() {
  return {{"index_copy",
           {{3, 4}, {3, 3}},
           [](const Values& x) {
             return index_copy(x[0], 1, numbers(x, {3}, {3, 0, -4}), x[1]);
           }},
          {"index_copy of planes",
           {{3, 2, 2}, {2, 2, 2}},
           [](const Values& x) {
             return index_copy(x[0], 0, numbers(x, {2}, {2, 1}), x[1]);
           }},
          {"index_fill",
           {{3, 4}},
           [](const Values& x) {
             return index_fill(x[0], 1, numbers(x, {2}, {3, 3}), 0.5);
           }},
          {"scatter",
           {{3, 4}, {3, 3}},
           [](const Values& x) {
             return scatter(x[0], 0, numbers(x, {2, 3}, {0, 2, 1, 0, -1, 2}), x[1]);
           }},
          {"scatter of one value",
           {{3, 4}},
           [](const Values& x) {
             return scatter(x[0], 1, numbers(x, {2, 1}, {3, 0}), 2);
           }},
          {"masked_scatter",
           {{2, 3}, {5}},
           [](const Values& x) {
             return masked_scatter(x[0], mask(x, {2, 3}, {0, 1, 1, 0, 0, 1}), x[1]);
           }},
          {"masked_scatter of a mask that is repeated",
           {{2, 3}, {2, 2}},
           [](const Values& x) {
             return masked_scatter(x[0], mask(x, {3}, {1, 0, 1}), x[1]);
           }},
          {"index_put", {{3, 3, 2}, {3, 2}}, [](const Values& x) {
             const Value rows = numbers(x, {3}, {1, 0, 1}), columns = numbers(x, {3}, {2, 0, 2});
             return index_put(x[0], {rows, columns}, x[1]);
           }}};
}

TEST(RulesOfOverwriting, AreDerivatives) {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    for (const Case& each : cases()) {
      SCOPED_TRACE(fmt::format("{} {}", each.name, dtype));
      Graph graph;
      Values x;
      std::vector<Feed> feeds;
      for (const Shape& shape : each.shapes) {
        x.push_back(graph.input(fmt::format("x{}", x.size()), shape, dtype));
        feeds.emplace_back(x.back(), init::normal(shape, 30 + x.size()).to(dtype));
      }
      expect_passed(check_gradients(each.build(x), {}, feeds));
    }
  }
}

TEST(RulesOfOverwriting, HaveGradientsOfTheirOwn) {
  for (const Case& each : cases()) {
    SCOPED_TRACE(each.name);
    expect_right(each.shapes, each.build);
  }
}

// A gradient that is not a number stays where it arrived.
TEST(RulesOfOverwriting, KeepNanInItsPlace) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  Graph graph;
  const Value x = graph.parameter("x", Tensor::zeros({3}));
  const Value source = graph.parameter("source", Tensor::zeros({3}));
  const Value index = graph.constant(Tensor::from({3}, {1, 1, 0}, DType::int64));
  const Value seed = graph.constant(Tensor::from({3}, {2, kNaN, 3}));
  const Value first_two = graph.constant(Tensor::from({3}, {1, 1, 0}, DType::boolean));
  struct Arrival {
    Value y;
    double first, last;  // of source's gradient, beside its second element
  };
  for (const Arrival& each :
       {Arrival{scatter(x, 0, index, source), 0, 2}, Arrival{index_copy(x, 0, index, source), 0, 2},
        Arrival{masked_scatter(x, first_two, source), 2, 0}}) {
    const Gradients gradients = backward(each.y, {x, source}, {.seed = seed});
    Session session(graph, {gradients[x], gradients[source]});
    const Results results = session.run();
    const Tensor &kept = results[gradients[x]], &moved = results[gradients[source]];
    EXPECT_TRUE(allclose(kept, Tensor::from({3}, {0, 0, 3}), 0, 0)) << kept;
    EXPECT_TRUE(std::isnan(moved.get(1))) << moved;
    EXPECT_EQ(moved.get(0), each.first) << moved;
    EXPECT_EQ(moved.get(2), each.last) << moved;
  }
}

TEST(RulesOfOverwriting, LeaveAllWhereNothingIsPut) {
  Graph graph;
  const Value x = graph.parameter("x", Tensor::zeros({2, 2}));
  const Value slices = graph.parameter("slices", Tensor::zeros({0, 2}));
  const Value none = graph.constant(Tensor::zeros({0}, DType::int64));
  for (const Value& y :
       {index_copy(x, 0, none, slices), scatter(x, 0, reshape(none, {0, 1}), slices),
        index_put(x, {none}, slices)}) {
    const Gradients gradients = backward(reduce_sum(y), {x, slices});
    Session session(graph, {gradients[x], gradients[slices]});
    const Results results = session.run();
    EXPECT_TRUE(allclose(results[gradients[x]], Tensor::full({2, 2}, 1), 0, 0));
    EXPECT_EQ(results[gradients[slices]].shape(), Shape({0, 2}));
  }
}

}  // namespace
}  // namespace aclgrad
