// SPDX-License-Identifier: Apache-2.0
// Networks and their training on several ranks of this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aclgrad/aclgrad.h"
#include "aclgrad/distributed.h"

namespace aclgrad::testing {

/// An MLP with SELU, trained by cross-entropy and AdamW on made-up pictures.
struct Problem {
  std::vector<std::int64_t> widths;  // from the pixels to the classes
  std::int64_t pictures;
  std::int64_t batch;  // of all ranks together
  double learning_rate;
  double weight_decay;
};

/// W2 in small.
inline const Problem kSmall{{36, 24, 16, 5}, 256, 48, 1e-2, 0.05};

struct Settings {
  Problem problem = kSmall;
  std::int64_t steps = 12;
  std::int64_t micro_batches = 0;  // 0: one a rank
  DataParallelOptions parallel = {};
  bool sharded = false;  // by ShardedUpdate
  SessionOptions session = {};
  std::filesystem::path checkpoint = {};  // after every third step, by rank 0; taken up if there
  std::function<void(int rank, std::int64_t step)> before_step = {};
};

/// What training has left on a rank.
struct Outcome {
  std::vector<double> losses;  // before each step
  NamedTensors weights;
  std::int64_t optimizer_elements = 0;  // that the rank keeps
};

/// Trains the network by AdamW on the rank's part of the batches.
Outcome train(const Communicator& communicator, const Settings& settings);

/// The outcomes of all ranks; expects their losses and weights to be the same bits.
Outcome train_on(int ranks, const Settings& settings,
                 const CommunicatorOptions& options = {.timeout_seconds = 60});

/// One rank alone, or those of the communicator, by DataParallel or ShardedUpdate.
std::unique_ptr<Ranks> make_ranks(const Communicator& communicator, bool sharded,
                                  const DataParallelOptions& exchange = {});

/// What a trainer would save, by name.
NamedTensors sorted_tensors(const Trainer& trainer);

/// Whether the weights are the same bits.
bool same_bits(const NamedTensors& a, const NamedTensors& b);

/// The largest difference of the losses.
double distance(const Outcome& a, const Outcome& b);

}  // namespace aclgrad::testing
