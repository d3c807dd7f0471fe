// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>

#include "aclgrad/checkpoint.h"
#include "aclgrad/error.h"
#include "aclgrad/file.h"
#include "aclgrad/trainer.h"
#include "train/feeder.h"
#include "train/fit_checks.h"
#include "train/run_state.h"
#include "train/split_loss.h"

namespace aclgrad {
namespace {

using detail::RunState;

constexpr std::string_view kBest = "best.";

// For a run that nobody looks at.
class NoLog : public TrainingLog {
 public:
  void point(const std::string&, const std::string&, double, double) override {}
};

// The product, or the largest number there is: so many steps are never done.
std::int64_t product_or_most(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > 0 && b > kMost / a ? kMost : a * b;
}

bool all_finite(const Tensor& tensor) {
  const Tensor wide = tensor.dtype() == DType::float32 ? Tensor() : tensor.to(DType::float64);
  const auto finite = [](auto value) { return std::isfinite(value); };
  return tensor.dtype() == DType::float32 ? std::ranges::all_of(tensor.data<float>(), finite)
                                          : std::ranges::all_of(wide.data<double>(), finite);
}

std::string shown(double number) {
  return std::isnan(number) ? "nan" : fmt::format("{:.4g}", number);  // without a sign
}

class Fit {
 public:
  Fit(Trainer& trainer, const data::Batches& batches, const FitOptions& options)
      : trainer_(trainer),
        ranks_(trainer.ranks()),
        batches_(batches),
        options_(options),
        checkpoint_(absolute_path(options.checkpoint)),
        order_(batches.description()),
        log_(options.log != nullptr && ranks_.is_first() ? *options.log : no_log_) {
    detail::check_fit(batches, options);
    steps_ = options.steps.value_or(product_or_most(options.epochs, batches.batches_per_epoch()));
    every_ = options.evaluate_every > 0 ? options.evaluate_every : batches.batches_per_epoch();
    state_.begin = trainer.steps();
    state_.next = trainer.next_batch(order_);
  }

  History run() {
    if (!checkpoint_.empty()) ranks_.on_first([&] { require_writable(checkpoint_); });
    if (options_.resume) resume();
    ranks_.on_first([&] { start_log(); });
    try {
      if (!is_over()) train();
    } catch (const Diverged&) {
      restore_best();
      throw;
    }
    return finish();
  }

 private:
  // Steps of this run, those before it was resumed included.
  std::int64_t done() const { return trainer_.steps() - state_.begin; }
  bool is_over() const { return done() >= steps_ || stopped_early(); }

  void train() {
    detail::Feeder feeder(batches_, state_.next, options_.prefetch);
    report::ProgressBar bar(
        steps_, {.title = options_.title,
                 .mode = ranks_.is_first() ? options_.progress : report::ProgressMode::off,
                 .before = done()});
    const auto begin = std::chrono::steady_clock::now();
    while (!is_over()) {
      const data::Dataset batch = feeder.next();
      before_step(batch);
      step(batch);
      state_.next = feeder.at();
      trainer_.set_next_batch(order_, state_.next);
      after_step(batch);
      show(bar);
    }
    history_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    bar.finish();
  }

  void before_step(const data::Dataset& batch) {
    const std::int64_t step = trainer_.steps();
    if (options_.observe && ranks_.is_first() && state_.count == 0) trainer_.observe(batch, log_);
    if (!checkpoint_.empty() && !tells_) {
      tells_ = true;
      ranks_.on_first([&] { tells_ = std::isfinite(loss_of(batch)); });
    }
    if (&log_ != &no_log_) {
      log_.point("Learning rate", "", static_cast<double>(step),
                 trainer_.optimizer().learning_rate(step));
    }
  }

  void step(const data::Dataset& batch) {
    const auto begin = std::chrono::steady_clock::now();
    const double loss = trainer_.step(batch);
    history_.step_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ++history_.steps;
    // It is the loss before this step's update: the weights are those that the step before left.
    if (!std::isfinite(loss)) fail_diverged(fmt::format("the loss became {}", shown(loss)), 1);
    state_.sum += loss;
    ++state_.count;
    log_.point("Loss", "step", static_cast<double>(trainer_.steps()), loss);
  }

  void after_step(const data::Dataset& batch) {
    const bool evaluates = done() % every_ == 0 || done() == steps_;
    if (evaluates) evaluate();
    const std::int64_t every = options_.checkpoint_every.value_or(0);
    const bool saves = !checkpoint_.empty() &&
                       (options_.checkpoint_every ? every > 0 && done() % every == 0 : evaluates);
    // A loss tells of the weights before its step.
    if (!saves && !is_over()) return;
    const std::string fault = fault_after(batch);
    if (!fault.empty() && is_over()) fail_diverged(fault);
    if (saves && fault.empty()) save();
    if (fault.empty() || !ranks_.is_first()) return;
    fmt::print(stderr, "{}: no checkpoint after step {}: {}\n", options_.title, trainer_.steps(),
               fault);
  }

