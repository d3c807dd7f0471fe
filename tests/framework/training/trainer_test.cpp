// SPDX-License-Identifier: Apache-2.0
// Trainer, fit() and predict(): the same numbers as loops written by hand, early stopping, and runs
// that go on from a checkpoint.
#include "aclgrad/trainer.h"

#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

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
  Trainer trainer{model, cross_entropy_of(model), optimizer};
  data::Batches batches{points(1), {.batch_size = 16, .seed = 4}};
};

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
  expect_same_bits(contents_of(ours.trainer.state()), contents_of(hand.trainer.state()));
}

// Without dropout, in float16: a loss scaler that begins so high that the first steps overflow, and
// two micro-batches.
struct Float16Net {
  Linear hidden{"hidden", 2, 8, {.init_for = Activation::elu, .seed = 1}};
  Linear out{"out", 8, 2, {.seed = 2}};
  Sequential model{hidden, Elu{}, out};
  AdamW optimizer{{.learning_rate = schedule::cosine(1e-2, 5, 60)}};
  LossScalerOptions scaling{.scale = 0x1p21, .growth_interval = 4};
  data::Batches batches{points(1, 64), {.batch_size = 16, .seed = 4}};

  Value loss(const Value& x, const Value& t) const {
    return cross_entropy(cast(model(cast(x, DType::float16)), DType::float32), t);
  }
};

TEST(Trainer, ScalesAndAddsUpMicroBatchesAsALoopWrittenByHandDoes) {
  Float16Net ours, hand;
  Trainer trainer(ours.model, [&](const Value& x, const Value& t) { return ours.loss(x, t); },
                  ours.optimizer, {.micro_batches = 2, .loss_scaling = ours.scaling});
  LossScaler scaler(hand.scaling);
  Graph graph, update_graph;
  std::vector<Value> x, t;
  std::optional<LossAndGradients> sum;
  for (int i = 0; i < 2; ++i) {
    x.push_back(graph.input("x" + std::to_string(i), {8, 2}));
    t.push_back(graph.input("t" + std::to_string(i), {8}, DType::int64));
    const Value loss = hand.loss(x.back(), t.back()) * 0.5;  // its share in that of the batch
    const Gradients gradients =
        backward(loss, hand.model.parameters(graph), {.seed = scaler.seed(loss)});
    if (!sum) {
      sum = {loss, gradients};
      continue;
    }
    std::vector<Gradients::Pair> sums;
    for (const auto& [value, gradient] : sum->gradients) {
      sums.push_back({value, gradient + gradients[value]});
    }
    sum = {sum->loss + loss, Gradients(std::move(sums))};
  }
  const Update kept = scaler.unscale(sum->gradients);
  Session compute(graph, {sum->loss, kept, scaler.check()});
  Session update(update_graph, {hand.optimizer.step(update_graph, scaler.gradients(update_graph))});
  for (std::int64_t step = 0; step < 20; ++step) {
    const data::Dataset batch = hand.batches.batch({0, step % 4});
    hand.optimizer.set_step(step);
    const auto rows = [&](int i) {
      return data::Dataset{batch.features.slice(0, 8 * i, 8 * i + 8),
                           batch.labels.slice(0, 8 * i, 8 * i + 8)};
    };
    const data::Dataset first = rows(0), second = rows(1);
    const Results results = compute.run({{x[0], first.features},
                                         {t[0], first.labels},
                                         {x[1], second.features},
                                         {t[1], second.labels}});
    EXPECT_EQ(trainer.step(batch), results[sum->loss].item()) << step;
    if (scaler.update(results)) update.run();
  }
  EXPECT_GT(trainer.skipped(), 0);
  EXPECT_LT(trainer.skipped(), 15);
  EXPECT_EQ(trainer.skipped(), scaler.skipped());
  expect_same_bits(contents_of(ours.model.state()), contents_of(hand.model.state()));
  expect_same_bits(contents_of(ours.optimizer.state()), contents_of(hand.optimizer.state()));
  EXPECT_THAT(trainer.graph().to_string(), HasSubstr("features#1"));
}

