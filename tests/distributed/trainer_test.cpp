// SPDX-License-Identifier: Apache-2.0
// Trainer on several ranks: what one rank does.
#include "aclgrad/trainer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "tests/distributed/training.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

struct Setting {
  int ranks = 1;
  bool sharded = false;
  std::int64_t micro_batches = 4;
  DType dtype = DType::float32;
  std::optional<double> clip_norm = std::nullopt;
  bool norm = false;  // batch normalization
  FitOptions fit = {};
};

struct Trained {
  NamedTensors tensors;  // what a checkpoint holds
  History history;
  std::int64_t skipped = 0;
};

data::Dataset pictures() {
  data::Dataset made{init::normal({64, 12}, 5), Tensor::zeros({64}, DType::int64)};
  for (std::int64_t i = 0; i < 64; ++i) {
    made.labels.set(i, made.features.get(12 * i) > made.features.get(12 * i + 7) ? 1 : 2);
  }
  return made;
}

Trained train_with(const Setting& setting, const Communicator& communicator) {
  Sequential model(Linear("a", 12, 10, {.init_for = Activation::selu, .seed = 1}));
  if (setting.norm) model.add(BatchNorm2d("norm", 10));
  model.add(Selu{}).add(Linear("b", 10, 4, {.seed = 2}));
  AdamW optimizer({.learning_rate = schedule::cosine(1e-2, 3, 30), .clip_norm = setting.clip_norm},
                  decay_matrices(model.parameters(), 0.1));
  // Buckets of a few tensors each.
  const auto ranks = make_ranks(communicator, setting.sharded, {.bucket_bytes = 100});
  const auto loss = [&](const Value& x, const Value& t) {
    return cross_entropy(cast(model(cast(x, setting.dtype)), DType::float32), t);
  };
  TrainerOptions options{.micro_batches = setting.micro_batches, .ranks = ranks.get()};
  if (setting.dtype == DType::float16)
    options.loss_scaling = {.scale = 0x1p22, .growth_interval = 5};
  Trainer trainer(model, loss, optimizer, options);
  const data::Batches batches(pictures(), {.batch_size = 16, .seed = 3});
  FitOptions fitting = setting.fit;
  fitting.progress = report::ProgressMode::off;
  if (!fitting.steps) fitting.steps = 14;
  fitting.validation = pictures();
  Trained trained{.tensors = {}, .history = fit(trainer, batches, fitting)};
  trained.tensors = sorted_tensors(trainer);
  trained.skipped = trainer.skipped();
  return trained;
}

// What the first rank has; expects that the others found the same.
Trained train_with(const Setting& setting) {
  if (setting.ranks == 1) return train_with(setting, Communicator());
  std::vector<Trained> all(static_cast<std::size_t>(setting.ranks));
  run_ranks(setting.ranks,
            [&](const Communicator& communicator) {
              all[static_cast<std::size_t>(communicator.rank())] =
                  train_with(setting, communicator);
            },
            {.timeout_seconds = 60});
  for (const Trained& each : all) {
    EXPECT_EQ(each.history.to_string(), all[0].history.to_string());
    if (!setting.norm) {
      EXPECT_TRUE(same_bits(each.tensors, all[0].tensors));
    }
  }
  return all[0];
}

TEST(TrainerOnRanks, HasTheBitsOfOneRank) {
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16}) {
    const Trained alone = train_with({.dtype = dtype});
    EXPECT_EQ(alone.skipped > 0, dtype == DType::float16);
    for (const int ranks : {2, 4}) {
      for (const bool sharded : {false, true}) {
        SCOPED_TRACE(fmt::format("{} ranks, sharded {}", ranks, sharded));
        const Trained together = train_with({.ranks = ranks, .sharded = sharded, .dtype = dtype});
        EXPECT_TRUE(same_bits(together.tensors, alone.tensors));
        EXPECT_EQ(together.history.to_string(), alone.history.to_string());
        EXPECT_EQ(together.skipped, alone.skipped);
      }
    }
  }
}

// A norm of gradients that ranks share is added up in another order.
TEST(TrainerOnRanks, ClipsToTheNormOfAllGradients) {
  const Trained alone = train_with({.clip_norm = 0.05});
  EXPECT_TRUE(same_bits(train_with({.ranks = 2, .clip_norm = 0.05}).tensors, alone.tensors));
  const Trained sharded = train_with({.ranks = 2, .sharded = true, .clip_norm = 0.05});
  const Trained unclipped = train_with({});
  const double loss = alone.history.evaluations.back().validation_loss;
  EXPECT_NEAR(sharded.history.evaluations.back().validation_loss, loss, 1e-5);
  EXPECT_GT(std::abs(unclipped.history.evaluations.back().validation_loss - loss), 1e-4);
}

