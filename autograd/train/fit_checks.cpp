// SPDX-License-Identifier: Apache-2.0
#include "train/fit_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "aclgrad/error.h"

namespace aclgrad::detail {
namespace {

// Whether a metric has the place of a curve that fit() adds to a log.
bool is_own_curve(const Metric& metric, bool observes) {
  const std::string& chart = metric.chart.empty() ? metric.name : metric.chart;
  const std::string& curve = metric.chart.empty() ? metric.chart : metric.name;
  if (chart == "Loss") return curve == "step" || curve == "mean" || curve == "validation";
  if (chart == "Learning rate") return curve.empty();
  return observes && (chart == "Gradient norms" || chart == "Update ratios");
}

}  // namespace

void check_fit(const data::Batches& batches, const FitOptions& options,
               const Optimizer& optimizer) {
  const auto require = [](bool holds, const std::string& why) {
    if (!holds) throw ValueError(why);
  };
  const auto require_count = [&](const char* name, std::int64_t count) {
    require(count >= 0, fmt::format("`{}` is at least 0, not {}", name, count));
  };
  require_count("epochs", options.epochs);
  require_count("steps", options.steps.value_or(0));
  require_count("evaluate_every", options.evaluate_every);
  require_count("checkpoint_every", options.checkpoint_every.value_or(0));
  require_count("record_every", options.record_every);
  require_count("patience", options.patience);
  require(!std::isnan(options.target_loss.value_or(0)),
          "`target_loss` is a number, not nan: no loss would reach it");
  require(options.validation || !options.monitor.empty() ||
              (options.patience == 0 && !options.keep_best),
          "`patience` and `keep_best` go by the validation loss: give `validation`, or the name "
          "of a metric as `monitor`");
  require(options.validation || !options.monitor.empty() || !optimizer.goes_by_evaluations(),
          "a learning rate of schedule::plateau() goes by the validation loss: give `validation`, "
          "or the name of a metric as `monitor`");
  require(options.validation || !options.target_loss,
          "`target_loss` goes by the validation loss: give `validation`");
  require(!options.validation || options.validation->size() > 0, "`validation` has no examples");
  require(!options.checkpoint.empty() || (!options.resume && !options.checkpoint_every),
          "to `resume` and to save with `checkpoint_every`, a run needs the name of its "
          "`checkpoint`");
  const bool is_recorded = options.record ? !options.record->empty() : !options.checkpoint.empty();
  require(options.record_every == 0 || is_recorded,
          "for `record_every`, a run needs the name of its `record`, or of a `checkpoint`");
  require(!options.observe || options.log != nullptr,
          "to `observe`, a run needs a `log`, such as a RunReport");
  std::set<std::string> names;
  for (const Metric& metric : options.metrics) {
    require(metric.measure != nullptr,
            fmt::format("the metric `{}` has no function that measures it", metric.name));
    require(names.insert(metric.name).second,
            fmt::format("two metrics are called `{}`", metric.name));
    require(options.log == nullptr || !is_own_curve(metric, options.observe),
            fmt::format("the metric `{}` would be a curve of `{}`, where the log has one of that "
                        "name: call it otherwise, or give it another `chart`",
                        metric.name, metric.chart.empty() ? metric.name : metric.chart));
  }
  require(options.monitor.empty() || names.contains(options.monitor),
          fmt::format("`monitor` is \"{}\", but no metric is called so", options.monitor));
  names.clear();
  for (const auto& [name, text] : options.settings) {
    require(names.insert(name).second, fmt::format("two settings are called `{}`", name));
  }
  require(batches.batches_per_epoch() > 0,
          batches.size() == 0
              ? "there are no examples to train on"
              : fmt::format("there are {} examples, fewer than a batch of {}: `drop_last` leaves "
                            "none to train on",
                            batches.size(), batches.options().batch_size));
}

}  // namespace aclgrad::detail
