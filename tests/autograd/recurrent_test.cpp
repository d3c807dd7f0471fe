// SPDX-License-Identifier: Apache-2.0
// Gradients of lstm(), gru() and their cells, and gradients of those gradients.
#include <gmock/gmock.h>

#include <aclgrad/format.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tests/autograd/expect_right.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using derivatives::Build;
using derivatives::expect_right;
using derivatives::Values;

constexpr std::int64_t kIn = 3, kUnits = 2;

struct LayerCase {
  RecurrentFunctionOptions options;
  Shape input;
};

std::vector<LayerCase> layer_cases() {
  return {{{}, {3, 2, kIn}},
          {{.has_biases = false, .batch_first = true}, {2, 3, kIn}},
          {{.num_layers = 2, .bidirectional = true}, {2, 2, kIn}}};
}

// The input, h, c of an LSTM, and the params.
std::vector<Shape> shapes_of(const LayerCase& of, std::int64_t gates, bool has_c) {
  const std::int64_t directions = of.options.bidirectional ? 2 : 1;
  const std::int64_t directed_layers = of.options.num_layers * directions;
  std::vector<Shape> shapes = {of.input};
  for (int k = 0; k < (has_c ? 2 : 1); ++k) shapes.push_back({directed_layers, 2, kUnits});
  for (std::int64_t number = 0; number < directed_layers; ++number) {
    shapes.push_back({gates * kUnits, number < directions ? kIn : directions * kUnits});
    shapes.push_back({gates * kUnits, kUnits});
    for (int k = 0; of.options.has_biases && k < 2; ++k) shapes.push_back({gates * kUnits});
  }
  return shapes;
}

// Every element of the results weighted by another number.
Value weighted_sum(const Values& results) {
  Value sum;
  for (const Value& each : results) {
    const Value weights = each.graph().constant(init::normal(each.shape(), 21));
    const Value term = reduce_sum(mul(each, weights));
    sum = sum ? add(sum, term) : term;
  }
  return sum;
}

Build lstm_of(const RecurrentFunctionOptions& options) {
  return [options](const Values& x) {
    const LstmResult of = lstm(x[0], {x[1], x[2]}, Values(x.begin() + 3, x.end()), options);
    return weighted_sum({of.output, of.h_n, of.c_n});
  };
}

Build gru_of(const RecurrentFunctionOptions& options) {
  return [options](const Values& x) {
    const GruResult of = gru(x[0], x[1], Values(x.begin() + 2, x.end()), options);
    return weighted_sum({of.output, of.h_n});
  };
}

TEST(RecurrentGradients, OfLayers) {
  for (const LayerCase& each : layer_cases()) {
    expect_right(shapes_of(each, 4, true), lstm_of(each.options));
    expect_right(shapes_of(each, 3, false), gru_of(each.options));
  }
}

TEST(RecurrentGradients, OfSomeOutputsOnly) {
  const LayerCase one{{}, {3, 2, kIn}};
  const auto of_lstm = [&](const std::function<Value(const LstmResult&)>& part) {
    expect_right(shapes_of(one, 4, true), [&](const Values& x) {
      return weighted_sum({part(lstm(x[0], {x[1], x[2]}, Values(x.begin() + 3, x.end())))});
    });
  };
  of_lstm([](const LstmResult& of) { return of.output; });
  of_lstm([](const LstmResult& of) { return of.h_n; });
  of_lstm([](const LstmResult& of) { return of.c_n; });
  expect_right(shapes_of(one, 3, false), [](const Values& x) {
    return weighted_sum({gru(x[0], x[1], Values(x.begin() + 2, x.end())).h_n});
  });
}

TEST(RecurrentGradients, WithLengths) {
  const LayerCase one{{.bidirectional = true}, {3, 2, kIn}};
  const auto with_lengths = [&](const Values& x) {
    RecurrentFunctionOptions options = one.options;
    options.lengths = x[0].graph().constant(Tensor::from({2}, {3, 1}, DType::int64));
    return options;
  };
  expect_right(shapes_of(one, 4, true),
               [&](const Values& x) { return lstm_of(with_lengths(x))(x); });
  expect_right(shapes_of(one, 3, false),
               [&](const Values& x) { return gru_of(with_lengths(x))(x); });
}

