// SPDX-License-Identifier: Apache-2.0
// Elements that are taken, added, put and moved, by their numbers or masks, beside PyTorch.
#include <gtest/gtest.h>

#include <limits>

#include "tests/autograd/pytorch/numbers.h"

namespace aclgrad::pytorch {
namespace {

void expect_of_one(const std::string& name, const std::function<Value(const Value&)>& function) {
  expect_as_in_pytorch(name, [&](const Values& x) -> Values { return {function(x[0])}; });
}

TEST(ElementsBesidePyTorch, ByTheirNumbers) {
  const auto expect = [](const std::string& name, const std::function<Value(const Values&)>& f) {
    expect_as_in_pytorch(name, [&](const Values& x) -> Values { return {f(x)}; });
  };
  const auto numbers = [](const Values& x, Shape shape, std::initializer_list<double> list) {
    return x[0].graph().constant(Tensor::from(std::move(shape), list, DType::int64));
  };
  const auto rows = [&](const Values& x) { return numbers(x, {4}, {2, 0, 2, 1}); };
  using X = const Values&;
  expect("index_add", [&](X x) { return index_add(x[0], 0, rows(x), x[1]); });
  expect("index_add alpha", [&](X x) { return index_add(x[0], 1, rows(x), x[1], -1.5); });
  expect("scatter_add", [&](X x) {
    return scatter_add(x[0], 1, numbers(x, {3, 2}, {3, 0, 1, 0, 3, 3}), x[1]);
  });
  expect("scatter_add of a row", [&](X x) {
    return scatter_add(x[0], 0, reshape(rows(x), {1, 4}), x[1]);
  });
  expect("index", [&](X x) { return index(x[0], {rows(x), numbers(x, {}, {3})}); });
  expect("index apart", [&](X x) { return index(x[0], {rows(x), Value(), add(rows(x), -3)}); });
  expect("index_put", [&](X x) { return index_put(x[0], {rows(x), rows(x)}, x[1], true); });
  expect("index_put apart", [&](X x) {
    return index_put(x[0], {rows(x), numbers(x, {}, {0}), rows(x)}, x[1], true);
  });
  expect("masked_select", [&](X x) {
    return masked_select(x[0], Tensor::from({3, 4}, {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0}));
  });
  expect("repeat_interleave", [&](X x) { return repeat_interleave(x[0], 2); });
  expect("repeat_interleave dim", [&](X x) {
    return repeat_interleave(x[0], numbers(x, {3}, {2, 0, 3}), 5, 0);
  });
  expect("cdist", [&](X x) { return cdist(x[0], x[1]); });
  expect("cdist 1", [&](X x) { return cdist(x[0], x[1], 1); });
  expect("cdist 3", [&](X x) { return cdist(x[0], x[1], 3); });
  expect("cdist inf",
         [&](X x) { return cdist(x[0], x[1], std::numeric_limits<double>::infinity()); });
  expect("sort", [&](X x) { return sort(x[0], 1).values; });
  expect("sort descending", [&](X x) { return sort(x[0], 0, true).values; });
}

TEST(ElementsBesidePyTorch, ThatOverwriteOthers) {
  using V = const Value&;
  const auto numbers = [](V x, Shape shape, std::initializer_list<double> list) {
    return x.graph().constant(Tensor::from(std::move(shape), list, DType::int64));
  };
  const auto expect = [](const std::string& name, const std::function<Value(V, V)>& f) {
    expect_as_in_pytorch(name, [&](const Values& x) -> Values { return {f(x[0], x[1])}; });
  };
  const auto rows = [&](V x) { return numbers(x, {2}, {2, 0}); };
  const auto columns = [&](V x) { return numbers(x, {3, 2}, {3, 0, 1, 2, 0, 3}); };
  const auto row = [&](V x) { return numbers(x, {1, 4}, {2, 0, 2, 1}); };
  expect("scatter", [&](V x, V y) { return scatter(x, 1, columns(x), y); });
  expect("scatter of a row", [&](V x, V y) { return scatter(x, 0, row(x), y); });
  expect_of_one("scatter a value", [&](V x) { return scatter(x, 1, columns(x), -0.5); });
  expect("index_copy", [&](V x, V y) { return index_copy(x, 0, rows(x), y); });
  expect("index_copy dim", [&](V x, V y) { return index_copy(x, -1, rows(x), y); });
  expect_of_one("index_fill", [&](V x) { return index_fill(x, 0, rows(x), 0.75); });
  expect_of_one("index_fill dim", [&](V x) { return index_fill(x, -1, rows(x), -2); });
  expect("index_put over", [&](V x, V y) { return index_put(x, {rows(x), rows(x)}, y); });
  expect("index_put over apart", [&](V x, V y) {
    return index_put(x, {rows(x), numbers(x, {}, {0}), rows(x)}, y);
  });
  const auto mask = [](V x, const Tensor& of) { return x.graph().constant(of.to(DType::boolean)); };
  const Tensor third = Tensor::from({3, 4}, {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0});
  expect("masked_scatter", [&](V x, V y) { return masked_scatter(x, mask(x, third), y); });
  expect("masked_scatter of rows", [&](V x, V y) {
    return masked_scatter(x, mask(x, Tensor::from({4}, {1, 0, 0, 1})), y);
  });
}

TEST(ElementsBesidePyTorch, TakenAndMoved) {
  using V = const Value&;
  const auto numbers = [](V x, Shape shape, std::initializer_list<double> list) {
    return x.graph().constant(Tensor::from(std::move(shape), list, DType::int64));
  };
  expect_of_one("masked_select none", [](V x) {
    return reduce_sum(masked_select(x, Tensor::zeros({3, 4}))) + reduce_sum(x);
  });
  expect_of_one("gather", [&](V x) {
    return gather(x, 1, numbers(x, {3, 2}, {3, 0, 1, 2, 0, 3}));
  });
  expect_of_one("gather of a row", [&](V x) {
    return gather(x, 0, numbers(x, {1, 4}, {2, 0, 2, 1}));
  });
  expect_of_one("cumprod of columns", [](V x) { return cumprod(x, 0); });
  expect_of_one("flip of rows", [](V x) { return flip(x, {0}) * x; });
  expect_of_one("repeat_interleave one number",
                [&](V x) { return repeat_interleave(x, numbers(x, {1}, {2}), 4, 1); });
  const auto squared = [](V x) { return x * x; };
  expect_of_one("expand", [&](V x) { return squared(expand(x, {2, 3, 4})); });
  expect_of_one("expand of a row", [&](V x) { return squared(expand(x, {2, 4})); });
  const auto weighted = [](V x) {
    return x * arange(x.graph(), 0, static_cast<double>(x.shape()[-1]), 1, DType::float64);
  };
  expect_of_one("flatten", [&](V x) { return weighted(reshape(x, {2, 6})); });
  expect_of_one("flatten all", [&](V x) { return weighted(reshape(x, {12})); });
}

}  // namespace
}  // namespace aclgrad::pytorch
