// SPDX-License-Identifier: Apache-2.0
// What attention in tiles and what stands beside it refuse, and attention of other ranks. Their
// numbers are beside PyTorch's in tests/autograd.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/framework/graph/operators.h"

namespace aclgrad {
namespace {

TEST_F(Operators, AttentionInTiles) {
  const Value one = value({1, 1, 2, 2}, {1, 0, 0, 1}), v = value({1, 1, 2, 2}, {1, 2, 3, 4});
  const Value mask = graph_.constant(Tensor::from({2, 1}, {0, 1}).to(DType::boolean));
  EXPECT_THROW(scaled_dot_product_attention(value({2, 2}, {1, 2, 3, 4}), one, v), ShapeError);
  EXPECT_THROW(scaled_dot_product_attention(one, one, value({1, 1, 1, 2}, {1, 2})), ShapeError);
  EXPECT_THROW(scaled_dot_product_attention(one, one, v, value({3}, {1, 2, 3})), ShapeError);
  EXPECT_THROW(scaled_dot_product_attention(one, one, v, cast(mask, DType::int64)), DTypeError);
  EXPECT_THROW(scaled_dot_product_attention(one, cast(one, DType::float64), v), DTypeError);
  EXPECT_THROW(scaled_dot_product_attention(one, one, v, {}, {.dropout_p = 0.5}), ValueError);
  EXPECT_THROW(scaled_dot_product_attention(one, one, v, {}, {.dropout_p = 1}), ValueError);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(scaled_dot_product_attention(one, one, v, {}, {.scale = inf}), ValueError);
  // Of scores that are 0 only what is added counts.
  expect(scaled_dot_product_attention(one, one, v, value({2}, {0, 1}), {.scale = 0}), {1, 1, 2, 2},
         {2.462117, 3.462117, 2.462117, 3.462117});
}

// As in PyTorch: what stands before the places is a batch, values may be wider than keys, and a
// mask of the place's own dtype is added.
TEST_F(Operators, AttentionInTilesOfOtherRanks) {
  for (const Shape& shape : {Shape{2, 2}, Shape{1, 2, 2}, Shape{1, 1, 1, 2, 2}}) {
    SCOPED_TRACE(to_string(shape));
    const Value one = value(shape, {1, 0, 0, 1}), v = value(shape, {1, 2, 3, 4});
    expect(scaled_dot_product_attention(one, one, v, {}, {.scale = 0.5}), shape,
           {1.755081, 2.755081, 2.244919, 3.244919});
    const Value diagonal = value({2, 2}, {0, -INFINITY, -INFINITY, 0});
    expect(scaled_dot_product_attention(one, one, v, diagonal), shape, {1, 2, 3, 4});
    const Value seen = graph_.constant(Tensor::from({2}, {0, 1}).to(DType::boolean));
    expect(scaled_dot_product_attention(one, one, v, seen, {.is_causal = true}), shape,
           {0, 0, 3, 4});
  }
  const Value one = value({2, 2}, {1, 0, 0, 1});
  const Value wide = value({2, 3}, {1, 2, 1, 3, 4, 3});
  expect(scaled_dot_product_attention(one, one, wide, {}, {.scale = 0.5}), {2, 3},
         {1.755081, 2.755081, 1.755081, 2.244919, 3.244919, 2.244919});
  EXPECT_THROW(scaled_dot_product_attention(value({2}, {1, 2}), one, one), ShapeError);
  EXPECT_THROW(scaled_dot_product_attention(value({1, 2, 2}, {1, 0, 0, 1}), one, one), ShapeError);
}

TEST_F(Operators, TurnedByPlaces) {
  const Value cos = value({4}, {.8, .6, .8, .6}), sin = value({4}, {.6, .8, .6, .8});
  const Value x = value({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THROW(rotary_position_embedding(x, cos, reshape(sin, {1, 4})), ShapeError);
  EXPECT_THROW(rotary_position_embedding(x, value({1}, {1}), value({1}, {1})), ShapeError);
  EXPECT_THROW(rotary_position_embedding(value({3}, {1, 2, 3}), cos, cos), ShapeError);
  EXPECT_THROW(rotary_position_embedding(reshape(cos, {1, 1, 1, 1, 4}), cos, cos), ShapeError);
  EXPECT_THROW(rotary_position_embedding(x, cast(cos, DType::float64), cos), DTypeError);
}

TEST_F(Operators, NormalizationsThatAreFused) {
  const Value x = value({3}, {1, 2, 3});
  const Value mask = graph_.constant(Tensor::from({3}, {0, 1, 0}).to(DType::boolean));
  EXPECT_THROW(scaled_masked_softmax(x, x), DTypeError);
  EXPECT_THROW(scaled_masked_softmax(x, ge(value({2}, {1, 2}), 0)), ShapeError);
  EXPECT_THROW(scaled_masked_softmax(value({1, 1, 1, 1, 1}, {1}), mask), ShapeError);
  EXPECT_THROW(scaled_masked_softmax(x, mask, NAN), ValueError);

  const Value s = value({4}, {1, 2, 3, 6}), branch = value({4}, {0, 1, 0, -1});
  const Value beta = value({4}, {0, 0, 0, 1}), gamma = value({4}, {1, 1, 2, 1});
  EXPECT_THROW(deep_norm(s, x, beta, gamma), ShapeError);
  EXPECT_THROW(deep_norm(s, branch, beta, x), ShapeError);
  EXPECT_THROW(deep_norm(s, branch, cast(beta, DType::float16), gamma), DTypeError);
  EXPECT_THROW(deep_norm(s, branch, beta, gamma, INFINITY), ValueError);
  EXPECT_THROW(deep_norm(s, branch, beta, gamma, 1, -1), ValueError);
}

}  // namespace
}  // namespace aclgrad