// Results of a layer over sequences that end, and all gradients: of x, the states and the params.
std::vector<Tensor> padded(const LayerCase& of, bool is_lstm, const Tensor& x, DType dtype,
                           const std::vector<double>& lengths) {
  Graph graph;
  const auto batch = static_cast<std::int64_t>(lengths.size());
  std::vector<Shape> shapes = shapes_of(of, is_lstm ? 4 : 3, is_lstm);
  Values given = {graph.parameter("x", x.to(dtype))};
  for (std::size_t k = 1; k < shapes.size(); ++k) {
    Tensor drawn = init::normal({shapes[k][0], batch, kUnits}, k, 0.5);
    if (k > (is_lstm ? 2 : 1)) drawn = init::normal(shapes[k], k, 0.5);
    given.push_back(graph.parameter(fmt::format("p{}", k), drawn.to(dtype)));
  }
  RecurrentFunctionOptions options = of.options;
  options.lengths = graph.constant(Tensor::from({batch}, lengths, DType::int64));
  Values results;
  if (is_lstm) {
    const LstmResult made =
        lstm(given[0], {given[1], given[2]}, Values(given.begin() + 3, given.end()), options);
    results = {made.output, made.h_n, made.c_n};
  } else {
    const GruResult made = gru(given[0], given[1], Values(given.begin() + 2, given.end()), options);
    results = {made.output, made.h_n};
  }
  Value sum;
  for (const Value& result : results) {
    const Value square = reduce_sum(mul(result, result));
    sum = sum ? add(sum, square) : square;
  }
  const Gradients gradients = backward(sum, given);
  for (const Value& each : given) results.push_back(gradients[each]);
  return computed(results);
}

struct Padding {
  LayerCase layer;
  std::int64_t steps;
  std::vector<double> lengths;
};
std::vector<Padding> paddings() {
  return {{{{}, {}}, 1, {1, 0}},
          {{{.bidirectional = true}, {}}, 5, {5, 3, 0, 1}},
          {{{.has_biases = false, .num_layers = 2, .batch_first = true}, {}}, 6, {2, 6, 4}},
          {{{.num_layers = 2, .bidirectional = true}, {}}, 7, {9, 4, 7, 1, 3}}};
}

// x with one number in all steps behind the sequences.
Tensor filled(const Padding& of, double number) {
  const auto batch = static_cast<std::int64_t>(of.lengths.size());
  const bool batch_first = of.layer.options.batch_first;
  Tensor x = init::normal({of.steps, batch, kIn}, 3);
  if (batch_first) x = init::normal({batch, of.steps, kIn}, 3);
  for (std::int64_t n = 0; n < batch; ++n) {
    const auto length = static_cast<std::int64_t>(of.lengths[static_cast<std::size_t>(n)]);
    for (std::int64_t t = length; t < of.steps; ++t) {
      for (std::int64_t i = 0; i < kIn; ++i) {
        x.set(((batch_first ? n * of.steps + t : t * batch + n) * kIn) + i, number);
      }
    }
  }
  return x;
}

TEST(RecurrentGradients, WhatLiesBehindASequenceDoesNotMatter) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (Padding each : paddings()) {
    each.layer.input = filled(each, 0).shape();
    for (const bool is_lstm : {true, false}) {
      for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
        const auto run = [&](double number) {
          return padded(each.layer, is_lstm, filled(each, number), dtype, each.lengths);
        };
        const std::vector<Tensor> right = run(0);
        for (const double number : {std::nan(""), kInfinity, -kInfinity, 6e4, -1.0}) {
          const std::vector<Tensor> got = run(number);
          for (std::size_t k = 0; k < right.size(); ++k) {
            EXPECT_TRUE(bitwise_equal(got[k], right[k]))
                << to_string(dtype) << (is_lstm ? " lstm" : " gru") << " behind sequences "
                << number << ", result or gradient " << k;
          }
        }
      }
    }
  }
}

