// SPDX-License-Identifier: Apache-2.0
// Examples of any parts: several inputs, no labels, a loss that reads some of them.
#include <gmock/gmock.h>

#include <string>

#include "aclgrad/aclgrad.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t kRows = 10;

Tensor numbers(std::int64_t columns, double start) {
  return Tensor::arange(kRows * columns, start, 0.07).reshape({kRows, columns});
}

// Two inputs of different width, one output.
struct Pair : Module {
  Linear left{child("left"), 3, 2}, right{child("right"), 2, 2};
  Value operator()(const Value& a, const Value& b) const { return left(a) * tanh(right(b)); }
};

const Tensor kLeft = numbers(3, -1), kRight = numbers(2, 0.5), kWanted = numbers(2, 0);

data::Dataset named() {
  return {.parts = {{"left", kLeft}, {"right", kRight}, {"wanted", kWanted}}};
}

// The same in one tensor.
data::Dataset packed() {
  Tensor both = Tensor::zeros({kRows, 5});
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t i = 0; i < 5; ++i) {
      both.set(5 * row + i, i < 3 ? kLeft.get(3 * row + i) : kRight.get(2 * row + i - 3));
    }
  }
  return {both, kWanted};
}

Value by_name(const Pair& model, const BatchValues& batch) {
  return model(batch["left"], batch["right"]);
}
Value from_packed(const Pair& model, const Value& x) {
  return model(slice(x, 1, 0, 3), slice(x, 1, 3, 5));
}

struct PairTraining {
  PairTraining(bool is_named, std::int64_t micro_batches)
      : examples(is_named ? named() : packed()),
        trainer(model,
                is_named ? LossFunction([this](const BatchValues& batch) {
                  return mse_loss(by_name(model, batch), batch["wanted"]);
                })
                         : LossFunction([this](const Value& x, const Value& t) {
                             return mse_loss(from_packed(model, x), t);
                           }),
                adam, {.micro_batches = micro_batches}) {}
  Pair model;
  Adam adam;
  data::Dataset examples;
  Trainer trainer;
};

TEST(Parts, SeveralInputsTrainAsOneTensorDoes) {
  for (const std::int64_t micro_batches : {1, 3}) {
    PairTraining several(true, micro_batches), one(false, micro_batches);
    for (PairTraining* each : {&several, &one}) {
      fit(each->trainer, data::Batches(each->examples, {.batch_size = 4}),
          {.epochs = 2, .validation = each->examples, .progress = report::ProgressMode::off});
    }
    const auto weights = [](const PairTraining& of) { return values_of(of.model.parameters()); };
    const NamedTensors a = weights(several), b = weights(one);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(bitwise_equal(a[i].second, b[i].second));
    EXPECT_EQ(several.trainer.evaluate(several.examples), one.trainer.evaluate(one.examples));
    EXPECT_NEAR(several.trainer.evaluate(several.examples, 3),
                several.trainer.evaluate(several.examples, 0), 1e-6);
  }
}

TEST(Parts, APredictorTakesWhatItsModelReads) {
  const Pair model;
  const auto several = [&](const BatchValues& batch) { return by_name(model, batch); };
  const Tensor whole = predict(several, named());
  EXPECT_TRUE(bitwise_equal(predict(several, named(), 3), whole));
  EXPECT_TRUE(bitwise_equal(predict(several, named(), 0), whole));
  const auto one = [&](const Value& x) { return from_packed(model, x); };
  EXPECT_TRUE(bitwise_equal(predict(one, packed()), whole)) << "their features";
  EXPECT_TRUE(bitwise_equal(predict(one, packed().features), whole));
  Predictor kept(several, 4);
  EXPECT_TRUE(bitwise_equal(kept(named()), whole));
  EXPECT_TRUE(bitwise_equal(kept(named().slice(0, 4)), whole.slice(0, 0, 4)));
  EXPECT_THAT(message_of<ValueError>([&] { kept(packed()); }),
              HasSubstr("only `features`, `labels`"));
  EXPECT_THAT(message_of<ValueError>([&] { predict(one, named()); }),
              AllOf(HasSubstr("no features"), HasSubstr("`left`")));
  EXPECT_THROW(Predictor(std::function<Value(const BatchValues&)>()), ValueError);
}

