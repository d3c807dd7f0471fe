// SPDX-License-Identifier: Apache-2.0
// A training run that can be stopped, edited and taken back.
#ifndef ACLGRAD_AUTOGRAD_LIVE_PLAYBACK_H_
#define ACLGRAD_AUTOGRAD_LIVE_PLAYBACK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "aclgrad/live.h"
#include "live/check.h"
#include "live/edits.h"
#include "live/history.h"
#include "live/look.h"

namespace aclgrad::live {

class Playback {
 public:
  /// Throws as Trainer::record_step(), and ValueError for a network without trainers.
  Playback(std::shared_ptr<Network> network, std::size_t history_bytes);

  Trainer& trainer() const { return *trainers_.front(); }
  Network& network() const { return *network_; }
  const Look& look() const { return *look_; }
  const Edits& edits() const { return edits_; }
  std::int64_t step() const { return trainer().steps(); }
  std::int64_t first_step() const { return history_.first(); }

  /// Counts how often the step was recorded anew with other nodes.
  std::int64_t recordings() const { return recordings_; }

  /// Step and loss of every step done, thinned; the loss is that before the step.
  const std::vector<std::pair<std::int64_t, double>>& losses() const { return losses_; }

  /// Trains one step. Edits of what a step makes are for looking only, and are released.
  double train();

  /// Goes to a step that was done before, or throws ValueError.
  void go_to(std::int64_t step);

  /// Throw ValueError, DTypeError or ShapeError for what cannot be edited so.
  void set(ValueId value, std::int64_t index, double to);
  void release(std::optional<ValueId> value);
  void set_rate(std::optional<double> rate);

  Check check(ValueId value, std::int64_t index);

  /// Brings look() up to date.
  void refresh();

  /// For a run that others drive: the batch that they train on next, and a step that they have
  /// done.
  void follow(const data::Dataset& batch);
  void followed(double loss);

  /// There is no way back from here.
  void begin_here();

 private:
  const data::Dataset& batch();
  Value value_of(ValueId id) const;
  void record_look();
  void add_loss(double loss);
  void changed();

  std::shared_ptr<Network> network_;
  std::vector<Trainer*> trainers_;
  History history_;
  Edits edits_;
  std::unique_ptr<Look> look_;
  bool fresh_ = false;  // look() is
  std::int64_t recordings_ = 0;
  std::int64_t batch_step_ = -1;
  data::Dataset batch_;
  std::vector<std::pair<std::int64_t, double>> losses_;
};

}  // namespace aclgrad::live

#endif  // ACLGRAD_AUTOGRAD_LIVE_PLAYBACK_H_
