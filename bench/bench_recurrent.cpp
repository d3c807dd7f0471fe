// SPDX-License-Identifier: Apache-2.0
// Recurrent layers and cells as one node beside nodes for each step, and beside libtorch where it
// is installed, forward and backward, by turns in one run, on one thread:
//   bench_recurrent [ROUNDS]      (default: 30)
// Prints medians of milliseconds of processor time.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>
#include <fmt/format.h>
#include <time.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/median.h"
#ifdef ACLGRAD_HAS_TORCH
#include "bench/peers/torch_recurrent.h"
#endif

namespace {

using namespace aclgrad;

// Of processor time, which other programs hardly change.
double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Case {
  bool is_lstm, is_cell;
  std::int64_t steps, batch, in, hidden;

  std::string text() const {
    return is_cell
               ? fmt::format("{}_cell [{}, {}] to {}", is_lstm ? "lstm" : "gru", batch, in, hidden)
               : fmt::format("{} [{}, {}, {}] to {}", is_lstm ? "lstm" : "gru", steps, batch, in,
                             hidden);
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

// What is measured: a function, and its times.
struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> times = {};
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

Contender of_graph(const Case& of, bool by_steps, bool with_gradients) {
  Graph graph;
  std::vector<Value> x;
  for (const Shape& shape : of.shapes()) {
    x.push_back(graph.parameter(fmt::format("x{}", x.size()),
                                init::uniform(shape, x.size() + 1, -0.1, 0.1)));
  }
  const Value y = recorded(of, x, by_steps);
  std::vector<Fetch> fetches = {y};
  if (with_gradients) {
    const Gradients gradients = backward(reduce_sum(y), x);
    fetches.clear();
    for (const Value& each : x) fetches.emplace_back(gradients[each]);
  }
  const auto session = std::make_shared<Session>(graph, fetches);
  const char* name = of.is_cell ? "cell" : by_steps ? "node for each step" : "one node";
  return {name, [session] { session->run(); }};
}

void measure(const Case& of, int rounds) {
  for (const bool with_gradients : {false, true}) {
    std::vector<Contender> all = {of_graph(of, false, with_gradients)};
    if (!of.is_cell) all.push_back(of_graph(of, true, with_gradients));
#ifdef ACLGRAD_HAS_TORCH
    all.push_back({"libtorch", bench::torch_recurrent(of.is_lstm, of.is_cell, of.steps, of.batch,
                                                      of.in, of.hidden, with_gradients)});
#endif
    for (int i = -2; i < rounds; ++i) {
      for (Contender& each : all) {
        const double begin = milliseconds();
        each.run();
        if (i >= 0) each.times.push_back(milliseconds() - begin);
      }
    }
    fmt::print("{} {}:", of.text(), with_gradients ? "forward and backward" : "forward");
    for (const Contender& each : all) {
      fmt::print(" {} {:.3f} ms{}", each.name, bench::median(each.times),
                 &each == &all.back() ? "\n" : ",");
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 30;
  set_num_threads(1);
#ifdef ACLGRAD_HAS_TORCH
  bench::use_one_torch_thread();
#endif
  for (const bool is_lstm : {true, false}) {
    measure({is_lstm, true, 1, 32, 128, 128}, 20 * rounds);
    measure({is_lstm, false, 64, 32, 128, 128}, rounds);
    measure({is_lstm, false, 100, 64, 2, 64}, rounds);
  }
}
