// SPDX-License-Identifier: Apache-2.0
// What a mask of a layer says, that a finite one never hides, and that nothing between the products
// of attention is kept in 16 bits.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad::attention_masks {
namespace {

using testing::HasSubstr;

constexpr DType kDTypes[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
constexpr DType kIntegers[] = {DType::uint8, DType::int8, DType::int32, DType::int64};

double lowest_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return -65504;
    case DType::bfloat16:
      return -3.3895313892515355e38;
    case DType::float32:
      return std::numeric_limits<float>::lowest();
    default:
      return std::numeric_limits<double>::lowest();
  }
}

double largest_of(const Tensor& x) {
  double largest = 0;
  for (std::int64_t i = 0; i < x.numel(); ++i) largest = std::max(largest, std::abs(x.get(i)));
  return largest;
}

double distance(const Tensor& a, const Tensor& b) {
  double most = 0;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const double d = std::abs(a.get(i) - b.get(i));
    most = std::isnan(d) ? d : std::max(most, d);
    if (std::isnan(d)) break;
  }
  return most;
}

// The result and the gradients of query, key and value.
std::vector<Tensor> attended(const std::vector<Tensor>& qkv, const Tensor& mask, bool is_causal,
                             double scale) {
  Graph graph;
  const DType dtype = qkv[0].dtype();
  std::vector<Value> x;
  std::vector<Feed> feeds;
  for (const Tensor& each : qkv) {
    x.push_back(graph.input(std::to_string(x.size()), each.shape(), dtype));
    feeds.emplace_back(x.back(), each);
  }
  const Value given = mask.numel() > 0 ? graph.constant(mask) : Value();
  const Value y = scaled_dot_product_attention(x[0], x[1], x[2], given,
                                               {.is_causal = is_causal, .scale = scale});
  const Value seed = graph.constant(init::normal(y.shape(), 8, 1, DType::float16).to(dtype));
  return computed(with_gradients(y, x, seed), feeds);
}

// Numbers that are added and equal in a row change nothing. Of equal scores the weights are, and
// of the lowest number too, whatever the scores are: softmax(s + m) of equal sums.
TEST(AttentionMasks, AFiniteMaskNeverHides) {
  for (const DType dtype : kDTypes) {
    for (const std::int64_t places : {3, 300}) {
      for (const std::int64_t size : {4, 64}) {
        std::vector<Tensor> qkv;
        for (const std::uint64_t seed : {1, 2, 3}) {
          qkv.push_back(init::normal({1, 2, places, size}, seed, 1, dtype));
        }
        const auto of = [&](double number, DType mask_dtype) {
          Tensor mask = Tensor::zeros({places, places}, mask_dtype);
          for (std::int64_t j = 0; j < places; ++j) mask.set({1, j}, number);
          return attended(qkv, mask, false, 1 / std::sqrt(static_cast<double>(size)));
        };
        qkv[0] = Tensor::zeros({1, 2, places, size}, dtype);
        const std::vector<Tensor> expected = of(0, dtype);
        for (const double number : {-10000.0, lowest_of(dtype), 30000.0}) {
          SCOPED_TRACE(to_string(dtype) + ", " + std::to_string(places) + " places, " +
                       std::to_string(number));
          const std::vector<Tensor> found = of(number, dtype);
          for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(distance(found[k], expected[k]), 0) << k;
        }
        // A wider mask beside narrower numbers is not infinite either.
        EXPECT_EQ(distance(of(lowest_of(DType::float32), DType::float32)[0], expected[0]), 0);
        EXPECT_LE(distance(of(lowest_of(DType::float64), DType::float64)[0], expected[0]),
                  dtype == DType::float32 ? 1e-6 : 0);
      }
    }
  }
}

