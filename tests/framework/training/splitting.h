// SPDX-License-Identifier: Apache-2.0
// Losses of a batch whole, in parts and in pieces, which are to be the same.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "aclgrad/aclgrad.h"

namespace aclgrad {

// x w for one layer without a bias.
struct Product : Module {
  explicit Product(Tensor w0) : w(parameter("w", std::move(w0))) {}
  Variable w;
  Value operator()(const Value& x) const { return matmul(x, x.graph().parameter(w)); }
};

using LossOf = std::function<Loss(const Module&, const Value& scores, const Value& labels)>;

// What a step over `parts` micro-batches gives.
struct Step {
  double loss;
  Tensor weight;
};

inline Step step_in(std::int64_t parts, const data::Dataset& batch, const Tensor& weight,
                    const LossOf& loss) {
  Product model(weight);
  Sgd sgd({.learning_rate = 1});
  Trainer trainer(model, [&](const Value& x, const Value& t) { return loss(model, model(x), t); },
                  sgd, {.micro_batches = parts});
  const double value = trainer.step(batch);
  return {value, model.w.value()};
}

inline double largest_difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    largest = std::max(largest, std::abs(a.get(i) - b.get(i)));
  }
  return largest;
}

inline void expect_steps(const data::Dataset& batch, const Tensor& weight, const LossOf& loss) {
  const Step whole = step_in(1, batch, weight, loss);
  ASSERT_TRUE(std::isfinite(whole.loss));
  EXPECT_GT(largest_difference(whole.weight, weight), 0);
  for (const std::int64_t parts : {2, 3, 4, 7, 100}) {
    const Step split = step_in(parts, batch, weight, loss);
    EXPECT_NEAR(split.loss, whole.loss, 2e-6 * std::max(1.0, std::abs(whole.loss))) << parts;
    EXPECT_LT(largest_difference(split.weight, whole.weight), 4e-6) << parts << " parts";
  }
}

inline void expect_splits(const data::Dataset& batch, const Tensor& weight, const LossOf& loss) {
  expect_steps(batch, weight, loss);
  Product model(weight);
  Sgd sgd;
  Trainer trainer(
      model, [&](const Value& x, const Value& t) { return loss(model, model(x), t); }, sgd);
  const double expected = trainer.evaluate(batch, 0);
  for (const std::int64_t piece : {1, 2, 3, 5}) {
    EXPECT_NEAR(trainer.evaluate(batch, piece), expected, 2e-6 * std::max(1.0, std::abs(expected)))
        << piece << " at a time";
  }
}

// Of 7 examples, those from the fourth on are ignored.
inline data::Dataset classes() {
  data::Dataset made{init::normal({7, 3}, 1), Tensor::zeros({7}, DType::int64)};
  for (int i = 0; i < 7; ++i) made.labels.set(i, i < 3 ? i % 2 + 1 : -100);
  return made;
}

inline data::Dataset regression() { return {init::normal({7, 3}, 1), init::normal({7, 4}, 2)}; }

inline const Tensor kWeight = init::normal({3, 4}, 3);

}  // namespace aclgrad
