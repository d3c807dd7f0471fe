// SPDX-License-Identifier: Apache-2.0
// Every gradient rule, and the rules of what it records, against finite differences in double.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/autograd/expect_right.h"

namespace aclgrad {
namespace {

using derivatives::expect_right;
using derivatives::expect_right_once;
using derivatives::points;
using derivatives::Values;

TEST(Rules, Arithmetic) {
  expect_right({{2, 3}, {2, 3}}, [](const Values& x) { return add(x[0], x[1]); });
  expect_right({{2, 3}, {2, 3}}, [](const Values& x) { return add(x[0], x[1], -0.7); });
  expect_right({{2, 3}, {2, 3}}, [](const Values& x) { return sub(x[0], x[1]); });
  expect_right({{2, 3}, {2, 3}}, [](const Values& x) { return sub(x[0], x[1], 2.5); });
  expect_right({{2, 3}, {2, 3}}, [](const Values& x) { return mul(x[0], x[1]); });
  expect_right({{2, 3}}, [](const Values& x) { return 3 - x[0] * 0.3 + 1; });
  expect_right({{2, 3}, {2, 3}}, [](const Values& x) { return x[0] / (2 + mul(x[1], x[1])); });
  expect_right({{2, 3}}, [](const Values& x) { return x[0] / -0.3; });
  expect_right({{2, 3}, {2, 3}}, [](const Values& x) { return maximum(x[0], x[1]); });
  expect_right({{2, 3}, {2, 3}}, [](const Values& x) { return minimum(x[0], x[1]); });
}

TEST(Rules, PowersBoundsAndChoices) {
  const auto positive = [](const Value& x) { return mul(x, x) + 0.5; };
  expect_right({{2, 3}}, [](const Values& x) { return abs(x[0]); });
  expect_right({{2, 3}}, [](const Values& x) { return pow(x[0], 2.0); });
  expect_right({{2, 3}}, [](const Values& x) { return pow(x[0], 3.0); });
  expect_right({{2, 3}}, [](const Values& x) { return pow(x[0], 1.0); });
  expect_right({{2, 3}}, [&](const Values& x) { return pow(positive(x[0]), -1.7); });
  expect_right({{2, 3}, {3}}, [&](const Values& x) { return pow(positive(x[0]), x[1]); });
  expect_right({{2, 3}}, [](const Values& x) { return clamp(x[0], {.min = -3, .max = 3}); });
  expect_right({{2, 3}}, [](const Values& x) { return clamp(x[0], {.min = 0}); });
  expect_right({{2, 3}}, [](const Values& x) { return clamp(x[0], {.max = 0}); });
  expect_right({{2, 3}, {3}}, [](const Values& x) { return where(gt(x[0], 0), x[0], x[1]); });
  expect_right({{2, 3}, {}}, [](const Values& x) { return where(le(x[0], 0), x[0], x[1]); });
  expect_right({{2, 3}},
               [](const Values& x) { return masked_fill(mul(x[0], x[0]), lt(x[0], 0), -7); });
  expect_right({{2, 3}, {3}, {2, 1}}, [&](const Values& x) {
    return addcmul(x[0], x[1], x[2], -0.5) + addcdiv(x[0], x[1], positive(x[2]), 2);
  });
}

TEST(Rules, ErrorLossesAndBinaryCrossEntropy) {
  for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
    SCOPED_TRACE(to_string(reduction));
    expect_right_once({{2, 3}, {2, 3}},
                      [&](const Values& x) { return l1_loss(x[0], x[1], reduction); });
    for (const double beta : {0.0, 0.7}) {
      expect_right_once({{2, 3}, {2, 3}}, [&](const Values& x) {
        return smooth_l1_loss(x[0], x[1], {beta, reduction});
      });
    }
    expect_right_once({{2, 3}}, [&](const Values& x) {
      Graph graph = x[0].graph();
      const Value target = graph.constant(Tensor::from({2, 3}, {0, 1, 0.3, 1, 0, 0.9}));
      const Value weight = graph.constant(Tensor::from({2, 1}, {0.5, 2}));
      const Value pos_weight = graph.constant(Tensor::from({3}, {1, 3, 0.2}));
      return reduce_sum(bce_with_logits(x[0], target, {.reduction = reduction})) +
             reduce_sum(bce_with_logits(x[0], target, {weight, pos_weight, reduction})) +
             reduce_sum(bce_with_logits(x[0], target, {.pos_weight = pos_weight}));
    });
  }
}

TEST(Rules, DropoutWithTheMaskHeld) {
  const Generator generator(7);
  expect_right({{8, 9}}, [&](const Values& x) {
    const Value once = dropout(mul(x[0], x[0]), 0.25, generator);
    return alpha_dropout(once, 0.4, generator) + dropout(x[0], 0, generator);
  });
}

// What would be 0 times infinity, or the logarithm of 0.
TEST(Rules, PowersHaveFiniteGradientsAtZero) {
  Graph graph;
  const Value x = graph.input("x", {4});
  const Value y = graph.input("y", {4});
  const Gradients gradients = backward(reduce_sum(pow(x, y)), {x, y});
  Session session(graph, {gradients[x], gradients[y]});
  const Results results =
      session.run({{x, Tensor::from({4}, {0, 0, 2, 0})}, {y, Tensor::from({4}, {0, 2, 0, 3})}});
  const auto expect = [&](const Value& gradient, const Tensor& wanted) {
    EXPECT_TRUE(allclose(results[gradient], wanted, 1e-6, 0)) << results[gradient];
  };
  expect(gradients[x], Tensor::from({4}, {0, 0, 0, 0}));
  expect(gradients[y], Tensor::from({4}, {0, 0, 0.6931471806, 0}));
}

TEST(Rules, BroadcastingIsUndone) {
  using Binary = std::function<Value(const Value&, const Value&)>;
  const std::vector<Binary> operators = {
      [](const Value& a, const Value& b) { return add(a, b, 0.5); },
      [](const Value& a, const Value& b) { return sub(a, b, 0.5); },
      [](const Value& a, const Value& b) { return mul(a, b); },
      [](const Value& a, const Value& b) { return a / (2 + mul(b, b)); },
      [](const Value& a, const Value& b) { return maximum(a, b); }};
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{2, 3}, {3}}, {{3}, {2, 3}},       {{2, 3}, {1, 3}}, {{2, 1}, {1, 3}},    {{2, 3}, {}},
      {{}, {2, 3}},  {{2, 1, 4}, {3, 1}}, {{1, 1}, {2}},    {{4, 1, 2}, {3, 2}}, {{1}, {1, 1, 1}}};
  for (const Binary& op : operators) {
    for (const auto& [a, b] : shapes) {
      SCOPED_TRACE(fmt::format("{} with {}", a, b));
      expect_right({a, b}, [&](const Values& x) { return op(x[0], x[1]); });
    }
  }
}