// Of layers, each of whose rows is -10000 or the lowest number everywhere.
TEST(AttentionMasks, AFiniteMaskNeverHidesInLayers) {
  for (const DType dtype : kDTypes) {
    const MultiheadAttention attention("a", 64, 1, {.seed = 2, .dtype = dtype});
    for (const Variable& each : attention.parameters()) {
      if (each.name() == "a.query.weight") each.assign(Tensor::zeros(each.shape(), dtype));
    }
    std::vector<std::vector<Tensor>> found;
    for (const double number : {0.0, -10000.0, lowest_of(dtype)}) {
      Graph graph;
      const Value x = graph.input("x", {2, 5, 64}, dtype);
      const Value mask = graph.constant(Tensor::full({2, 1, 1, 5}, number, dtype));
      const Value y = attention(x, x, x, mask);
      const Value slope = backward(reduce_sum(cast(y, DType::float32)), {x})[x];
      found.push_back(computed({y, slope}, {{x, init::normal({2, 5, 64}, 5, 1, dtype)}}));
      EXPECT_EQ(distance(found.back()[0], found[0][0]), 0) << dtype << " " << number;
      EXPECT_EQ(distance(found.back()[1], found[0][1]), 0) << dtype << " " << number;
      EXPECT_GT(largest_of(found.back()[1]), 0);
    }
  }
}

// Scores are products of numbers that 16 bits hold, and need not be held themselves; long rows.
TEST(AttentionMasks, NothingInAttentionIsKeptInSixteenBits) {
  constexpr std::int64_t kSize = 64, kKeys = 700;
  const double scale = 1 / std::sqrt(static_cast<double>(kSize));
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    const double step = dtype == DType::float16 ? 0x1p-11 : 0x1p-8;  // of a rounding
    for (const double large : {1.0, 40.0}) {
      for (const bool adds : {false, true}) {
        std::vector<Tensor> qkv, wide;
        for (const std::int64_t places : {std::int64_t{9}, kKeys, kKeys}) {
          const std::uint64_t seed = qkv.size() + 1;
          const double deviation = qkv.size() == 2 ? 1 : large;
          qkv.push_back(init::normal({1, 1, places, kSize}, seed, deviation, dtype));
        }
        for (std::int64_t d = 0; large > 1 && d < kSize; ++d) qkv[0].set(d, 40);  // the first query
        for (std::int64_t i = 0; large > 1 && i < kSize; ++i) qkv[1].set(i, 40);  // and key
        for (const Tensor& each : qkv) wide.push_back(each.to(DType::float64));
        Tensor mask, wide_mask;
        if (adds) {
          mask = init::normal({9, kKeys}, 7, 300, dtype);
          wide_mask = mask.to(DType::float64);
        }
        const std::vector<Tensor> found = attended(qkv, mask, false, scale);
        const std::vector<Tensor> expected = attended(wide, wide_mask, false, scale);
        for (std::size_t k = 0; k < 4; ++k) {
          // A gradient goes through the result, which is rounded.
          EXPECT_LE(distance(found[k], expected[k]),
                    (k == 0 ? 1.01 : 4) * step * std::max(largest_of(expected[k]), 1.0))
              << dtype << " " << large << " " << adds << " " << k;
        }
      }
    }
  }
}

// Nor in layers, whose products do nothing here: queries, keys and values are x.
TEST(AttentionMasks, NothingInLayersIsKeptInSixteenBits) {
  constexpr std::int64_t kSize = 64;
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    const double step = dtype == DType::float16 ? 0x1p-11 : 0x1p-8;
    const SelfAttention self("a", kSize, 1, {.dtype = dtype});
    const MultiheadAttention many("a", kSize, 1, {.dtype = dtype});
    for (const Module* layer : std::initializer_list<const Module*>{&self, &many}) {
      for (const Variable& each : layer->parameters()) {
        Tensor weight = Tensor::zeros(each.shape(), dtype);
        for (std::int64_t i = 0; each.shape().rank() == 2 && i < weight.numel(); ++i) {
          const std::int64_t column = i % each.shape()[1];
          if (i / each.shape()[1] == column % kSize) weight.set(i, 1);
        }
        each.assign(weight);
      }
    }
    for (const std::int64_t places : {5, 300}) {
      for (const double large : {0.5, 40.0}) {
        const Tensor at = init::normal({1, places, kSize}, 3, large, dtype);
        Graph graph;
        const Value x = graph.input("x", at.shape(), dtype);
        const Value wide = cast(x, DType::float64);
        const Value expected = scaled_dot_product_attention(wide, wide, wide);
        const Value one = self(x), other = many(x, x, x);
        Session session(graph, {expected, one, other});
        const Results results = session.run({{x, at}});
        const double allowed = 1.01 * step * largest_of(results[expected]);
        EXPECT_LE(distance(results[one], results[expected]), allowed) << dtype << places << large;
        EXPECT_LE(distance(results[other], results[expected]), allowed) << dtype << places << large;
      }
    }
  }
}

