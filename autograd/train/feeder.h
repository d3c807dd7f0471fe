// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_AUTOGRAD_TRAIN_FEEDER_H_
#define ACLGRAD_AUTOGRAD_TRAIN_FEEDER_H_

#include <future>
#include <optional>

#include "aclgrad/data.h"

namespace aclgrad::detail {

// The batches of a run one after the other, the next one made ahead where that is asked for.
class Feeder {
 public:
  Feeder(const data::Batches& batches, data::Position at, bool ahead)
      : batches_(batches), at_(at), ahead_(ahead) {
    begin_epoch();
  }

  data::Dataset next() {
    data::Dataset batch = made_.valid() ? made_.get() : make();
    at_ = batches_.after(at_);
    if (at_.batch == 0) begin_epoch();
    if (ahead_) {
      made_ = std::async(std::launch::async, [this] { return make(); });
    }
    return batch;
  }

  /// Of the batch that comes next.
  data::Position at() const { return at_; }

 private:
  // An order that is no order of all examples is not made: there may be too many.
  void begin_epoch() {
    if (batches_.options().shuffle) epoch_.emplace(batches_.epoch(at_.epoch));
  }
  data::Dataset make() const { return epoch_ ? (*epoch_)[at_.batch] : batches_.batch(at_); }

  const data::Batches& batches_;
  data::Position at_;
  bool ahead_;
  std::optional<data::Batches::Epoch> epoch_;  // of shuffled batches
  std::future<data::Dataset> made_;
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_FEEDER_H_
