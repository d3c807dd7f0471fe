// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string_view>
#include <utility>

#include "aclgrad/checkpoint.h"
#include "aclgrad/error.h"
#include "aclgrad/trainer.h"

namespace aclgrad {
namespace {

constexpr std::string_view kBest = "best.";

// Where a run is, and what it has found.
struct Progress {
  std::int64_t step = 0;   // steps done
  data::Position next;     // the batch to come
  double sum = 0;          // of the losses since the last evaluation
  std::int64_t count = 0;  // of them
  bool stopped_early = false, has_best = false;
  std::vector<Evaluation> evaluations = {};
};

// As text, with the bits of its numbers, so that a resumed run shows the same.
std::string text_of(const Progress& it) {
  std::string text = fmt::format("{} {} {} {:a} {} {:d} {:d}", it.step, it.next.epoch,
                                 it.next.batch, it.sum, it.count, it.stopped_early, it.has_best);
  for (const Evaluation& each : it.evaluations) {
    text += fmt::format("\n{} {:a} {:a}", each.step, each.loss, each.validation_loss);
    for (const double metric : each.metrics) text += fmt::format(" {:a}", metric);
  }
  return text;
}

Progress progress_of(const std::string& text, std::size_t metrics) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end) {
    const double number = std::strtod(at, &end);
    if (end == at) break;
    numbers.push_back(number);
  }
  constexpr std::size_t kHead = 7;
  const std::size_t row = 3 + metrics;
  if (*at != 0 || numbers.size() < kHead || (numbers.size() - kHead) % row != 0) {
    throw ValueError("the checkpoint's record of evaluations is not whole");
  }
  const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(numbers[i]); };
  Progress progress{.step = whole(0),
                    .next = {static_cast<std::uint64_t>(numbers[1]), whole(2)},
                    .sum = numbers[3],
                    .count = whole(4),
                    .stopped_early = numbers[5] != 0,
                    .has_best = numbers[6] != 0};
  for (std::size_t i = kHead; i < numbers.size(); i += row) {
    progress.evaluations.push_back({.step = whole(i),
                                    .loss = numbers[i + 1],
                                    .validation_loss = numbers[i + 2],
                                    .metrics = {&numbers[i] + 3, &numbers[i] + row}});
  }
  return progress;
}

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

class Fit {
 public:
  Fit(Trainer& trainer, const data::Batches& batches, const FitOptions& options)
      : trainer_(trainer),
        ranks_(trainer.ranks()),
        batches_(batches),
        options_(options),
        steps_(options.steps.value_or(options.epochs * batches.batches_per_epoch())),
        every_(options.evaluate_every > 0 ? options.evaluate_every : batches.batches_per_epoch()) {
    check();
    if (ranks_.is_first()) start_log();
  }

  History run() {
    if (options_.resume) resume();
    if (trainer_.steps() >= steps_) return finish();
    Feeder feeder(batches_, progress_.next, options_.prefetch);
    report::ProgressBar bar(
        steps_, {.title = options_.title,
                 .mode = ranks_.is_first() ? options_.progress : report::ProgressMode::off,
                 .before = trainer_.steps()});
    const auto begin = std::chrono::steady_clock::now();
    while (trainer_.steps() < steps_ && !stopped_early()) {
      const data::Dataset batch = feeder.next();
      before_step(batch);
      step(batch);
      progress_.next = feeder.at();
      const std::int64_t done = trainer_.steps();
      const bool evaluates = done % every_ == 0 || done == steps_;
      if (evaluates) evaluate();
      const bool saves = options_.checkpoint_every ? *options_.checkpoint_every > 0 &&
                                                         done % *options_.checkpoint_every == 0
                                                   : evaluates;
      if (saves && !options_.checkpoint.empty()) save();
      if (ranks_.is_first()) show(bar);
    }
    history_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    bar.finish();
    return finish();
  }

 private:
  void check() const {
    const auto require = [](bool holds, const std::string& why) {
      if (!holds) throw ValueError(why);
    };
    require(options_.validation ||
                (options_.patience <= 0 && !options_.keep_best && !options_.target_loss),
            "`patience`, `keep_best` and `target_loss` go by the validation loss: give "
            "`validation`");
    require(!options_.checkpoint.empty() || (!options_.resume && !options_.checkpoint_every),
            "to `resume` and to save with `checkpoint_every`, a run needs the name of its "
            "`checkpoint`");
    require(!options_.observe || options_.log != nullptr,
            "to `observe`, a run needs a `log`, such as a RunReport");
    require(batches_.batches_per_epoch() > 0,
            fmt::format("there are {} examples, fewer than a batch of {}", batches_.size(),
                        batches_.options().batch_size));
    require(
        steps_ >= 0 && options_.evaluate_every >= 0 && options_.patience >= 0 &&
            options_.checkpoint_every.value_or(0) >= 0,
        "`steps`, `epochs`, `evaluate_every`, `checkpoint_every` and `patience` are at least 0");
    trainer_.micro_batches().size_in(std::min(batches_.options().batch_size, batches_.size()));
    const std::int64_t rest = batches_.size() % batches_.options().batch_size;
    if (!batches_.options().drop_last) trainer_.micro_batches().size_in(rest);
  }

