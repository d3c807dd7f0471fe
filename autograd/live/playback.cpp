// SPDX-License-Identifier: Apache-2.0
#include "live/playback.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad::live {

Playback::Playback(std::shared_ptr<Network> network, std::size_t history_bytes)
    : network_(std::move(network)), trainers_(network_->trainers()), history_(history_bytes) {
  if (trainers_.empty()) throw ValueError("a network to look at has a trainer, this one has none");
  record_preview();
  history_.keep(History::state_of(trainers_));
  kept_ = step();
}

const data::Dataset& Playback::batch() {
  if (batch_step_ != step()) {
    batch_ = network_->batch(step());
    batch_step_ = step();
  }
  return batch_;
}

void Playback::record_preview() {
  preview_ = std::make_unique<Preview>(trainer(), batch());
  fresh_ = false;
  ++recordings_;
}

void Playback::refresh() {
  if (fresh_) return;
  if (!preview_->fits(batch())) {
    edits_.release();
    record_preview();
  }
  pictures_.reset();
  preview_->run(trainer(), batch(), edits_);
  fresh_ = true;
}

const std::vector<Picture>& Playback::pictures() {
  if (!pictures_) pictures_ = network_->pictures();
  return *pictures_;
}

double Playback::train_step() {
  edits_.release();
  fresh_ = false;
  const data::Dataset& now = batch();
  const std::int64_t before = step();
  double loss = 0;
  try {
    loss = trainer().step(now);
    for (std::size_t i = 1; i < trainers_.size(); ++i) trainers_[i]->step(now);
  } catch (...) {
    // Those beside it are to stand where it stands.
    if (step() != before) seek(before);
    throw;
  }
  losses_.add(before, loss);
  // States lie closer together where a run is young: going back computes few steps again.
  constexpr std::int64_t kPart = 64;
  if (step() - kept_ >= std::max<std::int64_t>(1, step() / kPart)) {
    history_.keep(History::state_of(trainers_));
    kept_ = step();
  }
  return loss;
}

double Playback::train() {
  marked_.clear();
  before_.reset();
  const double loss = train_step();
  if (retracing_) make_changes();
  return loss;
}

void Playback::restore(const History::State& state) {
  for (std::size_t i = 0; i < trainers_.size(); ++i) {
    trainers_[i]->set_learning_rate(state.rate);
    trainers_[i]->restore(state.trainers[i], batch());
  }
  kept_ = state.step;
  edits_.release();
  // The optimizer records its updates anew.
  preview_ = std::make_unique<Preview>(trainer(), batch());
  fresh_ = false;
}

// Those that were made at the present step.
void Playback::make_changes() {
  for (const Change& change : history_.changes()) {
    if (change.step != step()) continue;
    if (change.variable.empty()) {
      for (Trainer* trainer : trainers_) trainer->set_learning_rate(change.to);
      continue;
    }
    for (const Variable& variable : preview_->step().graph.variables()) {
      if (variable.name() != change.variable) continue;
      Tensor contents = variable.value();
      contents.set(change.index, *change.to);
      variable.assign(contents);
    }
  }
}

void Playback::seek(std::int64_t to) {
  const History::State& state = history_.at_or_before(to);
  losses_.forget_from(state.step);
  restore(state);
  history_.forget_after(to);
  for (;; train_step()) {
    make_changes();
    if (step() >= to) break;
  }
}

void Playback::go_to(std::int64_t to) {
  if (to < first_step() || to > step()) {
    throw ValueError(fmt::format("there is no way back to step {}: this run has steps {} to {}", to,
                                 first_step(), step()));
  }
  if (to == step()) return;
  // A single step back is a part of walking about.
  if (to < step() - 1) mark("jump");
  marked_.clear();
  before_.reset();
  seek(to);
}

void Playback::restart() {
  mark("restart");
  marked_.clear();
  before_.reset();
  history_.replace({});
  seek(first_step());
}

void Playback::require(const Change& change) const {
  if (change.step < history_.first()) {
    throw ValueError(fmt::format("there is no step {} to change something at", change.step));
  }
  if (change.variable.empty()) {
    if (change.to && *change.to < 0) throw ValueError("a learning rate is a number from 0 on");
    return;
  }
  for (const Variable& variable : preview_->step().graph.variables()) {
    if (variable.name() != change.variable) continue;
    if (change.index < 0 || change.index >= variable.shape().numel()) {
      throw ShapeError(fmt::format("`{}` has {} elements, there is no element {}", variable.name(),
                                   variable.shape().numel(), change.index));
    }
    Tensor::zeros({1}, variable.dtype()).set(0, change.to.value());  // says what it cannot hold
    return;
  }
  throw ValueError(fmt::format("there is no variable `{}` to change", change.variable));
}

void Playback::retrace(Changes changes) {
  for (const Change& change : changes) require(change);
  std::ranges::stable_sort(changes, {}, &Change::step);
  mark("link");
  marked_.clear();
  before_.reset();
  history_.replace({});
  seek(first_step());
  history_.replace(std::move(changes));
  make_changes();
  retracing_ = true;
}

void Playback::stop_retracing() {
  if (std::exchange(retracing_, false)) history_.forget_after(step());
}

