// SPDX-License-Identifier: Apache-2.0
// A run that is broken off and taken up again ends with the same bits as one that never stopped.
// The checkpoint holds the weights, the optimizer's state and the place in the order of batches.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <algorithm>
#include <filesystem>

using namespace aclgrad;

namespace {

const std::filesystem::path kPath = "out/checkpoint_resume/checkpoint.safetensors";
constexpr std::int64_t kRows = 16;

data::Dataset make_points() {
  data::Dataset points{init::normal({200, 3}, 1), Tensor::zeros({200}, DType::int64)};
  for (std::int64_t i = 0; i < 200; ++i) {
    const double sum = points.features.get(3 * i) + points.features.get(3 * i + 1);
    points.labels.set(i, sum > points.features.get(3 * i + 2) ? 1 : 0);
  }
  return points;
}

// Trains to step `last` and returns all variables. Goes on from the checkpoint when there is one,
// and leaves one behind.
NamedTensors train(std::int64_t last) {
  const data::Batches batches(make_points(), {.batch_size = kRows, .drop_last = true, .seed = 2});
  const Sequential network(Linear("hidden", 3, 16, {.activation = Activation::selu, .seed = 3}),
                           Selu{}, Linear("output", 16, 2, {.seed = 4}));
  Graph graph;
  const Value x = graph.input("x", {kRows, 3});
  const Value labels = graph.input("labels", {kRows}, DType::int64);
  const Value loss = cross_entropy(network(x), labels);
  AdamW optimizer({.learning_rate = 1e-2});
  Session session(graph, {loss, optimizer.step(graph, backward(loss, network.parameters(graph)))});
  std::vector<Variable> state = network.variables();
  std::ranges::copy(optimizer.state(), std::back_inserter(state));

  std::int64_t step = 0;
  data::Position position;
  if (const std::optional<Checkpoint> checkpoint = load_checkpoint(kPath)) {
    require_same_order(*checkpoint, batches);
    restore(state, *checkpoint);
    step = checkpoint->step;
    position = checkpoint->position;
    fmt::print("goes on after step {}\n", step);
  }
  double value = 0;
  for (; step < last; ++step, position = batches.after(position)) {
    const data::Dataset batch = batches.epoch(position.epoch)[position.batch];
    value = session.run({{x, batch.features}, {labels, batch.labels}})[loss].item();
  }
  fmt::print("step {}: loss {:.6f}\n", step, value);
  save_checkpoint(kPath, {.step = step,
                          .position = position,
                          .data_order = batches.description(),
                          .tensors = values_of(state)});
  return values_of(state);
}

}  // namespace

int main() {
  std::filesystem::remove_all(kPath.parent_path());
  std::filesystem::create_directories(kPath.parent_path());
  const NamedTensors whole = train(100);

  std::filesystem::remove_all(kPath.parent_path());
  std::filesystem::create_directories(kPath.parent_path());
  train(37);  // in the middle of the fourth epoch
  const NamedTensors resumed = train(100);
  bool same = whole.size() == resumed.size();
  for (std::size_t i = 0; same && i < whole.size(); ++i) {
    same = whole[i].first == resumed[i].first && bitwise_equal(whole[i].second, resumed[i].second);
  }
  fmt::print("{} tensors: {}\n", whole.size(), same ? "the same bits." : "different!");
  return same ? 0 : 1;
}
