// SPDX-License-Identifier: Apache-2.0
// What lies between two nodes of a loss, a layer or a gradient rule neither overflows nor rounds in
// 16 bits where the result does not: long and large inputs beside float64 of the same numbers.
// Attention and recurrent layers have tests of their own.
#include "tests/autograd/sixteen_bits.h"

namespace aclgrad::sixteen_bits {
namespace {

constexpr std::int64_t kRows = 500, kClasses = 12;

class Losses : public testing::TestWithParam<Reduction> {
 protected:
  // In a result of each row the gradient is that of a row.
  void near(const std::string& name, const std::function<Value(Drawn&, Reduction)>& record,
            double ulps = 2) {
    const Reduction how = GetParam();
    expect_near_float64(name + ", " + to_string(how), ulps,
                        [&](Drawn& drawn) { return record(drawn, how); });
  }
};

INSTANTIATE_TEST_SUITE_P(Of16Bits, Losses,
                         testing::Values(Reduction::none, Reduction::mean, Reduction::sum),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

TEST_P(Losses, OfDifferencesAreNearFloat64) {
  for (const double size : {1.0, 200.0}) {
    const Shape shape{kRows, kClasses};
    const auto x = [=](Drawn& d) { return d.parameter(shape, -size, size); };
    near("mse", [=](Drawn& d, Reduction how) { return mse_loss(x(d), x(d), how); });
    near("l1", [=](Drawn& d, Reduction how) { return l1_loss(x(d), x(d), how); });
    for (const double bend : {0.25, 1.0, 100.0, 3000.0}) {
      near("smooth_l1", [=](Drawn& d, Reduction how) {
        const Value prediction = x(d);
        return smooth_l1_loss(prediction, x(d), {.beta = bend, .reduction = how});
      });
      near("huber", [=](Drawn& d, Reduction how) {
        const Value prediction = x(d);
        return huber_loss(prediction, x(d), {.delta = bend, .reduction = how});
      });
    }
    near("soft margin", [=](Drawn& d, Reduction how) {
      const Value scores = x(d);
      return soft_margin_loss(scores, sign(d.constant(shape, -1, 1)), how);
    });
    near("triplet margin", [=](Drawn& d, Reduction how) {
      const Value anchor = x(d), positive = x(d);
      return triplet_margin_loss(anchor, positive, x(d), {.margin = size, .reduction = how});
    });
    near("cosine embedding", [=](Drawn& d, Reduction how) {
      const Value a = x(d), b = x(d);
      return cosine_embedding_loss(a, b, sign(d.constant({kRows}, -1, 1)), {.reduction = how});
    });
  }
}

TEST_P(Losses, OfClassesAreNearFloat64) {
  for (const double size : {1.0, 200.0}) {
    for (const bool weighted : {false, true}) {
      // The sum of weights is beyond float16.
      const auto weight = [=](Drawn& d) {
        return weighted ? d.constant({kClasses}, 100, 900) : Value();
      };
      const auto x = [=](Drawn& d) { return d.parameter({kRows, kClasses}, -size, size); };
      near("nll", [=](Drawn& d, Reduction how) {
        const Value scores = d.parameter({kRows, kClasses}, -size, 0);
        return nll_loss(scores, d.classes({kRows}, kClasses),
                        {.weight = weight(d), .reduction = how});
      });
      for (const double smoothing : {0.0, 0.1}) {
        near("cross entropy", [=](Drawn& d, Reduction how) {
          const Value logits = x(d);
          return cross_entropy(
              logits, d.classes({kRows}, kClasses),
              {.weight = weight(d), .label_smoothing = smoothing, .reduction = how});
        });
        near("cross entropy of probabilities", [=](Drawn& d, Reduction how) {
          const Value logits = x(d);
          return cross_entropy(
              logits, d.constant({kRows, kClasses}, 0, 1),
              {.weight = weight(d), .label_smoothing = smoothing, .reduction = how});
        });
      }
    }
    near("multilabel margin", [=](Drawn& d, Reduction how) {
      const Value scores = d.parameter({8, 300}, -size, size);
      return multilabel_margin_loss(scores, d.classes({8, 300}, 300), how);
    });
    near("kl_div", [=](Drawn& d, Reduction how) {
      const Value scores = d.parameter({kRows, kClasses}, -size, 0);
      return kl_div(scores, d.constant({kRows, kClasses}, 0, 1), {.reduction = how});
    });
    near("kl_div of logarithms", [=](Drawn& d, Reduction how) {
      const Value scores = d.parameter({kRows, kClasses}, -size, 0);
      return kl_div(scores, d.constant({kRows, kClasses}, -4, 0),
                    {.log_target = true, .reduction = how});
    });
  }
}

TEST_P(Losses, OfProbabilitiesAreNearFloat64) {
  const Shape shape{kRows, kClasses};
  for (const bool weighted : {false, true}) {
    const auto weight = [=](Drawn& d) { return weighted ? d.constant(shape, 0, 90) : Value(); };
    near("bce with logits", [=](Drawn& d, Reduction how) {
      const Value logits = d.parameter(shape, -20, 20);
      const Value target = d.constant(shape, 0, 1);
      return bce_with_logits(logits, target, {.weight = weight(d), .reduction = how});
    });
    near("binary cross entropy", [=](Drawn& d, Reduction how) {
      const Value chances = d.parameter(shape, 0.01, 0.99);
      const Value target = d.constant(shape, 0, 1);
      return binary_cross_entropy(chances, target, {.weight = weight(d), .reduction = how});
    });
  }
}

TEST_P(Losses, OfManyStepsAreNearFloat64) {
  near("ctc", [](Drawn& d, Reduction how) {
    const Value x = d.parameter({1000, 2, 20}, -20, 0);
    const Value labels = d.classes({2, 120}, 19) + 1;
    return ctc_loss(x, labels, {1000, 700}, {120, 50}, {.reduction = how});
  });
}

TEST(SixteenBits, ReductionsAreNearFloat64) {
  for (const double size : {1.0, 200.0}) {
    const auto x = [=](Drawn& d, double low = -1) {
      return d.parameter({3000, 4}, low * size, size);
    };
    for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{}, {0}, {1}}) {
      expect_near_float64("sum", [=](Drawn& d) { return reduce_sum(x(d), axes); });
      expect_near_float64("mean", [=](Drawn& d) { return mean(x(d), axes); });
      // Far from 0, beside which the spread is small, and with many that tie.
      expect_near_float64("var", [=](Drawn& d) { return var(x(d, 0.9), axes); });
      expect_near_float64("std", 4, [=](Drawn& d) { return stddev(x(d, 0.9), axes); });
      expect_near_float64("amax", [=](Drawn& d) { return amax(sign(x(d)) + x(d) * 0, axes); });
      expect_near_float64("amin", [=](Drawn& d) { return amin(sign(x(d)) + x(d) * 0, axes); });
      expect_near_float64("logsumexp", [=](Drawn& d) { return logsumexp(x(d, 0.9), axes); });
      for (const double p : {0.5, 1.0, 2.0, 3.0, 10.0, HUGE_VAL}) {
        expect_near_float64("norm, p = " + std::to_string(p), 4,
                            [=](Drawn& d) { return norm(x(d, 0.1), axes, {.p = p}); });
      }
    }
    expect_near_float64("cumsum", [=](Drawn& d) { return cumsum(x(d), 0); });
    expect_near_float64("renorm", 4, [=](Drawn& d) { return renorm(x(d), 2, 0, 1e-3); });
    expect_near_float64("softmax", 4, [=](Drawn& d) {
      return mul(softmax(x(d), 0), d.constant({3000, 4}, 0, 1));
    });
    expect_near_float64("log_softmax", 4, [=](Drawn& d) { return log_softmax(x(d), 0); });
  }
  expect_near_float64("cumprod", 4, [](Drawn& d) {
    return cumprod(d.parameter({40, 3}, 0.5, 2), 0);
  });
  expect_near_float64("cumprod that is small for a while", 4, [](Drawn& d) {
    const Value small = d.parameter({6, 3}, 0.01, 0.1);
    return cumprod(cat({small, d.parameter({6, 3}, 10, 100)}, 0), 0);
  });
}

TEST(SixteenBits, ProductsAndOrderAreNearFloat64) {
  const auto of = [](const std::string& name, const Shape& shape, double low, double high,
                     Value (*f)(const Value&)) {
    expect_near_float64(name, 4, [&](Drawn& d) { return f(d.parameter(shape, low, high)); });
  };
  using X = const Value&;
  of("prod", {40, 3}, 0.5, 2, [](X x) { return prod(x, 0); });
  of("prod of all", {40}, 0.5, 2, [](X x) { return prod(x); });
  of("nansum", {3000, 4}, -200, 200, [](X x) { return nansum(x, {0}); });
  of("aminmax", {3000, 4}, -200, 200, [](X x) {
    const auto [least, most] = aminmax(sign(x) + x * 0, {0});
    return most - least;
  });
  of("max of all", {3000}, -200, 200, [](X x) { return max(sign(x) + x * 0); });
  of("median of all", {3001}, -200, 200, [](X x) { return median(sign(x) + x * 0); });
  of("sort", {300, 4}, -200, 200, [](X x) { return sort(x, 0).values; });
  of("inverse", {20, 3, 3}, -0.5, 0.5,
     [](X x) { return inverse(x + eye(x.graph(), 3, 3, x.dtype()) * 3); });
  expect_near_float64("addmv", 4, [](Drawn& d) {
    const Value c = d.parameter({200}, -1, 1), matrix = d.parameter({200, 300}, -9, 9);
    return addmv(c, matrix, d.parameter({300}, -9, 9), 0.5, -0.1);
  });
  expect_near_float64("addr", 4, [](Drawn& d) {
    const Value c = d.parameter({300}, -1, 1), a = d.parameter({200}, 50, 200);
    return addr(c, a, d.parameter({300}, 50, 200), 0.5, 0.03);
  });
  expect_near_float64("dot", 4, [](Drawn& d) {
    const Value a = d.parameter({3000}, -1, 1);
    return dot(a, d.parameter({3000}, -1, 1));
  });
  expect_near_float64("cross", 4, [](Drawn& d) {
    const Value a = d.parameter({200, 3}, 50, 200);
    return cross(a, d.parameter({200, 3}, -200, -50) * 1);
  });
}

TEST(SixteenBits, FunctionsAreNearFloat64) {
  const Shape shape{60, 40};
  const auto of = [&](const std::string& name, double low, double high, Value (*f)(const Value&),
                      double ulps = 4) {
    expect_near_float64(name, ulps, [&, f](Drawn& d) { return f(d.parameter(shape, low, high)); });
  };
  of("log", 1e-7, 1e-6, [](const Value& x) { return log(x); });
  of("sqrt", 1e-7, 1e-6, [](const Value& x) { return sqrt(x); });
  of("rsqrt", 1e-6, 1e-5, [](const Value& x) { return rsqrt(x); });
  of("rsqrt", 3e4, 6e4, [](const Value& x) { return rsqrt(x); });
  of("reciprocal", 2e-5, 1e-4, [](const Value& x) { return reciprocal(x); });
  of("reciprocal", 3e3, 6e4, [](const Value& x) { return reciprocal(x); });
  of("erf", 2, 4, [](const Value& x) { return erf(x); });
  of("x^2", 100, 250, [](const Value& x) { return pow(x, 2); });
  of("x^3", 20, 40, [](const Value& x) { return pow(x, 3); });
  of("x^0.01", 1e-6, 1e-5, [](const Value& x) { return pow(x, 0.01); });
  of("x^-1.5", 200, 6e4, [](const Value& x) { return pow(x, -1.5); });
  const auto two = [&](const std::string& name, double first, double second,
                       Value (*f)(const Value&, const Value&)) {
    expect_near_float64(name, 4, [=](Drawn& d) {
      const Value a = d.parameter({60, 40}, first / 2, first);
      return f(a, d.parameter({60, 40}, second / 2, second));
    });
  };
  two("a / b", 1e-3, 1e-5, [](const Value& a, const Value& b) { return div(a, b); });
  two("a / b", 6e4, 5e4, [](const Value& a, const Value& b) { return div(a, b); });
  two("a^b", 30, 3, [](const Value& a, const Value& b) { return pow(a, b); });
  two("addcmul", 200, 200, [](const Value& a, const Value& b) { return addcmul(a, a, b, 1e-3); });
  two("addcdiv", 200, 1e-3, [](const Value& a, const Value& b) { return addcdiv(a, a, b, 1e-3); });
  // Added over the rows, along which it is repeated.
  expect_near_float64("a / b, repeated", [](Drawn& d) {
    const Value a = d.parameter({3000, 4}, 1, 2);
    return div(a, d.parameter({4}, 1, 2));
  });
}

TEST(SixteenBits, LayersAreNearFloat64) {
  for (const double size : {1.0, 200.0}) {
    const auto weighted = [=](Drawn& d, const Shape& x, std::int64_t width, auto f) {
      const Value input = d.parameter(x, 0.5 * size, size);
      const Value weight = d.parameter({width}, 0.5, 1);
      return f(input, weight, d.parameter({width}, -1, 1));
    };
    using V = const Value&;
    expect_near_float64("layer_norm", 4, [=](Drawn& d) {
      return weighted(d, {700, 30}, 30, [](V x, V w, V b) { return layer_norm(x, w, b); });
    });
    expect_near_float64("rms_norm", 4, [=](Drawn& d) {
      return weighted(d, {700, 30}, 30, [](V x, V w, V b) { return rms_norm(x, w) + b; });
    });
    expect_near_float64("group_norm", 4, [=](Drawn& d) {
      return weighted(d, {30, 8, 100}, 8, [](V x, V w, V b) { return group_norm(x, 2, w, b); });
    });
    expect_near_float64("batch_norm", 4, [=](Drawn& d) {
      return weighted(d, {30, 8, 100}, 8, [&](V x, V w, V b) {
        const DType wide = d.dtype() == DType::float64 ? DType::float64 : DType::float32;
        const Value mean = d.graph.constant(Tensor::zeros({8}, wide));
        const Value var = d.graph.constant(Tensor::full({8}, 1, wide));
        return batch_norm(x, w, b, mean, var, {.training = false});
      });
    });
    expect_near_float64("linear", 4, [=](Drawn& d) {
      const Value x = d.parameter({2000, 20}, -size, size);
      const Value weight = d.parameter({20, 10}, -0.1, 0.1);
      return linear(x, weight, d.parameter({10}, -1, 1));
    });
    expect_near_float64("convolution", 4, [=](Drawn& d) {
      const Value x = d.parameter({8, 3, 30, 30}, -size, size);
      const Value weight = d.parameter({4, 3, 3, 3}, -0.1, 0.1);
      return conv2d(x, weight, d.parameter({4}, -1, 1));
    });
    expect_near_float64("cdist", 4, [=](Drawn& d) {
      const Value a = d.parameter({40, 9}, -size, size);
      return cdist(a, d.parameter({30, 9}, -size, size));
    });
    expect_near_float64("averages", [=](Drawn& d) {
      return adaptive_avg_pool2d(d.parameter({2, 3, 50, 50}, -size, size), 1);
    });
    // Thousands of terms for each row of the table.
    expect_near_float64("index_select", [=](Drawn& d) {
      return index_select(d.parameter({5, 3}, -size, size), 0, d.classes({3000}, 5));
    });
    expect_near_float64("embedding", [=](Drawn& d) {
      return embedding(d.parameter({5, 3}, -size, size), d.classes({3000}, 5));
    });
    for (const BagMode mode : {BagMode::sum, BagMode::mean, BagMode::max}) {
      expect_near_float64(std::string("embedding_bag, ") + to_string(mode), 4, [=](Drawn& d) {
        const Value table = d.parameter({5, 3}, -size, size);
        return embedding_bag(table, d.classes({40, 70}, 5), {}, {.mode = mode});
      });
    }
    expect_near_float64("embedding_bag with weights", 4, [=](Drawn& d) {
      const Value table = d.parameter({5, 3}, -size, size);
      const Value weights = d.parameter({40, 70}, 0, 1);
      return embedding_bag(table, d.classes({40, 70}, 5), {},
                           {.mode = BagMode::sum, .per_sample_weights = weights});
    });
  }
}

TEST(SixteenBits, GradientsOfGradientsAreNearFloat64) {
  // The gradient of sum(f'(x)^2), where f'(x) and its slope are within the range.
  const auto of = [](const std::string& name, double size, const auto& f) {
    expect_near_float64(name, kHalf, 1, 6, [&](Drawn& d) {
      const Value x = d.parameter({400, 4}, -size, size);
      const Value y = f(d, x);
      const Value g = backward(reduce_sum(cast(y, DType::float64)), {x})[x];
      return mul(g, g);
    });
  };
  of("gelu", 3, [](Drawn&, const Value& x) { return gelu(x); });
  of("silu", 3, [](Drawn&, const Value& x) { return silu(x); });
  of("mish", 3, [](Drawn&, const Value& x) { return mish(x); });
  of("tanh", 3, [](Drawn&, const Value& x) { return tanh(x); });
  of("softmax", 3, [](Drawn&, const Value& x) { return mul(softmax(x, 0), x); });
  of("mse", 100, [](Drawn& d, const Value& x) {
    return mse_loss(x, d.constant(x.shape(), -1, 1), Reduction::sum);
  });
  of("soft margin", 3, [](Drawn& d, const Value& x) {
    return soft_margin_loss(x, sign(d.constant(x.shape(), -1, 1)), Reduction::none);
  });
}

TEST(SixteenBits, AlphaDropoutHoldsWhatItScalesBack) {
  Graph graph(Mode::training);
  const Generator draws(3);
  const Value x = graph.constant(Tensor::full({1000}, 30000, DType::float16));
  const Value dropped = alpha_dropout(x, 0.9, draws);
  Session session(graph, {dropped});
  const Tensor y = session.run({})[dropped];
  for (std::int64_t i = 0; i < y.numel(); ++i) ASSERT_TRUE(std::isfinite(y.get(i)));
}

TEST(SixteenBits, GradientsAreClippedByAFactorThat16BitsDoNotHold) {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    Graph graph;
    const Value x = graph.parameter("x", Tensor::full({40000}, 1, dtype));
    const Gradients gradients = backward(reduce_sum(mul(x, 32768)), {x});
    const ClippedGradients clipped = clip_gradients(gradients, 0.25);
    Session session(graph, {clipped.gradients[x], clipped.norm});
    const Results results = session.run({});
    EXPECT_NEAR(results[clipped.norm].item(), 32768.0 * 200, 1);
    EXPECT_NEAR(results[clipped.gradients[x]].get(7), 0.25 / 200, 1e-5);
  }
}

}  // namespace
}  // namespace aclgrad::sixteen_bits
