// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/classifier.h"

#include <aclgrad/format.h>

#include <algorithm>

using namespace aclgrad;

Training classifier(Training it, const std::function<Value(const Value&)>& model,
                    const ProgramOptions& options, const data::Dataset& test,
                    const data::Dataset* train) {
  const auto scores = [model, dtype = options.dtype](const Value& x) {
    return cast(model(cast(x, dtype)), DType::float32);
  };
  it.loss = [scores](const Value& x, const Value& t) { return cross_entropy(scores(x), t); };
  const auto predict = std::make_shared<Predictor>(scores, 1000);
  const auto watch = [&](const std::string& name, const data::Dataset& examples) {
    const auto percent = [predict, &examples] {
      const Tensor classes = data::argmax((*predict)(examples.features));
      return 100 * data::accuracy(classes, examples.labels);
    };
    it.fit.metrics.push_back({name, percent, "Accuracy, %"});
  };
  watch("test", test);
  if (train != nullptr) watch("train", *train);
  it.fit.observe = true;
  it.fit.prefetch = it.batches.options().transform != nullptr;
  it.pictures = [predict, &test, name = it.name, others = it.pictures] {
    Pictures pictures = others();
    const Tensor last = (*predict)(test.features), classes = data::argmax(last);
    report::Heatmap confusion = report::confusion(test.labels, classes, last.shape()[1]);
    report::ImageGrid mistakes = report::mistakes(test.features, test.labels, classes);
    for (std::string* title : {&confusion.title, &mistakes.title}) *title = name + ": " + *title;
    pictures["confusion"] = confusion.svg();
    pictures["mistakes"] = mistakes.svg();
    return pictures;
  };
  return it;
}

report::Series accuracy_of(const std::string& name, const History& history) {
  return history.curve(name, [](const Evaluation& epoch) { return epoch.metrics[0]; });
}

void compare_classifiers(const ClassifierOptions& options, const data::Split& pictures,
                         const std::function<Training(const std::string&)>& make) {
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
    for (const std::string& name : options.activations) {
      Training it = make(name);
      it.fit.epochs = std::min(options.epochs, options.stop_after);
      const History history = train(it, options.program, communicator);
      if (!communicator.is_first()) continue;
      fmt::print("{}, % right\n{}\n", name, history.to_string());
      losses.series.push_back(history.curve(name, &Evaluation::loss));
      accuracies.series.push_back(accuracy_of(name, history));
      records.push_back(read_run(out / ("report_" + name + ".html")));
      const double seconds = history.step_seconds;
      const auto epochs = static_cast<double>(history.evaluations.size());
      const auto steps = static_cast<double>(history.steps);  // 0 in a run that had ended before
      const std::vector<double>& percent = history.evaluations.back().metrics;
      table.add_row({name, std::to_string(it.model.parameter_count()), fmt::format("{}", epochs),
                     fmt::format("{:.2f}", seconds), fmt::format("{:.3f}", seconds / epochs),
                     fmt::format("{:.0f}", steps > 0 ? steps / seconds : 0),
                     percent.size() > 1 ? fmt::format("{:.2f}%", percent[1]) : "-",
                     fmt::format("{:.2f}%", percent[0])});
    }
    if (!communicator.is_first()) return;
    write_file_atomically(out / "report.html", compare_runs("Activations compared", records));
    write_file_atomically(out / "loss.svg", losses.svg());
    write_file_atomically(out / "accuracy.svg", accuracies.svg());
    fmt::print(
        "{} pictures to train on, {} to test\n\n{}\n"
        "The report is {}; pictures, weights and graphs lie beside it\n",
        pictures.train.size(), pictures.test.size(), table.to_string(),
        (out / "report.html").string());
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
