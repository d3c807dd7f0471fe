// SPDX-License-Identifier: Apache-2.0
// usage: step [STEPS]
// Two steps of training of a small transformer, to be recorded; or so many of one as the example
// trains, to measure what recording costs.
#include <aclgrad/aclgrad.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "examples/transformer/model.h"

using namespace aclgrad;

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const bool is_large = argc > 1;
  const int steps = is_large ? std::atoi(argv[1]) : 2;
  const transformer::Sizes sizes = is_large ? transformer::Sizes{}
                                            : transformer::Sizes{.context = 8,
                                                                 .width = 16,
                                                                 .heads = 2,
                                                                 .blocks = 1,
                                                                 .geglu_hidden = 24,
                                                                 .hidden = 36};
  const std::int64_t characters = is_large ? 80 : 11;
  const transformer::Transformer model(characters, sizes, Activation::geglu, DType::float32, 7);
  const auto loss = [&](const Value& x, const Value& next) {
    return cross_entropy(model(x), next);
  };
  AdamW optimizer;
  Trainer trainer(model, loss, optimizer);
  const Shape shape{is_large ? 16 : 4, sizes.context};
  data::Dataset batch{Tensor::zeros(shape, DType::int64), Tensor::zeros(shape, DType::int64)};
  for (std::int64_t i = 0; i < batch.features.numel(); ++i) {
    batch.features.data<std::int64_t>()[static_cast<std::size_t>(i)] = i * 7 % characters;
    batch.labels.data<std::int64_t>()[static_cast<std::size_t>(i)] = (i + 1) * 7 % characters;
  }
  const double first = trainer.step(batch);
  double last = first;
  const auto start = Clock::now();
  for (int i = 1; i < steps; ++i) last = trainer.step(batch);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::printf("loss %.6f to %.6f, %.0f ms a step\n", first, last, 1e3 * seconds / (steps - 1));
  return last < first ? 0 : 1;
}
