// SPDX-License-Identifier: Apache-2.0
// A multilayer perceptron with each of four activations: what train_digits and train_mnist do.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_PERCEPTRON_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_PERCEPTRON_H_

#include <aclgrad/data.h>

#include <string>
#include <vector>

#include "examples/classifier/program.h"

struct PerceptronOptions {
  ProgramOptions program;
  std::vector<std::string> activations = {"all"};  // or one of "selu", "elu", "hardswish", "geglu"
  std::int64_t epochs = 40;
  std::int64_t batch = 64;
  double learning_rate = 5e-3;
  std::string schedule = "constant";  // or "cosine"
  double dropout = 0;                 // after each activation
  std::int64_t checkpoint_every = 0;  // steps; 0: never
};

// All but those of declare_ranks(), with the values there are as defaults.
void declare_perceptron_options(CLI::App& app, PerceptronOptions& options);

// Trains linear layers of these widths, {784, 256, 128, 10}, say, with each activation after all
// but the last; GEGLU halves its input, so the layers before it are made twice as wide. Writes into
// options.program.out what each left and pages and curves that compare them; prints a table.
void train_perceptrons(const std::vector<std::int64_t>& widths,
                       const aclgrad::data::Split& examples, const PerceptronOptions& options,
                       const aclgrad::Communicator& communicator);

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_PERCEPTRON_H_
