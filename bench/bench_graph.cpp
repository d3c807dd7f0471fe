// SPDX-License-Identifier: Apache-2.0
// How long it takes to record, differentiate and plan a large graph, and how much memory it needs:
//   bench_graph [NODES [NODES]...]      (default: 100,000 and 1,000,000 nodes that run)
// The graph is a chain of layers over small tensors with the update of every parameter. A million
// nodes are to take less than 10 s and 4 GB, and so on in proportion.
#include <aclgrad/aclgrad.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <vector>

namespace {

using namespace aclgrad;

double seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

rusage usage() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used;
}

double processor_seconds() {
  const rusage used = usage();
  const auto in_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
}

double resident_gib() { return static_cast<double>(usage().ru_maxrss) / (1024.0 * 1024.0); }

void measure(std::size_t nodes) {
  const double start = seconds();
  const double processor_start = processor_seconds();
  Graph graph;
  const Value x = graph.input("x", {4, 4});
  std::vector<Value> parameters;
  for (int i = 0; i < 16; ++i) {
    parameters.push_back(graph.parameter(fmt::format("w{}", i), Tensor::full({4, 4}, 0.1)));
  }
  Value h = x;
  // For three forward nodes there are four in the backward pass.
  for (std::size_t i = 0; graph.size() * 7 / 3 < nodes; ++i) {
    h = i % 3 == 0 ? mul(h, parameters[i / 3 % parameters.size()]) : i % 3 == 1 ? h + x : selu(h);
  }
  const Value loss = mean(h);
  const double recorded = seconds();
  const Gradients gradients = backward(loss, parameters);
  Sgd optimizer;
  const Update update = optimizer.step(graph, gradients);
  const double differentiated = seconds();
  Session session(graph, {loss, update});
  const double planned = seconds();
  const double processor = processor_seconds() - processor_start;
  session.run({{x, Tensor::full({4, 4}, 1)}});
  const double run = seconds();
  const double millions = 1e-6 * static_cast<double>(session.schedule().size());
  const double gib = resident_gib();
  const bool holds =
      planned - start < 10 * millions && gib * (1024.0 * 1024 * 1024) < 4e9 * millions;
  fmt::print(
      "{:>9} nodes, {:>9} run: record {:.2f} s, backward {:.2f} s, plan {:.2f} s: {:.2f} s "
      "({:.2f} s of processor time); first run {:.3f} s; {:.2f} GiB; arena {} B, lower bound {} "
      "B; 10 s and 4 GB for a million: {}\n",
      graph.size(), session.schedule().size(), recorded - start, differentiated - recorded,
      planned - differentiated, planned - start, processor, run - planned, gib,
      session.memory_report().arena_bytes, session.memory_report().lower_bound,
      holds ? "hold" : "do not hold");
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < count; ++i) sizes.push_back(std::strtoull(arguments[i], nullptr, 10));
  if (sizes.empty()) sizes = {100'000, 1'000'000};
  std::sort(sizes.begin(), sizes.end());  // each is compared with the process's peak so far
  for (const std::size_t nodes : sizes) measure(nodes);
  return 0;
}
