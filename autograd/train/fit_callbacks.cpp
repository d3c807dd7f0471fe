// SPDX-License-Identifier: Apache-2.0
#include "train/fit_callbacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "aclgrad/tensor/math.h"
#include "train/norm.h"

namespace aclgrad::detail {
namespace {

// FitOptions::log.
class Log {
 public:
  Log(const FitOptions& options, std::string order)
      : options_(options), log_(*options.log), order_(std::move(order)) {}

  // Says how far the run is before its first step, so that a page that cannot be written is found
  // out then.
  void begin(const FitRun& run) {
    if (run.resumed()) own_setting("resumed", fmt::format("after step {}", run.done()));
    for (const auto& [name, text] : options_.settings) log_.setting(name, text);
    own_setting("parameters", std::to_string(run.trainer().model().parameter_count()));
    own_setting("steps", std::to_string(run.total()));
    own_setting("data", order_);
    const int ranks = run.trainer().ranks().size();
    if (ranks > 1) own_setting("ranks", std::to_string(ranks));
    log_.look("Loss", {.log_y = true});
    log_.look("Gradient norms", {.y_label = "Euclidean norm", .log_y = true});
    log_.look("Update ratios", {.y_label = "norm of update / norm of weight", .log_y = true});
    log_.progress(run.done(), run.total(), "");
    for (const Evaluation& each : run.evaluations()) add(each);
    show_best(run);
  }

  void before_step(const FitRun& run) {
    if (options_.observe && run.steps_since_evaluation() == 0) {
      run.trainer().observe(run.batch(), log_);
      observed_step_ = run.step();
      for (const Variable& each : run.trainer().model().trained_parameters()) {
        observed_.emplace_back(each, each.value().to(DType::float64));
      }
    }
    run.point("Learning rate", "", run.learning_rate());
  }

  // What the observed step has changed, as parts of what was there.
  void after_step(const FitRun& run) {
    for (const auto& [variable, before] : observed_) {
      const double norm = euclidean_norm(before);
      if (norm == 0) continue;
      log_.point("Update ratios", variable.name(), static_cast<double>(observed_step_),
                 euclidean_norm(variable.value().to(DType::float64) - before) / norm);
    }
    observed_.clear();
    run.point("Loss", "step", run.loss());
  }

  void add(const Evaluation& evaluation) {
    const auto x = static_cast<double>(evaluation.step);
    log_.point("Loss", "mean", x, evaluation.loss);
    if (options_.validation) log_.point("Loss", "validation", x, evaluation.validation_loss);
    for (std::size_t i = 0; i < options_.metrics.size(); ++i) {
      const Metric& metric = options_.metrics[i];
      log_.point(metric.chart.empty() ? metric.name : metric.chart,
                 metric.chart.empty() ? "" : metric.name, x, evaluation.metrics[i]);
    }
  }

  void show_best(const FitRun& run) {
    if (!run.best()) return;
    const Evaluation& best = run.evaluations()[*run.best()];
    log_.mark("best", static_cast<double>(best.step));
    const auto metric = std::ranges::find(options_.metrics, options_.monitor, &Metric::name) -
                        options_.metrics.begin();
    own_setting("best",
                options_.monitor.empty()
                    ? fmt::format("step {}: validation {:.4g}", best.step, best.validation_loss)
                    : fmt::format("step {}: {} {:.4g}", best.step, options_.monitor,
                                  best.metrics[static_cast<std::size_t>(metric)]));
  }

  void end(const FitRun& run) {
    if (run.done() == run.total()) return;
    const bool is_back = options_.keep_best && run.best();
    own_setting("stopped early", fmt::format("after step {} of {}{}", run.done(), run.total(),
                                             is_back ? ", with the weights of the best" : ""));
  }

 private:
  // Beside the user's settings, whatever those are called.
  void own_setting(std::string name, std::string text) {
    const auto is_taken = [&](const auto& setting) { return setting.first == name; };
    while (std::ranges::any_of(options_.settings, is_taken)) name.insert(0, "fit: ");
    log_.setting(name, std::move(text));
  }

  const FitOptions& options_;
  TrainingLog& log_;
  const std::string order_;
  std::int64_t observed_step_ = 0;
  std::vector<std::pair<Variable, Tensor>> observed_;  // parameters before the observed step
};

Callback log_callback(const FitOptions& options, const std::string& data_order) {
  const auto log = std::make_shared<Log>(options, data_order);
  TrainingLog* to = options.log;
  return {.begin = [=](FitRun& run) { log->begin(run); },
          .before_step = [=](FitRun& run) { log->before_step(run); },
          .after_step = [=](FitRun& run) { log->after_step(run); },
          .after_evaluation =
              [=](FitRun& run) {
                log->add(run.evaluations().back());
                log->show_best(run);
              },
          .progress = [=](FitRun& run) { to->progress(run.done(), run.total(), run.note()); },
          .finish =
              [=](FitRun& run) {
                log->end(run);
                to->finish();
              },
          .failed =
              [=](FitRun& run) {
                to->progress(run.done(), run.total(), run.note());
                to->fail(run.failure());
              }};
}

// FitOptions::progress. The bar is as old as the run.
Callback bar_callback(const FitOptions& options) {
  const auto bar = std::make_shared<std::optional<report::ProgressBar>>();
  const auto begin = [=, &options](FitRun& run) {
    if (run.resumed()) {
      fmt::print(stderr, "{} goes on after step {} of {}\n", options.title, run.done(),
                 run.total());
    }
    bar->emplace(run.total(),
                 report::ProgressOptions{
                     .title = options.title, .mode = options.progress, .before = run.done()});
  };
  return {.begin = begin,
          .progress = [=](FitRun& run) { (*bar)->update(run.done(), run.note()); },
          .finish = [=](FitRun&) { (*bar)->finish(); }};
}

}  // namespace

std::vector<Callback> own_callbacks(const FitOptions& options, const std::string& data_order) {
  std::vector<Callback> callbacks;
  if (options.progress != report::ProgressMode::off) callbacks.push_back(bar_callback(options));
  if (options.log != nullptr) callbacks.push_back(log_callback(options, data_order));
  return callbacks;
}

}  // namespace aclgrad::detail
