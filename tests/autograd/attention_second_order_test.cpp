// SPDX-License-Identifier: Apache-2.0
// Gradients of gradients of attention in tiles, and of what stands beside it.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

using Values = std::vector<Value>;

// All the gradients, each weighted by an input of its own, are a function of those and of x.
void expect_right_of(const std::vector<Shape>& shapes,
                     const std::function<Value(const Values&)>& function) {
  Graph graph;
  std::vector<Feed> feeds;
  const auto input = [&](const Shape& shape) {
    const std::size_t number = feeds.size();
    const Value x = graph.input("x" + std::to_string(number), shape);
    feeds.emplace_back(x, init::normal(shape, 31 + number));
    return x;
  };
  Values x;
  for (const Shape& shape : shapes) x.push_back(input(shape));
  const Value y = function(x);
  const Gradients gradients = backward(y, x, {.seed = input(y.shape())});
  Value sum;
  for (const Value& each : x) {
    const Value term = reduce_sum(gradients[each] * input(each.shape()));
    sum = sum ? sum + term : term;
  }
  const gradcheck::Report report = check_gradients(sum, {}, feeds);
  EXPECT_TRUE(report.passed()) << report.to_string();
  // Of the first; no gradient depends on what is only added, such as deep_norm()'s beta.
  ASSERT_FALSE(report.gradients.empty());
  EXPECT_GT(report.gradients.front().largest, 1e-4);
}

TEST(SecondOrder, AttentionInTiles) {
  const Shape query{2, 4, 3, 2}, key{2, 2, 4, 2};
  for (const bool is_causal : {false, true}) {
    expect_right_of({query, key, key}, [&](const Values& x) {
      return scaled_dot_product_attention(x[0], x[1], x[2], {}, {.is_causal = is_causal});
    });
  }
  // Of a row of all, of one, and of none.
  expect_right_of({query, query, query}, [](const Values& x) {
    const Tensor seen = Tensor::from({3, 3}, {1, 1, 1, 0, 1, 0, 0, 0, 0}).to(DType::boolean);
    const Value mask = x[0].graph().constant(seen);
    return scaled_dot_product_attention(x[0], x[1], x[2], mask, {.scale = -0.6});
  });
  expect_right_of({query, key, {2, 2, 4, 3}, {3, 4}}, [](const Values& x) {
    return scaled_dot_product_attention(x[0], x[1], x[2], x[3], {.is_causal = true});
  });
}

// What a mask hides from all does not matter to them either.
TEST(SecondOrder, OfAttentionDoesNotSeeWhatIsHidden) {
  std::vector<Tensor> expected;
  for (const double hidden : {1.0, std::nan(""), -HUGE_VAL}) {
    Graph graph;
    const Shape shape{1, 2, 4, 3};
    Values x;
    std::vector<Feed> feeds;
    for (const char* name : {"q", "k", "v", "seed"}) {
      Tensor numbers = init::normal(shape, feeds.size() + 1);
      for (std::int64_t i = 0; i < numbers.numel(); ++i) {
        const bool is_key = feeds.size() == 1 || feeds.size() == 2;
        if (is_key && i / 3 % 4 == 3) numbers.set(i, hidden);
      }
      x.push_back(graph.input(name, shape));
      feeds.emplace_back(x.back(), std::move(numbers));
    }
    const Value seen = graph.constant(Tensor::from({4}, {1, 1, 1, 0}).to(DType::boolean));
    const Value y = scaled_dot_product_attention(x[0], x[1], x[2], seen);
    const Gradients first = backward(y, {x[0], x[1], x[2]}, {.seed = x[3]});
    Value sum;
    for (std::size_t k = 0; k < 3; ++k) {
      const Value squares = reduce_sum(first[x[k]] * first[x[k]]);
      sum = sum ? sum + squares : squares;
    }
    const Gradients second = backward(sum, x);
    std::vector<Fetch> fetches;
    for (const Value& each : x) fetches.emplace_back(second[each]);
    Session session(graph, fetches);
    const Results results = session.run(feeds);
    std::vector<Tensor> found;
    for (std::size_t k = 0; k < 4; ++k) found.push_back(results[k]);
    if (expected.empty()) expected = found;
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::int64_t i = 0; i < found[k].numel(); ++i) {
        EXPECT_EQ(found[k].get(i), expected[k].get(i)) << hidden << " " << k << " " << i;
      }
    }
  }
}

// The output and the numbers of rows say what the shares are; other ones say something else.
TEST(SecondOrder, AttentionByOtherStatisticsHasNone) {
  Graph graph;
  const Value x = graph.input("x", {1, 1, 2, 2}), rows = graph.input("rows", {1, 1, 2, 8});
  const Value dq = scaled_dot_product_attention_backward(x, {x, x, x}, {x, rows, rows}, {})[0];
  EXPECT_THROW((void)backward(reduce_sum(dq), {x}), ValueError);
}

TEST(SecondOrder, TurnedByPlaces) {
  for (const RotaryMode mode : {RotaryMode::half, RotaryMode::interleave}) {
    expect_right_of({{2, 3, 4}, {3, 4}, {3, 4}}, [&](const Values& x) {
      return rotary_position_embedding(x[0], x[1], x[2], mode);
    });
  }
}

TEST(SecondOrder, NormalizationsThatAreFused) {
  for (const bool triangle : {false, true}) {
    expect_right_of({{2, 1, 3, 3}}, [&](const Values& x) {
      const Tensor hidden = Tensor::from({3, 3}, {0, 1, 0, 0, 0, 1, 1, 1, 1}).to(DType::boolean);
      return scaled_masked_softmax(x[0], x[0].graph().constant(hidden), 0.8, triangle);
    });
  }
  expect_right_of({{2, 2, 3}, {2, 2, 3}, {2, 3}, {2, 3}},
                  [](const Values& x) { return deep_norm(x[0], x[1], x[2], x[3], 0.7, 1e-2); });
}

}  // namespace
}  // namespace aclgrad
