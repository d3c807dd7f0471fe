// SPDX-License-Identifier: Apache-2.0
// A problem, ready to be trained, from its description.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/training/models/layers.h"
#include "tests/training/models/spec.h"

namespace aclgrad::training {

/// In which dtype a problem is trained. With a 16-bit one the model computes in it.
struct Numbers {
  DType dtype = DType::float32;

  /// With a 16-bit one: of the parameters, too, which are float32 otherwise.
  bool narrow_parameters = false;

  /// Moves every initial number and feature by up to so much of itself, differently for every
  /// `nudge`: a rounding more. Not with 0.
  std::uint64_t nudge = 0;
  double unit = 0;
};

struct Problem {
  Sequential model;
  Parts parts;
  LossFunction loss;
  std::unique_ptr<Optimizer> optimizer;
  data::Dataset examples;  // all, to be trained on in the order of the batches
  std::vector<data::Dataset> batches;
  data::Dataset evaluation;
  std::int64_t steps = 0;
  std::int64_t evaluation_batch_size = 0;

  /// The batch of a step: one after the other, again and again.
  const data::Dataset& batch(std::int64_t step) const {
    return batches[static_cast<std::size_t>(step) % batches.size()];
  }

  /// What the model gives for features, in the dtype of the problem.
  std::function<Value(const Value&)> predict;
};

/// The first makes the model only. Throw what the library throws.
Sequential build_model(const Spec& spec, Parts& parts, Shape* result = nullptr);
std::unique_ptr<Problem> build(const Spec& spec, const Numbers& numbers = {});

/// The optimizer of the description for these parameters.
std::unique_ptr<Optimizer> build_optimizer(const Json& optimizer,
                                           const std::vector<Variable>& parameters);

/// The loss of predictions and labels.
std::function<Value(const Value&, const Value&)> build_loss(const Json& loss);

/// Examples with these numbers: the same whatever others are made with them. `predicted` is the
/// shape of predictions, with any number of rows.
data::Dataset make_examples(const Spec& spec, const Shape& predicted, std::int64_t first,
                            std::int64_t count, const Numbers& numbers);

}  // namespace aclgrad::training
