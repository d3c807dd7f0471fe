// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/pictures.h"

#include <aclgrad/report.h>
#include <fmt/format.h>

namespace {

using namespace aclgrad;

report::Series curve(const TrainingRun& run, auto value) {
  report::Series series{.name = run.activation, .y = {}};
  for (size_t epoch = 0; epoch < run.epochs.size(); ++epoch) {
    series.x.push_back(static_cast<double>(epoch + 1));
    series.y.push_back(value(run.epochs[epoch]));
  }
  return series;
}

}  // namespace

std::string loss_curves(const std::vector<TrainingRun>& runs) {
  report::LineChart chart{.title = "Training loss",
                          .x_label = "epoch",
                          .y_label = "mean cross-entropy of the epoch",
                          .log_y = true};
  for (const TrainingRun& run : runs) {
    chart.series.push_back(curve(run, [](const Epoch& epoch) { return epoch.loss; }));
  }
  return chart.svg();
}

std::string accuracy_curves(const std::vector<TrainingRun>& runs) {
  report::LineChart chart{
      .title = "Accuracy on the test digits", .x_label = "epoch", .y_label = "percent correct"};
  for (const TrainingRun& run : runs) {
    chart.series.push_back(
        curve(run, [](const Epoch& epoch) { return 100 * epoch.test_accuracy; }));
  }
  return chart.svg();
}

std::string confusion_picture(const TrainingRun& run, const data::Dataset& test) {
  const std::int64_t classes = run.weights.back().second.numel();  // the last layer's bias
  std::vector<std::string> names;
  for (std::int64_t digit = 0; digit < classes; ++digit) names.push_back(std::to_string(digit));
  return report::Heatmap{
      .title = fmt::format("{}: test digits, {:.1f} % correct", run.activation,
                           100 * run.epochs.back().test_accuracy),
      .row_title = "true digit",
      .column_title = "predicted digit",
      .row_labels = names,
      .column_labels = names,
      .values = report::confusion_matrix(test.labels, run.test_predictions, classes),
      .confusion = true}
      .svg();
}

std::string mistakes_picture(const TrainingRun& run, const data::Dataset& test, std::int64_t side) {
  constexpr std::size_t kShown = 60;
  std::size_t mistakes = 0;
  report::ImageGrid grid{.images = {}, .columns = 6};
  for (std::int64_t i = 0; i < test.size(); ++i) {
    const int actual = static_cast<int>(test.labels.get(i));
    const int predicted = static_cast<int>(run.test_predictions.get(i));
    if (actual == predicted || ++mistakes > kShown) continue;
    const std::vector<std::int64_t> row = {i};
    grid.images.push_back({.pixels = data::take_rows(test.features, row).reshape({side, side}),
                           .caption = fmt::format("{}, taken for {}", actual, predicted),
                           .colour = "#B03A2E"});
  }
  grid.title =
      fmt::format("{}: {} of {} test digits misclassified", run.activation, mistakes, test.size());
  return grid.svg();
}
