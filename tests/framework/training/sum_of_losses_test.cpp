// SPDX-License-Identifier: Apache-2.0
// What a loss in parts may be made of: sums of losses, other models, and what it says itself.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <utility>

#include "aclgrad/aclgrad.h"
#include "tests/framework/training/splitting.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

// One of the losses, with options, by chance; of scores, labels and weights.
Value any_loss(RandomSequence& random, const Value& y, const Value& t, const Value& w) {
  const Reduction how = random.below(2) == 0 ? Reduction::mean : Reduction::sum;
  const Value class_weights = y.graph().constant(
      Tensor::from({4}, {0.5, 2, 0, 1}).to(y.dtype()));  // a class without weight
  const Value first = reshape(slice(t, 1, 0, 1), {t.shape()[0]});
  const Value classes = cast(gt(first, 0), DType::int64);
  const Value counts = cast(gt(t, -0.5), y.dtype());
  const Value each = mse_loss(y, t, Reduction::none);
  switch (random.below(16)) {
    case 0:
      return mse_loss(y, t, how);
    case 1:
      return huber_loss(y, t, {.delta = 0.5, .reduction = how});
    case 2:
      return bce_with_logits(y, sigmoid(t), {.pos_weight = class_weights, .reduction = how});
    case 3:
      return kl_div(log_softmax(y), softmax(t), {.reduction = how});
    case 4:
      return cross_entropy(y, classes,
                           {.weight = class_weights,
                            .label_smoothing = random.below(2) == 0 ? 0.0 : 0.2,
                            .ignore_index = random.below(2) == 0 ? 0 : -100,
                            .reduction = how});
    case 5:
      return cross_entropy(y, softmax(t), {.weight = class_weights, .reduction = how});
    case 6:
      return triplet_margin_loss(y, t, neg(t), {.reduction = how});
    case 7:
      return cosine_embedding_loss(y, t, sign(first), {.reduction = how});
    case 8:
      return reduce_sum(each * counts) / clamp(reduce_sum(counts), {.min = 1});
    case 9:
      return reduce_sum(w * w) * 0.125;
    case 10:
      return mean(permute(each, {1, 0})) + reduce_sum(each) / static_cast<double>(y.shape()[0]);
    case 11:
      return mean(reduce_sum(each, {1})) - mean(reduce_sum(reshape(each, {-1, 2, 2}), {0, 2}));
    case 12:
      return mse_loss(y, stop_gradient(tanh(y)), how);
    case 13: {
      const Value sure = stop_gradient(amax(softmax(y), {1}));
      return reduce_sum(mean(each, {1}) * sure) / reduce_sum(sure);
    }
    case 14:  // a sum of products
      return reshape(matmul(reshape(y, {1, -1}), reshape(t, {-1, 1})), {});
    default:
      return multilabel_margin_loss(y, cast(t * 0, DType::int64), how);
  }
}

Value any_sum(RandomSequence& random, const Value& y, const Value& t, const Value& w, int depth) {
  if (depth == 0) return any_loss(random, y, t, w);
  const Value a = any_sum(random, y, t, w, depth - 1);
  const double by = 0.1 + random.uniform();
  switch (random.below(6)) {
    case 0:
      return a * by + any_sum(random, y, t, w, depth - 1);
    case 1:
      return a / by - any_sum(random, y, t, w, depth - 1);
    case 2:
      return mean(stack({a, any_sum(random, y, t, w, depth - 1)}));
    case 3:
      return exp(mean(t)) * a + by;
    case 4:
      return a * exp(mean(w)) / t.graph().constant(Tensor::scalar(by).to(t.dtype()));
    default:
      return neg(a) + by;
  }
}

TEST(SplitLoss, TakesAnySumOfLosses) {
  data::Dataset batch = regression();
  batch = {batch.features.to(DType::float64), batch.labels.to(DType::float64)};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_splits(batch, kWeight.to(DType::float64),
                  [&](const Module& model, const Value& y, const Value& t) {
                    RandomSequence random(seed);
                    const Value w = y.graph().parameter(model.parameters()[0]);
                    return any_sum(random, y, t, w, static_cast<int>(seed % 3)) + mse_loss(y, t);
                  });
  }
}

