// SPDX-License-Identifier: Apache-2.0
// Parts of a model that are taken out of training, and back into it.
#include <gmock/gmock.h>

#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Model : Module {
  Conv2d conv{child("backbone.conv"), 1, 2, 1};
  BatchNorm2d norm{child("backbone.norm"), 2};
  Dropout drop{child("backbone.drop"), 0.5};
  Linear head{child("head"), 2, 2};
  Value operator()(const Value& x) const { return head(drop(GlobalAvgPool2d{}(norm(conv(x))))); }
  void freeze_backbone() const {
    conv.freeze();
    norm.freeze();
    drop.freeze();
  }
  void unfreeze_backbone() const {
    conv.unfreeze();
    norm.unfreeze();
    drop.unfreeze();
  }
};

const data::Dataset& images() {
  static const data::Dataset made{Tensor::from({2, 1, 1, 2}, {1, 2, 3, 4}),
                                  Tensor::from({2}, {0, 1}, DType::int64)};
  return made;
}

LossFunction loss_of(const Model& model) { return cross_entropy_of(model); }

std::vector<Variable> backbone_of(const Model& model) {
  std::vector<Variable> all = model.conv.state();
  for (const Module& part : {Module(model.norm), Module(model.drop)}) {
    for (const Variable& variable : part.state()) all.push_back(variable);
  }
  return all;
}

TEST(Freeze, TrainsTheHeadOnly) {
  const Model model;
  const std::vector<Tensor> backbone = contents_of(backbone_of(model));
  const Tensor head = model.head.weight().value();
  model.freeze_backbone();
  AdamW optimizer({.learning_rate = 0.1, .weight_decay = 0.5});
  Trainer trainer(model, loss_of(model), optimizer);
  for (int i = 0; i < 3; ++i) trainer.step(images());
  EXPECT_TRUE(have_same_bits(backbone, contents_of(backbone_of(model))))
      << "weights, running statistics and the count of masks";
  EXPECT_FALSE(bitwise_equal(head, model.head.weight().value()));
  for (std::size_t id = 0; id < trainer.graph().size(); ++id) {
    EXPECT_NE(trainer.graph().node(static_cast<NodeId>(id)).op->name(), "convolution_backward")
        << "the gradient of what is frozen is not computed";
  }
}

TEST(Freeze, LeavesOutWhatIsFrozenAndListsItApart) {
  const Model model;
  model.freeze_backbone();
  EXPECT_FALSE(model.is_frozen());
  EXPECT_TRUE(model.conv.is_frozen());
  EXPECT_EQ(model.parameters().size(), 6u) << "as PyTorch's: groups are made of all";
  EXPECT_EQ(model.trained_parameters().size(), 2u);
  EXPECT_EQ(model.frozen_parameters().size(), 4u);
  EXPECT_EQ(model.state().size(), 9u);
  EXPECT_EQ(model.parameter_count(), 14);
  EXPECT_THAT(model.summary(),
              AllOf(HasSubstr("BatchNorm2d 2, frozen"), HasSubstr("trained"), HasSubstr("14")));
  Graph graph;
  EXPECT_EQ(model.parameters(graph).size(), 2u);
  model.unfreeze();
  EXPECT_EQ(model.parameters(graph).size(), 6u);
  EXPECT_TRUE(model.frozen_parameters().empty());
  EXPECT_THAT(model.summary(), Not(HasSubstr("frozen")));
}

TEST(Freeze, HoldsForASharedPartInAllThatHaveIt) {
  const Linear shared("shared", 2, 2);
  const Sequential one("one", shared), two("two", shared, Linear("own", 2, 2));
  one.freeze();
  EXPECT_EQ(two.trained_parameters().size(), 2u);
  two.unfreeze();
  EXPECT_EQ(one.trained_parameters().size(), 2u);
  Sequential later("later");
  later.freeze();
  later.add(Linear("l", 2, 2));
  EXPECT_EQ(later.trained_parameters().size(), 2u) << "what is added later is not frozen";
}

