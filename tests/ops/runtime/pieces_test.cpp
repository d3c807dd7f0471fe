// SPDX-License-Identifier: Apache-2.0
// The threads that operators share their work with.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "aclgrad_ext.h"

namespace {

void run_pieces(int64_t pieces, const std::function<void(int64_t)>& body) {
  aclgradRunPieces(
      pieces,
      [](void* context, int64_t piece) {
        (*static_cast<const std::function<void(int64_t)>*>(context))(piece);
      },
      const_cast<std::function<void(int64_t)>*>(&body));
}

class Pieces : public ::testing::Test {
 protected:
  void TearDown() override { aclgradSetNumThreads(0); }
};

TEST_F(Pieces, EachRunsOnce) {
  for (const int32_t threads : {1, 2, 5}) {
    aclgradSetNumThreads(threads);
    for (const int64_t pieces : {0, 1, 2, 3, 100, 1001}) {
      for (int repetition = 0; repetition < 50; ++repetition) {
        std::vector<std::atomic<int>> hits(static_cast<size_t>(pieces));
        run_pieces(pieces, [&](int64_t i) { ++hits[static_cast<size_t>(i)]; });
        ASSERT_TRUE(std::all_of(hits.begin(), hits.end(), [](const auto& n) { return n == 1; }))
            << threads << " threads, " << pieces << " pieces";
      }
    }
  }
}

TEST_F(Pieces, OneThreadIsTheCaller) {
  aclgradSetNumThreads(1);
  run_pieces(20, [caller = std::this_thread::get_id()](int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

// Each piece waits for the others to have begun: only as many threads as pieces can end this.
TEST_F(Pieces, RunOnSeveralThreadsAtOnce) {
  for (const int32_t threads : {2, 4}) {
    aclgradSetNumThreads(threads);
    std::atomic<int32_t> begun{0};
    run_pieces(threads, [&](int64_t) {
      ++begun;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (begun < threads && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      EXPECT_EQ(begun, threads);
    });
  }
}

TEST_F(Pieces, InsideAPieceStayOnItsThread) {
  aclgradSetNumThreads(3);
  std::atomic<int64_t> count{0};
  run_pieces(6, [&](int64_t) {
    const auto outer = std::this_thread::get_id();
    run_pieces(7, [&](int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      ++count;
    });
  });
  EXPECT_EQ(count, 42);
}

TEST_F(Pieces, SeveralCallersAtOnce) {
  aclgradSetNumThreads(3);
  std::vector<std::thread> callers;
  for (int64_t caller = 0; caller < 4; ++caller) {
    callers.emplace_back([caller] {
      for (int64_t repetition = 0; repetition < 200; ++repetition) {
        std::atomic<int64_t> sum{0};
        run_pieces(50, [&](int64_t i) { sum += i * (caller + 1); });
        ASSERT_EQ(sum, 1225 * (caller + 1));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// Helpers sleep when there is nothing to do, and wake again.
TEST_F(Pieces, AfterAPause) {
  aclgradSetNumThreads(2);
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int32_t> begun{0};
    run_pieces(2, [&](int64_t) {
      ++begun;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (begun < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      EXPECT_EQ(begun, 2);
    });
  }
}

}  // namespace
