// SPDX-License-Identifier: Apache-2.0
// Views: what they describe, where a copy is needed, and that updates and reused memory never show
// through them.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

MATCHER_P(IsTensor, wanted, to_string(wanted)) {
  static_cast<void>(result_listener);
  return bitwise_equal(arg, wanted);
}

std::size_t count(const Graph& graph, std::string_view op) {
  std::size_t found = 0;
  for (std::size_t id = 0; id < graph.size(); ++id) {
    found += graph.node(static_cast<NodeId>(id)).op->name() == op ? 1 : 0;
  }
  return found;
}

TEST(Views, SlicesAndSplitsHaveNoMemoryOfTheirOwn) {
  Graph graph;
  const Value x = graph.input("x", {4, 6});
  const Value h = tanh(x).named("h");
  const std::vector<Value> parts = split(h, {1, 3, 2}, 1);
  const Value odd = slice(h, 0, 1, 4, 2);
  EXPECT_EQ(parts[1].root(), h);
  EXPECT_EQ(parts[1].strides(), (Dims{6, 1}));
  EXPECT_EQ(parts[1].offset(), 1);
  EXPECT_EQ(odd.strides(), (Dims{12, 1}));
  EXPECT_EQ(odd.offset(), 6);
  EXPECT_EQ(slice(h, 1, 6).shape(), (Shape{4, 0}));
  EXPECT_EQ(slice(h, 1, 6).offset(), 0) << "nothing begins behind the storage";
  const Session session(graph, {parts[0], parts[1], parts[2], odd});
  const MemoryReport report = session.memory_report();
  EXPECT_EQ(report.nodes, 1) << "tanh, and no copies";
  EXPECT_EQ(std::ranges::count_if(report.intervals,
                                  [&](const auto& each) { return each.value == odd.id(); }),
            0);
}

TEST(Views, AreFetchedThroughStrides) {
  Graph graph;
  const Value x = graph.input("x", {2, 3, 4});
  const Tensor numbers = Tensor::arange(24).reshape({2, 3, 4});
  const Value h = x * 2;
  EXPECT_THAT(computed(slice(h, 0, 1), {{x, numbers}}), IsTensor(numbers.slice(0, 1, 2) * 2));
  EXPECT_THAT(computed(slice(h, 1, 1, 3), {{x, numbers}}), IsTensor(numbers.slice(1, 1, 3) * 2));
  EXPECT_THAT(computed(slice(x, 2, 3), {{x, numbers}}), IsTensor(numbers.slice(2, 3, 4)))
      << "of an input";
  EXPECT_THAT(computed(permute(slice(h, 2, 0, 4, 3), {2, 0, 1}), {{x, numbers}}),
              IsTensor(Tensor::from({2, 2, 3}, {0, 8, 16, 24, 32, 40, 6, 14, 22, 30, 38, 46})));
  EXPECT_EQ(computed(slice(h, 1, 2, 2), {{x, numbers}}).shape(), (Shape{2, 0, 4}));
}