TEST(Rules, Matmul) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{2, 3}, {3, 4}},       {{3}, {3}},
      {{2, 3}, {3}},          {{3}, {3, 4}},
      {{5, 2, 3}, {3}},       {{3}, {5, 3, 4}},
      {{5, 2, 3}, {3, 4}},    {{2, 3}, {5, 3, 4}},
      {{5, 2, 3}, {5, 3, 4}}, {{5, 1, 2, 3}, {2, 3, 4}},
      {{1, 2, 3}, {5, 3, 4}}};
  for (const auto& [a, b] : shapes) {
    SCOPED_TRACE(fmt::format("{} with {}", a, b));
    expect_right({a, b}, [](const Values& x) { return matmul(x[0], x[1]); });
  }
  expect_right({{3, 2}, {4, 3}}, [](const Values& x) {
    return matmul(transpose(x[0], 0, 1), transpose(x[1], 0, 1));
  });
}

TEST(Rules, AddmmAndLinear) {
  for (const Shape& c : {Shape{4}, Shape{2, 4}, Shape{1, 4}, Shape{2, 1}, Shape{1}}) {
    SCOPED_TRACE(to_string(c));
    expect_right({c, {2, 3}, {3, 4}},
                 [](const Values& x) { return addmm(x[0], x[1], x[2], 0.5, -2); });
  }
  for (const Shape& shape : {Shape{2, 3}, Shape{3}, Shape{2, 2, 3}, Shape{2, 1, 2, 3}}) {
    SCOPED_TRACE(to_string(shape));
    expect_right({shape, {3, 4}, {4}}, [](const Values& x) { return linear(x[0], x[1], x[2]); });
  }
}

TEST(Rules, Reductions) {
  for (const bool keepdim : {false, true}) {
    for (const std::vector<std::int64_t>& axes :
         {std::vector<std::int64_t>{}, {0}, {1}, {-1}, {0, 2}, {2, 1, 0}}) {
      expect_right({{2, 3, 4}}, [&](const Values& x) { return reduce_sum(x[0], axes, keepdim); });
      expect_right({{2, 3, 4}}, [&](const Values& x) { return mean(x[0], axes, keepdim); });
    }
  }
  expect_right({{}}, [](const Values& x) { return reduce_sum(x[0]); });
  expect_right({{}}, [](const Values& x) { return mean(x[0]); });
}

TEST(Rules, BatchedProducts) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{5, 2, 3}, {5, 3, 4}}, {{1, 2, 3}, {5, 3, 4}}, {{5, 2, 3}, {1, 3, 4}}};
  for (const auto& [a, b] : shapes) {
    SCOPED_TRACE(fmt::format("{} with {}", a, b));
    expect_right({a, b}, [](const Values& x) { return bmm(x[0], x[1]); });
  }
  expect_right({{5, 3, 2}, {5, 4, 3}},
               [](const Values& x) { return bmm(transpose(x[0], 1, 2), transpose(x[1], 1, 2)); });
  for (const Shape& c : {Shape{5, 2, 4}, Shape{4}, Shape{5, 1, 1}, Shape{}}) {
    SCOPED_TRACE(to_string(c));
    expect_right({c, {5, 2, 3}, {1, 3, 4}},
                 [](const Values& x) { return baddbmm(x[0], x[1], x[2], 0.5, -2); });
  }
}

TEST(Rules, AttentionInTiles) {
  const Shape query{2, 2, 3, 2}, key{2, 2, 5, 2}, value{2, 2, 5, 1};
  for (const bool causal : {false, true}) {
    expect_right({query, key, value}, [&](const Values& x) {
      return scaled_dot_product_attention(x[0], x[1], x[2], {}, {.is_causal = causal});
    });
    // Of all that are seen, one, and none.
    expect_right({query, key, value}, [&](const Values& x) {
      const Tensor seen = Tensor::from({3, 5}, {1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0});
      const Value mask = x[0].graph().constant(seen.to(DType::boolean));
      return scaled_dot_product_attention(x[0], x[1], x[2], mask, {.is_causal = causal});
    });
  }
  for (const Shape& bias : {Shape{2, 2, 3, 5}, Shape{3, 5}, Shape{2, 1, 1, 5}}) {
    SCOPED_TRACE(to_string(bias));
    expect_right({query, {2, 1, 5, 2}, {2, 1, 5, 3}, bias}, [](const Values& x) {
      return scaled_dot_product_attention(x[0], x[1], x[2], x[3],
                                          {.is_causal = true, .scale = 0.7});
    });
  }
  expect_right({query, key, value}, [](const Values& x) {
    AttentionOptions options{.dropout_p = 0.5};
    options.generator.emplace(3);
    return scaled_dot_product_attention(x[0], x[1], x[2], {}, options);
  });
}

