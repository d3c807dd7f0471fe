// SPDX-License-Identifier: Apache-2.0
// Losses that depend on a parameter for some shapes of batch only. As in PyTorch, where such a
// gradient is None, a step leaves the parameter, its moments and its count of steps alone.
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

constexpr double kRate = 0.1, kDecay = 0.5;

// Of one row only the first part has a say.
struct Branches : Module {
  Linear first{child("first"), 1, 1, {.bias = false}};
  Linear second{child("second"), 1, 1, {.bias = false}};
  Value operator()(const Value& x) const {
    return x.shape()[0] > 1 ? first(x) + second(x) : first(x);
  }
};

void set_weights(const Branches& model) {
  for (const Variable& weight : model.parameters()) weight.assign(Tensor::full({1, 1}, 2));
}

double weight(const Linear& layer) { return layer.weight().value().get(0); }

// Number `step` of a run, whose loss has the gradient `gradient_of(step)` for either weight.
double gradient_of(std::int64_t step) { return 1.0 + static_cast<double>(step * step % 5); }
data::Dataset batch_of(std::int64_t step, std::int64_t rows) {
  return {Tensor::full({rows, 1}, gradient_of(step)), Tensor::zeros({rows, 1})};
}

LossFunction mean_of(const Branches& model, int* recordings = nullptr) {
  return [model, recordings](const Value& x, const Value&) {
    if (recordings != nullptr) ++*recordings;
    return mean(model(x));
  };
}

std::map<std::string, double> counts_of(const Optimizer& optimizer) {
  std::map<std::string, double> counts;
  for (const Variable& variable : optimizer.state()) {
    if (variable.dtype() == DType::int64) counts[variable.name()] = variable.value().item();
  }
  return counts;
}

// torch.optim.Adam's and AdamW's step of one parameter, with its own count.
struct AdamReference {
  bool decoupled;
  double weight = 2, first = 0, second = 0;
  int steps = 0;
  void step(double gradient) {
    ++steps;
    if (decoupled) {
      weight *= 1 - kRate * kDecay;
    } else {
      gradient += kDecay * weight;
    }
    first = 0.9 * first + 0.1 * gradient;
    second = 0.999 * second + 0.001 * gradient * gradient;
    const double root = std::sqrt(second / (1 - std::pow(0.999, steps)));
    weight -= kRate * first / (1 - std::pow(0.9, steps)) / (root + 1e-8);
  }
};

TEST(SometimesUsed, CountsTheStepsOfEachParameter) {
  for (const std::vector<std::int64_t>& run :
       {std::vector<std::int64_t>{1, 2, 1, 2, 2, 1, 1, 2}, {2, 1, 1, 2, 3, 1, 2}, {1, 1, 1, 2}}) {
    for (const bool decoupled : {true, false}) {
      for (const bool scaled : {false, true}) {
        const Branches model;
        set_weights(model);
        AdamW adamw({.learning_rate = kRate, .weight_decay = kDecay});
        Adam adam({.learning_rate = kRate, .weight_decay = kDecay});
        Optimizer& optimizer = decoupled ? adamw : adam;
        TrainerOptions options;
        if (scaled) options.loss_scaling.emplace();
        Trainer trainer(model, mean_of(model), optimizer, options);
        AdamReference first{decoupled}, second{decoupled};
        for (std::size_t step = 0; step < run.size(); ++step) {
          const auto number = static_cast<std::int64_t>(step);
          trainer.step(batch_of(number, run[step]));
          first.step(gradient_of(number));
          if (run[step] > 1) second.step(gradient_of(number));
          ASSERT_NEAR(weight(model.first), first.weight, 2e-6) << "step " << step;
          ASSERT_NEAR(weight(model.second), second.weight, 2e-6) << "step " << step;
        }
        const double firsts = first.steps, seconds = second.steps;
        EXPECT_EQ(counts_of(optimizer),
                  (std::map<std::string, double>{{"first.weight@step", firsts},
                                                 {"second.weight@step", seconds}}));
      }
    }
  }
}

