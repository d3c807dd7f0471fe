// SPDX-License-Identifier: Apache-2.0
// Recurrent layers and cells as one node beside nodes for each step, and beside libtorch where it
// is installed, forward and backward, by turns in one run:
//   bench_recurrent [ROUNDS]      (default: 30; --help has the rest)
// Prints medians of milliseconds, on one thread of processor time.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/turns.h"

namespace {

using namespace aclgrad;

struct Case {
  bool is_lstm, is_cell;
  std::int64_t steps, batch, in, hidden;

  std::string operation() const {
    return fmt::format("{}{}", is_lstm ? "Lstm" : "Gru", is_cell ? " cell" : "");
  }
  std::string size() const {
    const std::string from =
        is_cell ? fmt::format("{}x{}", batch, in) : fmt::format("{}x{}x{}", steps, batch, in);
    return fmt::format("{} to {}", from, hidden);
  }
  // x, h, c of an LSTM, two weights and two biases.
  std::vector<Shape> shapes() const {
    const std::int64_t gates = (is_lstm ? 4 : 3) * hidden;
    const Shape state = is_cell ? Shape{batch, hidden} : Shape{1, batch, hidden};
    std::vector<Shape> all = {is_cell ? Shape{batch, in} : Shape{steps, batch, in}, state};
    if (is_lstm) all.push_back(state);
    all.insert(all.end(), {{gates, in}, {gates, hidden}, {gates}, {gates}});
    return all;
  }
};

Value recorded(const Case& of, const std::vector<Value>& x, bool by_steps) {
  const RecurrentFunctionOptions options{.by_steps = by_steps};
  if (of.is_cell) {
    return of.is_lstm ? lstm_cell(x[0], {x[1], x[2]}, x[3], x[4], x[5], x[6]).h
                      : gru_cell(x[0], x[1], x[2], x[3], x[4], x[5]);
  }
  return of.is_lstm ? lstm(x[0], {x[1], x[2]}, {x.begin() + 3, x.end()}, options).output
                    : gru(x[0], x[1], {x.begin() + 2, x.end()}, options).output;
}

bench::Turn of_graph(const Case& of, DType dtype, bool by_steps, bool with_gradients) {
  Graph graph;
  std::vector<Value> x;
  for (const Shape& shape : of.shapes()) {
    x.push_back(graph.parameter(fmt::format("x{}", x.size()),
                                init::uniform(shape, x.size() + 1, -0.1, 0.1).to(dtype)));
  }
  const Value y = recorded(of, x, by_steps);
  std::vector<Fetch> fetches = {y};
  if (with_gradients) {
    const Gradients gradients = backward(reduce_sum(y), x);
    fetches.clear();
    for (const Value& each : x) fetches.emplace_back(gradients[each]);
  }
  const auto session = std::make_shared<Session>(graph, fetches);
  return {by_steps ? "aclgrad, node for each step" : "aclgrad", [session] { session->run(); }};
}

void measure(const Case& of, int more, bench::Turns& turns) {
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    for (const bool gradients : {false, true}) {
      turns.measure(
          {of.operation() + (gradients ? " and backward" : ""), of.size(),
           of.steps * of.batch * of.hidden, dtype},
          more, [&] {
            std::vector<bench::Turn> all = {of_graph(of, dtype, false, gradients)};
            if (!of.is_cell) all.push_back(of_graph(of, dtype, true, gradients));
#ifdef ACLGRAD_HAS_TORCH
            all.push_back({"libtorch",
                           bench::torch_recurrent(of.is_lstm, of.is_cell, of.steps, of.batch, of.in,
                                                  of.hidden, dtype == DType::bfloat16, gradients)});
#endif
            return all;
          });
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  bench::Turns turns(count, arguments,
                     "Recurrent layers beside nodes for each step and libtorch's.");
  for (const bool is_lstm : {true, false}) {
    measure({is_lstm, true, 1, 32, 128, 128}, 20, turns);
    measure({is_lstm, false, 64, 32, 128, 128}, 1, turns);
    measure({is_lstm, false, 100, 64, 2, 64}, 1, turns);
  }
  turns.finish();
}