TEST(Rules, AttentionInTilesOfOtherRanks) {
  for (const Shape& shape : {Shape{3, 4}, Shape{2, 3, 4}, Shape{1, 2, 1, 3, 4}}) {
    std::vector<std::int64_t> wide = shape.dims();
    wide.back() = 6;
    expect_right({shape, shape, Shape(wide), {3}}, [](const Values& x) {
      return scaled_dot_product_attention(x[0], x[1], x[2], x[3]);
    });
  }
}

TEST(Rules, TurnedByPlaces) {
  for (const RotaryMode mode : {RotaryMode::half, RotaryMode::interleave}) {
    for (const auto& [shape, table] : {std::pair{Shape{2, 3, 4, 6}, Shape{4, 6}},
                                       {Shape{2, 3, 6}, Shape{2, 1, 6}},
                                       {Shape{3, 2}, Shape{3, 2}}}) {
      expect_right({shape, table, table}, [&](const Values& x) {
        return rotary_position_embedding(x[0], x[1], x[2], mode);
      });
    }
  }
}

TEST(Rules, NormalizationsThatAreFused) {
  for (const bool triangle : {false, true}) {
    expect_right({{2, 3, 4, 4}}, [&](const Values& x) {
      const Tensor hidden = Tensor::from({3, 1, 4}, {0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1});
      const Value mask = x[0].graph().constant(hidden.to(DType::boolean));
      return scaled_masked_softmax(x[0], mask, -0.7, triangle);
    });
  }
  expect_right({{3, 2, 4}, {3, 2, 4}, {2, 4}, {2, 4}},
               [](const Values& x) { return deep_norm(x[0], x[1], x[2], x[3], 1.3, 1e-3); });
}

TEST(Rules, ExtremaVariancesAndNorms) {
  for (const bool keepdim : {false, true}) {
    for (const std::vector<std::int64_t>& axes :
         {std::vector<std::int64_t>{}, {0}, {1}, {-1}, {0, 2}}) {
      expect_right({{2, 3, 4}}, [&](const Values& x) { return amax(x[0], axes, keepdim); });
      expect_right({{2, 3, 4}}, [&](const Values& x) { return amin(x[0], axes, keepdim); });
      expect_right({{2, 3, 4}},
                   [&](const Values& x) { return norm(x[0], axes, {.keepdim = keepdim}); });
      for (const bool unbiased : {false, true}) {
        expect_right({{2, 3, 4}}, [&](const Values& x) {
          return var(x[0], axes, {.unbiased = unbiased, .keepdim = keepdim});
        });
      }
    }
  }
  for (const double p : {0.5, 1.0, 1.5, 3.0, -1.0, std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity()}) {
    expect_right({{2, 3, 4}}, [&](const Values& x) { return norm(x[0], {1}, {.p = p}); });
  }
  // One norm is not used.
  for (const double p : {2.0, 3.0}) {
    expect_right({{2, 3}, {4}}, [&](const Values& x) {
      const std::vector<Value> norms = foreach_norm({x[0], x[1], x[0] * 2}, p);
      return norms[0] + norms[1] * 2;
    });
  }
  expect_right({{2, 3}, {4}}, [](const Values& x) {
    const std::vector<Value> products = foreach_mul({x[0], x[1]}, -0.7);
    const std::vector<Value> more = foreach_mul(products, reduce_sum(x[0]));
    return reduce_sum(more[0]) + reduce_sum(products[1]);
  });
  expect_right({{}}, [](const Values& x) { return amax(x[0]); });
  expect_right({{}}, [](const Values& x) { return norm(x[0]); });
}

// The gradient of a sum of the results, in float32 or a shorter type.
Tensor gradient_of(const Tensor& at, const std::function<Value(const Value&)>& function) {
  Graph graph;
  const Value x = graph.input("x", at.shape(), at.dtype());
  const Value loss = reduce_sum(function(x));
  const Value gradient = backward(loss, {x})[x];
  Session session(graph, {gradient});
  return session.run({{x, at}})[gradient];
}

TEST(Rules, OfAmaxShareTheGradientAmongEqualElements) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    const Tensor x = Tensor::from({3, 4}, {3, 1, 3, 2, kInf, 5, kInf, -kInf, 0, 0, 0, 0}, dtype);
    const auto largest = [](const Value& v) { return amax(v, {1}); };
    const auto smallest = [](const Value& v) { return amin(v, {1}); };
    const Tensor of_largest =
        Tensor::from({3, 4}, {0.5, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0.25, 0.25, 0.25, 0.25}, dtype);
    const Tensor of_smallest =
        Tensor::from({3, 4}, {0, 1, 0, 0, 0, 0, 0, 1, 0.25, 0.25, 0.25, 0.25}, dtype);
    EXPECT_TRUE(allclose(gradient_of(x, largest), of_largest, 0, 0)) << gradient_of(x, largest);
    EXPECT_TRUE(allclose(gradient_of(x, smallest), of_smallest, 0, 0)) << gradient_of(x, smallest);
  }
}

