// SPDX-License-Identifier: Apache-2.0
// A convolutional network for handwritten digits of 8 x 8 pixels, with hardswish, batch
// normalization and dropout; draws its accuracy on digits that it has not seen into
// out/digits_cnn/learning.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <filesystem>

using namespace aclgrad;

namespace {

constexpr std::int64_t kSide = 8;
constexpr std::int64_t kClasses = 10;
constexpr std::int64_t kBatch = 64;
constexpr int kEpochs = 12;

// A line has 64 pixels from 0 to 16, then the digit.
data::Dataset load_digits() {
  const Tensor table = data::read_csv(ACLGRAD_EXAMPLE_DATA "/digits.csv");
  const std::int64_t rows = table.shape()[0];
  data::Dataset digits{Tensor::zeros({rows, 1, kSide, kSide}), Tensor::zeros({rows}, DType::int64)};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < kSide * kSide; ++i) {
      digits.features.set(row * kSide * kSide + i, table.get(row * (kSide * kSide + 1) + i) / 16);
    }
    digits.labels.set(row, table.get(row * (kSide * kSide + 1) + kSide * kSide));
  }
  return digits;
}

// The graph of an evaluation has no dropout and normalizes by the running statistics.
double accuracy_of(const Sequential& network, const data::Dataset& digits) {
  Graph graph(Mode::evaluation);
  const Value x = graph.input("x", digits.features.shape());
  const Value logits = network(x);
  const Results results = Session(graph, {logits}).run({{x, digits.features}});
  return data::accuracy(data::argmax(results[logits]), digits.labels);
}

}  // namespace

int main() {
  const data::Split digits = data::split(load_digits(), 0.8, /*seed=*/1);
  const Conv2dOptions same{.padding = 1, .bias = false, .init_for = Activation::hardswish};
  const Sequential network(
      Conv2d("conv1", 1, 16, 3, same), BatchNorm2d("norm1", 16), Hardswish{},  //
      Residual(Conv2d("conv2", 16, 16, 3, same), BatchNorm2d("norm2", 16), Hardswish{}),
      MaxPool2d{2},  // 4 x 4
      Conv2d("conv3", 16, 32, 3, same), BatchNorm2d("norm3", 32), Hardswish{}, GlobalAvgPool2d{},
      Dropout("drop", 0.1, 7), Linear("digit", 32, kClasses));

  Graph graph;
  const Value x = graph.input("x", {kBatch, 1, kSide, kSide});
  const Value digit = graph.input("digit", {kBatch}, DType::int64);
  const Value loss = cross_entropy(network(x), digit);
  AdamW optimizer({.learning_rate = 1e-2});
  Session training(graph, {loss, optimizer.step(graph, backward(loss, network.parameters(graph)))});

  const data::Batches batches(digits.train, {.batch_size = kBatch, .drop_last = true, .seed = 3});
  report::Series learning{.name = "unseen digits", .y = {}};
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    double sum = 0;
    for (const data::Dataset& batch : batches.epoch(epoch)) {
      sum += training.run({{x, batch.features}, {digit, batch.labels}})[loss].item();
    }
    const double accuracy = accuracy_of(network, digits.test);
    learning.x.push_back(static_cast<double>(epoch + 1));
    learning.y.push_back(100 * accuracy);
    fmt::print("epoch {:>2}  loss {:.4f}  {:.1f} % of {} unseen digits right\n", epoch + 1,
               sum / static_cast<double>(batches.batches_per_epoch()), 100 * accuracy,
               digits.test.labels.numel());
  }
  report::LineChart chart{.title = "A small convolutional network learns digits",
                          .x_label = "epoch",
                          .y_label = "% right"};
  chart.series = {learning};
  std::filesystem::create_directories("out/digits_cnn");
  write_file_atomically("out/digits_cnn/learning.svg", chart.svg());
  fmt::print("out/digits_cnn/learning.svg\n");
  return learning.y.back() > 97 ? 0 : 1;
}