// Constants that a layer makes for each part by itself are no examples of their own.
TEST(SplitLoss, TakesBags) {
  struct Bags : Module {
    Variable table{parameter("table", init::normal({9, 4}, 6))};
    Linear out{child("out"), 4, 3};
    Value operator()(const Value& words) const {
      return out(embedding_bag(words.graph().parameter(table), words));
    }
  };
  data::Dataset batch{Tensor::zeros({600, 5}, DType::int64), Tensor::zeros({600}, DType::int64)};
  for (std::int64_t i = 0; i < 3000; ++i) batch.features.set(i, static_cast<double>(i * i % 9));
  for (std::int64_t i = 0; i < 600; ++i) batch.labels.set(i, static_cast<double>(i % 3));
  const auto train = [&](std::int64_t parts) {
    Bags model;
    Sgd sgd({.learning_rate = 0.5});
    Trainer trainer(model, cross_entropy_of(model), sgd, {.micro_batches = parts});
    std::vector<double> losses;
    for (int i = 0; i < 3; ++i) losses.push_back(trainer.step(batch));
    losses.push_back(trainer.evaluate(batch));
    losses.push_back(trainer.evaluate(batch, 0));
    return losses;
  };
  const std::vector<double> whole = train(1);
  EXPECT_LT(whole[2], whole[0]);
  for (const std::int64_t parts : {2, 7}) {
    EXPECT_THAT(train(parts), testing::Pointwise(testing::DoubleNear(1e-5), whole));
  }
}

// A teacher beside the model, as the page on training distils it.
TEST(SplitLoss, ReadsWhatIsNoPartOfTheModel) {
  struct Net : Module {
    Linear hidden{child("hidden"), 3, 6}, out{child("out"), 6, 4};
    Value operator()(const Value& x) const { return out(tanh(hidden(x))); }
  };
  using Distance = Value (*)(const Value& student, const Value& teacher);
  const Distance distances[] = {
      [](const Value& y, const Value& of_teacher) { return mse_loss(y, of_teacher); },
      [](const Value& y, const Value& of_teacher) {
        return kl_div(log_softmax(y), softmax(of_teacher), {.reduction = Reduction::sum}) / 7;
      },
      // Weights that are known before the parts, of a model on the whole batch.
      [](const Value& y, const Value& of_teacher) {
        const Value sure = amax(softmax(of_teacher), {1}), far = mean(abs(y - of_teacher), {1});
        return reduce_sum(sure * far) / reduce_sum(sure);
      }};
  for (const Distance distance : distances) {
    for (const bool stops : {false, true}) {
      Net teacher;
      seed_parameters(teacher, 5);
      if (!stops) teacher.freeze();
      const NamedTensors before = values_of(teacher.state());
      const auto train = [&](std::int64_t parts) {
        Net model;
        AdamW optimizer({.learning_rate = 0.05});
        Trainer trainer(model,
                        [&](const Value& x) {
                          const Value target = teacher(x);
                          return distance(model(x), stops ? stop_gradient(target) : target);
                        },
                        optimizer, {.micro_batches = parts});
        std::vector<double> losses;
        for (int i = 0; i < 4; ++i) losses.push_back(trainer.step({regression().features}));
        losses.push_back(trainer.evaluate({regression().features}, 2));
        for (const auto& [name, tensor] : trainer.tensors()) losses.push_back(mean(tensor));
        return losses;
      };
      const std::vector<double> whole = train(1);
      EXPECT_LT(whole[3], whole[0]);
      for (const std::int64_t parts : {2, 3}) {
        EXPECT_THAT(train(parts), testing::Pointwise(testing::DoubleNear(1e-4), whole));
      }
      for (const auto& [name, tensor] : values_of(teacher.state())) {
        for (const auto& [same, was] : before) {
          EXPECT_TRUE(same != name || bitwise_equal(tensor, was)) << name;
        }
      }
    }
  }
  // One that would learn, but is told to nobody, is most likely forgotten.
  Net teacher, model;
  Sgd sgd;
  Trainer trainer(
      model, [&](const Value& x) { return mse_loss(model(x), teacher(x)); }, sgd);
  EXPECT_THAT(message_of<ValueError>([&] { trainer.step({regression().features}); }),
              testing::AllOf(HasSubstr("`hidden.weight`, which is no part of the model"),
                             HasSubstr("freeze()"), HasSubstr("stop_gradient()")));
  // A clone of what is frozen is frozen; thawed it is refused again.
  teacher.freeze();
  {
    const Net copy = clone(teacher);
    Trainer copied(
        model, [&](const Value& x) { return mse_loss(model(x), copy(x)); }, sgd);
    EXPECT_NO_THROW(copied.step({regression().features}));
  }
  teacher.unfreeze();
  EXPECT_THROW(trainer.step({regression().features}), ValueError);
}

