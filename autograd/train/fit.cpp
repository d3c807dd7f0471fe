// SPDX-License-Identifier: Apache-2.0
// The loop of fit(). What looks at it, stops it, keeps it and checks it has files of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/fit.h"
#include "tensor/nearest_rounding.h"
#include "train/divergence.h"
#include "train/early_stopping.h"
#include "train/fit_callbacks.h"
#include "train/fit_checks.h"
#include "train/record/run_recorder.h"
#include "train/run_checkpoint.h"
#include "train/run_state.h"

namespace aclgrad {
namespace detail {
namespace {

using std::chrono::steady_clock;

// The product, or the largest number there is: so many steps are never done.
std::int64_t product_or_most(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > 0 && b > kMost / a ? kMost : a * b;
}

double seconds_since(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

}  // namespace

class Fit {
 public:
  static History start(Trainer& trainer, const data::Batches& batches, const FitOptions& options) {
    trainer.require_idle("fit()");
    const NearestRounding rounding;  // of learning rates and means of losses
    const FitCall call(trainer.ranks());
    if (!call.is_verifying()) return Fit(trainer, batches, options, call).run();
    const FitOptions changed = call.options_of(options);
    return Fit(trainer, batches, changed, call).run();
  }

 private:
  Fit(Trainer& trainer, const data::Batches& batches, const FitOptions& options,
      const FitCall& call)
      : trainer_(trainer),
        ranks_(trainer.ranks()),
        batches_(batches),
        options_(options),
        order_(batches.description()),
        checkpoint_(batches, options),
        stopping_(options),
        divergence_(trainer),
        recorder_(trainer, batches, options, call),
        run_(trainer, options, state_) {
    check_fit(batches, options, trainer.optimizer());
    steps_ = options.steps.value_or(product_or_most(options.epochs, batches.batches_per_epoch()));
    every_ = options.evaluate_every > 0 ? options.evaluate_every : batches.batches_per_epoch();
    state_.begin = trainer.steps();
    state_.next = trainer.next_batch(order_);
    run_.total_ = steps_;
  }

  History run() {
    const Trainer::Doing doing(trainer_, "fit()");
    if (checkpoint_ && options_.checkpoint_every != 0) {
      ranks_.on_first([&] { checkpoint_.require_writable(); });
    }
    if (recorder_) ranks_.on_first([&] { recorder_.require_writable(); });
    run_.resumed_ = options_.resume && resume();
    if (ranks_.is_first()) callbacks_ = own_callbacks(options_, order_);
    run_.epoch_ = state_.next.epoch;
    try {
      call(&Callback::begin);
      if (!is_over()) train();
      return finish();
    } catch (const Diverged& error) {
      restore_best();
      tell_failure(error.what());
      throw;
    } catch (const std::exception& error) {
      tell_failure(error.what());
      throw;
    } catch (...) {
      tell_failure("something was thrown that is no std::exception");
      throw;
    }
  }

  // Steps of this run, those before it was resumed included.
  std::int64_t done() const { return trainer_.steps() - state_.begin; }
  // A resumed run may have another target.
  bool stopped_early() const { return state_.stopped_early || stopping_.has_reached_target(); }
  bool is_over() const { return done() >= steps_ || stopped_early(); }

  // The options' callbacks, then those that only look. What begins and ends a run may fail on the
  // first rank alone, where a page is written.
  void call(Callback::Event Callback::*event) {
    const auto call_each = [&](const std::vector<Callback>& callbacks) {
      for (const Callback& callback : callbacks) {
        if (event == &Callback::begin) ++begun_;
        if (callback.*event) (callback.*event)(run_);
        if (event == &Callback::finish) ++finished_;
      }
    };
    if (!options_.callbacks.empty()) {
      call_each(options_.callbacks);
      agree();
      state_.stopped_early = state_.stopped_early || run_.stops_;
    }
    if (event == &Callback::begin || event == &Callback::finish) {
      return ranks_.on_first([&] { call_each(callbacks_); });
    }
    call_each(callbacks_);
  }

  // The options' callbacks that have begun and not finished, and those that look: a page says that
  // a run has failed before it began, too. What is told of goes on, whatever else fails now.
  void tell_failure(const std::string& what) {
    run_.failure_ = what.empty() ? "an exception without a text" : what;
    recorder_.fail(run_.failure_);
    std::size_t number = 0;
    for (const std::vector<Callback>* callbacks :
         {&options_.callbacks, &std::as_const(callbacks_)}) {
      for (const Callback& callback : *callbacks) {
        const bool has_begun = number < begun_ || callbacks == &callbacks_;
        const bool has_finished = number++ < finished_;
        try {
          if (has_begun && !has_finished && callback.failed) callback.failed(run_);
        } catch (...) {
          // What ended the run gets through.
        }
      }
    }
  }

