// SPDX-License-Identifier: Apache-2.0
// A training run that can be stopped, edited and taken back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/live.h"
#include "live/check.h"
#include "live/edits.h"
#include "live/history.h"
#include "live/losses.h"
#include "live/preview.h"

namespace aclgrad::live {

class Playback {
 public:
  /// Throws as Trainer::record_step(), and ValueError for a network without trainers.
  Playback(std::shared_ptr<Network> network, std::size_t history_bytes);

  Trainer& trainer() const { return *trainers_.front(); }
  Network& network() const { return *network_; }
  const Preview& preview() const { return *preview_; }
  const Edits& edits() const { return edits_; }
  std::int64_t step() const { return trainer().steps(); }
  std::int64_t first_step() const { return following_ ? step() : history_.first(); }

  /// Counts how often the step was recorded anew with other nodes.
  std::int64_t recordings() const { return recordings_; }

  /// Step and loss of the steps done, thinned; the loss is that before the step.
  std::vector<Losses::Point> losses() const { return losses_.shown(); }

  /// Trains one step. Edits of what a step makes are for looking only, and are released.
  double train();

  /// Goes to a step that was done before, or throws ValueError.
  void go_to(std::int64_t step);

  /// The first state again, with its weights and learning rate: nothing that was changed since then
  /// counts any more.
  void restart();

  /// As restart(), for changes of another run of the same network: each is made again when train()
  /// comes to its step. Throws ValueError, DTypeError or ShapeError for one that cannot be made;
  /// nothing is changed then.
  void retrace(Changes changes);

  /// Those that it has not come to are forgotten.
  void stop_retracing();

  const Changes& changes() const { return history_.changes(); }

  /// Takes back the latest change, jump or restart; done again, it takes that back. `undoable` says
  /// in a word what would be taken back, "" where there is nothing.
  void undo();
  const std::string& undoable() const { return undoable_; }

  /// Throws ValueError where the graph has no such value.
  void require(ValueId value) const { value_of(value); }

  /// Throw ValueError, DTypeError or ShapeError for what cannot be edited so, and what running the
  /// step then throws; nothing is changed then.
  void set(ValueId value, std::int64_t index, double to);
  void release(std::optional<ValueId> value);
  void set_rate(std::optional<double> rate);

  /// After set(), release() or set_rate(): as it was before, as if that had never been asked for.
  void take_back();

  Check check(ValueId value, std::int64_t index);

  /// Brings preview() up to date.
  void refresh();

  /// The network's, drawn when something has changed; after redraw() in any case.
  const std::vector<Picture>& pictures();
  void redraw() { pictures_.reset(); }

  /// For a run that others drive, which has no way back: the batch that they train on next, and a
  /// step that they have done.
  void begin_following();
  void follow(const data::Dataset& batch);
  void followed(double loss);

  /// It is nobody else's any more; there is no way back from here.
  void begin_here();

 private:
  // Where undo() leads.
  struct Mark {
    std::string what;
    Changes changes;
    Edits edits;
    Losses losses;
    std::int64_t step = 0;
    std::optional<History::State> state;  // with the changes of its step; where there is room
  };
  struct Before {
    std::function<void()> restore;
    Changes changes;
    std::shared_ptr<const Mark> mark;
    std::string undoable, marked;
  };

  const data::Dataset& batch();
  Value value_of(ValueId id) const;
  void record_preview();
  double train_step();
  void seek(std::int64_t step);
  void restore(const History::State& state);
  void require(const Change& change) const;
  void make_changes();
  Mark mark_here(const std::string& what) const;
  void mark(const std::string& what, const std::string& which = {});
  void attempt(const std::string& what, const std::string& which,
               const std::function<void()>& change, std::function<void()> restore);
  void log(Change change);

  std::shared_ptr<Network> network_;
  std::vector<Trainer*> trainers_;
  History history_;
  Edits edits_;
  std::unique_ptr<Preview> preview_;
  bool fresh_ = false;  // preview() is
  bool following_ = false;
  bool retracing_ = false;
  std::int64_t recordings_ = 0;
  std::int64_t kept_ = 0;  // the step of the latest state that was to be kept
  std::int64_t batch_step_ = -1;
  data::Dataset batch_;
  Losses losses_;
  std::shared_ptr<const Mark> mark_;
  std::string undoable_;
  std::string marked_;  // what was changed behind the mark, if nothing has happened since
  std::optional<Before> before_;
  std::optional<std::vector<Picture>> pictures_;  // of this preview
};

}  // namespace aclgrad::live
