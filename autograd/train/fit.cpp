// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <utility>

#include "aclgrad/checkpoint.h"
#include "aclgrad/error.h"
#include "aclgrad/run_report.h"
#include "aclgrad/trainer.h"

namespace aclgrad {
namespace {

constexpr std::string_view kBest = "best.";

// Evaluations as text in a checkpoint: the bits of numbers, so that a resumed run shows the same.
std::string text_of(const std::vector<Evaluation>& evaluations) {
  std::string text;
  for (const Evaluation& evaluation : evaluations) {
    text +=
        fmt::format("{} {:a} {:a}", evaluation.step, evaluation.loss, evaluation.validation_loss);
    for (const double metric : evaluation.metrics) text += fmt::format(" {:a}", metric);
    text += '\n';
  }
  return text;
}

std::vector<Evaluation> evaluations_of(const std::string& text, std::size_t metrics) {
  std::vector<Evaluation> all;
  const char* at = text.c_str();
  const auto next = [&at] {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at) throw ValueError("the checkpoint's record of evaluations is not whole");
    at = end;
    return value;
  };
  while (*at != '\0') {
    Evaluation evaluation;
    evaluation.step = static_cast<std::int64_t>(next());
    evaluation.loss = next();
    evaluation.validation_loss = next();
    for (std::size_t i = 0; i < metrics; ++i) evaluation.metrics.push_back(next());
    all.push_back(std::move(evaluation));
    if (*at == '\n') ++at;
  }
  return all;
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
        batches_(batches),
        options_(options),
        steps_(options.steps.value_or(options.epochs * batches.batches_per_epoch())),
        every_(options.evaluate_every > 0 ? options.evaluate_every : batches.batches_per_epoch()) {
    check();
    if (!options.report.empty()) start_report();
  }

  History run() {
    data::Position at;
    if (options_.resume) at = resume();
    if (trainer_.steps() >= steps_) return finish();
    Feeder feeder(batches_, at, options_.prefetch);
    report::ProgressBar progress(
        steps_, {.title = options_.title, .mode = options_.progress, .before = trainer_.steps()});
    const auto begin = std::chrono::steady_clock::now();
    double sum = 0;
    std::int64_t count = 0;
    while (trainer_.steps() < steps_ && !history_.stopped_early) {
      const double loss = trainer_.step(feeder.next());
      const std::int64_t step = trainer_.steps();
      if (!std::isfinite(loss)) {
        throw ValueError(
            fmt::format("the loss became {} in step {}: try a smaller learning rate, or clip_norm",
                        loss, step));
      }
      sum += loss;
      ++count;
      if (report_) report_->point("Loss", "step", static_cast<double>(step), loss);
      if (step % every_ == 0 || step == steps_) {
        evaluate(step, sum / static_cast<double>(count));
        sum = 0;
        count = 0;
        if (!options_.checkpoint.empty()) save(feeder.at());
      }
      show(progress, step,
           count == 0 ? history_.evaluations.back().loss : sum / static_cast<double>(count));
    }
    history_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    progress.finish();
    return finish();
  }

 private:
  void check() const {
    if (!options_.validation && (options_.patience > 0 || options_.keep_best)) {
      throw ValueError("`patience` and `keep_best` go by the validation loss: give `validation`");
    }
    if (options_.resume && options_.checkpoint.empty()) {
      throw ValueError("to `resume`, a run needs the name of its `checkpoint`");
    }
    if (batches_.batches_per_epoch() == 0) {
      throw ValueError("there are fewer examples than a batch has");
    }
    if (steps_ < 0 || options_.evaluate_every < 0 || options_.patience < 0) {
      throw ValueError("`steps`, `epochs`, `evaluate_every` and `patience` are at least 0");
    }
  }

  void evaluate(std::int64_t step, double loss) {
    Evaluation evaluation{.step = step, .loss = loss};
    if (options_.validation) evaluation.validation_loss = trainer_.evaluate(*options_.validation);
    for (const Metric& metric : options_.metrics) evaluation.metrics.push_back(metric.measure());
    add(std::move(evaluation));
    if (options_.keep_best && history_.best + 1 == history_.evaluations.size()) {
      best_ = values_of(trainer_.model().state());
    }
    const std::size_t since = history_.evaluations.size() - 1 - history_.best;
    history_.stopped_early =
        options_.patience > 0 && since >= static_cast<std::size_t>(options_.patience);
  }

