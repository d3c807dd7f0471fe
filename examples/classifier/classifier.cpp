// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/classifier.h"

#include <aclgrad/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

using namespace aclgrad;

namespace {

// Pictures may lie flat, as a perceptron wants them.
Tensor squares(const Tensor& features) {
  const std::int64_t n = features.shape()[0];
  const auto side = std::lround(std::sqrt(static_cast<double>(features.numel() / n)));
  return features.reshape({n, side, side});
}

// A line of the table.
std::vector<std::string> summary(const std::string& name, const Module& model,
                                 const History& history) {
  const auto epochs = static_cast<double>(history.evaluations.size());
  const bool ran = history.steps > 0;  // a run that had ended before has nothing left to do
  const double rate = ran ? static_cast<double>(history.steps) / history.step_seconds : 0;
  const std::vector<double>& percent = history.evaluations.back().metrics;
  return {name,
          std::to_string(model.parameter_count()),
          fmt::format("{}", epochs),
          fmt::format("{:.2f}", history.step_seconds),
          fmt::format("{:.3f}", history.step_seconds / epochs),
          fmt::format("{:.0f}", rate),
          percent.size() > 1 ? fmt::format("{:.2f}%", percent[1]) : "-",
          fmt::format("{:.2f}%", percent[0])};
}

}  // namespace

Classified train_classifier(const Classifier& it, std::int64_t epochs,
                            const ProgramOptions& options, const Communicator& communicator) {
  const auto scores = [&](const Value& x) {
    return cast(it.scores(cast(x, options.dtype)), DType::float32);
  };
  const auto loss = [&](const Value& x, const Value& t) { return cross_entropy(scores(x), t); };
  const std::unique_ptr<Ranks> ranks = make_ranks(options, communicator);
  Trainer trainer(it.model, loss, *it.optimizer, trainer_options(options, *ranks));
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
  std::string made_with = fmt::format("{}, {}", it.name, options.dtype);
  for (const auto& [name, text] : it.settings) made_with += fmt::format(", {} {}", name, text);
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
                     {.epochs = epochs,
                      .metrics = metrics,
                      .checkpoint = path("checkpoint", ".safetensors"),
                      .checkpoint_every = it.checkpoint_every,
                      .resume = options.resume,
                      .made_with = made_with,
                      .log = page ? &*page : nullptr,
                      .observe = page.has_value(),
                      .title = it.name,
                      .prefetch = it.batches.options().transform != nullptr});
  made.accuracy =
      made.history.curve(it.name, [](const Evaluation& each) { return each.metrics[0]; });
  if (!page) return made;
  const Tensor last = predictor(it.test.features);
  const Tensor predicted = data::argmax(last);
  report::Heatmap confusion = report::confusion(it.test.labels, predicted, last.shape()[1]);
  report::ImageGrid mistakes =
      report::mistakes(squares(it.test.features), it.test.labels, predicted);
  for (std::string* title : {&confusion.title, &mistakes.title}) *title = it.name + ": " + *title;
  std::map<std::string, std::function<std::string()>> pictures = it.pictures;
  pictures["confusion"] = [&] { return confusion.svg(); };
  pictures["mistakes"] = [&] { return mistakes.svg(); };
  for (const auto& [kind, draw] : pictures) {
    const std::string picture = draw();
    write_file_atomically(path(kind, ".svg"), picture);
    page->picture(static_cast<char>(std::toupper(kind[0])) + kind.substr(1), picture);
  }
  write_file_atomically(path("graph", ".dot"), to_dot(trainer.graph()));
  write_file_atomically(path("model", ".txt"), it.model.summary());
  save_safetensors(path("weights", ".safetensors"), values_of(it.model.state()),
                   {{"network", it.name}, {"seed", std::to_string(options.seed)}});
  page->finish();
  made.record = page->record();
  return made;
}

void compare_classifiers(const ClassifierOptions& options,
                         const std::function<Classifier(const std::string&)>& make) {
  const std::filesystem::path& out = options.program.out;
  on_ranks(options.program, [&](const Communicator& communicator) {
    report::Table table({"activation", "parameters", "epochs", "train s", "s/epoch", "steps/s",
                         "train acc", "test acc"});
    report::LineChart losses{.title = "Training loss",
                             .x_label = "epoch",
                             .y_label = "mean cross-entropy of the epoch",
                             .log_y = true};
    report::LineChart accuracies{
        .title = "Accuracy on the test pictures", .x_label = "epoch", .y_label = "percent correct"};
    std::vector<RunRecord> records;
    std::string sizes;
    for (const std::string& name : options.activations) {
      const Classifier it = make(name);
      const Classified run = train_classifier(it, std::min(options.epochs, options.stop_after),
                                              options.program, communicator);
      if (!communicator.is_first()) continue;
      fmt::print("{}, % right\n{}\n", name, run.history.to_string());
      table.add_row(summary(name, it.model, run.history));
      losses.series.push_back(run.history.curve(name, &Evaluation::loss));
      accuracies.series.push_back(run.accuracy);
      records.push_back(run.record);
      sizes = fmt::format("{} pictures to train on, {} to test", it.batches.size(), it.test.size());
    }
    if (!communicator.is_first()) return;
    write_file_atomically(out / "report.html", compare_runs("Activations compared", records));
    write_file_atomically(out / "loss.svg", losses.svg());
    write_file_atomically(out / "accuracy.svg", accuracies.svg());
    fmt::print("{}\n\n{}\nThe report is {}; pictures, weights and graphs lie beside it\n", sizes,
               table.to_string(), (out / "report.html").string());
  });
}

void declare_classifier_options(CLI::App& app, ClassifierOptions& options) {
  app.option_defaults()->always_capture_default();
  app.add_option("--activation", options.activations, "one or several")
      ->check(CLI::IsMember(std::vector<std::string>(options.activations)));
  app.add_option("--epochs", options.epochs, "passes over the pictures")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--batch", options.batch, "pictures of a step")->check(CLI::Range(1, 1000000));
  app.add_option("--stop-after", options.stop_after, "epochs; the rest is for --resume")
      ->check(CLI::Range(1, 1000000));
  declare_program_options(app, options.program, "folder for weights, pictures, pages, checkpoints");
}
