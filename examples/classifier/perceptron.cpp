// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/perceptron.h"

#include <aclgrad/format.h>

#include <cmath>

using namespace aclgrad;

namespace {

// CLI11's own check of positive numbers lets NaN through.
std::string learning_rate_complaint(const std::string& text) {
  double rate = 0;
  const bool right = CLI::detail::lexical_cast(text, rate) && rate > 0 && std::isfinite(rate);
  return right ? "" : text + " is not a number above 0";
}

// SELU's own dropout keeps the mean and the variance that SELU works for (Klambauer et al. 2017).
Sequential make_network(Activation kind, const std::vector<std::int64_t>& widths,
                        const PerceptronOptions& options) {
  const std::uint64_t seed = options.program.seed;
  const std::int64_t widening = kind == Activation::geglu ? 2 : 1;
  Sequential network;
  const std::size_t last = widths.size() - 1;
  for (std::size_t i = 1; i < last; ++i) {
    network.add(Linear(fmt::format("hidden{}", i), widths[i - 1], widening * widths[i],
                       {.init_for = kind, .seed = seed * 10 + i}));
    network.add(Activate{kind});
    if (options.dropout == 0) continue;
    const std::string name = fmt::format("dropout{}", i);
    if (kind == Activation::selu) {
      network.add(AlphaDropout(name, options.dropout, seed * 10 + i));
    } else {
      network.add(Dropout(name, options.dropout, seed * 10 + i));
    }
  }
  return network.add(Linear("output", widths[last - 1], widths[last], {.seed = seed * 10 + last}));
}

Training make(const std::string& activation, const std::vector<std::int64_t>& widths,
              const data::Split& pictures, const PerceptronOptions& options) {
  const data::Batches batches(
      pictures.train,
      {.batch_size = options.batch, .drop_last = true, .seed = options.program.seed});
  const std::int64_t steps = options.epochs * batches.batches_per_epoch();
  const double rate = options.learning_rate;
  AdamWOptions recipe{.learning_rate = rate, .weight_decay = 0.05};
  if (options.schedule == "cosine") {
    recipe.learning_rate = schedule::cosine(rate, steps / 20, steps, rate / 100);
  }
  const Sequential model = make_network(activation_named(activation), widths, options);
  return classifier(
      {.name = activation,
       .model = model,
       .optimizer = std::make_shared<AdamW>(recipe),
       .batches = batches,
       .fit = {.checkpoint_every = options.checkpoint_every,
               .settings = {{"layers", fmt::format("{}", fmt::join(widths, "-"))},
                            {"epochs", std::to_string(options.epochs)},
                            {"learning rate", fmt::format("{} ({})", rate, options.schedule)},
                            {"dropout", fmt::format("{}", options.dropout)}}}},
      model, options.program, pictures.test, &pictures.train);
}

}  // namespace

void declare_perceptron_options(CLI::App& app, PerceptronOptions& options) {
  declare_classifier_options(app, options);
  app.add_option("--lr", options.learning_rate, "learning rate of AdamW")
      ->check(learning_rate_complaint);
  app.add_option("--schedule", options.schedule,
                 "learning rate over the steps: constant, or cosine after a warm-up")
      ->check(CLI::IsMember({"constant", "cosine"}));
  app.add_option("--dropout", options.dropout, "part of each hidden layer that a step leaves out")
      ->check(CLI::Range(0.0, 0.9));
  app.add_option("--checkpoint-every", options.checkpoint_every,
                 "steps after which a checkpoint is written to --out; 0: never")
      ->check(CLI::Range(0, 1000000000));
}

void train_perceptrons(const std::vector<std::int64_t>& widths, const data::Split& pictures,
                       const PerceptronOptions& options) {
  try {
    compare_classifiers(options, pictures, [&](const std::string& activation) {
      return make(activation, widths, pictures, options);
    });
  } catch (const Diverged& error) {
    throw Diverged(fmt::format("{}; here that is a smaller --lr", error.what()));
  }
}
