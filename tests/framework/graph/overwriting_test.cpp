// SPDX-License-Identifier: Apache-2.0
// Elements and slices put in places by their numbers: dtypes, extents and what is refused. Numbers
// beside PyTorch's and gradients are in tests/autograd.
#include "tests/framework/graph/operators.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

class Overwriting : public Operators {
 protected:
  Value mask(Shape shape, std::initializer_list<double> list) {
    return value(std::move(shape), list, DType::boolean);
  }
  Value x() { return value({2, 3}, {1, 2, 3, 4, 5, 6}); }
};

TEST_F(Overwriting, AMaskNeedsASourceForEachPlace) {
  const Value source = value({2, 2}, {10, 20, 30, 40});
  expect(masked_scatter(x(), lt(x(), 0), value({0}, {})), {2, 3}, {1, 2, 3, 4, 5, 6});
  Session short_of_one(graph_, {masked_scatter(x(), mask({2, 3}, {1, 1, 1, 1, 1, 0}), source)});
  EXPECT_THAT(message_of<StatusError>([&] { short_of_one.run(); }),
              testing::HasSubstr("is 5, but must be in [-5, 4]"));
}

TEST_F(Overwriting, NumbersMayBeInt32AndMasksUint8) {
  const Value last = value({2}, {-1, 2}, DType::int32);
  expect(index_copy(x(), 1, last, value({2, 2}, {10, 20, 30, 40})), {2, 3}, {1, 2, 20, 4, 5, 40});
  expect(scatter(x(), 1, reshape(last, {2, 1}), 9), {2, 3}, {1, 2, 9, 4, 5, 9});
  expect(index_put(x(), {Value(), last}, value({2}, {10, 20})), {2, 3}, {1, 2, 20, 4, 5, 20});
  const Value large = value({2, 1}, {255, 0}, DType::uint8);
  expect(masked_scatter(x(), large, value({3}, {7, 8, 9})), {2, 3}, {7, 8, 9, 4, 5, 6});
}

TEST_F(Overwriting, WithoutDimensionsOrElements) {
  const Value one = value({}, {1});
  expect(masked_scatter(one, mask({}, {1}), value({2}, {5, 6})), {}, {5});
  expect(index_put(x(), {whole({}, {1}), whole({}, {-3})}, value({}, {7})), {2, 3},
         {1, 2, 3, 7, 5, 6});
  const Value none = whole({0}, {});
  expect(index_copy(x(), 1, none, value({2, 0}, {})), {2, 3}, {1, 2, 3, 4, 5, 6});
  expect(scatter(x(), 0, whole({0, 3}, {}), value({0, 3}, {})), {2, 3}, {1, 2, 3, 4, 5, 6});
  expect(index_put(x(), {none, whole({1}, {1})}, value({1}, {7})), {2, 3}, {1, 2, 3, 4, 5, 6});
  expect(masked_scatter(value({0, 3}, {}), mask({3}, {1, 1, 1}), one), {0, 3}, {});
}

TEST_F(Overwriting, WhatDoesNotFitIsRefused) {
  const Value index = whole({2}, {0, 1}), a = x();
  const Value source = value({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(message_of<ShapeError>([&] { index_copy(a, 1, index, source); }),
              testing::HasSubstr("value 2 must have shape [2, 2], got [2, 3]"));
  EXPECT_THROW(index_copy(a, 2, index, source), ShapeError);
  EXPECT_THROW(index_copy(value({}, {1}), 0, index, source), ShapeError);
  EXPECT_THROW(index_copy(a, 0, a, source), DTypeError);
  EXPECT_THROW(index_copy(a, 0, index, cast(source, DType::float64)), DTypeError);
  EXPECT_THAT(message_of<DTypeError>([&] { index_fill(a, 0, a, 1); }),
              testing::HasSubstr("`index_fill`"));
  EXPECT_THAT(message_of<ShapeError>([&] {
                index_fill(a, 0, whole({1, 1}, {0}), 1);
              }),
              testing::HasSubstr("an index of one dimension, got [2, 3] and [1, 1]"));
  EXPECT_THROW(index_fill(a, 0, index, 1e300), ValueError);
  EXPECT_THROW(scatter(a, 0, index, source), ShapeError);
  EXPECT_THROW(scatter(a, 0, whole({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}), source), ShapeError);
  EXPECT_THROW(scatter(a, 0, whole({1, 1}, {0}), cast(source, DType::float64)), DTypeError);
  EXPECT_THROW(scatter(index, 0, index, 0.5), ValueError);
  EXPECT_THROW(masked_scatter(a, source, source), DTypeError);
  EXPECT_THROW(masked_scatter(a, mask({2}, {0, 1}), source), ShapeError);
  EXPECT_THROW(masked_scatter(a, mask({1, 2, 3}, {0, 1, 0, 0, 0, 0}), source), ShapeError);
  EXPECT_THROW(masked_scatter(a, mask({3}, {0, 1, 0}), index), DTypeError);
}

}  // namespace
}  // namespace aclgrad