TEST(AttentionMasks, OfLayersAddOrHideAndSayWhatElseTheyAre) {
  const SelfAttention self("self", 4, 2, {.seed = 1});
  const MultiheadAttention many("many", 4, 2, {.seed = 1});
  const TransformerBlock block("block", 4, 2, 8, {.seed = 1});
  const TransformerDecoderBlock decoder("decoder", 4, 2, 8);
  using Call = std::function<Value(const Value& x, const Value& mask)>;
  const std::vector<std::pair<std::string, Call>> layers = {
      {"self", [&](const Value& x, const Value& m) { return self(x, m); }},
      {"many", [&](const Value& x, const Value& m) { return many(x, x, x, m); }},
      {"block.attention", [&](const Value& x, const Value& m) { return block(x, m); }},
      {"decoder.cross_attention",
       [&](const Value& x, const Value& m) { return decoder(x, x, m); }}};
  const Tensor hidden = Tensor::from({3, 3}, {0, 0, 1, 1, 0, 0, 0, 1, 0});
  for (const auto& [path, call] : layers) {
    SCOPED_TRACE(path);
    const auto with = [&, &call = call](const Tensor& mask) {
      Graph graph;
      const Value x = graph.constant(init::normal({1, 3, 4}, 5));
      const Value y = call(x, graph.constant(mask));
      return computed(y);
    };
    Tensor added = Tensor::zeros({3, 3}), small = added;
    for (std::int64_t i = 0; i < 9; ++i) {
      if (hidden.get(i) != 0) added.set(i, -INFINITY);
      small.set(i, hidden.get(i) * 0.5);
    }
    const Tensor by_bool = with(hidden.to(DType::boolean));
    EXPECT_LE(distance(by_bool, with(added)), 1e-6);
    EXPECT_GT(distance(by_bool, with(Tensor::zeros({3, 3}))), 1e-4);
    EXPECT_GT(distance(by_bool, with(small)), 1e-4);
    EXPECT_GT(distance(with(Tensor::zeros({3, 3})), with(small)), 1e-5);
    for (const DType dtype : {DType::float16, DType::bfloat16, DType::float64}) {
      EXPECT_LE(distance(with(small), with(small.to(dtype))), 1e-6) << dtype;
    }
    for (const DType dtype : kIntegers) {
      const std::string message = message_of<DTypeError>([&] { with(hidden.to(dtype)); });
      EXPECT_THAT(message, HasSubstr("`" + path + "`"));
      EXPECT_THAT(message, HasSubstr("got " + to_string(dtype)));
      EXPECT_THAT(message, HasSubstr("ne(mask, 0)"));
    }
    EXPECT_THAT(message_of<ShapeError>([&] {
                  with(Tensor::zeros({2, 3}));
                }),
                HasSubstr("`" + path +
                          "` takes a mask that broadcasts to the scores [1, 2, 3, 3], "
                          "got [2, 3]"));
  }
  for (const DType dtype : kIntegers) {
    Graph graph;
    const Value x = graph.constant(init::normal({3, 4}, 5));
    const Value mask = graph.constant(hidden.to(dtype));
    EXPECT_THAT(message_of<DTypeError>([&] { scaled_dot_product_attention(x, x, x, mask); }),
                HasSubstr("got " + to_string(dtype)));
  }
}

