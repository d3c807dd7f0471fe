// SPDX-License-Identifier: Apache-2.0
// Trainer, fit() and predict(): the same numbers as loops written by hand, early stopping, and runs
// that go on from a checkpoint.
#include "aclgrad/trainer.h"

#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

// Which of two half planes a point is in: 90 points, so that the last of batches of 16 is smaller.
data::Dataset points(std::uint64_t seed, std::int64_t count = 90) {
  data::Dataset made{init::normal({count, 2}, seed), Tensor::zeros({count}, DType::int64)};
  for (std::int64_t i = 0; i < count; ++i) {
    made.labels.set(i, made.features.get(2 * i) > made.features.get(2 * i + 1) ? 1 : 0);
  }
  return made;
}

struct Net : Module {
  Linear hidden{child("hidden"), 2, 8, {.init_for = Activation::elu, .seed = 1}};
  Dropout drop{child("drop"), 0.25, 3};
  Linear out{child("out"), 8, 2, {.seed = 2}};
  Value operator()(const Value& x) const { return out(drop(elu(hidden(x)))); }
};

struct Planes {
  Net model;
  AdamW optimizer{{.learning_rate = schedule::cosine(1e-2, 5, 60), .clip_norm = 1},
                  decay_matrices(model.parameters(), 0.1)};
  Trainer trainer{model,
                  [this](const Value& x, const Value& t) { return cross_entropy(model(x), t); },
                  optimizer};
  data::Batches batches{points(1), {.batch_size = 16, .seed = 4}};
};

void expect_equal_state(const std::vector<Variable>& a, const std::vector<Variable>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(bitwise_equal(a[i].value(), b[i].value())) << a[i].name();
  }
}

TEST(Trainer, GivesTheBitsOfALoopWrittenByHand) {
  Planes ours, hand;
  const History history =
      fit(ours.trainer, ours.batches, {.epochs = 3, .progress = report::ProgressMode::off});
  EXPECT_EQ(history.evaluations.size(), 3u);
  std::int64_t step = 0;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    double sum = 0;
    for (const data::Dataset& batch : hand.batches.epoch(epoch)) {
      Graph graph;
      const Value x = graph.input("x", batch.features.shape());
      const Value t = graph.input("t", batch.labels.shape(), DType::int64);
      const Value loss = cross_entropy(hand.model(x), t);
      hand.optimizer.set_step(step++);
      Session session(
          graph, {loss, hand.optimizer.step(graph, backward(loss, hand.model.parameters(graph)))});
      sum += session.run({{x, batch.features}, {t, batch.labels}})[loss].item();
    }
    EXPECT_EQ(history.evaluations[epoch].loss, sum / 6);
  }
  expect_equal_state(ours.trainer.state(), hand.trainer.state());
}

TEST(Trainer, EvaluatesWithoutDropoutAndWithoutChangingAnything) {
  Planes training;
  const data::Dataset unseen = points(2, 50);
  const std::vector<Tensor> before = [&] {
    std::vector<Tensor> values;
    for (const Variable& variable : training.model.state()) values.push_back(variable.value());
    return values;
  }();
  const double all = training.trainer.evaluate(unseen, 50);
  EXPECT_NEAR(training.trainer.evaluate(unseen, 16), all, 1e-6) << "the last part is smaller";
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(bitwise_equal(before[i], training.model.state()[i].value()));
  }
}

TEST(Trainer, PrefetchedBatchesAreTheSame) {
  Planes ahead, plain;
  const FitOptions quiet{.epochs = 2, .progress = report::ProgressMode::off};
  FitOptions prefetching = quiet;
  prefetching.prefetch = true;
  fit(ahead.trainer, ahead.batches, prefetching);
  fit(plain.trainer, plain.batches, quiet);
  expect_equal_state(ahead.trainer.state(), plain.trainer.state());
}

TEST(Fit, GoesOnFromACheckpointWithTheSameBits) {
  const TemporaryFolder folder;
  FitOptions options{.steps = 40,
                     .evaluate_every = 7,
                     .validation = points(2, 20),
                     .metrics = {{"one", [] { return 0.1; }}},
                     .keep_best = true,
                     .progress = report::ProgressMode::off};
  Planes whole, first, second;
  const History expected = fit(whole.trainer, whole.batches, options);
  options.checkpoint = folder.path() / "run";
  options.resume = true;
  options.steps = 21;
  fit(first.trainer, first.batches, options);
  options.steps = 40;
  const History resumed = fit(second.trainer, second.batches, options);
  expect_equal_state(whole.trainer.state(), second.trainer.state());
  ASSERT_EQ(resumed.evaluations.size(), expected.evaluations.size());
  for (std::size_t i = 0; i < resumed.evaluations.size(); ++i) {
    EXPECT_EQ(resumed.evaluations[i].step, expected.evaluations[i].step);
    EXPECT_EQ(resumed.evaluations[i].loss, expected.evaluations[i].loss);
    EXPECT_EQ(resumed.evaluations[i].validation_loss, expected.evaluations[i].validation_loss);
  }
  EXPECT_EQ(resumed.best, expected.best);
  EXPECT_EQ(resumed.to_string(options.metrics), expected.to_string(options.metrics));
  const data::Batches others(points(1), {.batch_size = 8, .seed = 4});
  EXPECT_THROW(fit(second.trainer, others, options), ValueError) << "another order of batches";
}

