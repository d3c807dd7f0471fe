// SPDX-License-Identifier: Apache-2.0
// NaN and infinities through forward and backward: a NaN goes through, the element that was taken
// has the gradient, and at infinities the limit holds.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"
#include "tests/reference/words.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const std::vector<DType> kFloats = {DType::float32, DType::float16, DType::bfloat16};

void expect_values(const Tensor& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.numel(), static_cast<std::int64_t>(expected.size()));
  for (std::int64_t i = 0; i < actual.numel(); ++i) {
    const double wanted = expected[static_cast<std::size_t>(i)];
    if (std::isnan(wanted) ? std::isnan(actual.get(i)) : actual.get(i) == wanted) continue;
    ADD_FAILURE() << "element " << i << " of " << fmt::format("{}", actual) << " should be "
                  << wanted;
  }
}

// What `function` of these values gives, and the gradients of its sum with respect to each.
struct Outcome {
  Tensor result;
  std::vector<Tensor> gradients;
};
using Function = std::function<Value(const std::vector<Value>&)>;
Outcome outcome_of(const std::vector<std::vector<double>>& inputs, const Function& function,
                   DType dtype = DType::float32) {
  Graph graph;
  std::vector<Value> values;
  std::vector<Feed> feeds;
  for (const std::vector<double>& each : inputs) {
    const Shape shape{static_cast<std::int64_t>(each.size())};
    values.push_back(graph.input(fmt::format("x{}", values.size()), shape, dtype));
    Tensor tensor = Tensor::zeros(shape, dtype);
    for (std::size_t i = 0; i < each.size(); ++i) tensor.set(static_cast<std::int64_t>(i), each[i]);
    feeds.emplace_back(values.back(), std::move(tensor));
  }
  const Value y = function(values);
  const Value seed = graph.constant(Tensor::full(y.shape(), 1, y.dtype()));
  const std::vector<Tensor> all = computed(with_gradients(y, values, seed), feeds);
  return {all[0], {all.begin() + 1, all.end()}};
}

TEST(SpecialValues, NanStaysInTheGradientsOfFunctionsWithABranch) {
  const std::vector<Function> functions = {
      [](const auto& x) { return relu(x[0]); },
      [](const auto& x) { return leaky_relu(x[0], 0.1); },
      [](const auto& x) { return clamp(x[0], {.min = 0}); },
      [](const auto& x) { return clamp(x[0], {.max = 0}); },
      [](const auto& x) { return clamp(x[0], {.min = -1, .max = 1}); },
      [](const auto& x) { return clamp(x[0], {.min = 1, .max = -1}); },
      [](const auto& x) { return abs(x[0]); },
      [](const auto& x) { return elu(x[0]); },
      [](const auto& x) { return selu(x[0]); },
      [](const auto& x) { return gelu(x[0]); },
      [](const auto& x) { return silu(x[0]); },
      [](const auto& x) { return hardswish(x[0]); },
      [](const auto& x) { return softplus(x[0]); },
      [](const auto& x) {
        return l1_loss(x[0], x[0].graph().constant(Tensor::zeros({3}, x[0].dtype())),
                       Reduction::none);
      },
      [](const auto& x) {
        return smooth_l1_loss(x[0], x[0].graph().constant(Tensor::zeros({3}, x[0].dtype())),
                              {.reduction = Reduction::none});
      },
  };
  for (const DType dtype : kFloats) {
    for (std::size_t i = 0; i < functions.size(); ++i) {
      SCOPED_TRACE(fmt::format("function {} in {}", i, dtype));
      const Outcome outcome = outcome_of({{0.5, kNaN, -0.5}}, functions[i], dtype);
      EXPECT_TRUE(std::isnan(outcome.result.get(1)));
      const Tensor& gradient = outcome.gradients[0];
      EXPECT_TRUE(std::isnan(gradient.get(1))) << fmt::format("{}", gradient);
      EXPECT_FALSE(std::isnan(gradient.get(0)) || std::isnan(gradient.get(2)));
    }
  }
}

