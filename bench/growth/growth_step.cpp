// SPDX-License-Identifier: Apache-2.0
// usage: growth_step nodes|layers|parameters|batch|length SIZE SECONDS
// One point of a curve: a training step of that size is recorded, differentiated, planned and run,
// on one thread, and a line of JSON says what that took:
//
//   record, backward, plan   seconds
//   step                     seconds: the median of those of about SECONDS, of at least three
//   memory                   bytes: the process's peak beyond what it had before
//   nodes                    that run in a step
#include <aclgrad/aclgrad.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/median.h"
#include "bench/network.h"

namespace {

using namespace aclgrad;

double seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Of this program's own memory: ru_maxrss would count what the process held before it became this
// program.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024 * std::stod(line.substr(6));
  }
  throw std::runtime_error("/proc/self/status has no VmHWM");
}

struct Recorded {
  Value loss;
  std::vector<Value> parameters;
  std::function<Update(Graph&, const Gradients&)> update;
};

template <class Optimizer>
std::function<Update(Graph&, const Gradients&)> updated_by() {
  return
      [](Graph& graph, const Gradients& gradients) { return Optimizer().step(graph, gradients); };
}

// A chain of small layers; of three nodes of the forward there are four in the backward.
Recorded of_nodes(Graph& graph, std::int64_t nodes) {
  const Value x = graph.constant(Tensor::full({4, 4}, 1));
  std::vector<Value> parameters;
  for (int i = 0; i < 16; ++i) {
    parameters.push_back(graph.parameter(fmt::format("w{}", i), Tensor::full({4, 4}, 0.1)));
  }
  Value h = x;
  for (std::size_t i = 0; graph.size() * 7 / 3 < static_cast<std::size_t>(nodes); ++i) {
    h = i % 3 == 0 ? mul(h, parameters[i / 3 % parameters.size()]) : i % 3 == 1 ? h + x : selu(h);
  }
  return {mean(h), parameters, updated_by<Sgd>()};
}

// As many layers, each with a parameter of its own and its optimizer's state.
Recorded of_layers(Graph& graph, std::int64_t layers) {
  Value h = graph.constant(Tensor::full({4, 4}, 1));
  std::vector<Value> parameters;
  for (std::int64_t i = 0; i < layers; ++i) {
    parameters.push_back(graph.parameter(fmt::format("w{}", i), Tensor::full({4, 4}, 0.1)));
    h = selu(h * parameters.back());
  }
  return {mean(h), parameters, updated_by<AdamW>()};
}

// Four square layers, eight examples, AdamW.
Recorded of_parameters(Graph& graph, std::int64_t count) {
  const auto width = static_cast<std::int64_t>(std::sqrt(static_cast<double>(count) / 4));
  Value h = graph.constant(init::normal({8, width}, 1));
  std::vector<Value> parameters;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const double deviation = 1 / std::sqrt(static_cast<double>(width));
    parameters.push_back(
        graph.parameter(fmt::format("w{}", i), init::normal({width, width}, i + 2, deviation)));
    h = selu(matmul(h, parameters.back()));
  }
  return {mean(h * h), parameters, updated_by<AdamW>()};
}

// W2 of bench_train: a perceptron of four layers.
Recorded of_batch(Graph& graph, std::int64_t batch) {
  const bench::Workload& workload = bench::workload("W2");
  const bench::Batch examples = bench::make_batch(workload, batch);
  std::vector<Value> parameters;
  const Value loss = bench::record_loss(workload, graph.constant(examples.features),
                                        graph.constant(examples.wanted), parameters);
  return {loss, parameters, [&workload](Graph& to, const Gradients& gradients) {
            return bench::record_update(workload, to, gradients);
          }};
}

// Attention of one head of 64 columns to all places before.
Recorded of_length(Graph& graph, std::int64_t places) {
  std::vector<Value> x;
  for (const char* name : {"q", "k", "v"}) {
    x.push_back(graph.parameter(name, init::normal({1, 1, places, 64}, x.size() + 1)));
  }
  const Value y = scaled_dot_product_attention(x[0], x[1], x[2], {}, {.is_causal = true});
  return {mean(y * y), x, updated_by<Sgd>()};
}

void measure(const std::string& curve, std::int64_t size, double about) {
  const std::map<std::string, Recorded (*)(Graph&, std::int64_t)> curves = {
      {"nodes", of_nodes},
      {"layers", of_layers},
      {"parameters", of_parameters},
      {"batch", of_batch},
      {"length", of_length}};
  set_num_threads(1);
  const double before = peak_bytes();
  const double begin = seconds();
  Graph graph;
  const Recorded step = curves.at(curve)(graph, size);
  const double recorded = seconds();
  const Gradients gradients = backward(step.loss, step.parameters);
  const Update update = step.update(graph, gradients);
  const double differentiated = seconds();
  Session session(graph, {step.loss, update});
  const double planned = seconds();
  session.run();  // what is allocated or read for the first time
  std::vector<double> times;
  const double first = seconds();
  while (times.size() < 3 || seconds() - first < about) {
    const double run = seconds();
    session.run();
    times.push_back(seconds() - run);
  }
  std::cout << fmt::format(
      "{{\"size\": {}, \"record\": {:.9f}, \"backward\": {:.9f}, \"plan\": {:.9f}, "
      "\"step\": {:.9f}, \"memory\": {:.0f}, \"nodes\": {}}}\n",
      size, recorded - begin, differentiated - recorded, planned - differentiated,
      bench::median(times), peak_bytes() - before, session.schedule().size());
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 4) throw std::invalid_argument("growth_step CURVE SIZE SECONDS");
    measure(arguments[1], std::stoll(arguments[2]), std::stod(arguments[3]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