// Once they are counted apart, the graphs of all shapes are kept.
TEST(SometimesUsed, RecordsAnewOnce) {
  const Branches model;
  int recordings = 0;
  AdamW optimizer;
  Trainer trainer(model, mean_of(model, &recordings), optimizer);
  for (const std::int64_t rows : {1, 2, 1}) trainer.step(batch_of(0, rows));
  const int enough = recordings;
  for (const std::int64_t rows : {2, 1, 2, 1, 1, 2}) trainer.step(batch_of(0, rows));
  EXPECT_EQ(recordings, enough);
  Sgd sgd;
  Trainer other(model, mean_of(model, &recordings), sgd);
  recordings = 0;
  for (const std::int64_t rows : {1, 2, 1, 2}) other.step(batch_of(0, rows));
  EXPECT_EQ(recordings, 2) << "which counts nothing";
}

// One set of parameters has one count, as before: one node a step.
TEST(SometimesUsed, LeavesTheCommonCountToOneSet) {
  const Branches model;
  AdamW optimizer;
  Trainer trainer(model, mean_of(model), optimizer);
  for (const std::int64_t rows : {3, 2, 3}) trainer.step(batch_of(0, rows));
  EXPECT_EQ(counts_of(optimizer), (std::map<std::string, double>{{"@adamw.steps", 3}}));
}

// A trainer answers for its own graphs only.
TEST(SometimesUsed, DoesNotForgetAnothersGraphs) {
  const Branches model;
  AdamW optimizer;
  Trainer trainer(model, mean_of(model), optimizer), other(model, mean_of(model), optimizer);
  trainer.step(batch_of(0, 1));
  EXPECT_THROW(other.step(batch_of(0, 2)), ValueError);
  EXPECT_NO_THROW(other.step(batch_of(0, 1)));
}

std::vector<double> train_branches(const std::vector<std::int64_t>& run, std::size_t stop,
                                   std::int64_t restored_with, Optimizer& (*choose)(AdamW&, Sgd&),
                                   bool scaled) {
  std::optional<Checkpoint> checkpoint;
  std::vector<double> weights;
  std::size_t at = 0;
  for (const std::size_t end : {stop, run.size()}) {
    const Branches model;
    set_weights(model);
    AdamW adamw({.learning_rate = kRate, .weight_decay = kDecay});
    Sgd sgd({.learning_rate = kRate, .momentum = 0.9, .dampening = 0.5});
    TrainerOptions options;
    if (scaled) options.loss_scaling.emplace();
    Trainer trainer(model, mean_of(model), choose(adamw, sgd), options);
    if (checkpoint) trainer.restore(*checkpoint, batch_of(0, restored_with));
    for (; at < end; ++at) {
      trainer.step(batch_of(static_cast<std::int64_t>(at), run[at]));
    }
    checkpoint = Checkpoint{.step = trainer.steps(), .tensors = trainer.tensors()};
    weights = {weight(model.first), weight(model.second)};
  }
  return weights;
}

TEST(SometimesUsed, GoesOnFromACheckpointAtAnyStep) {
  const auto adamw = [](AdamW& optimizer, Sgd&) -> Optimizer& { return optimizer; };
  const auto sgd = [](AdamW&, Sgd& optimizer) -> Optimizer& { return optimizer; };
  for (Optimizer& (*choose)(AdamW&, Sgd&) : {+adamw, +sgd}) {
    for (const bool scaled : {false, true}) {
      for (const std::vector<std::int64_t>& run :
           {std::vector<std::int64_t>{1, 1, 2, 1, 2, 2}, {2, 2, 1, 1, 2}}) {
        const std::vector<double> whole = train_branches(run, run.size(), 1, choose, scaled);
        for (std::size_t stop = 0; stop <= run.size(); ++stop) {
          for (const std::int64_t with : {1, 2}) {
            EXPECT_EQ(train_branches(run, stop, with, choose, scaled), whole)
                << "stopped after " << stop << ", restored with " << with << " rows, "
                << (choose == +sgd ? "sgd" : "adamw") << (scaled ? ", scaled" : "");
          }
        }
      }
    }
  }
}

struct CurveNames : TrainingLog {
  std::vector<std::string> curves;
  void point(const std::string&, const std::string& curve, double, double) override {
    curves.push_back(curve);
  }
};

TEST(SometimesUsed, IsObservedByItsName) {
  const Branches model;
  Sgd optimizer;
  Trainer trainer(model, mean_of(model), optimizer);
  for (const std::int64_t rows : {1, 2, 1, 3, 2, 1}) {
    CurveNames points;
    trainer.observe(batch_of(0, rows), points);
    std::vector<std::string> curves = {"first.weight"};
    if (rows > 1) curves.emplace_back("second.weight");
    EXPECT_EQ(points.curves, curves);
  }
}

}  // namespace
}  // namespace aclgrad