TEST(SpecialValues, ClampGivesTheGradientToWhatItHolds) {
  const std::vector<double> x = {-kInf, -1, 0.5, 2, 3, kInf};
  const auto gradient = [&](ClampBounds bounds) {
    return outcome_of({x}, [&](const auto& v) { return clamp(v[0], bounds); }).gradients[0];
  };
  expect_values(gradient({.min = -1, .max = 2}), {0, 1, 1, 1, 0, 0});
  expect_values(gradient({.min = -1}), {0, 1, 1, 1, 1, 1});
  expect_values(gradient({.max = 2}), {1, 1, 1, 1, 0, 0});
  expect_values(gradient({.min = -kInf, .max = kInf}), {1, 1, 1, 1, 1, 1});
  expect_values(gradient({.min = kInf}), {0, 0, 0, 0, 0, 1});
  expect_values(gradient({.min = 2, .max = -1}), {0, 0, 0, 0, 0, 0});
  expect_values(gradient({.min = kNaN}), std::vector<double>(6, kNaN));
  const Outcome nan =
      outcome_of({x}, [](const auto& v) { return clamp(v[0], {.min = 0, .max = kNaN}); });
  expect_values(nan.result, std::vector<double>(6, kNaN));
}

TEST(SpecialValues, MaximumAndMinimumGiveTheGradientToTheOneTaken) {
  const std::vector<double> a = {1, 3, kNaN, 2, kNaN, kInf, -kInf, kInf};
  const std::vector<double> b = {2, 3, 1, kNaN, kNaN, kInf, kInf, 1};
  for (const DType dtype : kFloats) {
    const Outcome most = outcome_of(
        {a, b}, [](const auto& x) { return maximum(x[0], x[1]); }, dtype);
    expect_values(most.result, {2, 3, kNaN, kNaN, kNaN, kInf, kInf, kInf});
    expect_values(most.gradients[0], {0, 0, 1, 0, 0, 0, 0, 1});
    expect_values(most.gradients[1], {1, 1, 0, 1, 1, 1, 1, 0});
    const Outcome least = outcome_of(
        {a, b}, [](const auto& x) { return minimum(x[0], x[1]); }, dtype);
    expect_values(least.gradients[0], {1, 0, 1, 0, 0, 0, 1, 0});
    expect_values(least.gradients[1], {0, 1, 0, 1, 1, 1, 0, 1});
  }
  // An infinite gradient does not reach the other one.
  const Outcome steep =
      outcome_of({{1}, {2}}, [](const auto& x) { return maximum(x[0], x[1]) * kInf; });
  expect_values(steep.gradients[0], {0});
  expect_values(steep.gradients[1], {kInf});
}

TEST(SpecialValues, NanIsTheExtremumThatHasTheGradient) {
  const std::vector<double> x = {1, kNaN, 3, kNaN};
  for (const bool largest : {true, false}) {
    const Outcome outcome =
        outcome_of({x}, [&](const auto& v) { return largest ? amax(v[0]) : amin(v[0]); });
    EXPECT_TRUE(std::isnan(outcome.result.get(0)));
    expect_values(outcome.gradients[0], {0, 0.5, 0, 0.5});
  }
  const Outcome first = outcome_of({x}, [](const auto& v) { return max(v[0], 0).values; });
  expect_values(first.gradients[0], {0, 1, 0, 0});
  const Outcome pooled = outcome_of({x}, [](const auto& v) {
    return max_pool2d(reshape(v[0], {1, 2, 2}), 2);
  });
  EXPECT_TRUE(std::isnan(pooled.result.get(0)));
  expect_values(pooled.gradients[0], {0, 1, 0, 0});
}