TEST(Trainer, LeavesOutAStepWhoseGradientsOverflow) {
  Float16Net training;
  training.scaling.scale = 0x1p24;
  Trainer trainer(training.model,
                  [&](const Value& x, const Value& t) { return training.loss(x, t); },
                  training.optimizer, {.loss_scaling = training.scaling});
  const Tensor before = training.out.weight().value();
  trainer.step(training.batches.batch({0, 0}));
  EXPECT_EQ(trainer.skipped(), 1);
  EXPECT_TRUE(bitwise_equal(training.out.weight().value(), before));
  while (trainer.skipped() == trainer.steps()) trainer.step(training.batches.batch({0, 1}));
  EXPECT_FALSE(bitwise_equal(training.out.weight().value(), before));
  // Other shapes are recorded anew, over the same gradients.
  trainer.step(points(3, 10));
  EXPECT_TRUE(std::isfinite(trainer.step(points(3, 16))));
}

TEST(Trainer, CutsBatchesIntoParts) {
  Planes training;
  const auto loss = cross_entropy_of(training.model);
  Trainer trainer(training.model, loss, training.optimizer, {.micro_batches = 4});
  // 90 examples leave a last batch of 10, whose parts are 3, 3, 2 and 2.
  const History history =
      fit(trainer, training.batches, {.epochs = 1, .progress = report::ProgressMode::off});
  EXPECT_EQ(history.steps, 6);
  EXPECT_THAT(
      message_of<ValueError>([&] {
        return Trainer(training.model, loss, training.optimizer, {.micro_batches = -1}).steps();
      }),
      HasSubstr("`micro_batches` is at least 0, got -1"));
  EXPECT_THAT(
      message_of<ValueError>([&] {
        return Trainer(training.model, loss, training.optimizer, {.evaluation_batch = -1}).steps();
      }),
      HasSubstr("`evaluation_batch`"));
  EXPECT_THAT(message_of<ValueError>([&] {
                return Trainer(training.model, LossFunction(), training.optimizer).steps();
              }),
              HasSubstr("needs a loss function"));
}

// PyTorch passes over a parameter without a gradient: no decay, no state, and no step.
TEST(Trainer, LeavesAParameterAloneThatTheLossDoesNotUse) {
  struct Spare : Module {
    Linear used{child("used"), 2, 2}, spare{child("spare"), 2, 2};
    Value operator()(const Value& x) const { return used(x); }
  };
  for (const std::int64_t parts : {1, 3}) {
    for (const bool scaled : {false, true}) {
      Spare model;
      AdamW optimizer({.learning_rate = 0.1, .weight_decay = 0.5});
      TrainerOptions options{.micro_batches = parts};
      if (scaled) options.loss_scaling = LossScalerOptions{};
      Trainer trainer(model, cross_entropy_of(model), optimizer, options);
      const Tensor before = model.spare.weight().value(), used = model.used.weight().value();
      testing::internal::CaptureStderr();
      trainer.step(points(1, 16));
      trainer.step(points(1, 10));
      EXPECT_EQ(testing::internal::GetCapturedStderr(),
                "warning: the loss does not depend on `spare.weight`, `spare.bias`: training "
                "leaves them as they are\n")
          << "once";
      EXPECT_TRUE(bitwise_equal(model.spare.weight().value(), before));
      EXPECT_FALSE(bitwise_equal(model.used.weight().value(), used));
      for (const auto& [name, tensor] : trainer.tensors()) {
        EXPECT_THAT(name, testing::Not(HasSubstr("spare.weight."))) << "no state";
      }
    }
  }
  Spare model;
  Sgd optimizer;
  Trainer nothing(
      model, [](const Value& x, const Value&) { return mean(x); }, optimizer);
  EXPECT_THAT(message_of<ValueError>([&] { nothing.step(points(1)); }),
              HasSubstr("`mean` (training/trainer_test.cpp:"));
}

