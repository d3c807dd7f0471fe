// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/program.h"

#include <aclgrad/format.h>

#include "examples/classifier/results.h"

using namespace aclgrad;

void declare_program_options(CLI::App& app, ProgramOptions& options, const std::string& out) {
  app.add_option("--seed", options.seed, "the same seed gives the same bits");
  app.add_option("--threads", options.threads, "0: all cores")->check(CLI::Range(0, 1024));
  app.add_option("--out", options.out, out);
}

void declare_resume(CLI::App& app, ProgramOptions& options) {
  app.add_flag("--resume", options.resume, "go on from the checkpoints in --out");
}

int run_program(const std::string& name, CLI::App& app, int argc, char** argv,
                const ProgramOptions& options, const std::function<void()>& body,
                const std::string& advice) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    if (options.threads > 0) set_num_threads(options.threads);
    body();
    flush_output();
    return 0;
  } catch (const std::exception& error) {
    const int status = exit_status_for(name, error);
    if (dynamic_cast<const IoError*>(&error) != nullptr) fmt::print(stderr, "{}", advice);
    return status;
  }
}

report::Series curve_of(const std::string& name, const History& history) {
  report::Series curve{.name = name, .y = {}};
  for (const Evaluation& evaluation : history.evaluations) {
    curve.x.push_back(static_cast<double>(curve.x.size() + 1));
    curve.y.push_back(evaluation.metrics.front());
  }
  return curve;
}

report::Series train_classifier(const Classification& it, std::int64_t epochs, bool prefetch,
                                const ProgramOptions& options) {
  const auto loss = [&](const Value& x, const Value& t) { return cross_entropy(it.scores(x), t); };
  Trainer trainer(it.model, loss, it.optimizer);
  Predictor predictor(it.scores);
  const Metric accuracy{"% right", [&] {
                          return 100 * data::accuracy(data::argmax(predictor(it.test.features)),
                                                      it.test.labels);
                        }};
  const History history = fit(trainer, it.batches,
                              {.epochs = epochs,
                               .metrics = {accuracy},
                               .checkpoint = options.out / ("checkpoint_" + it.name),
                               .resume = options.resume,
                               .report = options.out / ("report_" + it.name + ".html"),
                               .title = it.name,
                               .prefetch = prefetch});
  fmt::print("{}, {:.0f} s\n{}\n", it.name, history.seconds, history.to_string({accuracy}));
  it.model.save(options.out / ("weights_" + it.name + ".safetensors"));
  return curve_of(it.name, history);
}
