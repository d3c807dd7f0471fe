// SPDX-License-Identifier: Apache-2.0
// fit() on several ranks, where it ends with an error.
#include <gmock/gmock.h>

#include <cmath>
#include <exception>

#include "aclgrad/fit.h"
#include "tests/distributed/training.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad::testing {
namespace {

using ::testing::HasSubstr;

// The first column of the features, to be found again.
data::Dataset columns() {
  const Tensor features = init::normal({64, 12}, 5);
  return {features, features.slice(1, 0, 1)};
}

// What only the first rank does: the others do not wait for it then.
TEST(FitOnRanks, FailsOnAllOfThemWhereTheFirstOneFails) {
  const TemporaryFolder folder;
  const auto messages_of = [](const FitOptions& options) {
    std::vector<std::string> messages(2);
    run_ranks(2,
              [&](const Communicator& communicator) {
                Linear model("l", 12, 1, {.seed = 1});
                Sgd sgd;
                DataParallel ranks(communicator);
                const auto loss = mse_of(model);
                Trainer trainer(model, loss, sgd, {.ranks = &ranks});
                const data::Batches batches(columns(), {.batch_size = 16, .seed = 3});
                FitOptions fitting = options;
                fitting.steps = 4;
                fitting.progress = report::ProgressMode::off;
                try {
                  fit(trainer, batches, fitting);
                } catch (const std::exception& error) {
                  messages[static_cast<std::size_t>(communicator.rank())] = error.what();
                }
              },
              {.timeout_seconds = 20});
    return messages;
  };
  const auto expect_failure = [&](const FitOptions& options, const char* text) {
    const std::vector<std::string> messages = messages_of(options);
    EXPECT_THAT(messages[0], HasSubstr(text));
    EXPECT_EQ(messages[1], "the first rank failed: " + messages[0]);
  };
  const auto fails = []() -> double { throw ValueError("nothing to measure"); };
  expect_failure({.metrics = {{.name = "m", .measure = fails}}}, "nothing to measure");
  expect_failure({.checkpoint = folder.path() / "no" / "run"}, "no");
  const auto path = folder.path() / "run";
  EXPECT_THAT(messages_of({.checkpoint = path}), ::testing::Each(std::string()));
  expect_failure({.checkpoint = path, .resume = true, .settings = {{"width", "8"}}}, "width 8");
}

TEST(FitOnRanks, DivergesOnAllOfThemAndBringsTheBestWeightsBack) {
  const TemporaryFolder folder;
  const data::Dataset examples = columns();
  std::vector<NamedTensors> weights(2);
  std::vector<std::string> messages(2);
  run_ranks(2,
            [&](const Communicator& communicator) {
              const auto rank = static_cast<std::size_t>(communicator.rank());
              Linear model("l", 12, 1, {.seed = 1});
              Sgd sgd({.learning_rate = [](std::int64_t step) { return step == 9 ? 1e38 : 0.05; }});
              DataParallel ranks(communicator);
              Trainer trainer(model, mse_of(model), sgd, {.ranks = &ranks});
              const data::Batches batches(examples, {.batch_size = 16, .seed = 3});
              messages[rank] = message_of<Diverged>([&] {
                return fit(trainer, batches,
                           {.steps = 20,
                            .evaluate_every = 1,
                            .validation = examples,
                            .keep_best = true,
                            .checkpoint = folder.path() / "run",
                            .progress = report::ProgressMode::off});
              });
              weights[rank] = values_of(model.state());
            },
            {.timeout_seconds = 60});
  EXPECT_THAT(messages[0], HasSubstr("after step 10"));
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_TRUE(same_bits(weights[0], weights[1]));
  EXPECT_LT(std::abs(weights[0][0].second.get(0)), 10);
  EXPECT_EQ(load_checkpoint(folder.path() / "run")->step, 9);
}

}  // namespace
}  // namespace aclgrad::testing