// Every view of a tensor under every shape with as many elements is what its copy is.
TEST(Views, ReshapeDescribesTheSameElementsAsOfACopy) {
  const std::vector<std::function<Value(const Value&)>> views = {
      [](const Value& v) { return slice(v, 2, 1, 3); },
      [](const Value& v) { return slice(v, 1, 1, 2); },
      [](const Value& v) { return slice(v, 0, 1); },
      [](const Value& v) { return slice(v, 1, 0, 3, 2); },
      [](const Value& v) {
        return permute(v, {1, 0, 2});
      },
      [](const Value& v) {
        return permute(v, {2, 1, 0});
      },
      [](const Value& v) {
        return expand(slice(v, 1, 1, 2), {2, 3, 4});
      },
      [](const Value& v) {
        return expand(slice(v, 0, 1), {3, 2, 3, 4});
      },
      [](const Value& v) {
        return permute(slice(v, 2, 1, 3), {2, 0, 1});
      },
  };
  for (const auto& view : views) {
    Graph graph;
    const Value x = graph.input("x", {2, 3, 4});
    const Value viewed = view(x);
    const std::int64_t numel = viewed.shape().numel();
    std::vector<Fetch> fetches;
    std::vector<std::pair<Value, Value>> pairs;
    for (std::int64_t a = 1; a <= numel; ++a) {
      for (std::int64_t b = 1; numel % a == 0 && b <= numel / a; ++b) {
        if (numel / a % b != 0) continue;
        for (const Dims& dims : {Dims{a, b, numel / a / b}, Dims{a, 1, b, numel / a / b, 1}}) {
          pairs.push_back({reshape(viewed, dims), reshape(copy(viewed), dims)});
          fetches.insert(fetches.end(), {pairs.back().first, pairs.back().second});
        }
      }
    }
    Session session(graph, fetches);
    const Results results = session.run({{x, Tensor::arange(24).reshape({2, 3, 4})}});
    for (const auto& [result, wanted] : pairs) {
      EXPECT_THAT(results[result], IsTensor(results[wanted]))
          << viewed.shape() << " as " << result.shape();
    }
  }
}

TEST(Views, ReshapeCopiesOnlyWhatNoStridesDescribe) {
  Graph graph;
  const Value x = graph.input("x", {2, 3, 4});
  reshape(slice(x, 1, 1, 2), {2, 4});     // an axis of one element goes
  reshape(slice(x, 2, 1, 3), {6, 1, 2});  // whole lines are joined
  reshape(permute(x, {2, 0, 1}),
          {2, 2, 6});  // an axis is divided, two that lie together are joined
  EXPECT_EQ(count(graph, "copy"), 0u);
  reshape(slice(x, 2, 1, 3), {2, 6});
  reshape(permute(x, {1, 0, 2}), {6, 4});
  EXPECT_EQ(count(graph, "copy"), 2u);
}

// A variable that is updated in the same run would show through a view.
TEST(Views, ASliceOfAVariableIsAsItWasBeforeTheUpdate) {
  Graph graph;
  const Variable weight("w", Tensor::from({4}, {1, 2, 3, 4}));
  const Value w = graph.parameter(weight);
  const Value part = slice(w, 0, 1, 3);
  const std::vector<Value> halves = split(transpose(reshape(w, {2, 2}), 0, 1), 1);
  const Update update =
      Sgd({.learning_rate = 1}).step(graph, backward(reduce_sum(w * w, {0}), {w}));
  for (const SessionOptions& options : {SessionOptions{}, SessionOptions{.eager = true}}) {
    weight.assign(Tensor::from({4}, {1, 2, 3, 4}));
    Session session(graph, {part, halves[1], update}, options);
    const Results results = session.run();
    EXPECT_THAT(results[part], IsTensor(Tensor::from({2}, {2, 3})));
    EXPECT_THAT(results[halves[1]], IsTensor(Tensor::from({1, 2}, {2, 4})));
    EXPECT_THAT(weight.value(), IsTensor(Tensor::from({4}, {-1, -2, -3, -4})));
  }
}

// relu() would overwrite h, whose slice is read afterwards.
TEST(Views, WhatIsReadThroughAViewIsNotOverwritten) {
  Graph graph;
  const Value x = graph.input("x", {2, 4});
  const Value h = x * 2;
  const Value part = slice(h, 1, 1, 3);
  const Value y = relu(h);
  const Value z = part + slice(y, 1, 2, 4);
  const Tensor numbers = Tensor::from({2, 4}, {-1, -2, 3, 4, 5, -6, 7, -8});
  EXPECT_THAT(computed(z, {{x, numbers}}, {.poison = true}),
              IsTensor(Tensor::from({2, 2}, {2, 14, 2, 14})));
}

}  // namespace
}  // namespace aclgrad