// Frozen for the second of three steps.
NamedTensors train_freezing(const Communicator& communicator, bool sharded, bool adam) {
  const Linear first("a", 12, 10, {.seed = 1}), second("b", 10, 4, {.seed = 2});
  const Sequential model(first, Selu{}, second);
  AdamW adamw;
  Sgd sgd({.momentum = 0.9});
  const auto ranks = make_ranks(communicator, sharded);
  const auto loss = cross_entropy_of(model);
  Optimizer& optimizer = adam ? static_cast<Optimizer&>(adamw) : sgd;
  Trainer trainer(model, loss, optimizer, {.micro_batches = 2, .ranks = ranks.get()});
  trainer.step(pictures());
  first.freeze();
  trainer.step(pictures());
  first.unfreeze();
  trainer.step(pictures());
  return sorted_tensors(trainer);
}

// What several ranks are trained to has the bits of what one is.
void expect_as_alone(const std::function<NamedTensors(const Communicator&)>& train,
                     const std::vector<int>& counts = {2}) {
  const NamedTensors alone = train(Communicator());
  for (const int count : counts) {
    SCOPED_TRACE(fmt::format("{} ranks", count));
    run_ranks(count,
              [&](const Communicator& communicator) {
                EXPECT_TRUE(same_bits(train(communicator), alone));
              },
              {.timeout_seconds = 60});
  }
}

TEST(TrainerOnRanks, FollowsWhatIsFrozen) {
  expect_as_alone([](const Communicator& communicator) {
    return train_freezing(communicator, /*sharded=*/false, /*adam=*/true);
  });
}

// A part frozen before the first step, one that the loss does not use, and an empty batch.
TEST(TrainerOnRanks, SharesTheUpdateOfWhatIsTrained) {
  expect_as_alone([](const Communicator& communicator) {
    const Linear frozen("a", 12, 10, {.seed = 1}), head("b", 10, 4, {.seed = 2});
    const Sequential model(frozen, Selu{}, head, Linear("spare", 4, 4, {.seed = 3}));
    frozen.freeze();
    AdamW optimizer;
    const auto ranks = make_ranks(communicator, communicator.size() > 1);
    const auto loss = [&](const Value& x, const Value& t) {
      return cross_entropy(head(Selu{}(frozen(x))), t);
    };
    Trainer trainer(model, loss, optimizer, {.micro_batches = 2, .ranks = ranks.get()});
    const data::Dataset all = pictures();
    trainer.step(all);
    EXPECT_TRUE(std::isnan(trainer.step({all.features.slice(0, 0, 0), all.labels.slice(0, 0, 0)})));
    trainer.step(all);
    const NamedTensors saved = trainer.tensors();
    trainer.step(all);
    trainer.restore({.step = 3, .tensors = saved}, all);
    trainer.step(all);
    return sorted_tensors(trainer);
  });
}

// Sessions of ranks without examples hold less than those of the first rank.
TEST(TrainerOnRanks, ForgetTheSameSessions) {
  for (std::size_t bytes = 1 << 10; bytes <= 1 << 17; bytes *= 2) {
    run_ranks(2,
              [&](const Communicator& communicator) {
                const Linear model("a", 8, 1, {.seed = 1});
                Sgd optimizer({.learning_rate = 1e-3});
                DataParallel ranks(communicator);
                const auto loss = [&](const Value& x, const Value&) { return mean(model(x)); };
                Trainer trainer(
                    model, loss, optimizer,
                    {.ranks = &ranks, .sessions = {.bytes = bytes, .warn = [](auto) {}}});
                for (int i = 0; i < 2; ++i) {
                  for (std::int64_t length = 12; length > 0; --length) {
                    trainer.step({Tensor::full({1, length, 8}, 1), Tensor::zeros({1})});
                  }
                }
              },
              {.timeout_seconds = 20});
  }
}

TEST(TrainerOnRanks, ASharedUpdateIsOfTheParametersOfItsFirstStep) {
  for (const bool adam : {true, false}) {
    run_ranks(2,
              [&](const Communicator& communicator) {
                EXPECT_THAT(
                    message_of<ValueError>([&] { train_freezing(communicator, true, adam); }),
                    HasSubstr("freeze and unfreeze before"));
              },
              {.timeout_seconds = 60});
  }
}