TEST(Trainer, TrainsByALossThatReadsNoExamples) {
  for (const std::int64_t parts : {1, 3}) {
    Net model;
    Sgd optimizer;
    const data::Dataset batch = points(1, 16);
    Trainer penalty(model,
                    [&](const Value& x, const Value&) {
                      return norm(x.graph().parameter(model.hidden.weight())) +
                             reduce_sum(x.graph().parameter(model.out.weight()));
                    },
                    optimizer, {.micro_batches = parts});
    const double before = penalty.evaluate(batch);
    EXPECT_NEAR(penalty.evaluate(batch, 3), before, 1e-6);
    EXPECT_NEAR(penalty.step(batch), before, 1e-6);
    EXPECT_LT(penalty.evaluate(batch), before);
  }
}

// As PyTorch: the mean of nothing is NaN, and nothing changes.
TEST(Trainer, AnEmptyBatchHasNothingToTeach) {
  for (const std::int64_t parts : {1, 3}) {
    Planes training;
    Sgd optimizer;
    Trainer trainer(training.model, cross_entropy_of(training.model), optimizer,
                    {.micro_batches = parts});
    const Tensor before = training.model.hidden.weight().value();
    const data::Dataset none{Tensor::zeros({0, 2}), Tensor::zeros({0}, DType::int64)};
    EXPECT_TRUE(std::isnan(trainer.step(none)));
    EXPECT_TRUE(bitwise_equal(training.model.hidden.weight().value(), before));
    EXPECT_EQ(predict(training.model, none.features).shape(), (Shape{0, 2}));
    EXPECT_THAT(message_of<ValueError>([&] { trainer.evaluate(none); }),
                HasSubstr("no examples to evaluate"));
    EXPECT_THAT(message_of<ValueError>([&] { trainer.evaluate(points(1), -1); }),
                HasSubstr("not -1"));
  }
}

// Sentences of many lengths, say: each is planned once.
TEST(Trainer, PlansEachOfManyShapesOnce) {
  int recorded = 0;
  Net model;
  Sgd optimizer;
  const auto loss = [&](const Value& x, const Value& t) {
    ++recorded;
    return cross_entropy(model(x), t);
  };
  Trainer trainer(model, loss, optimizer);
  Trainer cramped(model, loss, optimizer,
                  {.sessions = {.capacity = 2, .warn = [](const std::string&) {}}});
  const auto train = [&](Trainer& it) {
    recorded = 0;
    for (int round = 0; round < 3; ++round) {
      for (std::int64_t size = 1; size <= 20; ++size) it.step(points(1, size));
    }
    return recorded;
  };
  EXPECT_EQ(train(trainer), 20);
  EXPECT_EQ(train(cramped), 60);
}

TEST(Trainer, ObservesWithoutChangingAnything) {
  const TemporaryFolder folder;
  Planes watched, plain;
  const data::Dataset batch = points(1, 16);
  RunReport page(folder.path() / "page.html");
  for (int i = 0; i < 3; ++i) {
    watched.trainer.observe(batch, page);
    EXPECT_EQ(watched.trainer.step(batch), plain.trainer.step(batch));
  }
  expect_same_bits(contents_of(watched.trainer.state()), contents_of(plain.trainer.state()));
  ASSERT_EQ(page.record().layers.size(), 1u);
  EXPECT_EQ(page.record().layers[0].name, "elu(hidden)");
  EXPECT_EQ(page.record().layers[0].history.size(), 3u);
  ASSERT_EQ(page.record().charts.size(), 1u);
  EXPECT_EQ(page.record().charts[0].series.size(), plain.model.parameters().size());
  EXPECT_GT(page.record().charts[0].series[0].y[0], 0);
}