  void add(Evaluation evaluation) {
    if (report_) {
      const auto x = static_cast<double>(evaluation.step);
      report_->point("Loss", "mean", x, evaluation.loss);
      if (options_.validation) {
        report_->point("Loss", "validation", x, evaluation.validation_loss);
      }
      for (std::size_t i = 0; i < options_.metrics.size(); ++i) {
        report_->point(options_.metrics[i].name, "", x, evaluation.metrics[i]);
      }
    }
    history_.evaluations.push_back(std::move(evaluation));
    const std::vector<Evaluation>& all = history_.evaluations;
    if (!(all[history_.best].validation_loss <= all.back().validation_loss)) {
      history_.best = all.size() - 1;
    }
  }

  void show(report::ProgressBar& progress, std::int64_t step, double loss) {
    std::string note = fmt::format("loss {:.4f}", loss);
    if (!history_.evaluations.empty()) {
      const Evaluation& last = history_.evaluations.back();
      if (options_.validation) note += fmt::format("  validation {:.4f}", last.validation_loss);
      for (std::size_t i = 0; i < options_.metrics.size(); ++i) {
        note += fmt::format("  {} {:.4g}", options_.metrics[i].name, last.metrics[i]);
      }
    }
    progress.update(step, note);
    if (report_) report_->progress(step, steps_, note);
  }

  void start_report() {
    report_.emplace(options_.report, RunReportOptions{.title = options_.title});
    report_->setting("parameters", std::to_string(trainer_.model().parameter_count()));
    report_->setting("steps", std::to_string(steps_));
    report_->setting("data", batches_.description());
    report_->setting("learning rate", fmt::format("{:g}", trainer_.optimizer().learning_rate(0)));
    report_->look("Loss", {.log_y = true});
  }

  std::string metric_names() const {
    std::string names;
    for (const Metric& metric : options_.metrics) names += metric.name + "\n";
    return names;
  }

  void save(data::Position at) const {
    NamedTensors tensors = values_of(trainer_.state());
    for (const auto& [name, tensor] : best_) {
      tensors.emplace_back(std::string(kBest) + name, tensor);
    }
    save_checkpoint(options_.checkpoint,
                    {.step = trainer_.steps(),
                     .position = at,
                     .data_order = batches_.description(),
                     .notes = {{"evaluations", text_of(history_.evaluations)},
                               {"metrics", metric_names()},
                               {"stopped_early", history_.stopped_early ? "yes" : "no"}},
                     .tensors = std::move(tensors)});
  }

  // Of the batch that comes next.
  data::Position resume() {
    std::optional<Checkpoint> last = load_checkpoint(options_.checkpoint);
    if (!last) return {};
    if (!last->fallback_reason.empty()) {
      fmt::print(stderr, "{}; the checkpoint before it is whole\n", last->fallback_reason);
    }
    require_same_order(*last, batches_);
    if (last->notes["metrics"] != metric_names()) {
      throw ValueError(fmt::format("{} was made with other metrics", options_.checkpoint.string()));
    }
    NamedTensors tensors;
    for (auto& [name, tensor] : last->tensors) {
      if (name.starts_with(kBest)) {
        best_.emplace_back(name.substr(kBest.size()), std::move(tensor));
      } else {
        tensors.emplace_back(name, std::move(tensor));
      }
    }
    // The optimizer has its state when it has recorded a step.
    last->tensors = std::move(tensors);
    trainer_.restore(*last, batches_.batch(last->position));
    for (Evaluation& evaluation :
         evaluations_of(last->notes["evaluations"], options_.metrics.size())) {
      add(std::move(evaluation));
    }
    history_.stopped_early = last->notes["stopped_early"] == "yes";
    return last->position;
  }

  History finish() {
    if (options_.keep_best && !best_.empty()) trainer_.model().load(best_);
    if (report_) report_->finish();
    return std::move(history_);
  }

  Trainer& trainer_;
  const data::Batches& batches_;
  const FitOptions& options_;
  std::int64_t steps_, every_;
  std::optional<RunReport> report_;
  History history_;
  NamedTensors best_;
};

}  // namespace

std::string History::to_string(const std::vector<Metric>& metrics) const {
  const bool validated = !evaluations.empty() && !std::isnan(evaluations.front().validation_loss);
  std::vector<std::string> headers = {"step", "loss"};
  if (validated) headers.push_back("validation");
  for (const Metric& metric : metrics) headers.push_back(metric.name);
  report::Table table(headers);
  for (const Evaluation& evaluation : evaluations) {
    std::vector<std::string> cells = {std::to_string(evaluation.step),
                                      fmt::format("{:.4f}", evaluation.loss)};
    if (validated) cells.push_back(fmt::format("{:.4f}", evaluation.validation_loss));
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      cells.push_back(fmt::format("{:.4g}", evaluation.metrics.at(i)));
    }
    table.add_row(std::move(cells));
  }
  return table.to_string();
}

History fit(Trainer& trainer, const data::Batches& batches, const FitOptions& options) {
  return Fit(trainer, batches, options).run();
}

}  // namespace aclgrad
