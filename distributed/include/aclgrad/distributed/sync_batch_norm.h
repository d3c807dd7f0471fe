// SPDX-License-Identifier: Apache-2.0
// SyncBatchNorm: batch normalization by the statistics of all ranks' parts of a batch. A network
// that trains on several ranks has it where one of a single rank has a BatchNorm2d: outputs,
// gradients and running statistics are those of one rank with the whole batch, but for rounding.
//
//   struct Network : Module {
//     Network(const Communicator& communicator) : norm(communicator, child("norm"), 64) {}
//     SyncBatchNorm norm;
//     ...
//   };
//   DataParallel parallel(communicator);
//   Trainer trainer(network, loss, optimizer, {.ranks = &parallel});
#pragma once

#include <cstdint>
#include <memory>

#include "aclgrad/distributed/communicator.h"
#include "aclgrad/nn/images.h"
#include "aclgrad/ops/sync_batch_norm.h"

namespace aclgrad {

/// A BatchNorm2d, with its options, variables and their names, so that a file of one is read by the
/// other, for x [N, C, ...] of rank 2 to 8. In training it exchanges each channel's mean, deviation
/// and count, and in backward two sums; parts of a batch may differ in size, and be of one element
/// a channel. In evaluation, when frozen, and in a group of one rank it is that BatchNorm2d.
///
/// All ranks must call it equally often. A Trainer records a micro-batch of no examples on no rank
/// that has it, so the last batch of an epoch needs an example for every micro-batch (drop_last);
/// otherwise the others wait for the missing rank until the communicator's time is over.
class SyncBatchNorm : public BatchNorm2d {
 public:
  /// Shares the communicator's membership. Throws as BatchNorm2d does.
  SyncBatchNorm(const Communicator& communicator, const Name& name, std::int64_t channels,
                BatchNorm2dOptions options = {});

  Value operator()(Operand x) const;

 private:
  std::shared_ptr<const ChannelExchange> exchange_;  // none in a group of one
};

}  // namespace aclgrad
