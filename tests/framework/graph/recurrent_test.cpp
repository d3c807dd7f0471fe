// SPDX-License-Identifier: Apache-2.0
// lstm(), gru() and their cells as functions. Their numbers are beside PyTorch's in tests/autograd.
#include <gmock/gmock.h>

#include <vector>

#include "tests/framework/graph/operators.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

struct OfRecurrent : Operators {
  Value drawn(const Shape& shape, DType dtype = DType::float32) {
    return graph_.constant(init::normal(shape, next_++, 0.5, dtype));
  }
  // Of every level and direction.
  std::vector<Value> params(std::int64_t gates, std::int64_t in, std::int64_t hidden,
                            const RecurrentFunctionOptions& options = {}) {
    std::vector<Value> made;
    const std::int64_t directions = options.bidirectional ? 2 : 1;
    for (std::int64_t number = 0; number < options.num_layers * directions; ++number) {
      made.push_back(drawn({gates * hidden, number < directions ? in : directions * hidden}));
      made.push_back(drawn({gates * hidden, hidden}));
      for (int k = 0; options.has_biases && k < 2; ++k) made.push_back(drawn({gates * hidden}));
    }
    return made;
  }
  std::uint64_t next_ = 1;
};

TEST_F(OfRecurrent, AllStepsAreOneNode) {
  const Value x = drawn({5, 3, 4}), h = drawn({1, 3, 2}), c = drawn({1, 3, 2});
  const std::vector<Value> p = params(4, 4, 2);
  const auto before = graph_.value_count();
  (void)lstm(x, {h, c}, p);
  EXPECT_EQ(graph_.value_count(), before + 10);  // three results, and seven for the backward
}

TEST_F(OfRecurrent, SayWhatDoesNotFit) {
  const Value x = drawn({5, 3, 4}), h = drawn({1, 3, 2}), c = drawn({1, 3, 2});
  const std::vector<Value> p = params(4, 4, 2);
  const auto with = [&](std::size_t k, const Value& other) {
    std::vector<Value> changed = p;
    changed[k] = other;
    return changed;
  };
  EXPECT_THAT(message_of<ValueError>([&] {
                lstm(x, {h, c}, {p[0], p[1]});
              }),
              HasSubstr("params must be 4 tensors, 4 for each of 1 layers, got 2"));
  EXPECT_THAT(
      message_of<ValueError>([&] {
        lstm(x, {h, c}, p, {.bidirectional = true});
      }),
      HasSubstr("params must be 8 tensors, 4 for each of 1 layers and each of 2 directions"));
  EXPECT_THAT(message_of<ValueError>([&] {
                lstm(x, {h, c}, p, {.num_layers = 0});
              }),
              HasSubstr("num_layers must be at least 1, got 0"));
  EXPECT_THAT(message_of<ShapeError>([&] {
                lstm(x, {h, c}, with(0, drawn({8, 3})));
              }),
              HasSubstr("weight_ih_l0 must be [8, 4], got [8, 3]"));
  EXPECT_THAT(message_of<ShapeError>([&] {
                lstm(x, {h, c}, with(1, drawn({8})));
              }),
              HasSubstr("weight_hh_l0 must be [4 H, H], got [8]"));
  EXPECT_THAT(message_of<ShapeError>([&] {
                lstm(x, {h, c}, with(3, drawn({6})));
              }),
              HasSubstr("bias_hh_l0 must be [8], got [6]"));
  EXPECT_THAT(message_of<ShapeError>([&] {
                lstm(x, {h, drawn({3, 2})}, p);
              }),
              HasSubstr("begins with states of shape [1, 3, 2], got [3, 2]"));
  EXPECT_THAT(message_of<ShapeError>([&] {
                lstm(drawn({5, 4}), {h, c}, p);
              }),
              HasSubstr("runs over sequences [T, N, in]"));
  EXPECT_THAT(message_of<ShapeError>([&] {
                lstm(drawn({0, 3, 4}), {h, c}, p);
              }),
              HasSubstr("of at least one step"));
  EXPECT_THAT(message_of<ShapeError>([&] {
                lstm(x, {h, c}, p, {.lengths = h});
              }),
              HasSubstr("takes the lengths of 3 sequences"));
  EXPECT_THROW(lstm(x, {h, c}, p, {.lengths = drawn({3})}), DTypeError);
  EXPECT_THROW(lstm(x, {h, cast(c, DType::float64)}, p), DTypeError);
  EXPECT_THROW(lstm(x, {h}, p), ValueError);
  EXPECT_THROW(gru(x, h, p), ShapeError);
  const Value row = drawn({3, 4}), state = drawn({3, 2});
  EXPECT_THAT(message_of<ShapeError>([&] {
                lstm_cell(row, {state, state}, p[0], p[0]);
              }),
              HasSubstr("w_hh must be [8, 2], got [8, 4]"));
  EXPECT_THAT(message_of<ValueError>([&] {
                lstm_cell(row, {state, state}, p[0], p[1], p[2]);
              }),
              HasSubstr("takes both biases or neither"));
  EXPECT_THROW(lstm_cell(row, {state, row}, p[0], p[1]), ShapeError);
  EXPECT_THROW(lstm_cell(x, {state, state}, p[0], p[1]), ShapeError);
  EXPECT_THROW(gru_cell(row, state, p[0], p[1]), ShapeError);
}

}  // namespace
}  // namespace aclgrad