TEST(Rules, OfMaxGiveTheGradientToTheFirstOfEqualElements) {
  const Tensor x = Tensor::from({2, 3}, {3, 3, 1, 2, 7, 7});
  const Tensor gradient = gradient_of(x, [](const Value& v) { return max(v, 1).values; });
  EXPECT_TRUE(allclose(gradient, Tensor::from({2, 3}, {1, 0, 0, 0, 1, 0}), 0, 0)) << gradient;
}

TEST(Rules, OfANormOfZerosAreZero) {
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    const Tensor x = Tensor::from({2, 2}, {0, 0, 3, 4}, dtype);
    const Tensor gradient = gradient_of(x, [](const Value& v) { return norm(v, {1}); });
    EXPECT_TRUE(allclose(gradient, Tensor::from({2, 2}, {0, 0, 0.6, 0.8}, dtype), 4e-3, 0))
        << gradient;
    const Tensor of_sum = gradient_of(x, [](const Value& v) { return norm(v, {1}, {.p = 1}); });
    EXPECT_TRUE(allclose(of_sum, Tensor::from({2, 2}, {0, 0, 1, 1}, dtype), 0, 0)) << of_sum;
  }
}

TEST(Rules, AlongAnAxis) {
  for (std::int64_t dim = -3; dim < 3; ++dim) {
    for (const bool exclusive : {false, true}) {
      for (const bool reverse : {false, true}) {
        expect_right({{2, 3, 4}}, [&](const Values& x) {
          return cumsum(x[0], dim, {.exclusive = exclusive, .reverse = reverse});
        });
      }
    }
    expect_right({{2, 3, 4}}, [&](const Values& x) { return cumprod(x[0], dim); });
    expect_right({{2, 3, 4}}, [&](const Values& x) { return flip(x[0], {dim}) * x[0]; });
    expect_right({{2, 3, 4}}, [&](const Values& x) { return roll(x[0], {2}, {dim}) * x[0]; });
    for (const bool keepdim : {false, true}) {
      expect_right({{2, 3, 4}}, [&](const Values& x) { return max(x[0], dim, keepdim).values; });
    }
    for (const std::int64_t k : {1, 2}) {
      expect_right({{2, 3, 4}}, [&](const Values& x) { return topk(x[0], k, dim).values; });
      expect_right({{2, 3, 4}}, [&](const Values& x) { return topk(x[0], k, dim, false).values; });
    }
  }
  expect_right({{2, 3}}, [](const Values& x) { return roll(x[0], {-4}) * x[0]; });
  expect_right({{2, 3, 4}}, [](const Values& x) {
    return logsumexp(x[0], {0, 2}) + logsumexp(x[0]) + stddev(x[0], {0, 2}) + stddev(x[0]);
  });
  expect_right({{2, 3, 4}}, [](const Values& x) {
    return logsumexp(x[0], {1}, true) + stddev(x[0], {1}, {.unbiased = false, .keepdim = true});
  });
  expect_right({{}}, [](const Values& x) { return max(x[0], 0).values; });
  expect_right({{}}, [](const Values& x) { return topk(x[0], 1).values; });
}

// As of a product that is written out: one zero, two of them, none.
TEST(Rules, OfARunningProductHoldAtZeros) {
  const Tensor x = Tensor::from({4, 3}, {2, 0, 5, 0, 3, 0, 0, 0, 7, 2, 3, 5});
  const Tensor gradient = gradient_of(x, [](const Value& v) { return cumprod(v, 1); });
  const Tensor right = Tensor::from({4, 3}, {1, 12, 0, 4, 0, 0, 1, 0, 0, 19, 12, 6});
  EXPECT_TRUE(allclose(gradient, right, 0, 0)) << gradient;
}

TEST(Rules, OfTheLongestRollGoBack) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();  // 1 modulo 3
  const Tensor x = Tensor::from({3}, {1, 2, 3});
  const Tensor weight = Tensor::from({3}, {10, 20, 30});
  const Tensor gradient = gradient_of(
      x, [&](const Value& v) { return roll(v, {kLeast}) * v * v.graph().constant(weight); });
  EXPECT_TRUE(allclose(gradient, Tensor::from({3}, {70, 110, 70}), 0, 0)) << gradient;
}

TEST(Rules, OfADeviationOfZeroAreZero) {
  const Tensor x = Tensor::from({2, 2}, {3, 3, 0, 2});
  const Tensor gradient = gradient_of(x, [](const Value& v) { return stddev(v, {1}); });
  const double half = std::sqrt(0.5);
  EXPECT_TRUE(allclose(gradient, Tensor::from({2, 2}, {0, 0, -half, half}), 1e-6, 0)) << gradient;
}

// Rows that are masked out as a whole, as of attention, where PyTorch's gradient is NaN.
TEST(Rules, OfALogarithmOfASumAreZeroWhereNothingCounts) {
  const double none = -std::numeric_limits<double>::infinity();
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32}) {
    const Tensor x = Tensor::from({2, 2}, {none, none, 1, none}, dtype);
    const Tensor gradient = gradient_of(x, [](const Value& v) { return logsumexp(v, {1}); });
    EXPECT_TRUE(allclose(gradient, Tensor::from({2, 2}, {0, 0, 1, 0}, dtype), 0, 0)) << gradient;
  }
}

