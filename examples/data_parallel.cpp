// SPDX-License-Identifier: Apache-2.0
// Two ranks train a network as one does, down to the last bit: threads of this process here,
// processes under mpirun elsewhere. Gradients are exchanged while backward makes the others.
#include <aclgrad/aclgrad.h>
#include <aclgrad/distributed.h>
#include <aclgrad/file.h>
#include <aclgrad/format.h>

#include <cstdlib>

using namespace aclgrad;

namespace {

constexpr std::int64_t kBatch = 256;
constexpr std::int64_t kWidth = 256;
constexpr std::int64_t kMicroBatches = 2;  // of all ranks together
constexpr std::int64_t kSteps = 20;

data::Dataset make_points() {
  data::Dataset points{init::normal({1024, kWidth}, 1), Tensor::zeros({1024}, DType::int64)};
  for (std::int64_t i = 0; i < 1024; ++i) {
    const double product = points.features.get(kWidth * i) * points.features.get(kWidth * i + 1);
    points.labels.set(i, product > 0 ? 1 : 0);
  }
  return points;
}

struct Trained {
  std::vector<double> losses;
  NamedTensors weights;
  Profile timeline;  // of one more step
};

Trained train(const Communicator& communicator) {
  const data::ShardedBatches batches(make_points(), {.batch_size = kBatch, .seed = 2}, communicator,
                                     kMicroBatches);
  Sequential network;
  for (std::uint64_t i = 0; i < 6; ++i) {
    network.add(Linear(fmt::format("hidden{}", i), kWidth, kWidth,
                       {.activation = Activation::selu, .seed = i}));
    network.add(Selu{});
  }
  network.add(Linear("output", kWidth, 2, {.seed = 9}));

  Graph graph;
  std::vector<Value> x;
  std::vector<Value> labels;
  for (std::int64_t i = 0; i < batches.parts(); ++i) {
    x.push_back(graph.input(fmt::format("x{}", i), {batches.part_size(), kWidth}));
    labels.push_back(graph.input(fmt::format("labels{}", i), {batches.part_size()}, DType::int64));
  }
  DataParallel parallel(communicator, {.bucket_bytes = kWidth * kWidth * sizeof(float)});
  const auto [loss, gradients] = parallel.average(batches.parts(), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const Value part = cross_entropy(network(x[at]), labels[at]);
    return LossAndGradients{part, backward(part, network.parameters(graph))};
  });
  AdamW optimizer({.learning_rate = 1e-3});
  Session session(graph, {loss, optimizer.step(graph, gradients)});

  Trained trained;
  data::Position position;
  std::vector<data::Dataset> parts;
  std::vector<Feed> feeds;
  for (std::int64_t step = 0; step < kSteps; ++step, position = batches.after(position)) {
    parts = batches.epoch(position.epoch)[position.batch];
    feeds.clear();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      feeds.emplace_back(x[i], parts[i].features);
      feeds.emplace_back(labels[i], parts[i].labels);
    }
    trained.losses.push_back(session.run(feeds)[loss].item());
  }
  trained.weights = values_of(network.variables());
  trained.timeline = session.timeline(feeds);
  return trained;
}

bool same_bits(const NamedTensors& a, const NamedTensors& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!bitwise_equal(a[i].second, b[i].second)) return false;
  }
  return a.size() == b.size();
}

}  // namespace

int main() {
  setenv("ACLGRAD_DEVICE_COUNT", "2", /*replace=*/0);  // a rank of this process is a device
  const Trained alone = train(Communicator());
  Trained together;
  run_ranks(2, [&](const Communicator& communicator) {
    Trained mine = train(communicator);
    if (communicator.is_first()) together = std::move(mine);
  });
  fmt::print("step   one rank   two ranks\n");
  for (std::size_t step = 0; step < alone.losses.size(); step += 4) {
    fmt::print("{:>4}   {:.6f}   {:.6f}\n", step, alone.losses[step], together.losses[step]);
  }
  const bool same = alone.losses == together.losses && same_bits(alone.weights, together.weights);
  fmt::print("{} losses and {} tensors: {}\n", alone.losses.size(), alone.weights.size(),
             same ? "the same bits" : "NOT THE SAME BITS");
  const Profile& timeline = together.timeline;
  fmt::print("exchange took {:.2f} of {:.2f} ms; for {:.0f} % of it operators ran as well\n",
             timeline.beside_us() / 1000, timeline.span_us() / 1000,
             100 * timeline.hidden_us() / timeline.beside_us());
  std::filesystem::create_directories("out/data_parallel");
  write_file_atomically("out/data_parallel/timeline.svg", timeline.svg());
  return same ? 0 : 1;
}
