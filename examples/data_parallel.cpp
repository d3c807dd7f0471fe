// SPDX-License-Identifier: Apache-2.0
// Two ranks train a network as one does, down to the last bit: threads of this process here,
// processes under mpirun elsewhere. Gradients are exchanged while backward makes the others:
// out/data_parallel/timeline.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/distributed.h>
#include <aclgrad/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace aclgrad;

namespace {

constexpr std::int64_t kRows = 256;
constexpr std::int64_t kWidth = 256;
constexpr std::int64_t kMicroBatches = 2;  // of all ranks together

struct Trained {
  std::vector<double> losses;
  NamedTensors weights;
  Profile timeline;  // of one more step
};

Trained train(const Communicator& communicator) {
  const data::Dataset points{init::normal({kRows, kWidth}, 1), init::normal({kRows, 1}, 2)};
  const data::ShardedBatches batches(points, {.batch_size = kRows}, communicator, kMicroBatches);
  Sequential network;
  for (std::uint64_t i = 0; i < 6; ++i) {
    network.add(Linear(fmt::format("hidden{}", i), kWidth, kWidth, {.seed = i}));
    network.add(Selu{});
  }
  network.add(Linear("output", kWidth, 1));

  Graph graph;
  std::vector<Value> x, y;  // a rank's parts of a batch
  for (std::int64_t i = 0; i < batches.parts(); ++i) {
    x.push_back(graph.input(fmt::format("x{}", i), {batches.part_size(), kWidth}));
    y.push_back(graph.input(fmt::format("y{}", i), {batches.part_size(), 1}));
  }
  DataParallel parallel(communicator, {.bucket_bytes = kWidth * kWidth * sizeof(float)});
  const auto [loss, gradients] = parallel.average(batches.parts(), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const Value part = mse_loss(network(x[at]), y[at]);
    return LossAndGradients{part, backward(part, network.parameters(graph))};
  });
  AdamW optimizer({.learning_rate = 1e-3});
  Session session(graph, {loss, optimizer.step(graph, gradients)});

  Trained trained;
  std::vector<Feed> feeds;
  std::vector<data::Dataset> parts;
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {  // a batch each
    parts = batches.epoch(epoch)[0];
    feeds.clear();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      feeds.insert(feeds.end(), {{x[i], parts[i].features}, {y[i], parts[i].labels}});
    }
    trained.losses.push_back(session.run(feeds)[loss].item());
  }
  trained.weights = values_of(network.parameters());
  trained.timeline = session.timeline(feeds);
  return trained;
}

}  // namespace

int main() {
  const Trained alone = train(Communicator());
  Trained together;
  run_ranks(2, [&](const Communicator& communicator) {
    Trained mine = train(communicator);
    if (communicator.is_first()) together = std::move(mine);
  });
  for (std::size_t step = 0; step < alone.losses.size(); step += 5) {
    fmt::print("step {:>2}: one rank {:.6f}, two ranks {:.6f}\n", step, alone.losses[step],
               together.losses[step]);
  }
  const bool same = alone.losses == together.losses &&
                    std::ranges::equal(alone.weights, together.weights, [](auto& a, auto& b) {
                      return bitwise_equal(a.second, b.second);
                    });
  fmt::print("{} losses and {} tensors: {}\n", alone.losses.size(), alone.weights.size(),
             same ? "the same bits" : "NOT THE SAME BITS");
  const Profile& timeline = together.timeline;
  fmt::print("exchange took {:.2f} of {:.2f} ms; for {:.0f} % of it operators ran as well\n",
             timeline.async_us() / 1000, timeline.span_us() / 1000,
             100 * timeline.hidden_us() / timeline.async_us());
  std::filesystem::create_directories("out/data_parallel");
  write_file_atomically("out/data_parallel/timeline.svg", timeline.svg());
  return same ? 0 : 1;
}