TEST(Rules, ViewsAndMovement) {
  expect_right({{2, 3, 4}}, [](const Values& x) { return transpose(x[0], 0, 2); });
  expect_right({{2, 3, 4}}, [](const Values& x) { return permute(x[0], {2, 0, 1}); });
  expect_right({{2, 3, 4}}, [](const Values& x) { return reshape(x[0], {6, -1}); });
  expect_right({{2, 3}}, [](const Values& x) { return reshape(transpose(x[0], 0, 1), {6}); });
  expect_right({{3, 1}}, [](const Values& x) { return expand(x[0], {2, 3, 4}); });
  expect_right({{2, 3}}, [](const Values& x) { return copy(transpose(x[0], 0, 1)) * 2; });
  expect_right({{2, 3}}, [](const Values& x) { return selu(transpose(x[0], 0, 1)); });
  expect_right({{3, 1}}, [](const Values& x) { return selu(expand(x[0], {3, 4})); });
  expect_right({{2, 3}}, [](const Values& x) { return cast(x[0], DType::bfloat16) * 2; });
}

TEST(Rules, Joins) {
  expect_right({{2, 3}, {2, 1}, {2, 2}}, [](const Values& x) { return cat(x, -1); });
  expect_right({{2, 3}, {1, 3}}, [](const Values& x) { return cat({x[0], x[1], x[0]}); });
  expect_right({{2, 3}, {2, 3}}, [](const Values& x) { return stack(x, 1); });
  expect_right({{}, {}}, [](const Values& x) { return stack(x); });
}

TEST(Rules, Cuts) {
  expect_right({{4, 5}}, [](const Values& x) { return slice(x[0], 1, 1, 4); });
  expect_right({{4, 5}}, [](const Values& x) { return slice(x[0], 0, -2); });
  for (const std::int64_t step : {2, 3, 9}) {
    for (const std::int64_t start : {0, 1, 2}) {
      expect_right({{2, 5, 2}}, [&](const Values& x) { return slice(x[0], 1, start, 5, step); });
    }
  }
  // Something comes back to one chunk only, or to all.
  expect_right({{5, 2}}, [](const Values& x) { return split(x[0], 2)[1] * 3; });
  expect_right({{2, 5}}, [](const Values& x) {
    const std::vector<Value> chunks = split(x[0], {1, 2, 2}, 1);
    return mul(chunks[1], chunks[2]) + chunks[0];
  });
  // Slices of slices, along other dimensions, and the whole.
  expect_right({{3, 4, 2}}, [](const Values& x) {
    const Value upper = slice(x[0], 0, 1);
    const Value left = slice(upper, 1, 0, 2), middle = slice(upper, 1, 1, 3);
    const Value lines = x[0] * slice(x[0], 1, 1, 2) * slice(x[0], 2, 0, 1);
    return mul(left, middle) * slice(slice(lines, 0, 0, 2), 1, 2);
  });
}

TEST(Rules, PadsRepeatsAndTriangles) {
  expect_right({{3, 4}}, [](const Values& x) { return pad(x[0], {1, 2}, 5); });
  expect_right({{3, 4}}, [](const Values& x) { return pad(x[0], {-1, 1, 2, -1}); });
  expect_right({{2, 3}}, [](const Values& x) { return repeat(x[0], {2, 1}); });
  expect_right({{2, 3}}, [](const Values& x) { return repeat(x[0], {2, 3, 2}); });
  for (const std::int64_t diagonal : {-1, 0, 2}) {
    expect_right({{2, 3, 4}}, [&](const Values& x) { return tril(x[0], diagonal); });
    expect_right({{2, 3, 4}}, [&](const Values& x) { return triu(x[0], diagonal); });
  }
}

TEST(Rules, Indices) {
  const auto numbers = [](const Values& x, Shape shape, std::initializer_list<double> values,
                          DType dtype = DType::int64) {
    return x[0].graph().constant(Tensor::from(std::move(shape), values, dtype));
  };
  expect_right({{4, 3}}, [&](const Values& x) {
    return index_select(x[0], 0, numbers(x, {5}, {3, 0, -4, 1, -1}));
  });
  expect_right({{2, 3, 4}}, [&](const Values& x) {
    return index_select(x[0], -2, numbers(x, {2}, {2, 0}, DType::int32));
  });
  expect_right({{4}}, [&](const Values& x) { return index_select(x[0], 0, numbers(x, {1}, {2})); });
  expect_right({{3, 4}}, [&](const Values& x) {
    return gather(x[0], 1, numbers(x, {3, 2}, {0, 0, -1, 1, 2, -2}, DType::int32));
  });
  expect_right({{3, 2, 2}}, [&](const Values& x) {
    return gather(x[0], 0, numbers(x, {2, 2, 1}, {0, 2, 1, 1}));
  });
  expect_right({{5, 3}}, [&](const Values& x) {
    return embedding(x[0], numbers(x, {2, 3}, {4, 0, 1, 1, 0, 0}));
  });
  expect_right({{3, 2}}, [&](const Values& x) {
    return embedding_dense_backward(x[0], numbers(x, {3}, {1, 0, 1}), 4);
  });
  expect_right({{3, 2}}, [&](const Values& x) {
    return embedding_dense_backward(x[0], numbers(x, {3}, {1, 0, 1}), 4, 1);
  });
}

