// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradients.h"

#include <gmock/gmock.h>

#include <ctime>

#include "aclgrad/aclgrad.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

TEST(Gradients, AreFoundByValueAndGraph) {
  Graph graph, other;
  const Value a = graph.input("a", {1});
  const Value b = graph.input("b", {1});
  const Value elsewhere = other.input("a", {1});
  ASSERT_EQ(a.id(), elsewhere.id());
  const Gradients gradients({{a, b}, {elsewhere, elsewhere}, {a, a}});
  EXPECT_TRUE(gradients[a] == b) << "the first of several";
  EXPECT_TRUE(gradients[elsewhere] == elsewhere);
  EXPECT_FALSE(gradients.contains(b));
  EXPECT_EQ(gradients.size(), 3U);
  EXPECT_EQ(message_of<ValueError>([&] { gradients[b]; }),
            "backward was not asked for the gradient of `b`");
  EXPECT_FALSE(Gradients().contains(a));
}

TEST(Gradients, SayWhenOneAsksWithAValueThatAnUpdateWrote) {
  Graph graph;
  const Variable w("w", Tensor::from({1}, {1}));
  const Gradients gradients = backward(mean(graph.parameter(w)), {graph.parameter(w)});
  [[maybe_unused]] const Update update =
      Sgd(SgdOptions{.learning_rate = 0.1}).step(graph, gradients);
  EXPECT_THAT(message_of<ValueError>([&] { gradients[graph.parameter(w)]; }),
              testing::AllOf(testing::HasSubstr("the gradient of `w`"),
                             testing::HasSubstr("as it was before an update")));
}

// As the only element of a vector is that takes the last one's place.
TEST(Gradients, AndValuesKeepWhatTheyHoldWhenMovedOntoThemselves) {
  Graph graph;
  std::vector<Value> values = {graph.input("a", {1})};
  values.front() = std::move(values.back());
  EXPECT_EQ(values.front().name(), "a");
  std::vector<Gradients> gradients = {Gradients({{values.front(), values.front()}})};
  gradients.front() = std::move(gradients.back());
  EXPECT_TRUE(gradients.front()[values.front()] == values.front());
}

// The sums of micro-batches look every gradient up.
TEST(Gradients, AreFoundInConstantTime) {
  constexpr int kFew = 500;
  constexpr int kMany = 32 * kFew;
  Graph graph;
  std::vector<Gradients::Pair> pairs;
  for (int i = 0; i < kMany; ++i) {
    const Value value = graph.constant(Tensor::scalar(1));
    pairs.push_back({value, value});
  }
  // Processor time of this thread for as many look-ups, the least of some.
  const auto time_of = [&](int count) {
    const Gradients gradients(std::vector<Gradients::Pair>(pairs.begin(), pairs.begin() + count));
    const auto now = [] {
      timespec time{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    double least = 1e9;
    for (int trial = 0; trial < 5; ++trial) {
      const double begin = now();
      for (int i = 0; i < kMany; ++i) {
        EXPECT_EQ(gradients[pairs[static_cast<std::size_t>(i % count)].value].id(),
                  pairs[static_cast<std::size_t>(i % count)].value.id());
      }
      least = std::min(least, now() - begin);
    }
    return least;
  };
  // A linear search would take 32 times as long.
  EXPECT_LT(time_of(kMany), 10 * time_of(kFew));
}

}  // namespace
}  // namespace aclgrad
