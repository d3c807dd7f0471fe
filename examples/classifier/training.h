// SPDX-License-Identifier: Apache-2.0
// One training run: a network with one activation, cross-entropy, AdamW.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_TRAINING_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_TRAINING_H_

#include <aclgrad/data.h>
#include <aclgrad/distributed/communicator.h>
#include <aclgrad/error.h>
#include <aclgrad/run_report.h>
#include <aclgrad/safetensors.h>

#include <string>
#include <vector>

#include "examples/classifier/network.h"
#include "examples/classifier/options.h"

struct Epoch {
  double loss;            // mean over the epoch's steps
  double train_accuracy;  // from 0 to 1, after the epoch
  double test_accuracy;
};

struct TrainingRun {
  std::string activation;
  std::vector<Epoch> epochs;
  std::int64_t parameters = 0;       // trained numbers
  double seconds = 0;                // spent in training steps, by this process
  std::int64_t steps = 0;            // done by this process
  aclgrad::Tensor test_predictions;  // [n], int64
  aclgrad::NamedTensors weights;
  std::string graph_dot;  // the training graph: forward, backward and update
};

// The loss is no number any more.
class Diverged : public aclgrad::Error {
 public:
  using Error::Error;
};

// Features [n, widths.front()], labels int64. All ranks train together; the first measures how
// well, writes checkpoints, and the report as it goes, but does not finish it. `report` is null,
// and what is returned of no use, on the others. Throws Diverged.
TrainingRun train(const std::string& activation, const Widths& widths,
                  const aclgrad::data::Split& examples, const TrainingOptions& options,
                  const aclgrad::Communicator& communicator, aclgrad::RunReport* report);

// Where the run with an activation keeps its checkpoint.
std::filesystem::path checkpoint_path(const std::string& activation,
                                      const TrainingOptions& options);

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_TRAINING_H_
