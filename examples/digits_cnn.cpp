// SPDX-License-Identifier: Apache-2.0
// A convolutional network for handwritten digits of 8 x 8 pixels, with hardswish, batch
// normalization and dropout; draws its accuracy on digits that it has not seen into
// out/digits_cnn/learning.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <filesystem>

using namespace aclgrad;

namespace {

constexpr std::int64_t kClasses = 10;
constexpr std::int64_t kBatch = 64;
constexpr int kEpochs = 12;

// A line has 64 pixels from 0 to 16, then the digit.
data::Dataset load_digits() {
  data::Dataset digits = data::from_table(data::read_csv(ACLGRAD_EXAMPLE_DATA "/digits.csv"));
  digits.features = data::rescale(digits.features, 1.0 / 16).reshape({digits.size(), 1, 8, 8});
  return digits;
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

  AdamW optimizer({.learning_rate = 1e-2});
  Trainer trainer(
      network, [&](const Value& x, const Value& digit) { return cross_entropy(network(x), digit); },
      optimizer);

  const data::Batches batches(digits.train, {.batch_size = kBatch, .drop_last = true, .seed = 3});
  report::Series learning{.name = "unseen digits"};
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    double sum = 0;
    for (const data::Dataset& batch : batches.epoch(epoch)) {
      sum += trainer.step(batch);
    }
    const double accuracy =
        data::accuracy(data::argmax(predict(network, digits.test.features)), digits.test.labels);
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