TEST(Rules, OfElementsPutByTheirNumbers) {
  const auto numbers = [](const Values& x, Shape shape, std::initializer_list<double> values,
                          DType dtype = DType::int64) {
    return x[0].graph().constant(Tensor::from(std::move(shape), values, dtype));
  };
  expect_right({{3, 4}, {3, 2}}, [&](const Values& x) {
    return index_add(x[0], 1, numbers(x, {2}, {3, -1}, DType::int32), x[1], 0.75);
  });
  expect_right({{3, 4}, {3, 3}}, [&](const Values& x) {
    return scatter_add(x[0], 0, numbers(x, {2, 3}, {0, 2, 1, 0, -1, 1}), x[1]);
  });
  for (const bool apart : {false, true}) {
    const auto indices = [&](const Values& x) -> std::vector<Value> {
      const Value i = numbers(x, {2, 1}, {1, -1}), j = numbers(x, {3}, {0, 2, 2}, DType::int32);
      if (apart) return {i, Value(), j};
      return {i, j};
    };
    expect_right({{3, 3, 4}}, [&](const Values& x) { return index(x[0], indices(x)); });
    expect_right({{3, 3, 4}, {2, 3, apart ? 3 : 4}},
                 [&](const Values& x) { return index_put(x[0], indices(x), x[1], true); });
    expect_right({{3, 3, 4}, {3, 1}},
                 [&](const Values& x) { return index_put(x[0], indices(x), x[1], true); });
  }
  expect_right({{2, 3}}, [](const Values& x) {
    return masked_select(x[0], Tensor::from({2, 3}, {1, 0, 1, 0, 0, 1}));
  });
  for (const std::int64_t dim : {0, 1, -1}) {
    expect_right({{2, 2, 2}}, [&](const Values& x) { return repeat_interleave(x[0], 3, dim); });
    expect_right({{2, 2, 2}}, [&](const Values& x) {
      return repeat_interleave(x[0], numbers(x, {2}, {3, 1}), 4, dim);
    });
    expect_right({{4, 4, 4}}, [&](const Values& x) {
      return repeat_interleave_grad(x[0], numbers(x, {2}, {3, 1}), 2, dim);
    });
  }
  expect_right({{2, 2}}, [&](const Values& x) {
    return repeat_interleave(x[0], 2) + repeat_interleave(x[0], numbers(x, {1}, {2}), 8);
  });
  expect_right({{3, 4}}, [](const Values& x) { return sort(x[0], 0, true).values; });
  expect_right_once({{3, 4}, {2, 4}}, [](const Values& x) { return cdist(x[0], x[1]); });
  for (const double p : {1.0, 1.5, 3.0, std::numeric_limits<double>::infinity()}) {
    expect_right_once({{2, 3, 4}, {2, 4}}, [&](const Values& x) { return cdist(x[0], x[1], p); });
  }
}

TEST(Rules, BagsOfEmbeddings) {
  const auto numbers = [](const Values& x, std::initializer_list<double> values) {
    return x[0].graph().constant(
        Tensor::from({static_cast<std::int64_t>(values.size())}, values, DType::int64));
  };
  const auto bags = [&](const Values& x, const EmbeddingBagOptions& options) {
    return embedding_bag(x[0], numbers(x, {2, 0, -3, 1, 3, 0}), numbers(x, {0, 3, 3, 5}), options);
  };
  for (const bool has_last : {false, true}) {
    for (const BagMode mode : {BagMode::sum, BagMode::mean, BagMode::max}) {
      expect_right({{4, 3}}, [&](const Values& x) {
        return bags(x, {.mode = mode, .include_last_offset = has_last});
      });
      expect_right({{4, 3}}, [&](const Values& x) {
        return bags(x, {.mode = mode, .include_last_offset = has_last, .padding_idx = 1});
      });
    }
    expect_right({{4, 3}, {6}}, [&](const Values& x) {
      return bags(x, {.mode = BagMode::sum,
                      .per_sample_weights = x[1],
                      .include_last_offset = has_last,
                      .padding_idx = 0});
    });
  }
  for (const double p : {1.0, 2.0, 3.0}) {
    expect_right({{3, 4}}, [&](const Values& x) { return renorm(x[0], p, -1, 1.5); });
  }
}

TEST(Rules, Selu) {
  expect_right({{3, 4}}, [](const Values& x) { return selu(x[0]); });
}

TEST(Rules, Elu) {
  for (const BackwardFrom from : {BackwardFrom::input, BackwardFrom::result}) {
    for (const double alpha : {1.0, 0.3, 2.0}) {
      for (const double scale : {1.0, 1.7}) {
        for (const double input_scale : {1.0, 0.4}) {
          SCOPED_TRACE(fmt::format("alpha {} scale {} input_scale {} from {}", alpha, scale,
                                   input_scale, from == BackwardFrom::result ? "result" : "input"));
          expect_right({{3, 4}},
                       [&](const Values& x) { return elu(x[0], alpha, scale, input_scale, from); });
        }
      }
    }
  }
  expect_right({{3, 4}}, [](const Values& x) { return elu(x[0], -0.5); });
}

TEST(Rules, Hardswish) {
  expect_right({{5, 6}}, [&](const Values& x) { return hardswish(x[0]); });
}

TEST(Rules, Gelu) {
  for (const Approximate form : {Approximate::none, Approximate::tanh}) {
    expect_right({{3, 4}}, [&](const Values& x) { return gelu(x[0], form); });
  }
}