// The learning rate grows until nothing gets better any more.
TEST(Fit, StopsEarlyAndKeepsTheBestWeights) {
  Net model;
  Sgd optimizer({.learning_rate = [](std::int64_t step) { return step < 30 ? 0.1 : 30.0; }});
  Trainer trainer(
      model, [&](const Value& x, const Value& t) { return cross_entropy(model(x), t); }, optimizer);
  const data::Batches batches(points(1), {.batch_size = 16, .seed = 4});
  const History history = fit(trainer, batches,
                              {.epochs = 100,
                               .validation = points(2, 40),
                               .patience = 3,
                               .keep_best = true,
                               .progress = report::ProgressMode::off});
  EXPECT_TRUE(history.stopped_early);
  EXPECT_LT(history.evaluations.size(), 100u);
  EXPECT_EQ(history.best + 4, history.evaluations.size());
  EXPECT_NEAR(trainer.evaluate(points(2, 40)), history.evaluations[history.best].validation_loss,
              1e-12);
  EXPECT_GT(history.evaluations.back().validation_loss,
            history.evaluations[history.best].validation_loss);
}

TEST(Fit, WritesAPageAndATable) {
  const TemporaryFolder folder;
  Planes training;
  const Metric metric{"accuracy", [&] {
                        const data::Dataset unseen = points(2, 40);
                        return data::accuracy(
                            data::argmax(predict(training.model, unseen.features)), unseen.labels);
                      }};
  const History history = fit(training.trainer, training.batches,
                              {.epochs = 10,
                               .metrics = {metric},
                               .report = folder.path() / "page.html",
                               .title = "half planes",
                               .progress = report::ProgressMode::off});
  EXPECT_GT(history.evaluations.back().metrics[0], 0.9);
  const std::string page = read_file(folder.path() / "page.html");
  EXPECT_THAT(page, HasSubstr("half planes"));
  EXPECT_THAT(page, HasSubstr("accuracy"));
  EXPECT_THAT(history.to_string({metric}), HasSubstr("accuracy"));
}

TEST(Fit, SaysWhatIsWrong) {
  Planes training;
  const auto message = [&](FitOptions options) {
    options.progress = report::ProgressMode::off;
    return message_of<ValueError>([&] { return fit(training.trainer, training.batches, options); });
  };
  EXPECT_THAT(message({.patience = 2}), HasSubstr("validation"));
  EXPECT_THAT(message({.resume = true}), HasSubstr("`checkpoint`"));
  AdamW optimizer;
  struct Forgetful : Module {
    Linear in{child("in"), 2, 2};
    Linear out{"out", 2, 2};  // no child
    Value operator()(const Value& x) const { return out(in(x)); }
  } forgetful;
  Trainer reads(
      forgetful, [&](const Value& x, const Value& t) { return cross_entropy(forgetful(x), t); },
      optimizer);
  EXPECT_THAT(message_of<ValueError>([&] { return reads.step(points(1)); }),
              HasSubstr("`out.weight`, which is no part of the model"));
  Trainer rows(
      training.model, [&](const Value& x, const Value&) { return training.model(x); }, optimizer);
  EXPECT_THAT(message_of<ShapeError>([&] { return rows.step(points(1)); }),
              HasSubstr("a loss is one number"));
  EXPECT_THAT(message_of<ValueError>([&] {
                return Trainer(
                           Module(), [](const Value& x, const Value&) { return x; }, optimizer)
                    .steps();
              }),
              HasSubstr("no parameters"));
  Sgd wild({.learning_rate = 1e30});
  Trainer diverging(
      training.model,
      [&](const Value& x, const Value& t) { return cross_entropy(training.model(x), t); }, wild);
  EXPECT_THAT(message_of<ValueError>([&] {
                return fit(diverging, training.batches, {.progress = report::ProgressMode::off});
              }),
              HasSubstr("the loss became"));
}

TEST(Predict, RunsRowsInPartsAndKeepsItsPlans) {
  const Net model;
  const Tensor x = points(3, 50).features;
  const Tensor all = predict(model, x, 0);
  Predictor predictor(model, 16);
  EXPECT_TRUE(bitwise_equal(predictor(x), all));
  EXPECT_TRUE(bitwise_equal(predictor(x), all));
  EXPECT_THROW(predict([](const Value& v) { return mean(v); }, x, 16), ShapeError);
  EXPECT_EQ(predict([](const Value& v) { return mean(v); }, x, 0).numel(), 1);
}

}  // namespace
}  // namespace aclgrad