  // All ranks stop when the first does, and go on with its learning rate.
  void agree() {
    if (ranks_.size() == 1) return;
    const std::optional<double> own = trainer_.fixed_learning_rate();
    std::array<double, 3> first = {run_.stops_ ? 1. : 0., own ? 1. : 0., own.value_or(0)};
    ranks_.broadcast(std::as_writable_bytes(std::span(first)));
    run_.stops_ = first[0] != 0;
    const std::optional<double> rate =
        first[1] != 0 ? std::optional(first[2]) : std::optional<double>();
    if (rate != own) trainer_.set_learning_rate(rate);
  }

  void train() {
    const std::int64_t workers =
        std::max<std::int64_t>(batches_.options().workers, options_.prefetch ? 1 : 0);
    data::Loader loader(batches_, state_.next, steps_ - done(), workers);
    recorder_.begin(steps_, every_, run_.resumed_);
    const auto begin = steady_clock::now();
    while (!is_over()) {
      run_.epoch_ = state_.next.epoch;
      const data::Dataset batch = loader.next();
      run_.batch_ = &batch;
      call(&Callback::before_step);
      if (checkpoint_) divergence_.begin(batch);
      recorder_.before_step(batch);
      step(batch, loader.position());
      after_step(batch);
      run_.batch_ = &run_.none_;
    }
    history_.seconds = seconds_since(begin);
  }

  // The place is behind the batch as soon as the step is done, also where a hook throws then.
  void step(const data::Dataset& batch, data::Position after) {
    const auto begin = steady_clock::now();
    const std::int64_t before = trainer_.steps();
    const auto keep_place = [&] {
      if (trainer_.steps() == before) return;
      state_.next = after;
      trainer_.data_order_ = order_;
      trainer_.next_batch_ = after;
    };
    double loss = 0;
    try {
      loss = trainer_.train_on(batch);
    } catch (...) {
      keep_place();
      throw;
    }
    keep_place();
    history_.step_seconds += seconds_since(begin);
    ++history_.steps;
    recorder_.after_step(loss);
    // It is the loss before this step's update: the weights are those that the step before left.
    if (!std::isfinite(loss)) fail_diverged(fmt::format("the loss became {}", shown(loss)), 1);
    state_.sum += loss;
    ++state_.count;
    run_.loss_ = loss;
    call(&Callback::after_step);
  }

  void after_step(const data::Dataset& batch) {
    if (done() % every_ == 0 || is_over()) evaluate();
    if (state_.next.batch == 0) call(&Callback::after_epoch);
    if (is_over() && state_.count > 0) evaluate();  // a callback stopped the run
    const bool evaluated = state_.count == 0;
    call(&Callback::progress);
    const std::int64_t every = options_.checkpoint_every.value_or(0);
    const bool saves =
        checkpoint_ && (options_.checkpoint_every ? every > 0 && done() % every == 0 : evaluated);
    recorder_.end_step(evaluated ? &state_.evaluations.back() : nullptr, saves);
    state_.stopped_early = state_.stopped_early || recorder_.has_enough();
    // The loss of a step is that of the weights before it.
    if (!saves && !is_over()) return;
    const std::string fault = divergence_.fault_after(batch);
    if (!fault.empty() && is_over()) fail_diverged(fault);
    if (saves && fault.empty()) save();
    if (fault.empty() || !ranks_.is_first()) return;
    fmt::print(stderr, "{}: no checkpoint after step {}: {}\n", options_.title, trainer_.steps(),
               fault);
  }

  // What the step so many before the latest has left.
  [[noreturn]] void fail_diverged(const std::string& fault, std::int64_t before = 0) const {
    const std::int64_t step = trainer_.steps() - before;
    if (step < 1) {
      throw Diverged(
          fmt::format("{}: {} in the first step, before any update: look for numbers "
                      "that are not finite in the data or the initial weights",
                      options_.title, fault));
    }
    throw Diverged(
        fmt::format("{}: {} after step {}, with a learning rate of {}: try a smaller "
                    "learning rate, or clip_norm",
                    options_.title, fault, step,
                    shown(trainer_.fixed_learning_rate().value_or(
                        trainer_.optimizer().learning_rate(step - 1)))));
  }

  // The first rank measures, the others hear of it.
  void evaluate() {
    if (trainer_.average() != nullptr) {
      trainer_.average()->with_averages([&] { measure(); });
    } else {
      measure();
    }
    trainer_.tell_score(stopping_.score_of(state_.evaluations.back()));
    call(&Callback::after_evaluation);
  }