// As PyTorch's _safe_softmax has it: padding on the left, which no place before the first word
// sees, or all of a row.
TEST(AttentionMasks, APlaceThatSeesNothingHasNoWeightsAndAFiniteGradient) {
  struct Mask {
    Shape shape;
    std::vector<double> hidden;
    bool causal;
    std::vector<bool> sees;  // by place
  };
  const std::vector<Mask> masks = {
      {{1, 1, 1, 3}, {1, 0, 0}, true, {false, true, true}},
      {{1, 1, 1, 3}, {1, 1, 1}, false, {false, false, false}},
      {{3, 3}, {0, 0, 0, 1, 1, 1, 0, 1, 0}, false, {true, false, true}},
      {{3, 1}, {0, 1, 0}, true, {true, false, true}},
      {{2, 1, 1, 3}, {1, 1, 0, 1, 1, 0}, true, {false, false, true}}};
  for (const DType dtype : {DType::float32, DType::float16, DType::float64}) {
    for (const DType mask_dtype : {DType::boolean, dtype}) {
      for (const Mask& mask : masks) {
        const SelfAttention attention("a", 4, 2, {.causal = mask.causal, .dtype = dtype});
        Graph graph;
        const Value x = graph.input("x", {2, 3, 4}, dtype);
        Tensor table = Tensor::from(mask.shape, mask.hidden, mask_dtype);
        for (std::int64_t i = 0; mask_dtype != DType::boolean && i < table.numel(); ++i) {
          if (table.get(i) != 0) table.set(i, -INFINITY);
        }
        const Value hidden = graph.constant(table);
        const Value y = attention(x, hidden);
        Value weights;
        for (std::size_t id = 0; id < graph.value_count(); ++id) {
          const Value value = graph.value(static_cast<ValueId>(id));
          if (value.name() == "a.attention") weights = value;
        }
        std::vector<Value> wrt = attention.parameters(graph);
        wrt.push_back(x);
        const Gradients gradients = backward(reduce_sum(y * y), wrt);
        std::vector<Fetch> fetches = {y, weights};
        for (const Value& value : wrt) fetches.push_back(gradients[value]);
        Session session(graph, fetches);
        const Results results = session.run({{x, init::normal({2, 3, 4}, 5, 1, dtype)}});
        const Tensor rows = results[weights];
        ASSERT_EQ(rows.shape(), (Shape{2, 2, 3, 3}));
        for (std::int64_t row = 0; row < rows.numel() / 3; ++row) {
          const double sum = rows.get(3 * row) + rows.get(3 * row + 1) + rows.get(3 * row + 2);
          EXPECT_NEAR(sum, mask.sees[static_cast<std::size_t>(row % 3)] ? 1 : 0, 2e-3);
        }
        for (std::size_t i = 0; i < fetches.size(); ++i) {
          const Tensor tensor = results[i];
          for (std::int64_t k = 0; k < tensor.numel(); ++k) {
            ASSERT_TRUE(std::isfinite(tensor.get(k))) << dtype << " " << mask.shape << " " << i;
          }
        }
      }
    }
  }
}

TEST(AttentionMasks, OfNoPlacesHideNothing) {
  const MultiheadAttention attention("a", 4, 2, {.seed = 1});
  for (const std::int64_t queries : {0, 3}) {
    for (const std::int64_t keys : {0, 3}) {
      for (const Shape& shape : {Shape{2, 1, 1, keys}, Shape{2, 1, queries, keys}, Shape{keys}}) {
        for (const DType dtype : {DType::boolean, DType::float32}) {
          Graph graph;
          const Value x = graph.constant(init::normal({2, queries, 4}, 5));
          const Value memory = graph.constant(init::normal({2, keys, 4}, 6));
          const Value mask = graph.constant(Tensor::zeros(shape, dtype));
          const Value y = attention(x, memory, memory, mask);
          const Tensor found = computed(y);
          EXPECT_EQ(found.shape(), (Shape{2, queries, 4}));
          EXPECT_TRUE(keys > 0 || largest_of(found) == 0);  // the bias, which is 0 at first
        }
      }
    }
  }
}

// A bias that is learned, as ALiBi's slopes or T5's distances are.
TEST(AttentionMasks, ThatAreAddedHaveAGradientInLayers) {
  const SelfAttention attention("a", 4, 2, {.causal = true, .seed = 1});
  Graph graph;
  const Value x = graph.input("x", {2, 5, 4}), bias = graph.input("bias", {2, 5, 5});
  const Value y = attention(x, bias);
  const std::vector<Feed> feeds = {{x, init::normal({2, 5, 4}, 5)},
                                   {bias, init::normal({2, 5, 5}, 6)}};
  const gradcheck::Report report = check_gradients(y, {bias, x}, feeds);
  EXPECT_TRUE(report.passed()) << report.to_string();
}

}  // namespace
}  // namespace aclgrad::attention_masks