  // Of the latest batch in Mode::evaluation, by the first rank. In pieces as large as those that a
  // step takes, for memory, unless the loss cannot be evaluated in pieces.
  double loss_of(const data::Dataset& batch) {
    const std::int64_t pieces = trainer_.micro_batches().count();
    if (is_piecewise_) {
      try {
        return trainer_.evaluate(batch, std::max<std::int64_t>(1, batch.size() / pieces));
      } catch (const detail::NotPiecewise&) {
        is_piecewise_ = false;
      }
    }
    return trainer_.evaluate(batch, 0);
  }

  // What is wrong with the weights that the step has left, as the first rank finds. A finite loss
  // of the batch that was trained on is what a run can go on from; where even the first weights
  // have none in Mode::evaluation, it tells nothing.
  std::string fault_after(const data::Dataset& batch) {
    std::string fault;
    ranks_.on_first([&] {
      for (const Variable& parameter : trainer_.model().parameters()) {
        if (all_finite(parameter.value())) continue;
        fault = fmt::format("`{}` is not finite", parameter.name());
        return;
      }
      const double loss = tells_.value_or(false) ? loss_of(batch) : 0;
      if (!std::isfinite(loss)) fault = fmt::format("the loss became {}", shown(loss));
    });
    return ranks_.broadcast_text(std::move(fault));
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
    throw Diverged(fmt::format(
        "{}: {} after step {}, with a learning rate of {}: try a smaller "
        "learning rate, or clip_norm",
        options_.title, fault, step, shown(trainer_.optimizer().learning_rate(step - 1))));
  }

  // The first rank measures, the others hear of it.
  void evaluate() {
    std::vector<double> measured(1 + options_.metrics.size(),
                                 std::numeric_limits<double>::quiet_NaN());
    ranks_.on_first([&] {
      if (options_.validation) measured[0] = trainer_.evaluate(*options_.validation);
      std::ranges::transform(options_.metrics, measured.begin() + 1,
                             [](const Metric& metric) { return metric.measure(); });
    });
    ranks_.broadcast(std::as_writable_bytes(std::span(measured)));
    add({.step = trainer_.steps(),
         .loss = state_.sum / static_cast<double>(state_.count),
         .validation_loss = measured[0],
         .metrics = {measured.begin() + 1, measured.end()}});
    state_.sum = 0;
    state_.count = 0;
    const std::size_t count = state_.evaluations.size();
    if (options_.keep_best && best_at_ == count - 1) best_ = values_of(trainer_.model().state());
    const std::size_t since = best_at_ ? count - 1 - *best_at_ : count;
    state_.stopped_early =
        options_.patience > 0 && since >= static_cast<std::size_t>(options_.patience);
  }

  // A resumed run may have another target.
  bool stopped_early() const {
    const std::vector<Evaluation>& all = state_.evaluations;
    return state_.stopped_early || (options_.target_loss && !all.empty() &&
                                    all.back().validation_loss <= *options_.target_loss);
  }

  // What the best is the lowest of.
  double score_of(const Evaluation& evaluation) const {
    if (options_.monitor.empty()) return evaluation.validation_loss;
    const auto found = std::ranges::find(options_.metrics, options_.monitor, &Metric::name);
    const double value =
        evaluation.metrics[static_cast<std::size_t>(found - options_.metrics.begin())];
    return found->larger_is_better ? -value : value;
  }

  void add(Evaluation evaluation) {
    const auto x = static_cast<double>(evaluation.step);
    log_.point("Loss", "mean", x, evaluation.loss);
    if (options_.validation) log_.point("Loss", "validation", x, evaluation.validation_loss);
    for (std::size_t i = 0; i < options_.metrics.size(); ++i) {
      const Metric& metric = options_.metrics[i];
      log_.point(metric.chart.empty() ? metric.name : metric.chart,
                 metric.chart.empty() ? "" : metric.name, x, evaluation.metrics[i]);
    }
    std::vector<Evaluation>& all = state_.evaluations;
    all.push_back(std::move(evaluation));
    const double score = score_of(all.back());
    if (!std::isfinite(score)) return;
    if (!best_at_ || score < score_of(all[*best_at_])) best_at_ = all.size() - 1;
  }

  void show(report::ProgressBar& bar) {
    if (!ranks_.is_first()) return;
    const std::vector<Evaluation>& all = state_.evaluations;
    std::string note = fmt::format(
        "loss {:.4f}",
        state_.count == 0 ? all.back().loss : state_.sum / static_cast<double>(state_.count));
    if (!all.empty()) {
      const Evaluation& last = all.back();
      if (options_.validation) note += fmt::format("  validation {:.4f}", last.validation_loss);
      for (std::size_t i = 0; i < options_.metrics.size(); ++i) {
        note += fmt::format("  {} {:.4g}", options_.metrics[i].name, last.metrics[i]);
      }
    }
    bar.update(done(), note);
    log_.progress(done(), steps_, note);
  }

