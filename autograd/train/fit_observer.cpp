// SPDX-License-Identifier: Apache-2.0
#include "train/fit_observer.h"

#include <fmt/format.h>

#include <cstdio>

namespace aclgrad::detail {
namespace {

// FitOptions::log.
class LogObserver : public FitObserver {
 public:
  LogObserver(Trainer& trainer, const FitOptions& options, std::int64_t steps, std::string order)
      : trainer_(trainer),
        options_(options),
        log_(*options.log),
        steps_(steps),
        order_(std::move(order)) {}

  // Says how far the run is before its first step, so that a page that cannot be written is found
  // out then.
  void begin(std::int64_t done) override {
    for (const auto& [name, text] : options_.settings) log_.setting(name, text);
    log_.setting("parameters", std::to_string(trainer_.model().parameter_count()));
    log_.setting("steps", std::to_string(steps_));
    log_.setting("data", order_);
    const int ranks = trainer_.ranks().size();
    if (ranks > 1) log_.setting("ranks", std::to_string(ranks));
    log_.look("Loss", {.log_y = true});
    log_.look("Gradient norms", {.y_label = "Euclidean norm", .log_y = true});
    log_.progress(done, steps_, "");
  }

  void resumed(std::int64_t done) override {
    log_.setting("resumed", fmt::format("after step {}", done));
  }

  void before_step(const data::Dataset& batch, bool first_since_evaluation) override {
    if (options_.observe && first_since_evaluation) trainer_.observe(batch, log_);
    log_.point("Learning rate", "", step(), trainer_.optimizer().learning_rate(trainer_.steps()));
  }

  void after_step(double loss) override { log_.point("Loss", "step", step(), loss); }

  void evaluated(const Evaluation& evaluation) override {
    const auto x = static_cast<double>(evaluation.step);
    log_.point("Loss", "mean", x, evaluation.loss);
    if (options_.validation) log_.point("Loss", "validation", x, evaluation.validation_loss);
    for (std::size_t i = 0; i < options_.metrics.size(); ++i) {
      const Metric& metric = options_.metrics[i];
      log_.point(metric.chart.empty() ? metric.name : metric.chart,
                 metric.chart.empty() ? "" : metric.name, x, evaluation.metrics[i]);
    }
  }

  void progress(std::int64_t done, const std::string& note) override {
    log_.progress(done, steps_, note);
  }

  void finish() override { log_.finish(); }

 private:
  double step() const { return static_cast<double>(trainer_.steps()); }

  Trainer& trainer_;
  const FitOptions& options_;
  TrainingLog& log_;
  const std::int64_t steps_;
  const std::string order_;
};

// FitOptions::progress.
class BarObserver : public FitObserver {
 public:
  BarObserver(const FitOptions& options, std::int64_t steps, std::int64_t done)
      : options_(options),
        steps_(steps),
        bar_(steps, {.title = options.title, .mode = options.progress, .before = done}) {}

  void resumed(std::int64_t done) override {
    fmt::print(stderr, "{} goes on after step {} of {}\n", options_.title, done, steps_);
  }
  void progress(std::int64_t done, const std::string& note) override { bar_.update(done, note); }
  void finish() override { bar_.finish(); }

 private:
  const FitOptions& options_;
  const std::int64_t steps_;
  report::ProgressBar bar_;
};

}  // namespace

std::vector<std::unique_ptr<FitObserver>> make_observers(Trainer& trainer,
                                                         const FitOptions& options,
                                                         std::int64_t steps, std::int64_t done,
                                                         const std::string& data_order) {
  std::vector<std::unique_ptr<FitObserver>> observers;
  if (!trainer.ranks().is_first()) return observers;
  if (options.progress != report::ProgressMode::off) {
    observers.push_back(std::make_unique<BarObserver>(options, steps, done));
  }
  if (options.log != nullptr) {
    observers.push_back(std::make_unique<LogObserver>(trainer, options, steps, data_order));
  }
  return observers;
}

}  // namespace aclgrad::detail
