// SPDX-License-Identifier: Apache-2.0
// usage: bench_losses [steps]
// Trains the transformer of W5 and that of W5b, which has activations and products in bfloat16,
// from the same weights on the same text, and prints what loss each reaches. Fails where they
// differ by more than 0.02.
#include <aclgrad/aclgrad.h>
#include <aclgrad/random.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "bench/network.h"
#include "bench/program.h"

namespace aclgrad::bench {
namespace {

constexpr double kTolerance = 0.02;
// One step's loss depends much on its text: this many last ones are averaged.
constexpr std::int64_t kAveraged = 20;

// Characters [rows, context + 1] of which each is followed by one of four others, so that no model
// comes below a loss of log(4) = 1.386 on average.
Tensor text(const Workload& workload, std::int64_t step) {
  const auto characters = static_cast<std::uint64_t>(workload.classes);
  const Random successors(1);
  RandomSequence choices(2, static_cast<std::uint64_t>(step));
  const std::int64_t context = workload.transformer.context;
  Tensor result = Tensor::zeros({workload.batch, context + 1}, DType::int64);
  for (std::int64_t row = 0; row < workload.batch; ++row) {
    std::uint64_t character = choices.below(characters);
    for (std::int64_t place = 0; place <= context; ++place) {
      result.set(row * (context + 1) + place, static_cast<double>(character));
      character = successors.below(4 * character + choices.below(4), characters);
    }
  }
  return result;
}

double train(const Workload& workload, std::int64_t steps) {
  Graph graph;
  const Shape shape(workload.features_shape(workload.batch));
  const Value x = graph.input("x", shape, DType::int64);
  const Value next = graph.input("next", shape, DType::int64);
  std::vector<Value> parameters;
  const Value loss = record_loss(workload, x, next, parameters);
  const Update update = record_update(workload, graph, backward(loss, parameters));
  Session session(graph, {loss, update});
  double sum = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    const Tensor batch = text(workload, step);
    const std::int64_t context = workload.transformer.context;
    const Results results =
        session.run({{x, batch.slice(1, 0, context)}, {next, batch.slice(1, 1, context + 1)}});
    if (step >= steps - kAveraged) sum += results[loss].item();
  }
  return sum / static_cast<double>(kAveraged);
}

int run(int argc, char** argv) {
  const std::int64_t steps = argc > 1 ? std::stoll(argv[1]) : 300;
  if (argc > 2 || steps < kAveraged) {
    throw std::invalid_argument("usage: bench_losses [steps], at least " +
                                std::to_string(kAveraged));
  }
  const double wide = train(workload("W5"), steps);
  const double narrow = train(workload("W5b"), steps);
  std::printf(
      "Loss of the transformer, mean of the last %d of %d steps: float32 %.4f, bfloat16 %.4f, "
      "difference %.4f (at most %.2f)\n",
      static_cast<int>(kAveraged), static_cast<int>(steps), wide, narrow, narrow - wide,
      kTolerance);
  return std::abs(narrow - wide) <= kTolerance ? 0 : 1;
}

}  // namespace
}  // namespace aclgrad::bench

int main(int argc, char** argv) {
  return aclgrad::bench::run_program(aclgrad::bench::run, argc, argv);
}