// By their declarations, in whichever form.
TEST(Trainer, ObservesWhatIsDeclaredAnActivation) {
  const TemporaryFolder folder;
  const Sequential net(Linear("a", 2, 4), Gelu{}, Linear("b", 4, 4), Gelu{Approximate::tanh},
                       Linear("c", 4, 4), Tanh{}, Linear("d", 4, 4), Geglu{}, Linear("e", 2, 2));
  Sgd optimizer;
  Trainer trainer(net, cross_entropy_of(net), optimizer);
  RunReport page(folder.path() / "page.html");
  trainer.observe(points(1, 16), page);
  std::vector<std::string> layers;
  for (const auto& layer : page.record().layers) layers.push_back(layer.name);
  EXPECT_THAT(layers, testing::ElementsAre("gelu(a)", "gelu(b)", "tanh(c)", "geglu(d)"));
}

// A gate is no activation between layers; what has no name is called after its place, once.
TEST(Trainer, ObservesNoGates) {
  const TemporaryFolder folder;
  const Linear in("in", 2, 4), out("out", 4, 2);
  struct Both : Module {
    Both(const Linear& a, const Linear& b) { adopt(a), adopt(b); }
  } const both(in, out);
  Sgd optimizer;
  const auto loss = [&](const Value& x, const Value& t) {
    Value h = in(x);
    for (int i = 0; i < 3; ++i) h = sigmoid(h + h) * tanh(h) + relu(h * 2.0 + h);
    return cross_entropy(out(h), t);
  };
  Trainer trainer(both, loss, optimizer);
  RunReport page(folder.path() / "page.html");
  trainer.observe(points(1, 16), page);
  ASSERT_EQ(page.record().layers.size(), 1u);
  EXPECT_THAT(page.record().layers[0].name, HasSubstr("relu at training/trainer_test.cpp:"));
}

TEST(Trainer, ObservesChannelsOfImages) {
  const TemporaryFolder folder;
  const Sequential net(Conv2d("c", 1, 3, 3, {.padding = 1}), BatchNorm2d("n", 3), Relu{}, Flatten{},
                       Linear("f", 60, 7), Sigmoid{}, Linear("o", 7, 2));
  Sgd optimizer;
  Trainer trainer(net, cross_entropy_of(net), optimizer);
  RunReport page(folder.path() / "page.html");
  const Tensor images = Tensor::arange(80, -1, 0.03).reshape({4, 1, 4, 5});
  // A channel that its batch normalization has switched off is dead.
  for (const Variable& each : net.parameters()) {
    if (each.name() == "n.weight") each.assign(Tensor::from({3}, {1, 0, 1}));
  }
  trainer.observe({images, Tensor::zeros({4}, DType::int64)}, page);
  ASSERT_EQ(page.record().layers.size(), 2u);
  EXPECT_EQ(page.record().layers[0].name, "relu(n)");
  EXPECT_EQ(page.record().layers[0].history[0].units, 3);
  EXPECT_EQ(page.record().layers[0].history[0].dead, 1);
  EXPECT_EQ(page.record().layers[1].name, "sigmoid(f)");
  EXPECT_EQ(page.record().layers[1].history[0].units, 7);
}

TEST(Trainer, EvaluatesWithoutDropoutAndWithoutChangingAnything) {
  Planes training;
  const data::Dataset unseen = points(2, 50);
  const std::vector<Tensor> before = contents_of(training.model.state());
  const double all = training.trainer.evaluate(unseen, 50);
  EXPECT_NEAR(training.trainer.evaluate(unseen, 16), all, 1e-6) << "the last part is smaller";
  expect_same_bits(before, contents_of(training.model.state()));
}

TEST(Trainer, PrefetchedBatchesAreTheSame) {
  Planes ahead, plain;
  const FitOptions quiet{.epochs = 2, .progress = report::ProgressMode::off};
  FitOptions prefetching = quiet;
  prefetching.prefetch = true;
  fit(ahead.trainer, ahead.batches, prefetching);
  fit(plain.trainer, plain.batches, quiet);
  expect_same_bits(contents_of(ahead.trainer.state()), contents_of(plain.trainer.state()));
}