  void before_step(const data::Dataset& batch) {
    if (log_ == nullptr) return;
    const std::int64_t step = trainer_.steps();
    if (options_.observe && progress_.count == 0) trainer_.observe(batch, *log_);
    log_->point("Learning rate", "", static_cast<double>(step),
                trainer_.optimizer().learning_rate(step));
  }

  void step(const data::Dataset& batch) {
    const auto begin = std::chrono::steady_clock::now();
    const double loss = trainer_.step(batch);
    history_.step_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ++history_.steps;
    if (!std::isfinite(loss)) {
      throw Diverged(fmt::format(
          "{}: the loss became {} in step {}: try a smaller learning rate, or clip_norm",
          options_.title, loss, trainer_.steps()));
    }
    progress_.sum += loss;
    ++progress_.count;
    if (log_) log_->point("Loss", "step", static_cast<double>(trainer_.steps()), loss);
  }

  // The first rank measures, the others hear of it.
  void evaluate() {
    std::vector<double> measured(1 + options_.metrics.size(),
                                 std::numeric_limits<double>::quiet_NaN());
    if (ranks_.is_first()) {
      if (options_.validation) measured[0] = trainer_.evaluate(*options_.validation);
      std::ranges::transform(options_.metrics, measured.begin() + 1,
                             [](const Metric& metric) { return metric.measure(); });
    }
    ranks_.broadcast(std::as_writable_bytes(std::span(measured)));
    add({.step = trainer_.steps(),
         .loss = progress_.sum / static_cast<double>(progress_.count),
         .validation_loss = measured[0],
         .metrics = {measured.begin() + 1, measured.end()}});
    progress_.sum = 0;
    progress_.count = 0;
    const std::size_t last = progress_.evaluations.size() - 1;
    if (options_.keep_best && best_at_ == last) best_ = values_of(trainer_.model().state());
    progress_.stopped_early =
        options_.patience > 0 && last - best_at_ >= static_cast<std::size_t>(options_.patience);
  }

  // A resumed run may have another target.
  bool stopped_early() const {
    const std::vector<Evaluation>& all = progress_.evaluations;
    return progress_.stopped_early || (options_.target_loss && !all.empty() &&
                                       all.back().validation_loss <= *options_.target_loss);
  }

  void add(Evaluation evaluation) {
    if (log_) {
      const auto x = static_cast<double>(evaluation.step);
      log_->point("Loss", "mean", x, evaluation.loss);
      if (options_.validation) log_->point("Loss", "validation", x, evaluation.validation_loss);
      for (std::size_t i = 0; i < options_.metrics.size(); ++i) {
        const auto& [name, measure, chart] = options_.metrics[i];
        log_->point(chart.empty() ? name : chart, chart.empty() ? "" : name, x,
                    evaluation.metrics[i]);
      }
    }
    std::vector<Evaluation>& all = progress_.evaluations;
    all.push_back(std::move(evaluation));
    if (!(all[best_at_].validation_loss <= all.back().validation_loss)) best_at_ = all.size() - 1;
  }

  void show(report::ProgressBar& bar) {
    const std::vector<Evaluation>& all = progress_.evaluations;
    std::string note = fmt::format(
        "loss {:.4f}", progress_.count == 0 ? all.back().loss
                                            : progress_.sum / static_cast<double>(progress_.count));
    if (!all.empty()) {
      const Evaluation& last = all.back();
      if (options_.validation) note += fmt::format("  validation {:.4f}", last.validation_loss);
      for (std::size_t i = 0; i < options_.metrics.size(); ++i) {
        note += fmt::format("  {} {:.4g}", options_.metrics[i].name, last.metrics[i]);
      }
    }
    bar.update(trainer_.steps(), note);
    if (log_) log_->progress(trainer_.steps(), steps_, note);
  }

  void start_log() {
    log_ = options_.log;
    if (log_ == nullptr) return;
    for (const auto& [name, text] : options_.settings) log_->setting(name, text);
    log_->setting("parameters", std::to_string(trainer_.model().parameter_count()));
    log_->setting("steps", std::to_string(steps_));
    log_->setting("data", batches_.description());
    if (ranks_.size() > 1) log_->setting("ranks", std::to_string(ranks_.size()));
    log_->look("Loss", {.log_y = true});
    log_->look("Gradient norms", {.y_label = "Euclidean norm", .log_y = true});
  }

  // What a run that goes on must have, too.
  std::string made_with() const {
    std::vector<std::string> all;
    for (const auto& [name, text] : options_.settings) all.push_back(name + " " + text);
    for (const Metric& metric : options_.metrics) all.push_back("metric " + metric.name);
    return fmt::format("{}", fmt::join(all, ", "));
  }