// By default there is a micro-batch a rank: the same means, rounded otherwise.
TEST(TrainerOnRanks, AgreesToRoundingWithOneRankThatTakesWholeBatches) {
  const Trained alone = train_with({.micro_batches = 0});
  const Trained together = train_with({.ranks = 4, .micro_batches = 0});
  for (std::size_t i = 0; i < alone.history.evaluations.size(); ++i) {
    EXPECT_NEAR(alone.history.evaluations[i].loss, together.history.evaluations[i].loss, 1e-5);
  }
}

// Bags of words, beside a teacher that is no part of the model and frozen, or whose result passes
// no gradient.
TEST(TrainerOnRanks, ReadBagsAndATeacher) {
  struct Net : Module {
    Variable table{parameter("table", init::normal({9, 6}, 3))};
    Linear out{child("out"), 6, 4};
    Value operator()(const Value& words) const {
      return out(embedding_bag(words.graph().parameter(table), words));
    }
  };
  data::Dataset batch{Tensor::zeros({300, 5}, DType::int64), {}};
  for (std::int64_t i = 0; i < 1500; ++i) batch.features.set(i, static_cast<double>(i * i % 9));
  const auto train = [&](const Communicator& communicator, bool frozen) {
    const Net teacher, model;
    seed_parameters(teacher, 4);
    if (frozen) teacher.freeze();
    AdamW optimizer({.learning_rate = 1e-2});
    const auto ranks = make_ranks(communicator, false);
    const auto loss = [&](const Value& x) {
      const Value of_teacher = softmax(teacher(x));
      const Value wanted = frozen ? of_teacher : stop_gradient(of_teacher);
      const Value sure = amax(wanted, {1});
      const Value far = cross_entropy(model(x), wanted, {.reduction = Reduction::none});
      return reduce_sum(sure * far) / reduce_sum(sure);
    };
    Trainer trainer(model, loss, optimizer, {.micro_batches = 2, .ranks = ranks.get()});
    std::vector<double> losses;
    for (int i = 0; i < 5; ++i) losses.push_back(trainer.step(batch));
    EXPECT_LT(losses.back(), losses.front());
    EXPECT_NEAR(trainer.evaluate(batch), trainer.evaluate(batch, 0), 1e-6);
    return trainer.tensors();
  };
  for (const bool frozen : {true, false}) {
    expect_as_alone([&](const Communicator& communicator) { return train(communicator, frozen); });
  }
}

// Targets that do not count, parts of other sizes, ranks without an example of the last batch, and
// a parameter that the loss does not use.
TEST(TrainerOnRanks, TrainsOnAnyBatchAsOneRankDoes) {
  data::Dataset data = pictures();
  for (std::int64_t i = 0; i < 40; ++i) data.labels.set(i, kIgnoreIndex);
  data = {data.features.slice(0, 0, 57), data.labels.slice(0, 0, 57)};
  const auto train = [&](const Communicator& communicator, bool sharded) {
    struct Net : Module {
      Linear a{child("a"), 12, 10, {.seed = 1}}, b{child("b"), 10, 4, {.seed = 2}};
      Linear spare{child("spare"), 2, 2, {.seed = 3}};
      Value operator()(const Value& x) const { return b(tanh(a(x))); }
    } model;
    AdamW optimizer({.learning_rate = 1e-2});
    const auto ranks = make_ranks(communicator, sharded, {.bucket_bytes = 100});
    Trainer trainer(model, cross_entropy_of(model), optimizer, {.ranks = ranks.get()});
    // The last batch is one example, which counts.
    const data::Batches batches(data, {.batch_size = 14, .shuffle = false});
    std::vector<double> losses;
    for (int epoch = 0; epoch < 3; ++epoch) {
      for (std::int64_t i = 2; i < batches.batches_per_epoch(); ++i) {
        losses.push_back(trainer.step(batches.batch({0, i})));
      }
    }
    losses.push_back(trainer.evaluate(data, 5));
    return losses;
  };
  const std::vector<double> alone = train(Communicator(), false);
  for (const int count : {2, 3, 4}) {
    for (const bool sharded : {false, true}) {
      std::vector<std::vector<double>> all(static_cast<std::size_t>(count));
      run_ranks(count,
                [&](const Communicator& communicator) {
                  all[static_cast<std::size_t>(communicator.rank())] = train(communicator, sharded);
                },
                {.timeout_seconds = 60});
      for (const std::vector<double>& losses : all) {
        EXPECT_THAT(losses, ::testing::Pointwise(::testing::DoubleNear(2e-6), alone))
            << count << " ranks, sharded " << sharded;
      }
    }
  }
}