// A teacher that makes its weights when it sees the first examples.
TEST(Freeze, HoldsForWhatAFrozenPartMakesLater) {
  struct Teacher : Module {
    Value operator()(const Value& x) const {
      if (made->empty()) made->push_back(parameter("scale", Tensor::scalar(2)));
      return x * x.graph().parameter(made->front());
    }
    std::shared_ptr<std::vector<Variable>> made = std::make_shared<std::vector<Variable>>();
  };
  const Linear model("model", 2, 2);
  Sgd sgd({.learning_rate = 0.1});
  {
    const Teacher teacher;
    teacher.freeze();
    Trainer trainer(
        model, [&](const Value& x) { return mse_loss(model(x), teacher(x)); }, sgd);
    EXPECT_NO_THROW(trainer.step({Tensor::full({3, 2}, 1)}));
    EXPECT_EQ(teacher.frozen_parameters().size(), 1u);
    teacher.unfreeze();
    Sgd other;
    Trainer again(
        model, [&](const Value& x) { return mse_loss(model(x), teacher(x)); }, other);
    EXPECT_THROW(again.step({Tensor::full({3, 2}, 1)}), ValueError);
  }
}

TEST(Freeze, ATrainerRecordsAnewWhenItsOwnModelChangesOnly) {
  for (const bool scaled : {false, true}) {
    const Model model, other;
    Sgd optimizer({.learning_rate = 0.1, .momentum = 0.9});
    TrainerOptions options;
    if (scaled) options.loss_scaling = LossScalerOptions{};
    Trainer trainer(model, loss_of(model), optimizer, options);
    trainer.step(images());
    const std::size_t nodes = trainer.graph().size();
    const Graph* graph = &trainer.graph();
    other.freeze();
    model.freeze();
    model.unfreeze();
    trainer.step(images());
    EXPECT_EQ(graph, &trainer.graph());
    const std::vector<Tensor> moving = contents_of(backbone_of(model));
    model.freeze_backbone();
    trainer.step(images());
    EXPECT_TRUE(have_same_bits(moving, contents_of(backbone_of(model))));
    EXPECT_LT(trainer.graph().size(), nodes);
    model.unfreeze_backbone();
    trainer.step(images());
    EXPECT_FALSE(have_same_bits(moving, contents_of(backbone_of(model))));
    EXPECT_EQ(trainer.graph().size(), nodes);
    EXPECT_EQ(trainer.skipped(), 0);
  }
}

// As PyTorch's eval() of a part: statistics and masks stay, parameters are trained.
TEST(Freeze, APartThatEvaluatesTrainsItsParametersOnly) {
  const Model model;
  Sgd optimizer({.learning_rate = 0.1});
  Trainer trainer(model, loss_of(model), optimizer);
  trainer.step(images());
  model.norm.eval();
  model.drop.eval();
  const auto buffers = [&] { return contents_of(model.buffers()); };
  const std::vector<Tensor> kept = buffers();
  const std::vector<Tensor> weights = contents_of(model.norm.parameters());
  trainer.step(images());
  EXPECT_TRUE(have_same_bits(kept, buffers()));
  EXPECT_FALSE(have_same_bits(weights, contents_of(model.norm.parameters())));
  model.train();
  trainer.step(images());
  EXPECT_FALSE(have_same_bits(kept, buffers()));
  EXPECT_FALSE(model.norm.is_training(Graph(Mode::evaluation)));
}

TEST(Freeze, EverythingIsAnError) {
  const Model model;
  model.freeze();
  Sgd optimizer;
  EXPECT_THAT(message_of<ValueError>([&] { Trainer(model, loss_of(model), optimizer); }),
              HasSubstr("all parameters of the model are frozen"));
  model.head.unfreeze();
  Trainer trainer(model, loss_of(model), optimizer);
  trainer.step(images());
  model.freeze();
  EXPECT_THAT(message_of<ValueError>([&] { trainer.step(images()); }), HasSubstr("unfreeze()"));
  model.head.unfreeze();
  EXPECT_NO_THROW(trainer.step(images()));
}

