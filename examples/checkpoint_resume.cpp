// SPDX-License-Identifier: Apache-2.0
// A run that is broken off and taken up again ends with the same bits as one that never stopped.
// The checkpoint holds the weights, the optimizer's state and the place in the order of batches.
// Draws the losses into out/checkpoint_resume/loss.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <algorithm>
#include <filesystem>

using namespace aclgrad;

namespace {

const std::filesystem::path kFolder = "out/checkpoint_resume";
const std::filesystem::path kPath = kFolder / "checkpoint.safetensors";
constexpr std::int64_t kRows = 16;

data::Dataset make_points() {
  data::Dataset points{init::normal({200, 3}, 1), Tensor::zeros({200}, DType::int64)};
  for (std::int64_t i = 0; i < 200; ++i) {
    const double sum = points.features.get(3 * i) + points.features.get(3 * i + 1);
    points.labels.set(i, sum > points.features.get(3 * i + 2) ? 1 : 0);
  }
  return points;
}

// Trains to step `last`, adds the losses to `series`, returns all variables. Goes on from the
// checkpoint when there is one, and leaves one behind.
NamedTensors train(std::int64_t last, report::Series& series) {
  const data::Batches batches(make_points(), {.batch_size = kRows, .drop_last = true, .seed = 2});
  const Sequential network(Linear("hidden", 3, 16, {.init_for = Activation::selu, .seed = 3}),
                           Selu{}, Linear("output", 16, 2, {.seed = 4}));
  Graph graph;
  const Value x = graph.input("x", {kRows, 3});
  const Value labels = graph.input("labels", {kRows}, DType::int64);
  const Value loss = cross_entropy(network(x), labels);
  AdamW optimizer({.learning_rate = 1e-2});
  Session session(graph, {loss, optimizer.step(graph, backward(loss, network.parameters(graph)))});
  std::vector<Variable> state = network.parameters();
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
  for (; step < last; ++step, position = batches.after(position)) {
    const data::Dataset batch = batches.epoch(position.epoch)[position.batch];
    series.x.push_back(static_cast<double>(step));
    series.y.push_back(session.run({{x, batch.features}, {labels, batch.labels}})[loss].item());
  }
  fmt::print("step {}: loss {:.6f}\n", step, series.y.back());
  save_checkpoint(kPath, {.step = step,
                          .position = position,
                          .data_order = batches.description(),
                          .tensors = values_of(state)});
  return values_of(state);
}

void start_anew() {
  std::filesystem::remove_all(kFolder);
  std::filesystem::create_directories(kFolder);
}

}  // namespace

int main() {
  report::LineChart chart{.title = "A run broken off after 37 steps, and taken up again",
                          .x_label = "step",
                          .y_label = "loss"};
  chart.series = {{.name = "never stopped (below)"},
                  {.name = "until it was broken off"},
                  {.name = "taken up again"}};
  start_anew();
  const NamedTensors whole = train(100, chart.series[0]);
  start_anew();
  train(37, chart.series[1]);  // in the middle of the fourth epoch
  const NamedTensors resumed = train(100, chart.series[2]);
  write_file_atomically((kFolder / "loss.svg").string(), chart.svg());
  const bool same = std::ranges::equal(whole, resumed, [](const auto& a, const auto& b) {
    return a.first == b.first && bitwise_equal(a.second, b.second);
  });
  fmt::print("{} tensors: {}\n", whole.size(), same ? "the same bits." : "different!");
  return same ? 0 : 1;
}