// What is told is taken: here each part looks for its negatives in itself.
TEST(SplitLoss, BelievesALossThatSaysHowItAddsUp) {
  const data::Dataset batch = regression();
  const auto told = [](const Module&, const Value& y, const Value& t) {
    const Value counts = cast(gt(t, 0.5), DType::float32);
    return Loss(reduce_sum(mse_loss(y, t, Reduction::none) * counts), reduce_sum(counts));
  };
  const auto shown = [](const Module&, const Value& y, const Value& t) {
    const Value counts = cast(gt(t, 0.5), DType::float32);
    return reduce_sum(mse_loss(y, t, Reduction::none) * counts) / reduce_sum(counts);
  };
  const auto train = [&](const auto& loss, std::int64_t parts) {
    Product model(kWeight);
    Sgd sgd({.learning_rate = 1});
    Trainer trainer(model, [&](const Value& x, const Value& t) { return loss(model, model(x), t); },
                    sgd, {.micro_batches = parts});
    return std::vector<double>{trainer.step(batch), trainer.step(batch), trainer.evaluate(batch, 2),
                               trainer.evaluate(batch, 0)};
  };
  const std::vector<double> whole = train(shown, 1);
  for (const std::int64_t parts : {1, 3}) {
    EXPECT_THAT(train(told, parts), testing::Pointwise(testing::DoubleNear(1e-5), whole));
  }
  const auto against_each_other = [](const Module&, const Value& y, const Value& t) {
    const Value scores = matmul(y, transpose(t, 0, 1));
    return Loss(neg(reduce_sum(log_softmax(scores) * log_softmax(scores))), Value());
  };
  EXPECT_NE(train(against_each_other, 1)[0], train(against_each_other, 2)[0]);
  const auto of_the_model = [](const Module&, const Value& y, const Value& t) {
    return Loss(reduce_sum(mse_loss(y, t, Reduction::none)), reduce_sum(exp(y)));
  };
  EXPECT_THAT(message_of<ValueError>([&] { train(of_the_model, 2); }),
              HasSubstr("is the weight of the loss, and depends on the model"));
  const auto of_many = [](const Module&, const Value& y, const Value& t) {
    return Loss(mse_loss(y, t, Reduction::none), Value());
  };
  EXPECT_THAT(message_of<ShapeError>([&] { train(of_many, 1); }),
              HasSubstr("the sum of a Loss is one number"));
}

// The number of examples, as a value of the graph: that of the whole batch, told or not.
TEST(SplitLoss, TakesNumbersOfTheWholeBatchFromItsExtent) {
  using Count = Value (*)(const Value& y, std::int64_t n);
  const std::vector<Count> counts = {
      [](const Value& y, std::int64_t n) {
        return full(y.graph(), Shape{}, static_cast<double>(n));
      },
      [](const Value& y, std::int64_t n) { return reduce_sum(full(y.graph(), Shape{n}, 1)); },
      [](const Value& y, std::int64_t n) {
        return cast(full(y.graph(), Shape{1}, static_cast<double>(n)), DType::int64);
      },
      [](const Value& y, std::int64_t n) {
        const Value numbers = arange(y.graph(), 1, static_cast<double>(n + 1));
        return amax(cast(numbers, DType::float32)) * 2;
      }};
  for (const Count count : counts) {
    for (const bool is_told : {false, true}) {
      expect_splits(regression(), kWeight, [&](const Module&, const Value& y, const Value& t) {
        const Value sum = reduce_sum(mse_loss(y, t, Reduction::none));
        const Value n = count(y, y.shape()[0]);
        return is_told ? Loss(sum, n) : Loss(sum / reshape(cast(n, DType::float32), {}));
      });
    }
    expect_splits(regression(), kWeight, [&](const Module& model, const Value& y, const Value& t) {
      const Value w = reduce_sum(y.graph().parameter(model.parameters()[0]));
      return mse_loss(y, t) + w * reshape(cast(count(y, y.shape()[0]), DType::float32), {});
    });
  }
}

// What is drawn beside the examples is drawn for each part, here with numbers that do not show it.
TEST(SplitLoss, DrawsBesideTheExamples) {
  const Generator generator(1);
  expect_splits(regression(), kWeight, [&](const Module& model, const Value& y, const Value& t) {
    const Value w = y.graph().parameter(model.parameters()[0]);
    const Value drawn = apply_dropout(w, next_mask(w, w.shape(), 1e-12, generator), 1e-12);
    const Value n = full(y.graph(), Shape{}, static_cast<double>(y.shape()[0]));
    return mse_loss(y, t) + reduce_sum(drawn * drawn) * n * 0.125;
  });
}

