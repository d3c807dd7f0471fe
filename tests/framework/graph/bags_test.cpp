// SPDX-License-Identifier: Apache-2.0
// What bags of embeddings and slices held to a norm refuse. Their numbers are beside PyTorch's in
// tests/autograd.
#include <gmock/gmock.h>

#include <limits>

#include "tests/framework/graph/operators.h"

namespace aclgrad {
namespace {

TEST_F(Operators, BagsThatCannotBeAreRefused) {
  const Value weight = value({3, 2}, {1, 2, 3, 4, 5, 6});
  const Value indices = whole({4}, {0, 2, 1, 0}), offsets = whole({1}, {0});
  EXPECT_THROW(embedding_bag(weight, indices), ShapeError);
  EXPECT_THROW(embedding_bag(weight, reshape(indices, {2, 2}), offsets), ShapeError);
  EXPECT_THROW(embedding_bag(indices, indices, offsets), DTypeError);
  EXPECT_THROW(embedding_bag(weight, value({1}, {0}), offsets), DTypeError);
  EXPECT_THROW(embedding_bag(value({2}, {1, 2}), indices, offsets), ShapeError);
  EXPECT_THROW(embedding_bag(weight, indices, whole({0}, {}), {.include_last_offset = true}),
               ShapeError);
  EXPECT_THROW(embedding_bag(weight, indices, offsets, {.padding_idx = 3}), ValueError);
  const Value shares = value({4}, {1, 2, 3, 4});
  EXPECT_THROW(embedding_bag(weight, indices, offsets, {.per_sample_weights = shares}), ValueError);
  EXPECT_THROW(embedding_bag(weight, indices, offsets,
                             {.mode = BagMode::sum, .per_sample_weights = value({1}, {1})}),
               ShapeError);
  Session session(graph_, {embedding_bag(weight, indices, whole({2}, {0, 5}))});
  EXPECT_THAT([&] { session.run(); }, testing::ThrowsMessage<StatusError>(testing::HasSubstr(
                                          "element 1 of offsets is 5, but must be in [0, 4]")));
}

TEST_F(Operators, SlicesAreHeldToANorm) {
  const Value x = value({2, 2}, {3, 4, 0.3, 0.4});
  expect(renorm(x, 2, 0, std::numeric_limits<double>::infinity()), {2, 2}, {3, 4, 0.3, 0.4});
  expect(renorm(x, 2, 0, 0), {2, 2}, {0, 0, 0, 0});
  EXPECT_THROW(renorm(x, 0, 0, 1), ValueError);
  EXPECT_THROW(renorm(x, 2, 0, -1), ValueError);
  EXPECT_THROW(renorm(x, 2, 2, 1), ShapeError);
  EXPECT_THROW(renorm(value({2}, {1, 2}), 2, 0, 1), ShapeError);
  EXPECT_THROW(renorm(value({1, 1}, {1}, DType::int64), 2, 0, 1), DTypeError);
}

}  // namespace
}  // namespace aclgrad
