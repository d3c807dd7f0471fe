// SPDX-License-Identifier: Apache-2.0
// Bags of embeddings and slices held to a norm, through a session: where the bags are, and what is
// refused. Gradients are in tests/autograd.
#include <gmock/gmock.h>

#include <limits>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

class Bags : public testing::Test {
 protected:
  Value value(Shape shape, std::initializer_list<double> numbers, DType dtype = DType::float32) {
    return graph_.constant(Tensor::from(std::move(shape), numbers, dtype));
  }
  Value numbers(Shape shape, std::initializer_list<double> list) {
    return value(std::move(shape), list, DType::int64);
  }

  void expect(const Value& result, const Tensor& wanted) {
    Session session(graph_, {result});
    const Tensor tensor = session.run()[result];
    EXPECT_TRUE(allclose(tensor, wanted, 1e-6, 1e-6)) << tensor << "\nexpected\n" << wanted;
  }

  Graph graph_;
};

TEST_F(Bags, BeginAtTheirOffsetsOrAreRows) {
  const Value weight = value({3, 2}, {1, 2, 3, 4, 5, 6});
  const Value indices = numbers({4}, {0, 2, 1, -2}), offsets = numbers({3}, {0, 3, 3});
  expect(embedding_bag(weight, indices, offsets), Tensor::from({3, 2}, {3, 4, 0, 0, 3, 4}));
  expect(embedding_bag(weight, indices, offsets, {.mode = BagMode::sum}),
         Tensor::from({3, 2}, {9, 12, 0, 0, 3, 4}));
  expect(embedding_bag(weight, indices, offsets, {.mode = BagMode::max, .padding_idx = 2}),
         Tensor::from({3, 2}, {3, 4, 0, 0, 3, 4}));
  const Value shares = value({4}, {1, 2, 3, 4});
  expect(embedding_bag(
             weight, indices, offsets,
             {.mode = BagMode::sum, .per_sample_weights = shares, .include_last_offset = true}),
         Tensor::from({2, 2}, {20, 26, 0, 0}));
  expect(embedding_bag(weight, reshape(indices, {2, 2}), {},
                       {.mode = BagMode::sum, .per_sample_weights = reshape(shares, {2, 2})}),
         Tensor::from({2, 2}, {11, 14, 21, 28}));
}

TEST_F(Bags, ThatCannotBeAreRefused) {
  const Value weight = value({3, 2}, {1, 2, 3, 4, 5, 6});
  const Value indices = numbers({4}, {0, 2, 1, 0}), offsets = numbers({1}, {0});
  EXPECT_THROW(embedding_bag(weight, indices), ShapeError);
  EXPECT_THROW(embedding_bag(weight, reshape(indices, {2, 2}), offsets), ShapeError);
  EXPECT_THROW(embedding_bag(indices, indices, offsets), DTypeError);
  EXPECT_THROW(embedding_bag(weight, value({1}, {0}), offsets), DTypeError);
  EXPECT_THROW(embedding_bag(value({2}, {1, 2}), indices, offsets), ShapeError);
  EXPECT_THROW(embedding_bag(weight, indices, numbers({0}, {}), {.include_last_offset = true}),
               ShapeError);
  EXPECT_THROW(embedding_bag(weight, indices, offsets, {.padding_idx = 3}), ValueError);
  const Value shares = value({4}, {1, 2, 3, 4});
  EXPECT_THROW(embedding_bag(weight, indices, offsets, {.per_sample_weights = shares}), ValueError);
  EXPECT_THROW(embedding_bag(weight, indices, offsets,
                             {.mode = BagMode::sum, .per_sample_weights = value({1}, {1})}),
               ShapeError);
  Session session(graph_, {embedding_bag(weight, indices, numbers({2}, {0, 5}))});
  EXPECT_THAT([&] { session.run(); }, testing::ThrowsMessage<StatusError>(testing::HasSubstr(
                                          "element 1 of offsets is 5, but must be in [0, 4]")));
}

TEST_F(Bags, SlicesAreHeldToANorm) {
  const Value x = value({2, 2}, {3, 4, 0.3, 0.4});
  expect(renorm(x, 2, 0, 1), Tensor::from({2, 2}, {0.6, 0.8, 0.3, 0.4}));
  expect(renorm(x, 1, -1, 1), Tensor::from({2, 2}, {3 / 3.3, 4 / 4.4, 0.3 / 3.3, 0.4 / 4.4}));
  expect(renorm(cast(x, DType::float16), 2, 0, std::numeric_limits<double>::infinity()),
         Tensor::from({2, 2}, {3, 4, 0.3, 0.4}, DType::float16));
  expect(renorm(x, 2, 0, 0), Tensor::zeros({2, 2}));
  EXPECT_THROW(renorm(x, 0, 0, 1), ValueError);
  EXPECT_THROW(renorm(x, 2, 0, -1), ValueError);
  EXPECT_THROW(renorm(x, 2, 2, 1), ShapeError);
  EXPECT_THROW(renorm(value({2}, {1, 2}), 2, 0, 1), ShapeError);
  EXPECT_THROW(renorm(numbers({1, 1}, {1}), 2, 0, 1), DTypeError);
}

}  // namespace
}  // namespace aclgrad