TEST(Freeze, IsWhatAPartOfAModelIsTrainedBy) {
  const Model model;
  Sgd optimizer;
  Trainer trainer(model.head, loss_of(model), optimizer);
  EXPECT_THAT(message_of<ValueError>([&] { trainer.step(images()); }),
              AllOf(HasSubstr("`backbone.conv.weight`"), HasSubstr("freeze() the rest")));
}

// Frozen for the second of three parts of a run, which goes on from a checkpoint at `stops`.
std::vector<Tensor> train(const std::vector<int>& stops, bool adam) {
  std::optional<Checkpoint> checkpoint;
  std::vector<Tensor> end;
  int at = 0;
  for (const int stop : stops) {
    const Model model;
    seed_parameters(model, 3);
    AdamW adamw({.learning_rate = 0.05});
    Sgd sgd({.learning_rate = 0.05, .momentum = 0.9, .dampening = 0.5});
    Optimizer& optimizer = adam ? static_cast<Optimizer&>(adamw) : sgd;
    Trainer trainer(model, loss_of(model), optimizer);
    const auto set = [&](int step) {
      if (step >= 2 && step < 4) {
        model.freeze_backbone();
      } else {
        model.unfreeze();
      }
    };
    if (checkpoint) {
      set(at);
      trainer.restore(*checkpoint, images());
    }
    for (; at < stop; ++at) {
      set(at);
      trainer.step(images());
    }
    checkpoint = Checkpoint{.step = trainer.steps(), .tensors = trainer.tensors()};
    end = contents_of(model.state());
  }
  return end;
}

TEST(Freeze, GoesOnFromACheckpointAtAnyStep) {
  for (const bool adam : {true, false}) {
    const std::vector<Tensor> whole = train({6}, adam);
    for (int stop = 0; stop <= 6; ++stop) {
      EXPECT_TRUE(have_same_bits(whole, train({stop, 6}, adam))) << "stopped after " << stop;
    }
    EXPECT_TRUE(have_same_bits(whole, train({1, 2, 3, 4, 5, 6}, adam)));
  }
}

TEST(Resume, TakesASchedulesCheckpointForANumberAndTheOtherWay) {
  const Model model;
  AdamW number({.learning_rate = 0.1}), scheduled({.learning_rate = schedule::constant(0.1)});
  Trainer first(model, loss_of(model), number), second(model, loss_of(model), scheduled);
  first.step(images());
  second.restore({.step = 1, .tensors = first.tensors()}, images());
  EXPECT_EQ(scheduled.state().front().value().item(), 1) << "steps";
  second.step(images());
  first.restore({.step = 2, .tensors = second.tensors()}, images());
  EXPECT_EQ(number.state().front().value().item(), 2);
}

TEST(Resume, TakesMomentsOf16Bits) {
  const Linear model("l", 2, 1, {.dtype = DType::float16});
  AdamW optimizer;
  Trainer trainer(
      model,
      [&](const Value& x, const Value& t) {
        return mse_loss(cast(model(cast(x, DType::float16)), DType::float32), t);
      },
      optimizer);
  const data::Dataset batch{Tensor::from({1, 2}, {1, 2}), Tensor::zeros({1, 1})};
  trainer.step(batch);
  NamedTensors old = trainer.tensors();
  for (auto& [name, tensor] : old) {
    if (tensor.dtype() == DType::float32) tensor = tensor.to(DType::float16);
  }
  trainer.restore({.step = 1, .tensors = old}, batch);
  EXPECT_EQ(trainer.state().back().dtype(), DType::float32);
  EXPECT_NE(trainer.state().back().value().get(0), 0);
}

TEST(Resume, RefusesAnotherOptimizersCheckpoint) {
  const Model model;
  Sgd sgd({.momentum = 0.9});
  AdamW adam;
  Trainer first(model, loss_of(model), sgd), second(model, loss_of(model), adam);
  first.step(images());
  EXPECT_THAT(message_of<ValueError>(
                  [&] { second.restore({.step = 1, .tensors = first.tensors()}, images()); }),
              HasSubstr("the checkpoint has no `@adamw.steps`"));
}

}  // namespace
}  // namespace aclgrad