  void measure() {
    std::vector<double> measured(1 + options_.metrics.size(),
                                 std::numeric_limits<double>::quiet_NaN());
    ranks_.on_first([&] {
      if (options_.validation) measured[0] = trainer_.evaluate(*options_.validation);
      std::ranges::transform(options_.metrics, measured.begin() + 1,
                             [](const Metric& metric) { return metric.measure(); });
    });
    ranks_.broadcast(std::as_writable_bytes(std::span(measured)));
    state_.evaluations.push_back({.step = trainer_.steps(),
                                  .loss = state_.sum / static_cast<double>(state_.count),
                                  .validation_loss = measured[0],
                                  .metrics = {measured.begin() + 1, measured.end()}});
    state_.sum = 0;
    state_.count = 0;
    const Evaluation& latest = state_.evaluations.back();
    const bool is_best = stopping_.add(latest);
    run_.best_ = stopping_.best();
    if (is_best && options_.keep_best) best_ = values_of(trainer_.model().state());
    state_.stopped_early = state_.stopped_early || stopping_.is_out_of_patience();
  }

  void save() {
    state_.step = trainer_.steps();
    state_.has_best = !best_.empty();
    state_.learning_rate = trainer_.fixed_learning_rate();
    NamedTensors tensors = trainer_.tensors();
    ranks_.on_first([&] { checkpoint_.save(state_, std::move(tensors), best_); });
  }

  // The first rank reads the checkpoint and hands on what is in it. False where no run has begun.
  bool resume() {
    RunCheckpoint::Loaded loaded;
    ranks_.on_first([&] { loaded = checkpoint_.load(); });
    const std::string text = ranks_.broadcast_text(loaded.progress);
    if (text.empty()) return false;
    state_ = run_state_from(text, options_.metrics.size());
    loaded.checkpoint.step = state_.step;
    trainer_.load(loaded.checkpoint, batches_.batch(state_.next));
    trainer_.data_order_ = order_;
    trainer_.next_batch_ = state_.next;
    if (state_.has_best) {
      best_ = ranks_.broadcast_tensors(values_of(trainer_.model().state()), loaded.best);
    }
    for (const Evaluation& each : state_.evaluations) stopping_.add(each);
    run_.best_ = stopping_.best();
    trainer_.set_learning_rate(state_.learning_rate);
    return true;
  }

  void restore_best() {
    if (!options_.keep_best || best_.empty()) return;
    trainer_.model().load(best_);
    if (trainer_.average() != nullptr) trainer_.average()->reset();
  }

  History finish() {
    restore_best();
    call(&Callback::finish);
    recorder_.finish();
    history_.stopped_early = stopped_early();
    history_.evaluations = std::move(state_.evaluations);
    for (const Metric& metric : options_.metrics) history_.metrics.push_back(metric.name);
    history_.validated = options_.validation.has_value();
    history_.best = stopping_.best().value_or(0);
    history_.has_best = stopping_.best().has_value();
    return std::move(history_);
  }

  Trainer& trainer_;
  const Ranks& ranks_;
  const data::Batches& batches_;
  const FitOptions& options_;
  const std::string order_;  // of the batches
  const RunCheckpoint checkpoint_;
  EarlyStopping stopping_;
  DivergenceCheck divergence_;
  RunRecorder recorder_;
  std::vector<Callback> callbacks_;       // of the first rank: those that look
  std::size_t begun_ = 0, finished_ = 0;  // so many of the options' and these, in their order
  std::int64_t steps_ = 0, every_ = 0;
  RunState state_;
  FitRun run_;
  NamedTensors best_;  // the weights of the best evaluation
  History history_;
};

}  // namespace detail

std::int64_t FitRun::done() const { return trainer_.steps() - state_.begin; }
const std::vector<Evaluation>& FitRun::evaluations() const { return state_.evaluations; }
std::int64_t FitRun::steps_since_evaluation() const { return state_.count; }

void FitRun::point(const std::string& chart, const std::string& curve, double y) const {
  if (options_.log == nullptr || !trainer_.ranks().is_first()) return;
  options_.log->point(chart, curve, static_cast<double>(step()), y);
}

std::string FitRun::note() const {
  const std::vector<Evaluation>& all = state_.evaluations;
  std::string note;
  const bool between = state_.count > 0;
  if (between || !all.empty()) {
    note = fmt::format("loss {:.4f}",
                       between ? state_.sum / static_cast<double>(state_.count) : all.back().loss);
  }
  if (all.empty()) return note;
  const Evaluation& last = all.back();
  if (options_.validation) note += fmt::format("  validation {:.4f}", last.validation_loss);
  for (std::size_t i = 0; i < options_.metrics.size(); ++i) {
    note += fmt::format("  {} {:.4g}", options_.metrics[i].name, last.metrics[i]);
  }
  return note;
}

History fit(Trainer& trainer, const data::Batches& batches, const FitOptions& options) {
  return detail::Fit::start(trainer, batches, options);
}

}  // namespace aclgrad