// One sequence after the other, while the others have no step: results, states and their gradients
// are the same, and gradients of the params add up.
TEST(RecurrentGradients, SequencesThatEndAreAsByThemselves) {
  for (Padding each : paddings()) {
    each.layer.input = filled(each, 0).shape();
    for (const bool is_lstm : {true, false}) {
      const auto run = [&](double number, const std::vector<double>& lengths) {
        return padded(each.layer, is_lstm, filled(each, number), DType::float64, lengths);
      };
      const auto expect_near = [](const Tensor& a, const Tensor& b) {
        for (std::int64_t i = 0; i < a.numel(); ++i) EXPECT_NEAR(a.get(i), b.get(i), 1e-12);
      };
      const std::vector<Tensor> all = run(7, each.lengths);
      const std::size_t results = is_lstm ? 3 : 2, params = 2 * results;
      std::vector<Tensor> sums(all.size());
      for (std::size_t n = 0; n < each.lengths.size(); ++n) {
        std::vector<double> one(each.lengths.size(), 0);
        one[n] = each.lengths[n];
        const std::vector<Tensor> alone = run(-7, one);
        const auto row = static_cast<std::int64_t>(n);
        for (std::size_t k = 0; k < params; ++k) {
          const bool is_sequence = k == 0 || k == results;
          const std::int64_t axis = is_sequence && each.layer.options.batch_first ? 0 : 1;
          expect_near(all[k].slice(axis, row, row + 1), alone[k].slice(axis, row, row + 1));
        }
        for (std::size_t k = params; k < all.size(); ++k) {
          sums[k] = n == 0 ? alone[k] : sums[k] + alone[k];
        }
      }
      for (std::size_t k = params; k < all.size(); ++k) expect_near(all[k], sums[k]);
    }
  }
}

TEST(RecurrentGradients, OfCells) {
  const std::vector<Shape> plain = {{3, kIn}, {3, kUnits}, {3, kUnits}, {8, kIn}, {8, kUnits}};
  std::vector<Shape> biased = plain;
  biased.insert(biased.end(), 2, {8});
  const auto cell = [](const Values& x) {
    const RecurrentState next = x.size() > 5 ? lstm_cell(x[0], {x[1], x[2]}, x[3], x[4], x[5], x[6])
                                             : lstm_cell(x[0], {x[1], x[2]}, x[3], x[4]);
    return weighted_sum({next.h, next.c});
  };
  for (const auto& shapes : {plain, biased}) {
    expect_right(shapes, cell);
  }
  expect_right(plain, [](const Values& x) {
    return reduce_sum(lstm_cell(x[0], {x[1], x[2]}, x[3], x[4]).h);
  });
  expect_right({{3, kIn}, {3, kUnits}, {6, kIn}, {6, kUnits}, {6}, {6}}, [](const Values& x) {
    return weighted_sum({gru_cell(x[0], x[1], x[2], x[3], x[4], x[5])});
  });
}

// What is kept of single steps says what the gradient is; other steps say something else.
TEST(SecondOrder, RecurrentLayersByOtherStepsHaveNone) {
  Graph graph;
  const Value x = graph.input("x", {1, 1, 1}), w = graph.input("w", {3, 1});
  const Values inputs = {x, x, w, w}, outputs(7, x);
  const Value dx = gru_backward(inputs, outputs, {x, x}, {.has_biases = false})[0];
  EXPECT_THAT(message_of<ValueError>([&] { (void)backward(reduce_sum(dx), {x}); }),
              testing::HasSubstr("steps that are not those of its inputs"));
}

TEST(SecondOrder, ALayerWhoseInputDependsOnItsWeights) {
  const LayerCase one{{.has_biases = false}, {2, 2, kIn}};
  expect_right(shapes_of(one, 3, false), [](const Values& x) {
    const Value again = add(x[0], mul(reduce_sum(mul(x[2], x[2])), 0.02));
    return weighted_sum({gru(again, x[1], {x[2], x[3]}, {.has_biases = false}).output});
  });
}

}  // namespace
}  // namespace aclgrad