struct Autoencoder : Module {
  Linear in{child("in"), 3, 2}, out{child("out"), 2, 3};
  Value operator()(const Value& x) const { return out(tanh(in(x))); }
};

TEST(Parts, ALossNeedNotReadLabels) {
  for (const std::int64_t micro_batches : {1, 3}) {
    std::vector<double> losses;
    for (const bool labelled : {false, true}) {
      const Autoencoder model;
      Sgd sgd({.learning_rate = 0.1});
      const LossFunction of_one = [&](const Value& x) { return mse_loss(model(x), x); };
      const LossFunction of_two = [&](const Value& x, const Value&) {
        return mse_loss(model(x), x);
      };
      Trainer trainer(model, labelled ? of_two : of_one, sgd, {.micro_batches = micro_batches});
      data::Dataset examples{kLeft};
      if (labelled) examples.labels = Tensor::zeros({kRows}, DType::int64);
      const double first = trainer.step(examples);
      for (int i = 0; i < 9; ++i) trainer.step(examples);
      losses.push_back(trainer.evaluate(examples, 4));
      EXPECT_LT(losses.back(), first);
    }
    EXPECT_EQ(losses[0], losses[1]);
  }
}

TEST(Parts, AskForWhatThereIsNot) {
  const Autoencoder model;
  Sgd sgd;
  Trainer trainer(model, mse_of(model), sgd);
  EXPECT_THAT(message_of<ValueError>([&] { trainer.step({kLeft}); }),
              AllOf(HasSubstr("no `labels`, only `features`"), HasSubstr("[&](const Value& x)")));
  EXPECT_THROW(trainer.step({kLeft, Tensor::zeros({3, 3})}), ShapeError);
}

TEST(Parts, StayTogetherWhereExamplesAreTaken) {
  data::Dataset all = named();
  all.features = Tensor::arange(kRows);
  EXPECT_EQ(all.size(), kRows);
  const auto expect_together = [](const data::Dataset& some) {
    EXPECT_EQ(some.labels.numel(), 0);
    ASSERT_EQ(some.parts.size(), 3u);
    for (std::int64_t i = 0; i < some.size(); ++i) {
      const auto row = static_cast<std::int64_t>(some.features.get(i));
      EXPECT_EQ(some.parts[1].second.get(2 * i), kRight.get(2 * row));
    }
  };
  for (const data::Dataset& each : data::split(all, {0.5, 0.3, 0.2}, 7)) expect_together(each);
  const data::Batches batches(all, {.batch_size = 3});
  for (const data::Dataset& each : batches.epoch(1)) expect_together(each);
  expect_together(all.slice(2, 5));
  EXPECT_EQ(all.slice(0, 0).size(), 0);
}

TEST(Parts, HaveNamesAndEquallyManyExamples) {
  const auto with = [](const std::string& name, std::int64_t rows) {
    return data::Dataset{.features = Tensor::zeros({4, 1}),
                         .parts = {{"a", Tensor::zeros({4})}, {name, Tensor::zeros({rows})}}};
  };
  EXPECT_EQ(with("b", 4).size(), 4);
  for (const char* name : {"", "a", "features", "labels", "b#0"}) {
    EXPECT_THROW(with(name, 4).size(), ValueError) << name;
  }
  EXPECT_THAT(message_of<ShapeError>([&] { with("b", 5).size(); }), HasSubstr("b of shape [5]"));
  EXPECT_THROW((data::Dataset{.parts = {{"a", Tensor::scalar(1)}}}.size()), ShapeError);
  EXPECT_EQ(data::Dataset().size(), 0);
}

}  // namespace
}  // namespace aclgrad
