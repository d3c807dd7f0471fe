// SPDX-License-Identifier: Apache-2.0
// Checkpoints from before there was a mark: `a.weight.first_moment`, `best.a.weight`.
#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

// What made the file: five steps of it, a checkpoint after each.
struct OldRun {
  History run(std::int64_t steps, const std::filesystem::path& checkpoint) {
    return fit(trainer, data::Batches(all, {.batch_size = 4}),
               {.steps = steps,
                .evaluate_every = 2,
                .validation = all,
                .keep_best = true,
                .checkpoint = checkpoint,
                .checkpoint_every = 1,
                .resume = true,
                .progress = report::ProgressMode::off});
  }
  Sequential model{Linear("a", 2, 3, {.seed = 1}), Tanh{}, Linear("b", 3, 1, {.seed = 2})};
  AdamW adam{
      {.learning_rate = schedule::plateau(0.05, {.factor = 0.5, .patience = 0}), .clip_norm = 1}};
  WeightAverage average{model, {.decay = 0.5}};
  Trainer trainer{
      model, mse_of(model), adam, {.loss_scaling = LossScalerOptions{}, .average = &average}};
  data::Dataset all{Tensor::arange(20, -1, 0.1).reshape({10, 2}),
                    Tensor::arange(10, 1, -0.2).reshape({10, 1})};
};

std::filesystem::path old_file() {
  return std::filesystem::path(ACLGRAD_OLD_FILES) / "before_marks.checkpoint";
}

TEST(OldNames, ARunGoesOnFromThem) {
  const TemporaryFolder folder;
  OldRun half, whole, rest;
  half.run(5, folder.path() / "new");
  std::filesystem::copy_file(old_file(), folder.path() / "old");
  const NamedTensors old = load_checkpoint(folder.path() / "old")->tensors;
  EXPECT_TRUE(old.contains("a.weight.first_moment") && old.contains("best.b.bias"));
  const History wanted = whole.run(9, folder.path() / "new"),
                got = rest.run(9, folder.path() / "old");
  EXPECT_EQ(got.steps, 4);
  ASSERT_EQ(got.evaluations.size(), wanted.evaluations.size());
  EXPECT_EQ(got.best, wanted.best);
  for (std::size_t i = 0; i < got.evaluations.size(); ++i) {
    EXPECT_NEAR(got.evaluations[i].validation_loss, wanted.evaluations[i].validation_loss, 1e-6);
  }
  const NamedTensors ours = rest.trainer.tensors(), theirs = whole.trainer.tensors();
  ASSERT_EQ(ours.names(), theirs.names());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    for (std::int64_t j = 0; j < ours[i].second.numel(); ++j) {
      EXPECT_NEAR(ours[i].second.get(j), theirs[i].second.get(j), 1e-5) << ours[i].first;
    }
  }
  EXPECT_TRUE(load_checkpoint(folder.path() / "old")->tensors.contains("a.weight@first_moment"));
}

// What belongs to no part that there is has its own name in messages.
TEST(OldNames, AreSaidAsTheFileHasThem) {
  const Linear part("a", 2, 3);
  AdamW adam({.learning_rate = schedule::plateau(0.05), .clip_norm = 1});
  Trainer trainer(part, [&](const Value& x) { return mean(part(x)); }, adam,
                  {.loss_scaling = LossScalerOptions{}});
  Checkpoint old = *load_checkpoint(old_file());
  std::erase_if(old.tensors, [](const auto& each) {
    return each.first.starts_with("average") || each.first.starts_with("best.");
  });
  EXPECT_THAT(message_of<ValueError>([&] {
                trainer.restore(old, {Tensor::zeros({2, 2})});
              }),
              testing::HasSubstr("the unexpected key `b.bias`"));
  std::erase_if(old.tensors, [](const auto& each) {
    return each.first == "b.bias" || each.first == "b.weight";
  });
  EXPECT_THAT(message_of<ValueError>([&] {
                trainer.restore(old, {Tensor::zeros({2, 2})});
              }),
              testing::HasSubstr("the unexpected key `b.bias.first_moment`"));
  std::erase_if(old.tensors, [](const auto& each) { return each.first.starts_with("b."); });
  EXPECT_NO_THROW(trainer.restore(old, {Tensor::zeros({2, 2})}));
}

// By a loop of one's own, and its weights alone.
TEST(OldNames, AreRestoredAndLoaded) {
  OldRun run;
  run.trainer.step(run.all);
  std::vector<Variable> all = run.model.state();
  for (const Variable& each : run.adam.state()) all.push_back(each);
  const Checkpoint old = *load_checkpoint(old_file());
  restore(all, old, {.allow_unexpected_keys = true});
  EXPECT_EQ(run.adam.state().front().value().item(), 5);
  EXPECT_TRUE(bitwise_equal(run.adam.state()[1].value(), old.tensors["a.weight.first_moment"]));
  OldRun other;
  other.model.load(old_file());
  EXPECT_TRUE(bitwise_equal(other.model.state()[0].value(), old.tensors["a.weight"]));
}

}  // namespace
}  // namespace aclgrad
