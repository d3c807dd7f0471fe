// SPDX-License-Identifier: Apache-2.0
#include "training.h"

#include <aclgrad/aclgrad.h>
#include <aclgrad/report.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>

#include "digits.h"

namespace {

using namespace aclgrad;

// Two hidden layers. GEGLU halves its input, so its layers are made twice as wide.
Sequential make_network(const std::string& activation, std::int64_t hidden, std::uint64_t seed) {
  const auto stack = [&](auto layer, Activation kind, std::int64_t widening) {
    const auto options = [&](Activation next, std::uint64_t number) {
      return LinearOptions{.activation = next, .seed = seed * 10 + number};
    };
    return Sequential(Linear("hidden1", kPixels, widening * hidden, options(kind, 1)), layer,
                      Linear("hidden2", hidden, widening * hidden, options(kind, 2)), layer,
                      Linear("output", hidden, kClasses, options(Activation::none, 3)));
  };
  if (activation == "selu") return stack(Selu{}, Activation::selu, 1);
  if (activation == "elu") return stack(Elu{}, Activation::elu, 1);
  if (activation == "hardswish") return stack(Hardswish{}, Activation::hardswish, 1);
  return stack(Geglu{}, Activation::geglu, 2);
}

// Classifies a fixed set of digits with whatever the network's weights are now.
class Classifier {
 public:
  Classifier(const Sequential& network, const data::Dataset& digits)
      : digits_(digits),
        x_(graph_.input("x", digits.features.shape())),
        logits_(network(x_)),
        session_(graph_, {logits_}) {}

  Tensor predict() {
    const Tensor logits = session_.run({{x_, digits_.features}})[logits_];
    const auto scores = logits.data<float>();
    Tensor predictions = Tensor::zeros({digits_.size()}, DType::int64);
    for (std::int64_t i = 0; i < digits_.size(); ++i) {
      const auto row = scores.subspan(static_cast<std::size_t>(i * kClasses), kClasses);
      predictions.set(i, static_cast<double>(std::ranges::max_element(row) - row.begin()));
    }
    return predictions;
  }

  double accuracy() {
    const Tensor predictions = predict();
    const auto predicted = predictions.data<std::int64_t>();
    const auto actual = digits_.labels.data<std::int64_t>();
    const auto right = std::inner_product(predicted.begin(), predicted.end(), actual.begin(), 0,
                                          std::plus<>(), std::equal_to<>());
    return static_cast<double>(right) / static_cast<double>(digits_.size());
  }

 private:
  const data::Dataset& digits_;
  Graph graph_;
  Value x_;
  Value logits_;
  Session session_;
};

}  // namespace

TrainingRun train(const std::string& activation, const data::Split& digits,
                  const Options& options) {
  const Sequential network = make_network(activation, options.hidden, options.seed);

  // Record one training step: forward, backward, update.
  Graph graph;
  const Value x = graph.input("x", {options.batch, kPixels});
  const Value labels = graph.input("labels", {options.batch}, DType::int64);
  const Value loss = cross_entropy(network(x), labels).named("loss");
  AdamW optimizer({.learning_rate = options.learning_rate, .weight_decay = 0.05});
  const Update update = optimizer.step(graph, backward(loss, network.parameters(graph)));
  Session session(graph, {loss, update});

  Classifier on_train(network, digits.train);
  Classifier on_test(network, digits.test);
  const data::Batches batches(
      digits.train, {.batch_size = options.batch, .drop_last = true, .seed = options.seed});
  const std::int64_t steps = batches.batches_per_epoch();

  TrainingRun run;
  run.activation = activation;
  report::ProgressBar progress(options.epochs * steps, {.title = fmt::format("{:<9}", activation)});
  std::chrono::steady_clock::duration in_steps{};
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    double sum = 0;
    std::int64_t step = 0;
    for (const data::Dataset& batch : batches.epoch(static_cast<std::uint64_t>(epoch))) {
      const auto begin = std::chrono::steady_clock::now();
      const double step_loss =
          session.run({{x, batch.features}, {labels, batch.labels}})[loss].item();
      in_steps += std::chrono::steady_clock::now() - begin;
      if (!std::isfinite(step_loss)) {
        throw Diverged(fmt::format("{}: the loss became {} in epoch {}; try a smaller --lr",
                                   activation, step_loss, epoch + 1));
      }
      sum += step_loss;
      const std::string accuracy =
          run.epochs.empty() ? ""
                             : fmt::format("  acc {:.1f}%", 100 * run.epochs.back().test_accuracy);
      ++step;
      progress.update(epoch * steps + step,
                      fmt::format("loss {:.4f}{}", sum / static_cast<double>(step), accuracy));
    }
    run.epochs.push_back(
        {sum / static_cast<double>(steps), on_train.accuracy(), on_test.accuracy()});
  }
  progress.finish();

  run.seconds = std::chrono::duration<double>(in_steps).count();
  run.steps_per_second = static_cast<double>(options.epochs * steps) / run.seconds;
  run.test_predictions = on_test.predict();
  for (const Variable& variable : network.variables()) {
    run.weights.emplace_back(variable.name(), variable.value());
    run.parameters += variable.shape().numel();
  }
  run.graph_dot = to_dot(graph);
  return run;
}
