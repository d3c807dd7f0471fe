// SPDX-License-Identifier: Apache-2.0
// Sessions in programs that have changed the environment, that end, or that may have little.
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "tests/environment/float_mode.h"
#include "tests/framework/session/networks.h"

namespace aclgrad::test {
namespace {

class SessionsInFloatModes : public ::testing::TestWithParam<size_t> {
 protected:
  void TearDown() override { set_num_threads(0); }
  const FloatMode* mode() const { return &float_modes()[GetParam()]; }
};

// Losses and parameters of a few steps. The network is planned and trained in the mode.
template <class Network>
std::vector<Tensor> train(Network network, const FloatMode* mode) {
  std::vector<Tensor> results;
  const InFloatMode in_mode(mode);
  Session session = network.session({});
  for (int step = 0; step < 3; ++step) {
    results.push_back(session.run({{network.x, network.feed}})[network.loss]);
  }
  for (const Value& parameter : network.parameters) {
    results.push_back(parameter.variable()->value());
  }
  return results;
}

void expect_equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(bitwise_equal(a[i], b[i])) << i;
}

TEST_P(SessionsInFloatModes, ComputeTheSame) {
  for (const int32_t threads : {2, 1}) {
    ASSERT_TRUE(set_num_threads(threads));
    const auto layers = [&](const FloatMode* in) { return train(networks::Mlp(3, 128, 128), in); };
    const auto blocks = [&](const FloatMode* in) {
      return train(networks::GegluStack(2, 32, 64), in);
    };
    expect_equal(layers(mode()), layers(nullptr));
    expect_equal(blocks(mode()), blocks(nullptr));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, SessionsInFloatModes,
                         ::testing::Range(size_t{0}, float_modes().size()),
                         [](const auto& row) { return float_modes()[row.param].name; });

class SessionsDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { ::testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

// A session whose owner outlives main.
TEST_F(SessionsDeathTest, AStaticSessionMayEndLate) {
  EXPECT_EXIT(
      {
        static struct Owner {
          networks::Mlp network = networks::Mlp(2, 64, 64);
          Session session = network.session({});
        } owner;
        owner.session.run({{owner.network.x, owner.network.feed}});
        std::exit(3);
      },
      ::testing::ExitedWithCode(3), "");
}

TEST_F(SessionsDeathTest, AThreadMayTrainWhileTheProcessEnds) {
  EXPECT_EXIT(
      {
        auto* const network = new networks::Mlp(3, 128, 128);
        std::thread([network] {
          Session session = network->session({});
          try {
            while (true) session.run({{network->x, network->feed}});
          } catch (const StatusError&) {
            pause();  // 107023: the process ends
          }
        }).detach();
        usleep(100000);
        std::exit(3);
      },
      ::testing::ExitedWithCode(3), "");
}

bool allow_no_more_files() {
  const rlimit standard{3, 3};
  return setrlimit(RLIMIT_NOFILE, &standard) == 0;
}

// No file, and threads with small stacks, the default of which follows from the limit.
TEST_F(SessionsDeathTest, MayHaveLittle) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer needs more";
#endif
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_STACK, &before), 0);
  const rlimit small{256 << 10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_STACK, &small), 0);
  EXPECT_EXIT(
      {
        if (!allow_no_more_files()) _exit(1);
        set_num_threads(2);
        networks::Mlp network(2, 64, 64);
        Session session = network.session({});
        session.run({{network.x, network.feed}});
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
  ASSERT_EQ(setrlimit(RLIMIT_STACK, &before), 0);
}

}  // namespace
}  // namespace aclgrad::test