  // Says how far the run is before its first step, so that a page that cannot be written is found
  // out then.
  void start_log() {
    for (const auto& [name, text] : options_.settings) log_.setting(name, text);
    log_.setting("parameters", std::to_string(trainer_.model().parameter_count()));
    log_.setting("steps", std::to_string(steps_));
    log_.setting("data", order_);
    if (ranks_.size() > 1) log_.setting("ranks", std::to_string(ranks_.size()));
    log_.look("Loss", {.log_y = true});
    log_.look("Gradient norms", {.y_label = "Euclidean norm", .log_y = true});
    log_.progress(done(), steps_, "");
  }

  // What a run that goes on must have, too.
  std::string made_with() const {
    std::vector<std::string> all;
    for (const auto& [name, text] : options_.settings) all.push_back(name + " " + text);
    for (const Metric& metric : options_.metrics) all.push_back("metric " + metric.name);
    if (!options_.monitor.empty()) all.push_back("monitor " + options_.monitor);
    return fmt::format("{}", fmt::join(all, ", "));
  }

  void save() {
    state_.step = trainer_.steps();
    state_.has_best = !best_.empty();
    NamedTensors tensors = trainer_.tensors();
    ranks_.on_first([&] {
      for (const auto& [name, tensor] : best_) {
        tensors.emplace_back(std::string(kBest) + name, tensor);
      }
      save_checkpoint(checkpoint_,
                      {.step = trainer_.steps(),
                       .position = state_.next,
                       .data_order = order_,
                       .notes = {{"progress", to_json(state_)}, {"made_with", made_with()}},
                       .tensors = std::move(tensors)});
    });
  }

  // The first rank reads the checkpoint and hands on what is in it.
  void resume() {
    Checkpoint last;
    ranks_.on_first([&] { last = load(); });
    NamedTensors best;
    std::erase_if(last.tensors, [&](auto& named) {
      if (!named.first.starts_with(kBest)) return false;
      best.emplace_back(named.first.substr(kBest.size()), std::move(named.second));
      return true;
    });
    const std::string text = ranks_.broadcast_text(last.notes["progress"]);
    if (text.empty()) return;
    RunState before = detail::run_state_from(text, options_.metrics.size());
    last.step = before.step;
    trainer_.restore(last, batches_.batch(before.next));
    trainer_.set_next_batch(order_, before.next);
    if (before.has_best) {
      best_ = ranks_.broadcast_tensors(values_of(trainer_.model().state()), best);
    }
    std::vector<Evaluation> evaluations = std::exchange(before.evaluations, {});
    state_ = std::move(before);
    for (Evaluation& evaluation : evaluations) add(std::move(evaluation));
    log_.setting("resumed", fmt::format("after step {}", done()));
    if (!ranks_.is_first() || options_.progress == report::ProgressMode::off) return;
    fmt::print(stderr, "{} goes on after step {} of {}\n", options_.title, done(), steps_);
  }

  // Without notes where no run has begun.
  Checkpoint load() const {
    std::optional<Checkpoint> last = load_checkpoint(checkpoint_);
    if (!last) return {};
    if (!last->fallback_reason.empty()) {
      fmt::print(stderr, "{}; the checkpoint before it is whole\n", last->fallback_reason);
    }
    require_same_order(*last, batches_);
    const std::string path = checkpoint_.string();
    if (last->notes["made_with"] != made_with()) {
      const auto named = [](const std::string& all) {
        return all.empty() ? "no settings and no metrics" : all;
      };
      throw ValueError(fmt::format("{} was made with {}, but this run has {}", path,
                                   named(last->notes["made_with"]), named(made_with())));
    }
    const RunState before =
        detail::run_state_from(last->notes["progress"], options_.metrics.size());
    if (last->step != before.step || last->position != before.next || before.begin > before.step) {
      throw ValueError(fmt::format(
          "{}: step {}, batch {} of epoch {} and a record of {} steps are not of one place", path,
          last->step, last->position.batch, last->position.epoch, before.step));
    }
    return std::move(*last);
  }

  void restore_best() {
    if (options_.keep_best && !best_.empty()) trainer_.model().load(best_);
  }

  History finish() {
    restore_best();
    log_.finish();
    history_.stopped_early = stopped_early();
    history_.evaluations = std::move(state_.evaluations);
    for (const Metric& metric : options_.metrics) history_.metrics.push_back(metric.name);
    history_.validated = options_.validation.has_value();
    history_.best = best_at_.value_or(0);
    return std::move(history_);
  }

  Trainer& trainer_;
  const Ranks& ranks_;
  const data::Batches& batches_;
  const FitOptions& options_;
  const std::filesystem::path checkpoint_;
  const std::string order_;  // of the batches
  NoLog no_log_;
  TrainingLog& log_;
  std::int64_t steps_ = 0, every_ = 0;
  bool is_piecewise_ = true;   // whether the loss can be evaluated in pieces, as far as is known
  std::optional<bool> tells_;  // whether the loss in Mode::evaluation tells anything
  RunState state_;
  std::optional<std::size_t> best_at_;  // the evaluation of the lowest score
  NamedTensors best_;
  History history_;
};

}  // namespace

History fit(Trainer& trainer, const data::Batches& batches, const FitOptions& options) {
  return Fit(trainer, batches, options).run();
}

}  // namespace aclgrad
