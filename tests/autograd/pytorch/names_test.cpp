// SPDX-License-Identifier: Apache-2.0
// What coming-from-pytorch.md has in the place of functions that are not there under PyTorch's
// name.
#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

using Indices = std::vector<std::int64_t>;

// Of the rows (1, -2, 3, 0.5) and (4, 4, -1, 2).
Tensor of_rows(const std::function<Value(const Value& x)>& function) {
  const Tensor rows = Tensor::from({2, 4}, {1, -2, 3, 0.5, 4, 4, -1, 2});
  Graph graph;
  const Value x = graph.input("x", rows.shape());
  const Value y = function(x);
  return Session(graph, {y}).run({{x, rows}})[y];
}

void expect(const char* name, const Tensor& wanted,
            const std::function<Value(const Value& x)>& function) {
  const Tensor result = of_rows(function);
  EXPECT_TRUE(allclose(result, wanted, 1e-5, 1e-6)) << name << ": " << to_string(result);
}

TEST(NamesOfPyTorch, ReductionsAndOrder) {
  expect("std", Tensor::from({2}, {2.05649, 2.36291}), [](auto x) { return stddev(x, {1}); });
  expect("min", Tensor::from({2}, {-2, -1}), [](auto x) { return min(x, 1).values; });
  expect("argmin", Tensor::from({2}, {1, 2}), [](auto x) { return argmin(x, 1); });
  expect("logsumexp", Tensor::from({2}, {3.202248, 4.761773}),
         [](auto x) { return logsumexp(x, {1}); });
  expect("prod", Tensor::from({2, 1}, {-3, -32}), [](auto x) { return prod(x, 1, true); });
  expect("cov", Tensor::from({2, 2}, {4.22917, -3.875, -3.875, 5.58333}), [](auto x) {
    const Value away = x - mean(x, {1}, true);
    return matmul(away, transpose(away, 0, 1)) / 3;
  });
  expect("quantile", Tensor::from({2}, {0.75, 3}), [](auto x) {
    const Value sorted = sort(x, 1).values;  // 0.5 (n - 1) is 1.5
    return mean(slice(sorted, 1, 1, 3), {1});
  });
  expect("logcumsumexp",
         Tensor::from({2, 4}, {1, 1.04859, 3.13284, 3.20225, 4, 4.69315, 4.69651, 4.76177}),
         [](auto x) {
           const Value later = tril(ones(x.graph(), {4, 4}));
           const Value rows = expand(reshape(x, {2, 1, 4}), {2, 4, 4});
           return logsumexp(masked_fill(rows, eq(later, 0), -HUGE_VAL), {-1});
         });
}

TEST(NamesOfPyTorch, Truth) {
  expect("any", Tensor::from({2}, {0, 1}), [](auto x) { return any(gt(x, 3), {1}); });
  expect("all", Tensor::from({2}, {0, 1}), [](auto x) { return all(gt(x, -1.5), {1}); });
  expect("and", Tensor::from({2, 4}, {1, 0, 0, 1, 0, 0, 0, 1}),
         [](auto x) { return mul(gt(x, 0), lt(x, 3)); });
  expect("or", Tensor::from({2, 4}, {0, 1, 1, 0, 1, 1, 1, 0}),
         [](auto x) { return add(gt(x, 2), lt(x, 0)); });
  expect("not", Tensor::from({2, 4}, {1, 1, 0, 1, 0, 0, 1, 1}),
         [](auto x) { return eq(gt(x, 2), 0); });
}

TEST(NamesOfPyTorch, Places) {
  expect("flip", Tensor::from({2, 4}, {0.5, 3, -2, 1, 2, -1, 4, 4}),
         [](auto x) { return flip(x, {1}); });
  expect("roll", Tensor::from({2, 4}, {0.5, 1, -2, 3, 2, 4, 4, -1}),
         [](auto x) { return roll(x, {1}, {1}); });
  expect("view_as", of_rows([](auto x) { return copy(x); }),
         [](auto x) { return reshape(reshape(x, {8}), x.shape()); });
  expect("one_hot", Tensor::from({2, 3}, {0, 0, 1, 1, 0, 0}),
         [](auto x) { return one_hot(argmax(x, 1), 3); });
  expect("PixelShuffle", Tensor::from({1, 1, 2, 4}, {1, 3, -2, 0.5, 4, -1, 4, 2}), [](auto x) {
    const Value image = reshape(x, {1, 4, 1, 2});
    return reshape(permute(reshape(image, {1, 1, 2, 2, 1, 2}), {0, 1, 4, 2, 5, 3}), {1, 1, 2, 4});
  });
  expect("MaxPool1d", Tensor::from({2, 1, 1, 2}, {1, 3, 4, 2}), [](auto x) {
    return max_pool2d(reshape(x, {2, 1, 1, 4}), {1, 2});
  });
}

TEST(NamesOfPyTorch, Activations) {
  expect("ReLU6", Tensor::from({2, 4}, {2, 0, 6, 1, 6, 6, 0, 4}),
         [](auto x) { return hardtanh(mul(x, 2), 0, 6); });
  expect("normalize", Tensor::from({2}, {1, 1}), [](auto x) {
    const Value unit = x / clamp(norm(x, {-1}, {.keepdim = true}), {.min = 1e-12});
    return reduce_sum(unit * unit, {1});
  });
  expect("clip_grad_value_", Tensor::from({2, 4}, {1, -1, 1, 1, 1, 1, -1, 1}), [](auto x) {
    const CustomGradient clipped = custom_gradient(
        "clip", [](const auto& inputs) { return inputs[0]; },
        [](const Value& gradient, const auto&, const Value&) {
          return std::vector{clamp(gradient, {.min = -1, .max = 1})};
        });
    const Value y = clipped({x});
    return backward(reduce_sum(y * y), {x})[x];
  });
}

}  // namespace
}  // namespace aclgrad
