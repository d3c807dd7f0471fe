// SPDX-License-Identifier: Apache-2.0
// One training run: a network 64 - hidden - hidden - 10 with one activation, cross-entropy, AdamW.
#ifndef ACLGRAD_EXAMPLES_TRAIN_DIGITS_TRAINING_H_
#define ACLGRAD_EXAMPLES_TRAIN_DIGITS_TRAINING_H_

#include <aclgrad/data.h>
#include <aclgrad/error.h>
#include <aclgrad/safetensors.h>

#include <string>
#include <vector>

#include "options.h"

struct Epoch {
  double loss;            // mean over the epoch's steps
  double train_accuracy;  // from 0 to 1, after the epoch
  double test_accuracy;
};

struct TrainingRun {
  std::string activation;
  std::vector<Epoch> epochs;
  std::int64_t parameters = 0;  // trained numbers
  double seconds = 0;           // spent in training steps
  double steps_per_second = 0;
  aclgrad::Tensor test_predictions;  // [n], int64
  aclgrad::NamedTensors weights;
  std::string graph_dot;  // the training graph: forward, backward and update
};

// The loss is no number any more.
class Diverged : public aclgrad::Error {
 public:
  using Error::Error;
};

// Throws Diverged.
TrainingRun train(const std::string& activation, const aclgrad::data::Split& digits,
                  const Options& options);

#endif  // ACLGRAD_EXAMPLES_TRAIN_DIGITS_TRAINING_H_
