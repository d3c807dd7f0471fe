// SPDX-License-Identifier: Apache-2.0
// Trains on handwritten digits twice: all in float32, and with bfloat16 activations. Weights stay
// float32 in both; layers compute in the dtype of what they are given, so two casts are all it
// takes.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <algorithm>

using namespace aclgrad;

namespace {

constexpr std::int64_t kPixels = 64;
constexpr std::int64_t kBatch = 64;

// Each line of the file: 64 numbers from 0 to 16, then the digit.
data::Split load_digits() {
  const Tensor table = data::read_csv(ACLGRAD_EXAMPLE_DATA "/digits.csv");
  const std::int64_t rows = table.shape()[0];
  data::Dataset digits{Tensor::zeros({rows, kPixels}), Tensor::zeros({rows}, DType::int64)};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < kPixels; ++i) {
      digits.features.set(row * kPixels + i, table.at({row, i}) / 16);
    }
    digits.labels.set(row, table.at({row, kPixels}));
  }
  return data::split(digits, 0.8, /*seed=*/1);
}

// The network with activations of `dtype`; what goes in and comes out is float32.
Value classify(const Sequential& network, const Value& x, DType dtype) {
  return cast(network(cast(x, dtype)), DType::float32);
}

void train(const data::Split& digits, DType dtype) {
  const Sequential network(
      Linear("hidden", kPixels, 256, {.activation = Activation::geglu, .seed = 2}), Geglu{},
      Linear("output", 128, 10, {.seed = 3}));
  Graph graph;
  const Value x = graph.input("x", {kBatch, kPixels});
  const Value labels = graph.input("labels", {kBatch}, DType::int64);
  const Value loss = cross_entropy(classify(network, x, dtype), labels);
  AdamW optimizer({.learning_rate = 3e-3});
  Session session(graph, {loss, optimizer.step(graph, backward(loss, network.parameters(graph)))});
  const data::Batches batches(digits.train, {.batch_size = kBatch, .drop_last = true, .seed = 4});
  for (std::uint64_t epoch = 0; epoch < 15; ++epoch) {
    for (const data::Dataset& batch : batches.epoch(epoch)) {
      session.run({{x, batch.features}, {labels, batch.labels}});
    }
  }

  Graph test;
  const Value image = test.input("x", digits.test.features.shape());
  const Value logits = classify(network, image, dtype);
  const Tensor scores = Session(test, {logits}).run({{image, digits.test.features}})[logits];
  int right = 0;
  for (std::int64_t i = 0; i < digits.test.size(); ++i) {
    const auto row = scores.data<float>().subspan(static_cast<std::size_t>(10 * i), 10);
    right += std::ranges::max_element(row) - row.begin() ==
             static_cast<std::int64_t>(digits.test.labels.get(i));
  }
  fmt::print("{:<8}  {:.1f} % of {} unseen digits right, a step needs {} KiB\n", dtype,
             100.0 * right / static_cast<double>(digits.test.size()), digits.test.size(),
             session.device_bytes() / 1024);
}

}  // namespace

int main() {
  const data::Split digits = load_digits();
  train(digits, DType::float32);
  train(digits, DType::bfloat16);
}