// 16 bits have no 259 and no 70,000.
TEST(SplitLoss, DividesSumsOf16BitsByAnyWeight) {
  constexpr double kScore = 33;  // the sums of which 16 bits have
  const data::Dataset batch{Tensor::full({7, 1}, 1)};
  for (const auto& [dtype, weight] : {std::pair{DType::bfloat16, 259.}, {DType::float16, 70000.}}) {
    for (const bool of_batch : {false, true}) {
      Product model(Tensor::from({1, 1}, {kScore}));
      Sgd sgd({.learning_rate = 1});
      Trainer trainer(model,
                      [&](const Value& x) {
                        const Value n = of_batch ? reduce_sum(x) * (weight / 7)
                                                 : full(x.graph(), Shape{1}, weight);
                        return Loss(cast(reduce_sum(model(x)), dtype), cast(n, DType::int64));
                      },
                      sgd, {.micro_batches = 2});
      const double exact = 7 * kScore / weight, rounded = Tensor::scalar(exact).to(dtype).item();
      for (const std::int64_t piece : {0, 3}) {
        EXPECT_EQ(trainer.evaluate(batch, piece), rounded) << weight << " " << piece;
      }
      EXPECT_NEAR(trainer.step(batch), exact, exact / 128) << weight;
    }
  }
}

// A piece that is refused leaves nothing behind for one that is not.
TEST(SplitLoss, EvaluatesInPiecesAfterOnesThatAreRefused) {
  Product model(kWeight);
  Sgd sgd;
  Trainer trainer(
      model,
      [&](const Value& x, const Value& t) {
        const Value y = model(x), own = mean(y * y);
        return mse_loss(y, t) + (l1_loss(y, t) + (x.shape()[0] == 1 ? exp(own) : -own));
      },
      sgd);
  EXPECT_THROW(trainer.evaluate(regression(), 1), ValueError);
  const double whole = trainer.evaluate(regression(), 0);
  EXPECT_NEAR(trainer.evaluate(regression(), 5), whole, 1e-6);
  EXPECT_THROW(trainer.evaluate(regression(), 1), ValueError);
  EXPECT_NEAR(trainer.evaluate(regression(), 5), whole, 1e-6);
}

// The weights of the whole batch are known before its parts, however they are made: the check of
// examples that see each other looks for totals in them, and finds none.
TEST(SplitLoss, TakesKnownFactorsThatPartsMakeOtherwise) {
  expect_steps(regression(), kWeight, [](const Module&, const Value& y, const Value& t) {
    const std::int64_t n = t.shape()[0];
    const Value each = mean(t * t, {1}), half = n > 3 ? each * 0.5 : each / 2;
    return mse_loss(y, t) * reduce_sum(half * 0.25) * stop_gradient(exp(reduce_sum(half)));
  });
}

// It costs evaluations, so it is not done at every step.
TEST(SplitLoss, LooksOnlySeveralTimesWhetherExamplesSeeEachOther) {
  data::Dataset none = classes();
  for (std::int64_t i = 0; i < 7; ++i) none.labels.set(i, kIgnoreIndex);
  Product model(kWeight);
  Sgd sgd;
  int recorded = 0;
  Trainer trainer(model,
                  [&](const Value& x, const Value& t) {
                    ++recorded;
                    return cross_entropy(model(x), t);
                  },
                  sgd, {.micro_batches = 2});
  const auto look = [&] {
    trainer.step(none);
    trainer.evaluate(none, 2);
    return std::exchange(recorded, 0);
  };
  EXPECT_GT(look(), 0);
  for (int i = 0; i < 4; ++i) look();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(look(), 0);
}

// Of a network in which roundings grow to whole numbers nothing can be seen, and it is not refused.
TEST(SplitLoss, TakesNoRoundingForExamplesThatSeeEachOther) {
  const data::Dataset batch = regression();
  Product model(kWeight);
  Sgd sgd({.learning_rate = 1e-6});
  Trainer trainer(model,
                  [&](const Value& x, const Value& t) {
                    // Scaled by the number of examples, so that one rounding differs at least.
                    const auto n = static_cast<double>(x.shape()[0]);
                    Value y = sigmoid((model(x) * n) / n);
                    for (int i = 0; i < 60; ++i) y = y * (1 - y) * 3.99;  // the logistic map
                    return mse_loss(y, t);
                  },
                  sgd, {.micro_batches = 2});
  EXPECT_NO_THROW(trainer.step(batch));
  EXPECT_NO_THROW(trainer.evaluate(batch, 3));
}

}  // namespace
}  // namespace aclgrad
