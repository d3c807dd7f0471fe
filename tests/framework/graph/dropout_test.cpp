// SPDX-License-Identifier: Apache-2.0
// Dropout in graphs: anew in every run, the same in every mode, and over checkpoints.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

constexpr std::int64_t kCount = 4096;

struct Moments {
  double mean = 0;
  double variance = 0;
};
Moments moments_of(const Tensor& tensor) {
  Moments found;
  const auto count = static_cast<double>(tensor.numel());
  for (std::int64_t i = 0; i < tensor.numel(); ++i) found.mean += tensor.get(i) / count;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    found.variance += std::pow(tensor.get(i) - found.mean, 2) / count;
  }
  return found;
}

TEST(Dropout, KeepsTheMeanAndDrawsAnewInEveryRun) {
  Graph graph;
  const Value x = graph.constant(Tensor::full({kCount}, 1));
  const Generator generator(3);
  const Value y = dropout(x, 0.25, generator);
  Session session(graph, {y});
  Tensor last = Tensor::zeros({kCount});
  for (int run = 1; run <= 4; ++run) {
    const Tensor now = session.run()[y];
    std::int64_t dropped = 0;
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < kCount; ++i) {
      dropped += now.get(i) == 0 ? 1 : 0;
      changed += now.get(i) != last.get(i) ? 1 : 0;
      EXPECT_TRUE(now.get(i) == 0 || std::abs(now.get(i) - 4.0 / 3) < 1e-6);
    }
    EXPECT_NEAR(static_cast<double>(dropped) / kCount, 0.25, 6 * std::sqrt(0.1875 / kCount));
    EXPECT_GT(changed, kCount / 8);
    EXPECT_EQ(generator.draws().value().get(0), run);
    last = now;
  }
}

// Neither a seed nor a count goes through a double, which has no 2^53 + 1.
TEST(Dropout, EverySeedAndCountIsOfItsOwn) {
  constexpr std::int64_t kLast = std::int64_t{1} << 53;
  const auto mask_of = [](std::int64_t seed, std::int64_t draws) {
    Graph graph;
    const Generator generator(seed);
    generator.draws().assign(Tensor::from({1}, std::span(&draws, 1)));
    const Value y = dropout(graph.constant(Tensor::full({kCount}, 1)), 0.5, generator);
    Session session(graph, {y});
    Tensor mask = session.run()[y];
    const Tensor count = generator.draws().value();
    EXPECT_EQ(*static_cast<const std::int64_t*>(static_cast<const void*>(count.bytes())),
              draws + 1);
    return mask;
  };
  for (const std::int64_t seed : {kLast, INT64_MAX - 1, INT64_MIN}) {
    EXPECT_FALSE(bitwise_equal(mask_of(seed, 0), mask_of(seed + 1, 0))) << seed;
    EXPECT_TRUE(bitwise_equal(mask_of(seed, 0), mask_of(seed, 0))) << seed;
  }
  EXPECT_FALSE(bitwise_equal(mask_of(1, kLast), mask_of(1, kLast + 1)));
}

TEST(Dropout, AGeneratorCanGoBack) {
  Graph graph;
  const Generator generator(5);
  const Value x = graph.constant(Tensor::full({2, 100}, 1));
  const Value first = dropout(x, 0.5, generator);
  const Value second = dropout(x, 0.5, generator);
  Session session(graph, {first, second});
  const Results results = session.run();
  const Tensor one = results[first];
  const Tensor two = results[second];
  EXPECT_FALSE(allclose(one, two, 0, 0)) << "the two draws of a run are the same";
  generator.draws().assign(Tensor::zeros({1}, DType::int64));
  const Results again = session.run();
  EXPECT_TRUE(allclose(again[first], one, 0, 0));
  EXPECT_TRUE(allclose(again[second], two, 0, 0));
  // Another graph over another generator of the same seed, too.
  Graph other;
  const Generator same(5);
  const Value y = dropout(other.constant(Tensor::full({2, 100}, 1)), 0.5, same);
  Session run(other, {y});
  EXPECT_TRUE(allclose(run.run()[y], one, 0, 0));
}

TEST(Dropout, OfNothingIsTheValueItself) {
  Graph graph;
  const Value x = graph.input("x", {3});
  const Generator generator;
  EXPECT_EQ(dropout(x, 0, generator), x);
  EXPECT_EQ(alpha_dropout(x, 0, generator), x);
  EXPECT_TRUE(graph.variables().empty());
  EXPECT_THROW(dropout(x, 1.5, generator), ValueError);
  EXPECT_THROW(dropout(x, std::nan(""), generator), ValueError);
  EXPECT_THROW(alpha_dropout(x, 1, generator), ValueError);
  EXPECT_THROW(dropout(graph.input("i", {3}, DType::int32), 0.5, generator), DTypeError);
  EXPECT_THROW(apply_dropout(x, graph.input("m", {3}, DType::uint8), 0.5), ShapeError);
}

TEST(Dropout, AllOfItIsZero) {
  Graph graph;
  const Value x = graph.constant(Tensor::full({5}, std::nan("")));
  const Value y = dropout(x, 1, Generator(1));
  Session session(graph, {y});
  EXPECT_TRUE(allclose(session.run()[y], Tensor::zeros({5}), 0, 0));
}

TEST(Dropout, AlphaDropoutKeepsMeanAndVariance) {
  Graph graph;
  const Value x = graph.constant(init::normal({1 << 16}, 11, 1));
  const Value y = alpha_dropout(x, 0.3, Generator(2));
  Session session(graph, {y});
  const Moments found = moments_of(session.run()[y]);
  EXPECT_NEAR(found.mean, 0, 0.03);
  EXPECT_NEAR(found.variance, 1, 0.03);
}

}  // namespace
}  // namespace aclgrad
