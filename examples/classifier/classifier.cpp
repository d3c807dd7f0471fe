// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/classifier.h"

#include <aclgrad/format.h>

#include <algorithm>
#include <cmath>

using namespace aclgrad;

namespace {

std::string confusion_picture(const std::string& name, const data::Dataset& test,
                              const Tensor& predicted, std::int64_t classes) {
  std::vector<std::string> names;
  for (std::int64_t label = 0; label < classes; ++label) names.push_back(std::to_string(label));
  return report::Heatmap{.title = fmt::format("{}: test pictures, {:.1f} % correct", name,
                                              100 * data::accuracy(predicted, test.labels)),
                         .row_title = "true class",
                         .column_title = "predicted class",
                         .row_labels = names,
                         .column_labels = names,
                         .values = report::confusion_matrix(test.labels, predicted, classes),
                         .confusion = true}
      .svg();
}

// The misclassified pictures, at most 60 of them, with the true and the predicted label.
std::string mistakes_picture(const std::string& name, const data::Dataset& test,
                             const Tensor& predicted) {
  constexpr std::size_t kShown = 60;
  const auto side = std::lround(std::sqrt(
      static_cast<double>(test.features.numel() / std::max<std::int64_t>(test.size(), 1))));
  const auto [light, dark] = std::ranges::minmax(test.features.data<float>());
  std::size_t mistakes = 0;
  report::ImageGrid grid{.columns = 6, .light = light, .dark = dark};
  for (std::int64_t i = 0; i < test.size(); ++i) {
    const double actual = test.labels.get(i), taken_for = predicted.get(i);
    if (actual == taken_for || ++mistakes > kShown) continue;
    grid.images.push_back({.pixels = test.features.slice(0, i, i + 1).reshape({side, side}),
                           .caption = fmt::format("{}, taken for {}", actual, taken_for),
                           .colour = "#B03A2E"});
  }
  grid.title = fmt::format("{}: {} of {} test pictures misclassified", name, mistakes, test.size());
  return grid.svg();
}

}  // namespace

Classified train_classifier(const Classification& it, const ProgramOptions& options,
                            const Communicator& communicator) {
  const auto scores = [&](const Value& x) {
    return cast(it.scores(cast(x, options.dtype)), DType::float32);
  };
  const auto loss = [&](const Value& x, const Value& t) { return cross_entropy(scores(x), t); };
  const std::unique_ptr<Ranks> ranks = make_ranks(options, communicator);
  Trainer trainer(it.model, loss, it.optimizer, trainer_options(options, *ranks));
  Predictor predictor(scores, 1000);
  const auto percent = [&](const data::Dataset& examples) {
    return 100 * data::accuracy(data::argmax(predictor(examples.features)), examples.labels);
  };
  std::vector<Metric> metrics = {{"test", [&] { return percent(it.test); }, "Accuracy"}};
  if (it.train != nullptr) {
    metrics.push_back({"train", [&] { return percent(*it.train); }, "Accuracy"});
  }
  const auto path = [&](const std::string& kind, const std::string& extension) {
    return options.out / (kind + "_" + it.name + extension);
  };
  std::optional<RunReport> page;
  if (communicator.is_first()) {
    std::filesystem::create_directories(options.out);
    page.emplace(path("report", ".html"), RunReportOptions{.title = it.name});
    for (const auto& [name, text] : it.settings) page->setting(name, text);
    page->setting("dtype", to_string(options.dtype));
    page->setting("seed", std::to_string(options.seed));
    page->look("Accuracy", {.y_label = "percent correct"});
  }
  Classified made;
  made.history = fit(trainer, it.batches,
                     {.epochs = it.epochs,
                      .metrics = metrics,
                      .checkpoint = path("checkpoint", ".safetensors"),
                      .checkpoint_every = it.checkpoint_every,
                      .resume = options.resume,
                      .made_with = fmt::format("{}, {}{}", it.name, options.dtype, it.made_with),
                      .log = page ? &*page : nullptr,
                      .observe = page.has_value(),
                      .title = it.name,
                      .prefetch = it.prefetch});
  made.accuracy =
      made.history.curve(it.name, [](const Evaluation& each) { return each.metrics[0]; });
  made.parameters = it.model.parameter_count();
  if (!page) return made;
  const Tensor last = predictor(it.test.features);
  const Tensor predicted = data::argmax(last);
  const std::string confusion = confusion_picture(it.name, it.test, predicted, last.shape()[1]);
  const std::string mistakes = mistakes_picture(it.name, it.test, predicted);
  write_file_atomically(path("confusion", ".svg"), confusion);
  write_file_atomically(path("mistakes", ".svg"), mistakes);
  write_file_atomically(path("graph", ".dot"), to_dot(trainer.graph()));
  save_safetensors(path("weights", ".safetensors"), values_of(it.model.state()),
                   {{"network", it.name}, {"seed", std::to_string(options.seed)}});
  page->picture("Confusion", confusion);
  page->picture("Mistakes", mistakes);
  page->finish();
  made.record = page->record();
  made.table = fmt::format("{}, {:.0f} s, % right\n{}", it.name, made.history.seconds,
                           made.history.to_string(metrics));
  return made;
}

void compare_classifiers(const std::string& title, const std::vector<std::string>& names,
                         const ProgramOptions& options, const Communicator& communicator,
                         const std::function<Classified(const std::string& name)>& train) {
  report::Table table({"activation", "% right"});
  report::LineChart chart{.title = title, .x_label = "epoch", .y_label = "% right"};
  for (const std::string& name : names) {
    Classified run = train(name);
    if (!communicator.is_first()) continue;
    fmt::print("{}\n", run.table);
    table.add_row({name, fmt::format("{:.2f}", run.accuracy.y.back())});
    chart.series.push_back(std::move(run.accuracy));
  }
  if (!communicator.is_first()) return;
  write_file_atomically(options.out / "learning.svg", chart.svg());
  fmt::print("{}", table.to_string());
}
