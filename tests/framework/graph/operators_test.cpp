// SPDX-License-Identifier: Apache-2.0
// Recording functions through a session: one hand-computed value each shows that arguments arrive
// in the right places, where tests/autograd/pytorch has none of PyTorch; and what they refuse. How
// exact operators are is tested below the C API boundary.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/framework/graph/operators.h"

namespace aclgrad {
namespace {

TEST_F(Operators, PowersBoundsAndChoices) {
  const Value a = value({2, 2}, {-1, 2, -3, 4});
  const Value b = value({2}, {2, 3});
  expect(abs(a), {2, 2}, {1, 2, 3, 4});
  expect(sign(a), {2, 2}, {-1, 1, -1, 1});
  expect(pow(a, 2.0), {2, 2}, {1, 4, 9, 16});
  expect(pow(a, b), {2, 2}, {1, 8, 9, 64});
  expect(pow(value({1}, {4}), -0.5), {1}, {0.5});
  expect(clamp(a, {.min = -2, .max = 3}), {2, 2}, {-1, 2, -2, 3});
  expect(clamp(a, {.min = 0}), {2, 2}, {0, 2, 0, 4});
  expect(clamp(value({3}, {1, 5, 9}, DType::int32), {.max = 6}), {3}, {1, 5, 6});
  expect(gt(a, b), {2, 2}, {0, 0, 0, 1});
  expect(ge(a, b), {2, 2}, {0, 0, 0, 1});
  expect(lt(a, 2), {2, 2}, {1, 0, 1, 0});
  expect(le(a, 2), {2, 2}, {1, 1, 1, 0});
  expect(eq(a, value({}, {2})), {2, 2}, {0, 1, 0, 0});
  expect(ne(a, 2), {2, 2}, {1, 0, 1, 1});
  EXPECT_EQ(gt(a, 0).dtype(), DType::boolean);
  expect(where(gt(a, 0), a, b), {2, 2}, {2, 2, 2, 4});
  expect(masked_fill(a, lt(a, 0), 7), {2, 2}, {7, 2, 7, 4});
  EXPECT_THROW(clamp(a, {}), ValueError);
  EXPECT_THROW(where(a, a, b), DTypeError);
  EXPECT_THROW(addcmul(a, value({2}, {1, 2}, DType::int32), b), DTypeError);
  EXPECT_THROW(gt(a, value({3}, {1, 2, 3})), ShapeError);
}

TEST_F(Operators, Arithmetic) {
  const Value a = value({2, 2}, {1, 2, 3, 4});
  const Value b = value({2}, {10, 20});
  expect(add(a, b), {2, 2}, {11, 22, 13, 24});
  expect(add(a, b, 0.5), {2, 2}, {6, 12, 8, 14});
  expect(sub(a, b, 2), {2, 2}, {-19, -38, -17, -36});
  expect(mul(a, b), {2, 2}, {10, 40, 30, 80});
  expect(a + b, {2, 2}, {11, 22, 13, 24});
  expect(a - b, {2, 2}, {-9, -18, -7, -16});
  expect(a * b, {2, 2}, {10, 40, 30, 80});
  expect(2 * a - 1, {2, 2}, {1, 3, 5, 7});
  expect(1 - a, {2, 2}, {0, -1, -2, -3});
  expect(1 + a * 2, {2, 2}, {3, 5, 7, 9});
  expect(-a, {2, 2}, {-1, -2, -3, -4});
  expect(a / b, {2, 2}, {0.1, 0.1, 0.3, 0.2});
  expect(b / 4, {2}, {2.5, 5});
  expect(5 / b, {2}, {0.5, 0.25});
  expect(div(value({2}, {7, -7}, DType::int32), value({2}, {2, 2}, DType::int32)), {2},
         {3.5, -3.5});
  expect(maximum(a, value({2}, {2, 2})), {2, 2}, {2, 2, 3, 4});
  expect(minimum(a, value({2}, {2, 2})), {2, 2}, {1, 2, 2, 2});
  expect(addcmul(b, a, a, -1), {2, 2}, {9, 16, 1, 4});
  expect(addcdiv(b, a, value({}, {4}), 2), {2, 2}, {10.5, 21, 11.5, 22});
  expect(mul(value({2}, {3, 4}, DType::int32), 2), {2}, {6, 8});
}

TEST_F(Operators, Products) {
  const Value a = value({2, 3}, {1, 2, 3, 4, 5, 6});
  const Value b = value({3, 2}, {1, 0, 0, 1, 1, 1});
  const Value c = value({2}, {100, 200});
  expect(matmul(a, b), {2, 2}, {4, 5, 10, 11});
  expect(matmul(transpose(b, 0, 1), transpose(a, 0, 1)), {2, 2}, {4, 10, 5, 11});
  expect(linear(a, b, c), {2, 2}, {104, 205, 110, 211});
  expect(addmm(c, a, b, 0.5, 2), {2, 2}, {58, 110, 70, 122});
  expect(linear(reshape(a, {1, 2, 3}), b, c), {1, 2, 2}, {104, 205, 110, 211});
  expect(linear(reshape(a, {2, 1, 3}), b, c), {2, 1, 2}, {104, 205, 110, 211});
  expect(linear(value({3}, {1, 2, 3}), b, c), {2}, {104, 205});
  const Value rows = reshape(a, {2, 1, 3});
  const Value shared = reshape(b, {1, 3, 2});
  expect(bmm(rows, shared), {2, 1, 2}, {4, 5, 10, 11});
  expect(bmm(transpose(shared, 1, 2), transpose(rows, 1, 2)), {2, 2, 1}, {4, 5, 10, 11});
  expect(baddbmm(c, rows, shared, 0.5, 2), {2, 1, 2}, {58, 110, 70, 122});
}

TEST_F(Operators, Reductions) {
  const Value a = value({2, 3}, {1, 2, 3, 4, 5, 6});
  expect(reduce_sum(a), {}, {21});
  expect(reduce_sum(a, {0}), {3}, {5, 7, 9});
  expect(reduce_sum(a, {-1}, true), {2, 1}, {6, 15});
  expect(mean(a, {1}), {2}, {2, 5});
  expect(mean(a), {}, {3.5});
  expect(amax(a, {0}), {3}, {4, 5, 6});
  expect(amin(a, {1}, true), {2, 1}, {1, 4});
  expect(var(a, {1}), {2}, {1, 1});
  expect(var(a, {0}, {.unbiased = false, .keepdim = true}), {1, 3}, {2.25, 2.25, 2.25});
  expect(norm(value({2, 2}, {3, -4, 5, 12}), {1}), {2}, {5, 13});
  expect(norm(a, {}, {.p = 1}), {}, {21});
  expect(norm(a, {}, {.p = std::numeric_limits<double>::infinity(), .keepdim = true}), {1, 1}, {6});
  const std::vector<Value> list = {a, value({2}, {3, -4})};
  expect(foreach_norm(list)[1], {}, {5});
  expect(foreach_norm(list, 1)[0], {}, {21});
  expect(foreach_mul(list, -2.0)[1], {2}, {-6, 8});
  expect(foreach_mul(list, foreach_norm(list)[1])[0], {2, 3}, {5, 10, 15, 20, 25, 30});
  expect(logsumexp(value({2}, {1000, 1000})), {}, {1000.69314718});
  const double inf = std::numeric_limits<double>::infinity();
  expect(logsumexp(value({2, 2}, {-inf, -inf, inf, 0}), {1}, true), {2, 1}, {-inf, inf});
  expect(cumsum(a, 1), {2, 3}, {1, 3, 6, 4, 9, 15});
  expect(cumsum(a, 0, {.exclusive = true}), {2, 3}, {0, 0, 0, 1, 2, 3});
  expect(cumsum(a, -1, {.reverse = true}), {2, 3}, {6, 5, 3, 15, 11, 6});
}

TEST_F(Operators, Reordered) {
  const Value a = value({2, 3}, {0, 1, 2, 3, 4, 5});
  expect(flip(a, {}), {2, 3}, {0, 1, 2, 3, 4, 5});
  expect(roll(a, {-7}), {2, 3}, {1, 2, 3, 4, 5, 0});
  expect(roll(a, {1, 1}, {1, 1}), {2, 3}, {1, 2, 0, 4, 5, 3});
  EXPECT_THROW(flip(a, {1, -1}), ShapeError);
  EXPECT_THROW(flip(a, {2}), ShapeError);
  EXPECT_THROW(roll(a, {1, 2}), ValueError);
  EXPECT_THROW(roll(a, {1}, {0, 1}), ValueError);
}

TEST_F(Operators, PaddedByElements) {
  const Value a = value({1, 4}, {1, 2, 3, 4});
  expect(pad(value({2, 2}, {1, 2, 3, 4}, DType::int32), {1, 1, 1, 0}, PadMode::reflect), {3, 4},
         {4, 3, 4, 3, 2, 1, 2, 1, 4, 3, 4, 3});
  EXPECT_THROW(pad(a, {4, 0}, PadMode::reflect), ShapeError);
  EXPECT_THROW(pad(a, {5, 0}, PadMode::circular), ShapeError);
  EXPECT_THROW(pad(a, {-2, -2}, PadMode::replicate), ShapeError);
  EXPECT_THROW(pad(a, {1}, PadMode::replicate), ShapeError);
  EXPECT_THROW(pad(a, {1, 1, 1, 1, 1, 1}, PadMode::replicate), ShapeError);
  EXPECT_THROW(pad(a, {}, PadMode::replicate), ShapeError);
  EXPECT_THROW(pad(value({0}, {}), {1, 1}, PadMode::replicate), ShapeError);
}

TEST_F(Operators, Interpolated) {
  const Value a = value({1, 1, 3}, {1, 2, 4});
  EXPECT_THROW(interpolate(a, {}), ValueError);
  EXPECT_THROW(interpolate(a, {.size = 5, .scale_factor = {2}}), ValueError);
  EXPECT_THROW(interpolate(a, {.size = 0}), ValueError);
  EXPECT_THROW(interpolate(a, {.size = {2, 2}}), ValueError);
  EXPECT_THROW(interpolate(a, {.scale_factor = {0.1}}), ValueError);
  EXPECT_THROW(interpolate(a, {.scale_factor = {std::numeric_limits<double>::quiet_NaN()}}),
               ValueError);
  EXPECT_THROW(interpolate(a, {.size = 5, .align_corners = true}), ValueError);
  EXPECT_THROW(interpolate(a, {.size = 5, .mode = Interpolation::cubic}), ShapeError);
  EXPECT_THROW(interpolate(value({2, 2}, {1, 2, 3, 4}), {.size = 5}), ShapeError);
  EXPECT_THROW(interpolate(value({1, 1, 2}, {1, 2}, DType::int32), {.size = 5}), DTypeError);
}

TEST_F(Operators, Columns) {
  const Value a = value({1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), columns = unfold(a, 2);
  EXPECT_THROW(unfold(a, 4), ShapeError);
  EXPECT_THROW(unfold(a, 0), ValueError);
  EXPECT_THROW(unfold(a, {1, 1, 1}), ValueError);
  EXPECT_THROW(unfold(a, 1, {.padding = -1}), ValueError);
  EXPECT_THROW(unfold(value({2}, {1, 2}), 1), ShapeError);
  EXPECT_THROW(fold(columns, 4, 2), ShapeError);
  EXPECT_THROW(fold(columns, 3, 3), ShapeError);
  EXPECT_THROW(fold(columns, 0, 2), ValueError);
}

TEST_F(Operators, Sampled) {
  const Value a = value({1, 1, 2, 2}, {1, 2, 3, 5});
  const Value grid = value({1, 1, 4, 2}, {0, 0, -1, -1, 0.5, 1.5, -1.2, 0.3});
  EXPECT_THROW(grid_sample(a, grid, {.mode = Interpolation::nearest_exact}), ValueError);
  EXPECT_THROW(grid_sample(a, value({2, 1, 1, 2}, {0, 0, 0, 0})), ShapeError);
  EXPECT_THROW(grid_sample(a, value({1, 1, 4, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})),
               ShapeError);
  EXPECT_THROW(grid_sample(a, value({1, 1, 1, 2}, {0, 0}, DType::float16)), DTypeError);
}

TEST_F(Operators, Searches) {
  const Value a = value({2, 3}, {3, 9, 9, 4, 1, 2});
  expect(argmax(a), {2}, {1, 0});
  expect(argmax(a, 0, true), {1, 3}, {1, 0, 0});
  const auto [values, indices] = max(a, 0);
  expect(values, {3}, {4, 9, 9});
  expect(indices, {3}, {1, 0, 0});
  const ValuesAndIndices largest = topk(a, 2);
  expect(largest.values, {2, 2}, {9, 9, 4, 2});
  expect(largest.indices, {2, 2}, {1, 2, 0, 2});
  expect(topk(a, 1, 0, false).values, {1, 3}, {3, 1, 2});
}

TEST_F(Operators, ViewsAreReadThroughStrides) {
  const Value a = value({2, 3}, {1, 2, 3, 4, 5, 6});
  const Value t = transpose(a, 0, 1);
  expect(t, {3, 2}, {1, 4, 2, 5, 3, 6});
  expect(t * 10, {3, 2}, {10, 40, 20, 50, 30, 60});
  expect(reshape(t, {2, 3}), {2, 3}, {1, 4, 2, 5, 3, 6});
  expect(copy(t), {3, 2}, {1, 4, 2, 5, 3, 6});
  expect(expand(value({1, 2}, {7, 8}), {2, 2, 2}), {2, 2, 2}, {7, 8, 7, 8, 7, 8, 7, 8});
  expect(reshape(permute(reshape(a, {1, 2, 3}), {2, 0, 1}), {6}), {6}, {1, 4, 2, 5, 3, 6});
}

TEST_F(Operators, Shapes) {
  const Value a = value({2, 3}, {1, 2, 3, 4, 5, 6});
  const Value b = value({2, 1}, {7, 8});
  expect(cat({a, b}, 1), {2, 4}, {1, 2, 3, 7, 4, 5, 6, 8});
  expect(cat({transpose(a, 0, 1), transpose(b, 0, 1)}), {4, 2}, {1, 4, 2, 5, 3, 6, 7, 8});
  expect(cat({value({1}, {1}, DType::int32), value({1}, {0.5})}), {2}, {1, 0.5});
  expect(stack({b, b * 2}, -1), {2, 1, 2}, {7, 14, 8, 16});
  expect(slice(a, 1, -2), {2, 2}, {2, 3, 5, 6});
  expect(slice(a, 1, 0, 3, 2), {2, 2}, {1, 3, 4, 6});
  expect(split(a, 2, 1)[0], {2, 2}, {1, 2, 4, 5});
  expect(split(a, 2, 1)[1], {2, 1}, {3, 6});
  expect(split(a, {1, 2}, -1)[1], {2, 2}, {2, 3, 5, 6});
  expect(pad(b, {1, 0}, 9), {2, 2}, {9, 7, 9, 8});
  expect(pad(a, {-2, 0, 0, 1}), {3, 1}, {3, 6, 0});
  expect(repeat(b, {1, 3}), {2, 3}, {7, 7, 7, 8, 8, 8});
  expect(repeat(value({}, {5}), {2, 1}), {2, 1}, {5, 5});
  expect(tril(a), {2, 3}, {1, 0, 0, 4, 5, 0});
  expect(triu(a, 1), {2, 3}, {0, 2, 3, 0, 0, 6});
}

TEST_F(Operators, Indices) {
  const Value a = value({2, 3}, {1, 2, 3, 4, 5, 6});
  expect(index_select(a, 1, whole({2}, {2, -3})), {2, 2}, {3, 1, 6, 4});
  expect(embedding(a, whole({1, 2}, {1, 1})), {1, 2, 3}, {4, 5, 6, 4, 5, 6});
  expect(embedding_dense_backward(a, whole({2}, {2, 2}), 3), {3, 3}, {0, 0, 0, 0, 0, 0, 5, 7, 9});
  expect(arange(graph_, 0, 1, 0.1), {10}, {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9});
  expect(arange(graph_, 5, -4, -3, DType::int64), {3}, {5, 2, -1});
}

TEST_F(Operators, ElementsPutByTheirNumbers) {
  const Value a = value({2, 3}, {1, 2, 3, 4, 5, 6});
  const Value rows = whole({3}, {1, 0, -1});
  expect(index(a, {whole({0}, {})}), {0, 3}, {});
  expect(sort(value({}, {3})).values, {}, {3});
  EXPECT_THROW(index_add(a, 0, rows, a), ShapeError);
  EXPECT_THROW(index_add(a, 0, whole({2}, {0, 1}), cast(a, DType::float64)), DTypeError);
  EXPECT_THROW(scatter_add(a, 0, whole({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}), a), ShapeError);
  EXPECT_THROW(index(a, {rows, rows, rows}), ShapeError);
  EXPECT_THROW(index(a, {Value()}), ValueError);
  EXPECT_THAT([&] { index(a, {gt(a, 2)}); },
              testing::ThrowsMessage<DTypeError>(testing::HasSubstr("where(mask, x, 0)")));
  EXPECT_THROW(index_put(a, {rows}, value({4}, {1, 2, 3, 4})), ShapeError);
  EXPECT_THROW(masked_select(a, Tensor::from({3}, {0, 1, 1})), ShapeError);
  EXPECT_THROW(repeat_interleave(a, -1), ValueError);
  EXPECT_THROW(repeat_interleave(a, rows, 4, 0), ShapeError);
  EXPECT_THROW(cdist(a, value({1, 2}, {0, 0})), ShapeError);
  EXPECT_THROW(cdist(a, a, -1), ValueError);
}

TEST_F(Operators, RepeatsWithAnotherSumFailTheRun) {
  const Value wrong = repeat_interleave(value({2}, {1, 2}), value({2}, {1, 3}, DType::int64), 3);
  Session session(graph_, {wrong});
  EXPECT_THAT([&] { session.run(); },
              testing::ThrowsMessage<StatusError>(testing::HasSubstr("sum of")));
}

TEST_F(Operators, AnIndexOutOfRangeFailsTheRun) {
  const Value rows = embedding(value({2, 1}, {1, 2}), value({1}, {2}, DType::int64));
  Session session(graph_, {rows});
  EXPECT_THAT([&] { session.run(); },
              testing::ThrowsMessage<StatusError>(testing::HasSubstr("must be in [0, 1]")));
}

TEST_F(Operators, FillsAndCasts) {
  expect(zeros(graph_, {2}), {2}, {0, 0});
  expect(full(graph_, {2}, 1.5), {2}, {1.5, 1.5});
  expect(cast(value({3}, {1.9, -1.9, 3}), DType::int32), {3}, {1, -1, 3});
  const Value a = value({2}, {1, 2});
  EXPECT_TRUE(cast(a, DType::float32) == a);
  EXPECT_TRUE(contiguous(a) == a);
}

TEST_F(Operators, RandomFillsRepeat) {
  const Value n = normal(graph_, {1000}, 3, 2, 42);
  const Value u = uniform(graph_, {1000}, -1, 5, 42);
  Session session(graph_, {n, u});
  const Results first = session.run();
  const Tensor normals = first[n];
  const Tensor uniforms = first[u];
  const Results second = session.run();
  EXPECT_TRUE(bitwise_equal(normals, second[n]));
  EXPECT_TRUE(bitwise_equal(uniforms, second[u]));
  double sum = 0;
  double lowest = 5;
  for (std::int64_t i = 0; i < 1000; ++i) {
    sum += normals.get(i) / 1000;
    lowest = std::min(lowest, uniforms.get(i));
    EXPECT_LT(uniforms.get(i), 5);
  }
  EXPECT_NEAR(sum, 3, 0.3);
  EXPECT_GE(lowest, -1);
  EXPECT_LT(lowest, -0.9);
  EXPECT_THROW(normal(graph_, {2}, 0, -1, 1), ValueError);
  EXPECT_THROW(uniform(graph_, {2}, 1, 0, 1), ValueError);
}

TEST_F(Operators, Activations) {
  const double e = std::exp(-1.0);
  const Value x = value({2}, {-1, 2});
  expect(selu(x), {2}, {1.7580993408473766 * (e - 1), 2 * 1.0507009873554805});
  expect(elu(x, 3, 2, 0.5), {2}, {6 * (std::exp(-0.5) - 1), 4});
  expect(hardswish(x), {2}, {-1.0 / 3, 5.0 / 3});
  auto phi = [](double v) { return 0.5 * (1 + std::erf(v / std::sqrt(2.0))); };
  auto tanh_gelu = [](double v) {
    return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
  };
  expect(Gelu{.approximate = Approximate::tanh}(x), {2}, {tanh_gelu(-1), tanh_gelu(2)});
  expect(gelu(x), {2}, {-phi(-1), 2 * phi(2)});
  expect(gelu(x, Approximate::tanh), {2}, {tanh_gelu(-1), tanh_gelu(2)});
  const Value pair = value({1, 2}, {-1, 2});
  expect(geglu(pair), {1, 1}, {-2 * phi(2)});
  expect(geglu(pair, -1, Approximate::tanh), {1, 1}, {-tanh_gelu(2)});
  expect(geglu(pair, 1, Approximate::none, true), {1, 1}, {-phi(-1) * 2});
  expect(geglu(value({2, 1}, {-1, 2}), 0), {1, 1}, {-2 * phi(2)});
}

TEST_F(Operators, Functions) {
  const Value x = value({2}, {0.25, 4});
  expect(exp(x), {2}, {std::exp(0.25), std::exp(4.0)});
  expect(log(x), {2}, {std::log(0.25), std::log(4.0)});
  expect(sqrt(x), {2}, {0.5, 2});
  expect(rsqrt(x), {2}, {2, 0.5});
  expect(reciprocal(x), {2}, {4, 0.25});
  expect(sin(x), {2}, {std::sin(0.25), std::sin(4.0)});
  expect(cos(x), {2}, {std::cos(0.25), std::cos(4.0)});
  expect(erf(x), {2}, {std::erf(0.25), std::erf(4.0)});
  expect(neg(x), {2}, {-0.25, -4});
  expect(neg(value({2}, {3, -4}, DType::int32)), {2}, {-3, 4});
  const auto logistic = [](double v) { return 1 / (1 + std::exp(-v)); };
  const Value y = value({2}, {-1, 2});
  expect(tanh(y), {2}, {std::tanh(-1.0), std::tanh(2.0)});
  expect(sigmoid(y), {2}, {logistic(-1), logistic(2)});
  expect(relu(y), {2}, {0, 2});
  expect(silu(y), {2}, {-logistic(-1), 2 * logistic(2)});
  expect(softplus(y, 2, 3), {2}, {std::log1p(std::exp(-2.0)) / 2, 2});
}

TEST_F(Operators, Losses) {
  const Value p = value({2}, {1, 4});
  const Value t = value({2}, {0, 2});
  expect(mse_loss(p, t), {}, {2.5});
  expect(mse_loss(p, t, Reduction::sum), {}, {5});
  expect(mse_loss(p, t, Reduction::none), {2}, {1, 4});
  const Value logits = value({2, 2}, {0, 0, std::log(3.0), 0});
  const Value target = value({2}, {1, 0}, DType::int64);
  expect(cross_entropy(logits, target, {.ignore_index = 1}), {}, {-std::log(0.75)});
  expect(cross_entropy(value({2}, {0, 0}), value({}, {1}, DType::int64)), {}, {std::log(2.0)});
}

TEST_F(Operators, LossesOfSequencesAndSeveralClasses) {
  const Value even = log_softmax(value({2, 2, 2}, {1, 1, 2, 2, 3, 3, 4, 4}), -1);
  const double likely = std::log(4.0 / 3), never = std::numeric_limits<double>::infinity();
  const Value rows = whole({2, 2}, {1, 0, 1, 1});
  expect(ctc_loss(even, rows, {2, 2}, {1, 2}, {.reduction = Reduction::none}), {2},
         {likely, never});
  const auto refused = [&](const Value& targets, std::vector<std::int64_t> steps,
                           std::vector<std::int64_t> lengths, std::int64_t blank = 0) {
    return [=] { ctc_loss(even, targets, steps, lengths, {.blank = blank}); };
  };
  EXPECT_THROW(refused(rows, {2}, {1, 1})(), ValueError);
  EXPECT_THROW(refused(rows, {2, 3}, {1, 1})(), ValueError);
  EXPECT_THROW(refused(rows, {2, 2}, {1, -1})(), ValueError);
  EXPECT_THROW(refused(rows, {2, 2}, {1, 1}, 2)(), ValueError);
  EXPECT_THROW(refused(rows, {2, 2}, {1, 3})(), ShapeError);
  EXPECT_THROW(refused(whole({3}, {1, 1, 1}), {2, 2}, {1, 1})(), ShapeError);
  EXPECT_THROW(refused(cast(rows, DType::float32), {2, 2}, {1, 1})(), DTypeError);
  EXPECT_THROW(ctc_loss(value({2}, {1, 2}), rows, {2}, {1}), ShapeError);
  EXPECT_THROW(ctc_loss(value({2, 0}, {}), rows, {2}, {0}), ShapeError);
  const Value x = value({4}, {0.1, 0.2, 0.4, 0.8});
  EXPECT_THROW(multilabel_margin_loss(x, whole({3}, {3, 0, -1})), ShapeError);
  EXPECT_THROW(multilabel_margin_loss(x, x), DTypeError);
  EXPECT_THROW(multilabel_margin_loss(value({1, 1, 1}, {1}), whole({1, 1, 1}, {0})), ShapeError);
}

}  // namespace
}  // namespace aclgrad