// Normalized are micro-batches, whichever rank has them: the same steps. The running statistics are
// those that the first rank has seen.
TEST(TrainerOnRanks, NormalizesMicroBatches) {
  const Trained alone = train_with({.norm = true});
  const Trained together = train_with({.ranks = 2, .norm = true});
  for (std::size_t i = 0; i < alone.history.evaluations.size(); ++i) {
    EXPECT_EQ(alone.history.evaluations[i].loss, together.history.evaluations[i].loss);
  }
  for (std::size_t i = 0; i < alone.tensors.size(); ++i) {
    const auto& [name, tensor] = alone.tensors[i];
    const bool same = bitwise_equal(tensor, together.tensors[i].second);
    EXPECT_EQ(same, name.find("running") == std::string::npos) << name;
  }
}

// The masks are those of one rank that has all micro-batches: with a layer that is called twice, of
// batches with fewer examples than micro-batches, or than ranks, and after a restore.
TEST(TrainerOnRanks, DrawsTheMasksOfOneRank) {
  for (const bool sharded : {false, true}) {
    expect_as_alone(
        [&](const Communicator& communicator) {
          struct Net : Module {
            Linear a{child("a"), 12, 10, {.seed = 1}}, b{child("b"), 10, 4, {.seed = 2}};
            Dropout often{child("often"), 0.5, 3};
            AlphaDropout once{child("once"), 0.2, 4};
            Value operator()(const Value& x) const { return b(once(often(a(often(x))))); }
          } model;
          AdamW optimizer({.learning_rate = 1e-2});
          const auto ranks = make_ranks(communicator, sharded && communicator.size() > 1);
          Trainer trainer(model, cross_entropy_of(model), optimizer,
                          {.micro_batches = 8, .ranks = ranks.get()});
          const data::Dataset all = pictures();
          const auto step = [&](std::int64_t examples) {
            trainer.step({all.features.slice(0, 0, examples), all.labels.slice(0, 0, examples)});
          };
          for (const std::int64_t examples : {64, 5, 1, 64}) step(examples);
          trainer.restore({.step = 4, .tensors = trainer.tensors()}, all);
          step(19);
          NamedTensors tensors = sorted_tensors(trainer);
          std::map<std::string, double> counts;
          for (const auto& [name, tensor] : tensors) {
            if (name.ends_with(".draws")) counts[name] = tensor.item();
          }
          const double passes = 8 + 5 + 1 + 8 + 8;
          EXPECT_THAT(counts,
                      ElementsAre(Pair("often.draws", 2 * passes), Pair("once.draws", passes)));
          return tensors;
        },
        {2, 4, 8});
  }
}

TEST(TrainerOnRanks, GoesOnWithAnotherNumberOfRanks) {
  const FitOptions options{.steps = 14, .evaluate_every = 5, .keep_best = true};
  const Trained whole = train_with({.dtype = DType::float16, .fit = options});
  for (const auto& [first, second] : {std::pair{4, 2}, {2, 1}, {1, 4}}) {
    const TemporaryFolder folder;
    FitOptions saved = options;
    saved.checkpoint = folder.path() / "run";
    saved.checkpoint_every = 4;
    saved.resume = true;
    saved.steps = 9;
    train_with({.ranks = first, .sharded = first > 1, .dtype = DType::float16, .fit = saved});
    saved.steps = 14;
    const Trained rest =
        train_with({.ranks = second, .sharded = second > 1, .dtype = DType::float16, .fit = saved});
    EXPECT_EQ(rest.history.steps, 6) << "after step 8";
    EXPECT_TRUE(same_bits(rest.tensors, whole.tensors)) << first << ", then " << second;
    EXPECT_EQ(rest.history.evaluations.back().validation_loss,
              whole.history.evaluations.back().validation_loss);
  }
}

TEST(TrainerOnRanks, SaysWhatDoesNotGoTogether) {
  EXPECT_THAT(message_of<ValueError>([] { train_with({.sharded = true}); }),
              HasSubstr("at least 2 ranks"));
  EXPECT_THAT(message_of<ValueError>([] { train_with({.ranks = 3}); }),
              HasSubstr("4 micro-batches cannot be shared out evenly to 3 ranks"));
}

}  // namespace
}  // namespace aclgrad::testing
