// SPDX-License-Identifier: Apache-2.0
// lstm(), gru() and their cells as functions.
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
  void expect_same(const std::vector<Value>& a, const std::vector<Value>& b) {
    std::vector<Value> all = a;
    all.insert(all.end(), b.begin(), b.end());
    Session session(graph_, std::vector<Fetch>(all.begin(), all.end()));
    const Results results = session.run();
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_TRUE(allclose(results[a[k]], results[b[k]], 1e-5, 1e-6))
          << results[a[k]] << "\nexpected\n"
          << results[b[k]];
    }
  }

  std::uint64_t next_ = 1;
};

// One sequence of one number, one unit: weights 1 and 0 leave the input's gates alone.
TEST_F(OfRecurrent, NumbersByHand) {
  const Value x = value({1, 1, 1}, {0.5}), w = value({4, 1}, {1, 2, 3, 4}),
              none = value({4, 1}, {0, 0, 0, 0}), bias = value({4}, {0, 0, 0, 1}),
              zero = value({4}, {0, 0, 0, 0});
  const Value h = value({1, 1, 1}, {0.25}), c = value({1, 1, 1}, {2});
  // i = s(0.5), f = s(1), g = tanh(1.5), o = s(3): c' = 2 f + i g, h' = o tanh(c')
  const auto [output, h_n, c_n] = lstm(x, {h, c}, {w, none, bias, zero});
  expect(c_n, {1, 1, 1}, {2.0255351});
  expect(h_n, {1, 1, 1}, {0.9199846});
  expect(output, {1, 1, 1}, {0.9199846});
  // r is of no effect: z = s(1), n = tanh(1.5), h' = (1 - z) n + z h
  const Value three = value({3, 1}, {1, 2, 3}), none3 = value({3, 1}, {0, 0, 0}),
              zero3 = value({3}, {0, 0, 0});
  expect(gru(x, h, {three, none3, zero3, zero3}).h_n, {1, 1, 1}, {0.4261965});
  const RecurrentState next = lstm_cell(
      value({1, 1}, {0.5}), {reshape(h, {1, 1}), reshape(c, {1, 1})}, w, none, bias, zero);
  expect(next.c, {1, 1}, {2.0255351});
  expect(next.h, {1, 1}, {0.9199846});
  expect(gru_cell(value({1, 1}, {0.5}), reshape(h, {1, 1}), three, none3), {1, 1}, {0.4261965});
}

TEST_F(OfRecurrent, OneNodeIsItsSteps) {
  for (const RecurrentFunctionOptions& options : {RecurrentFunctionOptions{},
                                                  {.has_biases = false, .num_layers = 2},
                                                  {.num_layers = 2, .bidirectional = true},
                                                  {.bidirectional = true, .batch_first = true}}) {
    const std::int64_t directed_layers = options.num_layers * (options.bidirectional ? 2 : 1);
    const Value x = drawn(options.batch_first ? Shape{3, 5, 4} : Shape{5, 3, 4});
    const Value h = drawn({directed_layers, 3, 2}), c = drawn({directed_layers, 3, 2});
    RecurrentFunctionOptions steps = options;
    steps.by_steps = true;
    const std::vector<Value> of_lstm = params(4, 4, 2, options), of_gru = params(3, 4, 2, options);
    const LstmResult one = lstm(x, {h, c}, of_lstm, options),
                     many = lstm(x, {h, c}, of_lstm, steps);
    expect_same({one.output, one.h_n, one.c_n}, {many.output, many.h_n, many.c_n});
    const GruResult a = gru(x, h, of_gru, options), b = gru(x, h, of_gru, steps);
    expect_same({a.output, a.h_n}, {b.output, b.h_n});
  }
}

TEST_F(OfRecurrent, AllStepsAreOneNode) {
  const Value x = drawn({5, 3, 4}), h = drawn({1, 3, 2}), c = drawn({1, 3, 2});
  const std::vector<Value> p = params(4, 4, 2);
  const auto before = graph_.value_count();
  (void)lstm(x, {h, c}, p);
  EXPECT_EQ(graph_.value_count(), before + 10);  // three results, and seven for the backward
}

// Those of a cell in turn, with sequences that end.
TEST_F(OfRecurrent, LengthsEndSequences) {
  const std::vector<Value> p = params(4, 4, 2);
  const Value x = drawn({2, 2, 4}), h = drawn({1, 2, 2}), c = drawn({1, 2, 2});
  const Value lengths = value({2}, {2, 1}, DType::int32);
  const LstmResult of = lstm(x, {h, c}, p, {.lengths = lengths});
  const LstmResult all = lstm(x, {h, c}, p), one = lstm(slice(x, 0, 0, 1), {h, c}, p);
  const auto row = [](const Value& v, std::int64_t n) { return slice(v, 1, n, n + 1); };
  expect_same({row(of.h_n, 0), row(of.h_n, 1), row(of.c_n, 1), row(of.output, 0)},
              {row(all.h_n, 0), row(one.h_n, 1), row(one.c_n, 1), row(all.output, 0)});
  expect(slice(row(of.output, 1), 0, 1, 2), {1, 1, 2}, {0, 0});
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