TEST(Rules, FunctionsMadeOfThemselves) {
  expect_right({{3, 4}}, [](const Values& x) { return exp(x[0]); });
  expect_right({{3, 4}}, [](const Values& x) { return sin(x[0]); });
  expect_right({{3, 4}}, [](const Values& x) { return cos(x[0]); });
  expect_right({{3, 4}}, [](const Values& x) { return erf(x[0]); });
  expect_right({{3, 4}}, [](const Values& x) { return neg(x[0]); });
  // Away from 0, where these are not smooth.
  const auto positive = [](const Value& x) { return x * x + 0.5; };
  expect_right({{3, 4}}, [&](const Values& x) { return log(positive(x[0])); });
  expect_right({{3, 4}}, [&](const Values& x) { return sqrt(positive(x[0])); });
  expect_right({{3, 4}}, [&](const Values& x) { return rsqrt(positive(x[0])); });
  expect_right({{3, 4}}, [&](const Values& x) { return reciprocal(positive(x[0])); });
}

TEST(Rules, FunctionsWithABackwardOperator) {
  expect_right({{3, 4}}, [](const Values& x) { return tanh(x[0]); });
  expect_right({{3, 4}}, [](const Values& x) { return sigmoid(x[0]); });
  expect_right({{3, 4}}, [](const Values& x) { return relu(x[0]); });
  expect_right({{3, 4}}, [](const Values& x) { return silu(x[0]); });
  expect_right({{3, 4}}, [](const Values& x) { return silu(transpose(x[0], 0, 1)); });
  expect_right({{3, 4}}, [](const Values& x) { return leaky_relu(x[0]); });
  expect_right({{3, 4}}, [](const Values& x) { return leaky_relu(x[0], -0.3); });
  expect_right({{3, 4}}, [](const Values& x) { return softplus(x[0]); });
  expect_right({{3, 4}}, [](const Values& x) { return softplus(x[0], 0.7, 1.1); });
  expect_right({{3, 4}}, [](const Values& x) { return softplus(x[0], 0.7, -1.3); });
}

// One formula each, or a gate, with options that are no floats.
TEST(Rules, ActivationsOfOneFormula) {
  expect_right({{3, 4}}, [](const Values& in) { return hardtanh(in[0], -0.7, 1.1); });
  expect_right({{3, 4}}, [](const Values& in) { return hardshrink(in[0], 0.3); });
  expect_right({{3, 4}}, [](const Values& in) { return softshrink(in[0], 0.3); });
  expect_right({{3, 4}}, [](const Values& in) { return hardsigmoid(in[0]); });
  expect_right({{3, 4}}, [](const Values& in) { return threshold(in[0], 0.1, -2); });
  expect_right({{3, 4}}, [](const Values& in) { return mish(in[0]); });
  expect_right({{3, 4}}, [](const Values& in) { return celu(in[0]); });
  expect_right({{3, 4}}, [](const Values& in) { return celu(in[0], 1.3); });
  expect_right({{3, 4}}, [](const Values& in) { return celu(in[0], -0.5); });
  expect_right({{3, 4}}, [](const Values& in) { return fast_gelu(in[0]); });
  expect_right({{3, 4}}, [](const Values& in) { return log_sigmoid(in[0]); });
  expect_right({{3, 4}}, [](const Values& in) { return logit(sigmoid(in[0])); });
  expect_right({{3, 4}}, [](const Values& in) { return logit(sigmoid(in[0]), 0.3); });
  for (std::int64_t dim = -2; dim < 2; ++dim) {
    expect_right({{2, 4}}, [&](const Values& x) { return glu(x[0], dim); });
    expect_right({{2, 4}}, [&](const Values& x) { return swiglu(x[0], dim); });
  }
  for (const Shape& weight : {Shape{1}, Shape{3}}) {
    expect_right({{2, 3, 4}, weight}, [](const Values& x) { return prelu(x[0], x[1]); });
  }
  expect_right({{4}, {1}}, [](const Values& x) { return prelu(x[0], x[1]); });
}

TEST(Rules, GegluAlongEveryAxis) {
  for (const Approximate form : {Approximate::none, Approximate::tanh}) {
    for (const bool left : {false, true}) {
      for (std::int64_t dim = -4; dim < 4; ++dim) {
        SCOPED_TRACE(fmt::format("dim {} {} left {}", dim, to_string(form), left));
        expect_right({{2, 2, 2, 2}}, [&](const Values& x) { return geglu(x[0], dim, form, left); });
      }
    }
  }
  expect_right({{4, 3}}, [](const Values& x) { return geglu(transpose(x[0], 0, 1)); });
}

TEST(Rules, Losses) {
  for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
    expect_right({{3, 4}, {3, 4}},
                 [&](const Values& x) { return mse_loss(x[0], x[1], reduction); });
    for (const std::int64_t ignored : {kIgnoreIndex, std::int64_t{2}}) {
      for (const bool weighted : {false, true}) {
        expect_right({{4, 3}}, [&](const Values& x) {
          Graph graph = x[0].graph();
          const Value target = graph.constant(Tensor::from({4}, {0, 2, 1, 1}, DType::int64));
          const Value weight = graph.constant(Tensor::from({3}, {0.5, 2, 1.5}));
          return nll_loss(log_softmax(x[0]), target,
                          {weighted ? weight : Value(), ignored, reduction});
        });
      }
    }
  }
  expect_right({{3}}, [](const Values& x) {
    Graph graph = x[0].graph();
    return cross_entropy(x[0], graph.constant(Tensor::scalar(1, DType::int32)));
  });
}

