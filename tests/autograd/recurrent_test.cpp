// SPDX-License-Identifier: Apache-2.0
// Gradients of lstm(), gru() and their cells, and gradients of those.
#include <gmock/gmock.h>

#include "tests/autograd/expect_right.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using derivatives::Build;
using derivatives::expect_right;
using derivatives::expect_right_twice;
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
  const std::int64_t sweeps = of.options.num_layers * directions;
  std::vector<Shape> shapes = {of.input};
  for (int k = 0; k < (has_c ? 2 : 1); ++k) shapes.push_back({sweeps, 2, kUnits});
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    shapes.push_back({gates * kUnits, sweep < directions ? kIn : directions * kUnits});
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
    expect_right_twice(shapes, cell);
  }
  expect_right(plain, [](const Values& x) {
    return reduce_sum(lstm_cell(x[0], {x[1], x[2]}, x[3], x[4]).h);
  });
  expect_right_twice({{3, kIn}, {3, kUnits}, {6, kIn}, {6, kUnits}, {6}, {6}}, [](const Values& x) {
    return weighted_sum({gru_cell(x[0], x[1], x[2], x[3], x[4], x[5])});
  });
}

TEST(SecondOrder, RecurrentLayers) {
  for (const LayerCase& each : layer_cases()) {
    expect_right_twice(shapes_of(each, 4, true), lstm_of(each.options));
    expect_right_twice(shapes_of(each, 3, false), gru_of(each.options));
  }
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
  expect_right_twice(shapes_of(one, 3, false), [](const Values& x) {
    const Value again = add(x[0], mul(reduce_sum(mul(x[2], x[2])), 0.02));
    return weighted_sum({gru(again, x[1], {x[2], x[3]}, {.has_biases = false}).output});
  });
}

}  // namespace
}  // namespace aclgrad