// Between evaluations, with a loss scaler, and in two parts.
TEST(Fit, GoesOnFromTheMiddleOfAnEpoch) {
  const TemporaryFolder folder;
  const auto train = [&](std::int64_t steps, const FitOptions& more) {
    Float16Net training;
    training.scaling.scale = 0x1p21;
    Trainer trainer(training.model,
                    [&](const Value& x, const Value& t) { return training.loss(x, t); },
                    training.optimizer, {.micro_batches = 2, .loss_scaling = training.scaling});
    FitOptions options = more;
    options.steps = steps;
    options.settings = {{"seed", "1"}, {"dtype", "float16"}};
    options.progress = report::ProgressMode::off;
    const History history = fit(trainer, training.batches, options);
    return std::pair(values_of(trainer.state()), history);
  };
  const FitOptions kept{.checkpoint = folder.path() / "run", .checkpoint_every = 3, .resume = true};
  const auto [whole, expected] = train(10, {});
  train(7, kept);
  EXPECT_EQ(load_checkpoint(kept.checkpoint)->step, 6);
  const auto [resumed, history] = train(10, kept);
  EXPECT_EQ(history.steps, 4);
  ASSERT_EQ(resumed.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_TRUE(bitwise_equal(resumed[i].second, whole[i].second)) << whole[i].first;
  }
  EXPECT_EQ(history.to_string(), expected.to_string());

  Float16Net other;
  Trainer trainer(other.model, [&](const Value& x, const Value& t) { return other.loss(x, t); },
                  other.optimizer, {.micro_batches = 2, .loss_scaling = other.scaling});
  FitOptions options = kept;
  options.settings = {{"seed", "1"}, {"dtype", "bfloat16"}};
  EXPECT_THAT(
      message_of<ValueError>([&] { return fit(trainer, other.batches, options); }),
      HasSubstr("was made with seed 1, dtype float16, but this run has seed 1, dtype bfloat16"));
  const data::Batches reordered(points(1, 64), {.batch_size = 8, .seed = 4});
  options.settings.back().second = "float16";
  EXPECT_THROW(fit(trainer, reordered, options), ValueError) << "another order of batches";
  options.metrics = {{"zero", [] { return 0.0; }}};
  EXPECT_THAT(message_of<ValueError>([&] { return fit(trainer, other.batches, options); }),
              HasSubstr("but this run has seed 1, dtype float16, metric zero"));
}