TEST(Rules, LossesOfProbabilitiesAndMargins) {
  for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
    expect_right({{3, 4}}, [=](const Values& x) {
      const Value target = x[0].graph().constant(init::uniform({3, 4}, 5, 0, 1));
      return binary_cross_entropy(sigmoid(x[0]), target, {.reduction = reduction}) +
             soft_margin_loss(x[0], target, reduction);
    });
  }
}

TEST(Rules, LossesOfSequencesAndSeveralClasses) {
  const auto numbers = [](const Values& x, Shape shape, std::initializer_list<double> values) {
    return x[0].graph().constant(Tensor::from(std::move(shape), values, DType::int64));
  };
  for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
    for (const std::int64_t blank : {0, 3}) {
      expect_right_once({{5, 2, 4}}, [&](const Values& x) {
        return ctc_loss(log_softmax(x[0], -1), numbers(x, {2, 3}, {1, 2, 2, 1, 2, 9}), {5, 4},
                        {3, 2}, {.blank = blank, .reduction = reduction});
      });
    }
    expect_right_once({{3, 4}}, [&](const Values& x) {
      return multilabel_margin_loss(
          x[0], numbers(x, {3, 4}, {3, 0, -1, 9, 1, -1, 2, 3, 2, 2, 0, 1}), reduction);
    });
  }
  expect_right_once({{4, 3}}, [&](const Values& x) {
    return ctc_loss(log_softmax(x[0], -1), numbers(x, {2}, {1, 1}), {4}, {2});
  });
  expect_right_once({{4}}, [&](const Values& x) {
    return multilabel_margin_loss(x[0], numbers(x, {4}, {2, 0, -1, 1}));
  });
}

// Made of others, so it is the formulas that are asked: of 0, of an ignored class, of each option.
TEST(Rules, LossesMadeOfOthers) {
  const auto constant = [](const Values& x, const Shape& shape, const std::vector<double>& values,
                           DType dtype = DType::float32) {
    Graph graph = x[0].graph();
    return graph.constant(Tensor::from(shape, values, dtype));
  };
  for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
    for (const bool weighted : {false, true}) {
      expect_right({{2, 2, 3}}, [&](const Values& x) {
        return cross_entropy(x[0], constant(x, {2, 2}, {0, 2, 1, -1}, DType::int64),
                             {.weight = weighted ? constant(x, {3}, {0.5, 0, 1.5}) : Value(),
                              .label_smoothing = 0.2,
                              .ignore_index = -1,
                              .reduction = reduction});
      });
      expect_right({{2, 3}, {2, 3}}, [&](const Values& x) {
        return cross_entropy(x[0], x[1],
                             {.weight = weighted ? constant(x, {3}, {0.5, 0, 1.5}) : Value(),
                              .label_smoothing = weighted ? 0.3 : 0,
                              .reduction = reduction});
      });
    }
    expect_right_once({{3, 4}, {3, 4}}, [&](const Values& x) {
      return huber_loss(x[0], x[1], {.delta = 0.7, .reduction = reduction});
    });
    expect_right({{3, 4}, {3, 4}}, [&](const Values& x) {
      return kl_div(x[0], softmax(x[1]), {.reduction = reduction});
    });
    expect_right({{3, 4}, {3, 4}}, [&](const Values& x) {
      return kl_div(x[0], x[1], {.log_target = true, .reduction = reduction});
    });
    expect_right({{3, 4}, {3, 4}}, [&](const Values& x) {
      return cosine_embedding_loss(x[0], x[1], constant(x, {3}, {1, -1, 0}),
                                   {.margin = -0.9, .reduction = reduction});
    });
    for (const bool swap : {false, true}) {
      expect_right({{3, 4}, {3, 4}, {3, 4}}, [&](const Values& x) {
        return triplet_margin_loss(x[0], x[1], x[2],
                                   {.margin = 9, .p = 3, .swap = swap, .reduction = reduction});
      });
    }
  }
}

TEST(Rules, LogSoftmaxAlongEveryAxis) {
  for (std::int64_t dim = -3; dim < 3; ++dim) {
    expect_right({{2, 3, 4}}, [&](const Values& x) { return log_softmax(x[0], dim); });
  }
}

TEST(Rules, SoftmaxAlongEveryAxis) {
  for (std::int64_t dim = -3; dim < 3; ++dim) {
    expect_right({{2, 3, 4}}, [&](const Values& x) { return softmax(x[0], dim); });
  }
}

TEST(Rules, LayerNormOverTheLastDimensions) {
  for (const Shape& row : {Shape{4}, Shape{3, 4}, Shape{2, 3, 4}}) {
    expect_right({{2, 3, 4}, row, row},
                 [](const Values& x) { return layer_norm(x[0], x[1], x[2], 1e-2); });
  }
  // Only some of the gradients are asked for.
  expect_right({{4}}, [](const Values& x) {
    Graph graph = x[0].graph();
    const Value rows = graph.constant(points({3, 4}, 7));
    return layer_norm(rows, x[0], graph.constant(Tensor::zeros({4})));
  });
}

TEST(Rules, RmsNormOverTheLastDimensions) {
  for (const Shape& row : {Shape{4}, Shape{3, 4}, Shape{2, 3, 4}}) {
    expect_right({{2, 3, 4}, row}, [](const Values& x) { return rms_norm(x[0], x[1], 1e-2); });
  }
}

}  // namespace
}  // namespace aclgrad
