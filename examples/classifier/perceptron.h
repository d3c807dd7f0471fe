// SPDX-License-Identifier: Apache-2.0
// A multilayer perceptron with each of four activations: what train_digits and train_mnist do.
#pragma once

#include <string>
#include <vector>

#include "examples/classifier/classifier.h"

struct PerceptronOptions : ClassifierOptions {
  PerceptronOptions() { activations = {"selu", "elu", "hardswish", "geglu"}; }

  double learning_rate = 5e-3;
  std::string schedule = "cosine";    // or "constant"
  double dropout = 0;                 // after each activation
  std::int64_t checkpoint_every = 0;  // steps; 0: never
};

void declare_perceptron_options(CLI::App& app, PerceptronOptions& options);

// Trains linear layers of these widths, {784, 256, 128, 10}, say, with each activation after all
// but the last, and compares them (classifier.h); GEGLU halves its input, so the layers before it
// are made twice as wide.
void train_perceptrons(const std::vector<std::int64_t>& widths,
                       const aclgrad::data::Split& pictures, const PerceptronOptions& options);