// Numbers between 0 and 1, classes and places 0 and 1, and masks of both kinds.
std::vector<std::pair<Value, Tensor>> numbers_for(const Graph& graph) {
  std::vector<std::pair<Value, Tensor>> numbers;
  std::int64_t start = 11;
  for (const Value& input : graph.inputs()) {
    Tensor tensor = Tensor::zeros(input.shape(), input.dtype());
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const double share = 0.1 + 0.8 * static_cast<double>((37 * i + start) % 101) / 101;
      tensor.set(i, is_floating(input.dtype())      ? share
                    : input.dtype() == DType::uint8 ? 0x5A
                                                    : static_cast<double>(i % 2));
    }
    numbers.emplace_back(input, std::move(tensor));
    start += 29;
  }
  return numbers;
}

bool has_nan(const Tensor& tensor) {
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (std::isnan(tensor.get(i))) return true;
  }
  return false;
}

// Of every operator that has a gradient: an element whose NaN shows in the result is not given a
// gradient of 0, as if it had not counted; but where PyTorch gives one.
TEST(SpecialValues, WhatMadeTheResultNanHasAGradient) {
  int tried = 0;
  for (const contract::Operator& op : contract::all_contracts()) {
    const reference::Record record = reference::record_of(op.name());
    if (!record || op.name() == "aclnnHardsigmoid") continue;  // PyTorch's slope of NaN is 0 there
    Graph graph;
    const reference::Recorded recorded = record(graph);
    const Value& y = recorded.result;
    if (!is_floating(y.dtype())) continue;
    const Value seed = graph.constant(init::normal(y.shape(), 3).to(y.dtype()));
    std::vector<Fetch> wanted = {y};
    std::vector<Value> gradients_by_input;
    try {
      const Gradients gradients = backward(y, recorded.inputs, {.seed = seed});
      for (const Value& x : recorded.inputs) gradients_by_input.push_back(gradients[x]);
    } catch (const ValueError&) {
      continue;  // without a gradient
    }
    wanted.insert(wanted.end(), gradients_by_input.begin(), gradients_by_input.end());
    Session session(graph, wanted);
    const auto run_with_nan = [&](const Value& tainted, std::int64_t at) {
      std::vector<Feed> feeds;
      for (auto& [input, numbers] : numbers_for(graph)) {
        if (input.id() == tainted.id() && at >= 0) numbers.set(at, kNaN);
        feeds.emplace_back(input, std::move(numbers));
      }
      return session.run(feeds);
    };
    for (std::size_t k = 0; k < recorded.inputs.size(); ++k) {
      const Value& x = recorded.inputs[k];
      const Value& gradient = gradients_by_input[k];
      const Tensor clean = run_with_nan(x, -1)[gradient];
      if (allclose(clean, Tensor::zeros(clean.shape(), clean.dtype()), 0, 0)) {
        continue;  // constant almost everywhere, as sign is
      }
      const std::int64_t count = x.shape().numel();
      for (const std::int64_t at : {std::int64_t{0}, count / 2, count - 1}) {
        const Results results = run_with_nan(x, at);
        if (!has_nan(results[y])) continue;
        EXPECT_NE(results[gradient].get(at), 0)
            << op.name() << ", input " << k << ", element " << at;
      }
    }
    ++tried;
  }
  EXPECT_GT(tried, 60);
}

TEST(SpecialValues, BinaryCrossEntropyOfInfiniteLogitsIsTheLimit) {
  const std::vector<double> z = {-kInf, kInf, -kInf, -kInf};
  for (const DType dtype : kFloats) {
    const Outcome outcome = outcome_of(
        {z},
        [&](const auto& x) {
          const Value t = x[0].graph().constant(Tensor::from({4}, {0, 1, 1, 0.5}, dtype));
          return bce_with_logits(x[0], t, {.reduction = Reduction::none});
        },
        dtype);
    expect_values(outcome.result, {0, 0, kInf, kInf});
    expect_values(outcome.gradients[0], {0, 0, -1, -0.5});
  }
}

}  // namespace
}  // namespace aclgrad