Playback::Mark Playback::mark_here(const std::string& what) const {
  Mark mark{what, history_.changes(), edits_, losses_, step(), std::nullopt};
  History::State state = History::state_of(trainers_);
  // The mark before it may still be wanted.
  if (history_.has_room_for(2 * state.bytes)) mark.state = std::move(state);
  return mark;
}

void Playback::mark(const std::string& what, const std::string& which) {
  if (following_ || (!which.empty() && marked_ == which)) return;
  mark_.reset();
  mark_ = std::make_shared<const Mark>(mark_here(what));
  history_.reserve(mark_->state ? 2 * mark_->state->bytes : 0);
  undoable_ = what;
  marked_ = which;
}

void Playback::undo() {
  if (!mark_ || following_) throw ValueError("there is nothing to undo");
  const std::shared_ptr<const Mark> to = std::move(mark_);
  mark_ = std::make_shared<const Mark>(mark_here(to->what));
  marked_.clear();
  before_.reset();
  history_.replace(to->changes);
  history_.forget_after(to->step);
  if (to->state) {
    restore(*to->state);
  } else {
    seek(to->step);
  }
  losses_ = to->losses;
  edits_ = to->edits;
  if (!preview_->fits(batch())) edits_.release();
  fresh_ = false;
}

Value Playback::value_of(ValueId id) const {
  const Graph& graph = preview_->step().graph;
  if (id < 0 || static_cast<std::size_t>(id) >= graph.value_count()) {
    throw ValueError(fmt::format("the graph has no value {}", id));
  }
  return graph.value(id);
}

// Makes a change and looks at what it leads to; where that cannot be, it was never made.
void Playback::attempt(const std::string& what, const std::string& which,
                       const std::function<void()>& change, std::function<void()> restore) {
  before_ = Before{std::move(restore), history_.changes(), mark_, undoable_, marked_};
  try {
    mark(what, which);
    change();
    fresh_ = false;
    refresh();
  } catch (...) {
    take_back();
    throw;
  }
}

void Playback::take_back() {
  if (!before_) return;
  const Before before = *std::exchange(before_, std::nullopt);
  before.restore();
  if (!following_) history_.replace(before.changes);
  mark_ = before.mark;
  undoable_ = before.undoable;
  marked_ = before.marked;
  fresh_ = false;
}

void Playback::log(Change change) {
  if (!following_) history_.change(std::move(change));
}

void Playback::set(ValueId id, std::int64_t index, double to) {
  const Value value = value_of(id);
  if (index < 0 || index >= value.shape().numel()) {
    throw ShapeError(fmt::format("{} has {} elements, there is no element {}", value.description(),
                                 value.shape().numel(), index));
  }
  Tensor probe = Tensor::zeros({1}, value.dtype());
  probe.set(0, to);  // says what such an element cannot hold
  const std::string which = fmt::format("element {} of {}", index, id);
  if (const Variable* found = value.variable(); found != nullptr && value.root() == value) {
    const Variable variable = *found;
    const Tensor before = variable.value();
    const auto change = [&] {
      Tensor contents = before;
      contents.set(index, to);
      variable.assign(contents);
      log({step(), variable.name(), index, to});
    };
    return attempt("edit", which, change, [variable, before] { variable.assign(before); });
  }
  if (value.root() != value) {
    throw ValueError(fmt::format("{} shows what lies in {}: edit that", value.description(),
                                 value.root().description()));
  }
  attempt(
      "edit", which,
      [&] {
        edits_.set({id, index, probe.get(0)});
      },
      [this, before = edits_] { edits_ = before; });
}

void Playback::release(std::optional<ValueId> value) {
  const auto change = [&] { value ? edits_.release(*value) : edits_.release(); };
  attempt("release", {}, change, [this, before = edits_] { edits_ = before; });
}

void Playback::set_rate(std::optional<double> rate) {
  const std::optional<double> before = trainer().fixed_learning_rate();
  const auto set = [this](const std::optional<double>& to) {
    for (Trainer* trainer : trainers_) trainer->set_learning_rate(to);
  };
  const auto change = [&] {
    set(rate);
    log({step(), {}, 0, rate});
  };
  attempt("learning rate", "learning rate", change, [set, before] { set(before); });
}

Check Playback::check(ValueId id, std::int64_t index) {
  refresh();
  fresh_ = false;  // the check runs it with other roundings
  return check_element(*preview_, trainer(), batch(), edits_, value_of(id), index);
}

void Playback::begin_following() {
  following_ = true;
  mark_.reset();
  undoable_.clear();
  before_.reset();
}

void Playback::follow(const data::Dataset& batch) {
  if (!preview_->fits(batch)) return;
  batch_ = batch;
  batch_step_ = step();
  fresh_ = false;
}

void Playback::followed(double loss) {
  edits_.release();
  before_.reset();
  losses_.add(step() - 1, loss);
  fresh_ = false;
}

void Playback::begin_here() {
  History::State state = History::state_of(trainers_);  // whatever this throws, a state is there
  following_ = false;
  history_ = History(history_.most_bytes());
  history_.keep(std::move(state));
  kept_ = step();
  before_.reset();
  batch_step_ = -1;
  fresh_ = false;
}

}  // namespace aclgrad::live