  void save() {
    progress_.step = trainer_.steps();
    progress_.has_best = !best_.empty();
    NamedTensors tensors = trainer_.tensors();
    if (!ranks_.is_first()) return;
    for (const auto& [name, tensor] : best_) {
      tensors.emplace_back(std::string(kBest) + name, tensor);
    }
    save_checkpoint(options_.checkpoint,
                    {.step = trainer_.steps(),
                     .position = progress_.next,
                     .data_order = batches_.description(),
                     .notes = {{"progress", text_of(progress_)}, {"made_with", made_with()}},
                     .tensors = std::move(tensors)});
  }

  // The first rank reads the checkpoint and hands on what is in it.
  void resume() {
    Checkpoint last = ranks_.is_first() ? load() : Checkpoint();
    NamedTensors best;
    std::erase_if(last.tensors, [&](auto& named) {
      if (!named.first.starts_with(kBest)) return false;
      best.emplace_back(named.first.substr(kBest.size()), std::move(named.second));
      return true;
    });
    const std::string text = ranks_.broadcast_text(last.notes["progress"]);
    if (text.empty()) return;
    Progress before = progress_of(text, options_.metrics.size());
    last.step = before.step;
    trainer_.restore(last, batches_.batch(before.next));
    if (before.has_best) {
      best_ = ranks_.broadcast_tensors(values_of(trainer_.model().state()), best);
    }
    std::vector<Evaluation> evaluations = std::exchange(before.evaluations, {});
    progress_ = std::move(before);
    for (Evaluation& evaluation : evaluations) add(std::move(evaluation));
    if (log_) log_->setting("resumed", fmt::format("after step {}", last.step));
    if (!ranks_.is_first()) return;
    fmt::print(stderr, "{} goes on after step {} of {}\n", options_.title, last.step, steps_);
  }

  // Without notes where no run has begun.
  Checkpoint load() const {
    std::optional<Checkpoint> last = load_checkpoint(options_.checkpoint);
    if (!last) return {};
    if (!last->fallback_reason.empty()) {
      fmt::print(stderr, "{}; the checkpoint before it is whole\n", last->fallback_reason);
    }
    require_same_order(*last, batches_);
    const std::string path = options_.checkpoint.string();
    if (last->notes["made_with"] != made_with()) {
      throw ValueError(fmt::format("{} was made with {}, but this run has {}", path,
                                   last->notes["made_with"], made_with()));
    }
    const Progress before = progress_of(last->notes["progress"], options_.metrics.size());
    if (last->step != before.step || last->position != before.next) {
      throw ValueError(fmt::format(
          "{}: step {}, batch {} of epoch {} and a record of {} steps are not of one place", path,
          last->step, last->position.batch, last->position.epoch, before.step));
    }
    return std::move(*last);
  }

  History finish() {
    if (options_.keep_best && !best_.empty()) trainer_.model().load(best_);
    if (log_) log_->finish();
    history_.stopped_early = stopped_early();
    history_.evaluations = std::move(progress_.evaluations);
    for (const Metric& metric : options_.metrics) history_.metrics.push_back(metric.name);
    history_.best = best_at_;
    return std::move(history_);
  }

  Trainer& trainer_;
  const Ranks& ranks_;
  const data::Batches& batches_;
  const FitOptions& options_;
  std::int64_t steps_, every_;
  TrainingLog* log_ = nullptr;  // on the first rank
  Progress progress_;
  std::size_t best_at_ = 0;  // the evaluation of the lowest validation loss
  NamedTensors best_;
  History history_;
};

}  // namespace

report::Series History::curve(const std::string& name,
                              const std::function<double(const Evaluation&)>& value) const {
  report::Series series{.name = name};
  for (const Evaluation& evaluation : evaluations) {
    series.x.push_back(static_cast<double>(series.x.size() + 1));
    series.y.push_back(value(evaluation));
  }
  return series;
}

std::string History::to_string() const {
  const bool validated = !evaluations.empty() && !std::isnan(evaluations.front().validation_loss);
  std::vector<std::string> headers = {"step", "loss"};
  if (validated) headers.push_back("validation");
  headers.insert(headers.end(), metrics.begin(), metrics.end());
  report::Table table(headers);
  for (const Evaluation& evaluation : evaluations) {
    std::vector<std::string> cells = {std::to_string(evaluation.step),
                                      fmt::format("{:.4f}", evaluation.loss)};
    if (validated) cells.push_back(fmt::format("{:.4f}", evaluation.validation_loss));
    for (const double metric : evaluation.metrics) cells.push_back(fmt::format("{:.4g}", metric));
    table.add_row(std::move(cells));
  }
  return table.to_string();
}

History fit(Trainer& trainer, const data::Batches& batches, const FitOptions& options) {
  return Fit(trainer, batches, options).run();
}

}  // namespace aclgrad