// The learning rate grows until nothing gets better any more.
TEST(Fit, StopsEarlyAndKeepsTheBestWeights) {
  Net model;
  Sgd optimizer({.learning_rate = [](std::int64_t step) { return step < 30 ? 0.1 : 30.0; }});
  Trainer trainer(model, cross_entropy_of(model), optimizer);
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

TEST(Predict, SaysWhatIsMissing) {
  const std::function<Value(const Value&)> none;
  const auto all = [](const std::string&) { return true; };
  EXPECT_THAT(message_of<ValueError>([&] { Predictor(none, 1); }), HasSubstr("is empty"));
  EXPECT_THAT(message_of<ValueError>([&] { Predictor(Net(), -1); }), HasSubstr("not -1"));
  EXPECT_THAT(message_of<ValueError>([&] { intermediate_values(none, points(1).features, all); }),
              HasSubstr("no model"));
  EXPECT_THAT(
      message_of<ValueError>([&] { intermediate_values(Net(), points(1).features, nullptr); }),
      HasSubstr("`wanted`"));
  EXPECT_TRUE(intermediate_values(Net(), points(1).features, [](const std::string&) {
                return false;
              }).empty());
}

TEST(Predictor, NamesTheLineThatMadeIt) {
  const Linear model("layer", 2, 1);
  const data::Dataset wrong{Tensor::zeros({4, 3})};
  const std::string here = "(training/trainer_test.cpp:" + std::to_string(__LINE__ + 1) + ")";
  EXPECT_THAT(message_of<ShapeError>([&] { predict(model, wrong.features); }), HasSubstr(here));
  EXPECT_THAT(
      message_of<ShapeError>([&] { predict(model, wrong); }),
      testing::AllOf(HasSubstr("trainer_test.cpp"), HasSubstr("`layer.weight` has [2, 1]")));
  EXPECT_THAT(message_of<ShapeError>([&] { Predictor(model, 8)(wrong); }),
              HasSubstr("trainer_test.cpp"));
}

TEST(Predict, ShowsWhatLayersWithinReturn) {
  Net model;
  const data::Dataset examples = points(2, 5);
  std::vector<std::string> names;
  const NamedTensors all =
      intermediate_values(model, examples.features, [&](const std::string& name) {
        names.push_back(name);
        return !name.empty() && name != "x";
      });
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(names.front(), "x");
  const Tensor last = all.back().second;
  EXPECT_TRUE(bitwise_equal(last, predict(model, examples.features))) << all.back().first;
}

TEST(Fit, EndsAtATargetAndStaysThereWhenResumed) {
  const TemporaryFolder folder;
  Planes training;
  FitOptions options{.epochs = 100,
                     .validation = points(2, 40),
                     .target_loss = 0.3,
                     .checkpoint = folder.path() / "run.safetensors",
                     .resume = true,
                     .progress = report::ProgressMode::off};
  const History history = fit(training.trainer, training.batches, options);
  EXPECT_TRUE(history.stopped_early);
  ASSERT_GT(history.evaluations.size(), 1u);
  EXPECT_LE(history.evaluations.back().validation_loss, 0.3);
  EXPECT_GT(history.evaluations[history.evaluations.size() - 2].validation_loss, 0.3);
  Planes again;
  const History resumed = fit(again.trainer, again.batches, options);
  EXPECT_TRUE(resumed.stopped_early);
  EXPECT_EQ(resumed.steps, 0);
  EXPECT_EQ(resumed.to_string(), history.to_string());
}

TEST(Fit, WritesAPageAndATable) {
  const TemporaryFolder folder;
  Planes training;
  const Metric metric{"accuracy", [&] {
                        const data::Dataset unseen = points(2, 40);
                        return data::accuracy(
                            data::argmax(predict(training.model, unseen.features)), unseen.labels);
                      }};
  RunReport report(folder.path() / "page.html", {.title = "half planes"});
  const History history = fit(
      training.trainer, training.batches,
      {.epochs = 10, .metrics = {metric}, .log = &report, .progress = report::ProgressMode::off});
  EXPECT_GT(history.evaluations.back().metrics[0], 0.9);
  const std::string page = read_file(folder.path() / "page.html");
  EXPECT_THAT(page, HasSubstr("half planes"));
  EXPECT_THAT(page, HasSubstr(">finished<"));
  EXPECT_THAT(page, HasSubstr("accuracy"));
  EXPECT_THAT(history.to_string(), HasSubstr("accuracy"));
  const report::Series curve = history.curve("half planes", &Evaluation::loss);
  EXPECT_EQ(curve.x.back(), 10);
  EXPECT_EQ(curve.y.back(), history.evaluations.back().loss);
}

TEST(Fit, SaysWhatIsWrong) {
  Planes training;
  const auto message = [&](FitOptions options) {
    options.progress = report::ProgressMode::off;
    return message_of<ValueError>([&] { return fit(training.trainer, training.batches, options); });
  };
  EXPECT_THAT(message({.patience = 2}), HasSubstr("validation"));
  EXPECT_THAT(message({.target_loss = 0.1}), HasSubstr("validation"));
  EXPECT_THAT(message({.resume = true}), HasSubstr("`checkpoint`"));
  EXPECT_THAT(message({.checkpoint_every = 3}), HasSubstr("`checkpoint`"));
  EXPECT_THAT(message({.observe = true}), HasSubstr("needs a `log`"));
  AdamW optimizer;
  struct Forgetful : Module {
    Linear in{child("in"), 2, 2};
    Linear out{"out", 2, 2};  // no child
    Value operator()(const Value& x) const { return out(in(x)); }
  } forgetful;
  Trainer reads(forgetful, cross_entropy_of(forgetful), optimizer);
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
  Trainer diverging(training.model, cross_entropy_of(training.model), wild);
  EXPECT_THAT(message_of<Diverged>([&] {
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
