// SPDX-License-Identifier: Apache-2.0
// Two steps of training of a small transformer, to be recorded.
#include <aclgrad/aclgrad.h>

#include "examples/transformer/model.h"

using namespace aclgrad;

int main() {
  constexpr transformer::Sizes kSizes{
      .context = 8, .width = 16, .heads = 2, .blocks = 1, .geglu_hidden = 24, .hidden = 36};
  constexpr std::int64_t kCharacters = 11;
  const transformer::Transformer model(kCharacters, kSizes, Activation::geglu, DType::float32, 7);
  const auto loss = [&](const Value& x, const Value& next) {
    return cross_entropy(model(x), next);
  };
  AdamW optimizer;
  Trainer trainer(model, loss, optimizer);
  const Shape shape{4, kSizes.context};
  data::Dataset batch{Tensor::zeros(shape, DType::int64), Tensor::zeros(shape, DType::int64)};
  for (std::int64_t i = 0; i < batch.features.numel(); ++i) {
    batch.features.data<std::int64_t>()[static_cast<std::size_t>(i)] = i * 7 % kCharacters;
    batch.labels.data<std::int64_t>()[static_cast<std::size_t>(i)] = (i + 1) * 7 % kCharacters;
  }
  const double first = trainer.step(batch);
  return trainer.step(batch) < first ? 0 : 1;
}
