// SPDX-License-Identifier: Apache-2.0
// Ranks that fail, hang or disagree: the others end soon and say why, and training goes on from the
// last checkpoint as if nothing had happened.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/distributed/training.h"
#include "tests/framework/base/temporary_folder.h"

namespace aclgrad::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{10};

TEST(Faults, TheFailureOfARankIsTold) {
  const Settings settings{.before_step = [](int rank, std::int64_t step) {
    if (rank == 1 && step == 4) throw ValueError("rank 1 has had enough");
  }};
  const auto begin = Clock::now();
  EXPECT_THAT([&] { train_on(4, settings); }, ThrowsMessage<ValueError>("rank 1 has had enough"));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(30));
}

// What the others see of it.
TEST(Faults, TheOthersNameTheRankThatEnded) {
  std::string message;
  run_ranks(2, [&](const Communicator& communicator) {
    const Settings settings{.before_step = [&](int rank, std::int64_t step) {
      if (rank == 1 && step == 4) throw ValueError("rank 1 has had enough");
    }};
    try {
      train(communicator, settings);
    } catch (const StatusError& error) {
      message = error.what();
    } catch (const ValueError&) {
    }
  });
  EXPECT_THAT(message, AllOf(HasSubstr("rank 1"), HasSubstr("HcclAllReduce")));
}

TEST(Faults, ARankThatHangsIsNotWaitedForForEver) {
  std::atomic<bool> is_over = false;
  std::string message;
  const auto hang = [&](int rank, std::int64_t step) {
    if (rank != 1 || step != 4) return;
    const auto end = Clock::now() + std::chrono::minutes(1);
    while (!is_over && Clock::now() < end) std::this_thread::sleep_for(kLook);
  };
  const auto train_until_it_fails = [&](const Communicator& communicator) {
    try {
      train(communicator, {.before_step = hang});
    } catch (const StatusError& error) {
      if (communicator.is_first()) message = error.what();
    }
    is_over = true;
  };
  run_ranks(2, train_until_it_fails, {.timeout_seconds = 4});
  EXPECT_THAT(message, AllOf(HasSubstr("`all_reduce`"), HasSubstr("rank 1 did not come")));
}

TEST(Faults, RanksThatDisagreeOnTheirNumberAreNamed) {
  EXPECT_THAT(
      [] {
        const HcclRootInfo root = Communicator::make_root();
        run_ranks(2, [&](const Communicator& communicator) {
          Communicator::join(root, communicator.rank(), 2 + communicator.rank());
        });
      },
      ThrowsMessage<StatusError>(HasSubstr("HcclCommInitRootInfoConfig returned 1")));
}

TEST(Faults, ThereIsNoRankOutsideItsGroup) {
  const HcclRootInfo root = Communicator::make_root();
  EXPECT_THROW(Communicator::join(root, 2, 2), ValueError);
  EXPECT_THROW(Communicator::join(root, -1, 2), ValueError);
  EXPECT_THROW(run_ranks(0, [](const Communicator&) {}), ValueError);
  EXPECT_THAT([] { run_ranks(65, [](const Communicator&) {}); },
              ThrowsMessage<ValueError>(HasSubstr("65 ranks need as many devices")));
}

TEST(Faults, TrainingGoesOnFromTheLastCheckpoint) {
  const TemporaryFolder folder;
  Settings settings{.micro_batches = 4};
  const Outcome uninterrupted = train_on(2, settings);
  settings.checkpoint = folder.path() / "run";
  settings.before_step = [](int rank, std::int64_t step) {
    if (rank == 1 && step == 7) throw ValueError("no power");
  };
  EXPECT_THROW(train_on(2, settings), ValueError);
  EXPECT_EQ(load_checkpoint(settings.checkpoint)->step, 6);
  settings.before_step = {};
  // On other ranks too: the micro-batches are the same.
  const Outcome rest = train_on(4, settings);
  EXPECT_EQ(rest.losses.size(), 6u);
  EXPECT_EQ(rest.losses.back(), uninterrupted.losses.back());
  EXPECT_TRUE(same_bits(rest.weights, uninterrupted.weights));
}

}  // namespace
}  // namespace aclgrad::testing
