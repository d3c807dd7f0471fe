// SPDX-License-Identifier: Apache-2.0
// Recurrent layers, cells and functions beside PyTorch's.
#include <gmock/gmock.h>

#include "tests/autograd/pytorch/numbers.h"

namespace aclgrad::pytorch {
namespace {

// Two levels, sequences of 4 and 2 steps, from a state: outputs and the last states.
TEST(LayersBesidePyTorch, RecurrentOnes) {
  const auto lengths = [](const Value& x) {
    return x.graph().constant(Tensor::from({2}, {4, 2}, DType::int64));
  };
  for (const bool both : {false, true}) {
    const RecurrentOptions options{.num_layers = 2, .bidirectional = both};
    const std::string of = both ? " both" : "";
    const Gru gru("layer", 2, 3, options);
    expect_as_in_pytorch(
        "gru" + of,
        [&](const Values& x) -> Values {
          const RecurrentResult result =
              gru.run(x[0], {.lengths = lengths(x[0]), .state = {.h = x[1]}});
          return {result.outputs, result.state.h};
        },
        gru);
    const Lstm lstm("layer", 2, 3, options);
    expect_as_in_pytorch(
        "lstm" + of,
        [&](const Values& x) -> Values {
          const RecurrentResult result =
              lstm.run(x[0], {.lengths = lengths(x[0]), .state = {.h = x[1], .c = x[2]}});
          return {result.outputs, result.state.h, result.state.c};
        },
        lstm);
  }
  const GruCell gru("layer", 2, 3);
  expect_as_in_pytorch(
      "gru cell", [&](const Values& x) -> Values { return {gru(x[0], x[1])}; }, gru);
  const LstmCell lstm("layer", 2, 3);
  expect_as_in_pytorch(
      "lstm cell",
      [&](const Values& x) -> Values {
        const RecurrentState next = lstm(x[0], {.h = x[1], .c = x[2]});
        return {next.h, next.c};
      },
      lstm);
}

// Of the options' names behind "lstm function"; with them the functions are one node.
TEST(LayersBesidePyTorch, RecurrentFunctions) {
  const std::vector<std::pair<std::string, RecurrentFunctionOptions>> cases = {
      {"", {}},
      {" two levels", {.has_biases = false, .num_layers = 2, .batch_first = true}},
      {" both ways", {.bidirectional = true}}};
  for (const auto& [name, options] : cases) {
    for (const bool by_steps : {false, true}) {
      RecurrentFunctionOptions of = options;
      of.by_steps = by_steps;
      expect_as_in_pytorch("lstm function" + name, [&](const Values& x) -> Values {
        const auto [output, h_n, c_n] =
            lstm(x[0], {x[1], x[2]}, Values(x.begin() + 3, x.end()), of);
        return {output, h_n, c_n};
      });
      expect_as_in_pytorch("gru function" + name, [&](const Values& x) -> Values {
        const auto [output, h_n] = gru(x[0], x[1], Values(x.begin() + 2, x.end()), of);
        return {output, h_n};
      });
    }
  }
  expect_as_in_pytorch("lstm_cell", [](const Values& x) -> Values {
    const RecurrentState next = lstm_cell(x[0], {x[1], x[2]}, x[3], x[4], x[5], x[6]);
    return {next.h, next.c};
  });
  expect_as_in_pytorch("lstm_cell without biases", [](const Values& x) -> Values {
    const RecurrentState next = lstm_cell(x[0], {x[1], x[2]}, x[3], x[4]);
    return {next.h, next.c};
  });
  expect_as_in_pytorch("gru_cell", [](const Values& x) -> Values {
    return {gru_cell(x[0], x[1], x[2], x[3], x[4], x[5])};
  });
  expect_as_in_pytorch("gru_cell without biases", [](const Values& x) -> Values {
    return {gru_cell(x[0], x[1], x[2], x[3])};
  });
}

TEST(RecurrentLayers, SayWhatDoesNotFit) {
  const Gru gru("gru", 2, 3);
  Graph graph;
  const Value x = graph.input("x", {4, 5, 2});
  const Value state = graph.input("state", {1, 4, 3});
  const Value counts = graph.input("counts", {3}, DType::int64);
  const Value fractions = graph.input("fractions", {4});
  EXPECT_THROW(gru(graph.input("wide", {4, 5, 3})), ShapeError);
  EXPECT_THROW(gru(graph.input("flat", {4, 2})), ShapeError);
  EXPECT_THROW(gru.run(x, {.lengths = counts}), ShapeError);
  EXPECT_THROW(gru.run(x, {.lengths = fractions}), DTypeError);
  EXPECT_THROW(gru.run(x, {.state = {.h = x}}), ShapeError);
  EXPECT_THROW(gru.run(x, {.state = {.h = state, .c = state}}), ValueError);
  EXPECT_THROW(Lstm("lstm", 2, 3, {.num_layers = 0}), ShapeError);
  EXPECT_THROW(LstmCell("lstm", 0, 3), ShapeError);
}

}  // namespace
}  // namespace aclgrad::pytorch
