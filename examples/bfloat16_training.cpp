// SPDX-License-Identifier: Apache-2.0
// Trains on handwritten digits twice: all in float32, and with bfloat16 activations, and draws both
// losses into out/bfloat16_training/loss.svg. Weights stay float32 in both; layers compute in the
// dtype of what they are given, so two casts are all it takes.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <filesystem>

using namespace aclgrad;

namespace {

constexpr std::int64_t kPixels = 64;
constexpr std::int64_t kBatch = 64;

// Each line of the file: 64 numbers from 0 to 16, then the digit.
data::Split load_digits() {
  data::Dataset digits = data::from_table(data::read_csv(ACLGRAD_EXAMPLE_DATA "/digits.csv"));
  digits.features = data::rescale(digits.features, 1.0 / 16);
  return data::split(digits, 0.8, /*seed=*/1);
}

// The network with activations of `dtype`; what goes in and comes out is float32.
Value classify(const Sequential& network, const Value& x, DType dtype) {
  return cast(network(cast(x, dtype)), DType::float32);
}

report::Series train(const data::Split& digits, DType dtype) {
  const Sequential network(
      Linear("hidden", kPixels, 256, {.init_for = Activation::geglu, .seed = 2}), Geglu{},
      Linear("output", 128, 10, {.seed = 3}));
  Graph graph;
  const Value x = graph.input("x", {kBatch, kPixels});
  const Value labels = graph.input("labels", {kBatch}, DType::int64);
  const Value loss = cross_entropy(classify(network, x, dtype), labels);
  AdamW optimizer({.learning_rate = 3e-3});
  Session session(graph, {loss, optimizer.step(graph, backward(loss, network.parameters(graph)))});
  const data::Batches batches(digits.train, {.batch_size = kBatch, .drop_last = true, .seed = 4});
  report::Series series{.name = fmt::format("{} activations", dtype)};
  for (std::uint64_t epoch = 0; epoch < 15; ++epoch) {
    double sum = 0;
    for (const data::Dataset& batch : batches.epoch(epoch)) {
      sum += session.run({{x, batch.features}, {labels, batch.labels}})[loss].item();
    }
    series.x.push_back(static_cast<double>(epoch + 1));
    series.y.push_back(sum / static_cast<double>(batches.batches_per_epoch()));
  }

  const Tensor scores = predict([&](const Value& image) { return classify(network, image, dtype); },
                                digits.test.features);
  fmt::print("{:<8}  {:.1f} % of {} unseen digits right, a step needs {} KiB\n", dtype,
             100 * data::accuracy(data::argmax(scores), digits.test.labels), digits.test.size(),
             session.device_bytes() / 1024);
  return series;
}

}  // namespace

int main() {
  const data::Split digits = load_digits();
  report::LineChart chart{.title = "Digits: two curves that lie on each other",
                          .x_label = "epoch",
                          .y_label = "mean loss",
                          .series = {train(digits, DType::float32), train(digits, DType::bfloat16)},
                          .log_y = true};
  std::filesystem::create_directories("out/bfloat16_training");
  write_file_atomically("out/bfloat16_training/loss.svg", chart.svg());
}
