// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/autograd/pytorch/numbers.h"

namespace aclgrad::pytorch {
namespace {

template <class Layer>
void expect_layer(const std::string& name, const Layer& layer) {
  const auto record = [&](const Values& x) -> Values { return {layer(x[0])}; };
  if constexpr (std::derived_from<Layer, Module>) {
    expect_as_in_pytorch(name, record, layer);
  } else {
    expect_as_in_pytorch(name, record);
  }
}

TEST(LayersBesidePyTorch, Activations) {
  expect_layer("leaky_relu", LeakyRelu{0.3});
  expect_layer("softplus", Softplus{.beta = 2});
  expect_layer("mish", Mish{});
  using V = const Value&;
  expect_layer("hardtanh", [](V x) { return hardtanh(x); });
  expect_layer("hardtanh bounds", [](V x) { return hardtanh(x, -0.7, 1.5); });
  expect_layer("hardshrink", [](V x) { return hardshrink(x); });
  expect_layer("hardshrink lambda", [](V x) { return hardshrink(x, 1.3); });
  expect_layer("softshrink", [](V x) { return softshrink(x); });
  expect_layer("softshrink lambda", [](V x) { return softshrink(x, 1.3); });
  expect_layer("hardsigmoid", [](V x) { return hardsigmoid(x); });
  expect_layer("log_sigmoid", [](V x) { return log_sigmoid(x); });
  expect_layer("threshold", [](V x) { return threshold(x, 0.5, 2); });
  expect_layer("threshold below", [](V x) { return threshold(x, -1, -3); });
  expect_layer("celu", [](V x) { return celu(x); });
  expect_layer("celu alpha", [](V x) { return celu(x, 1.3); });
  expect_layer("fast_gelu", [](V x) { return fast_gelu(x); });
  expect_layer("glu", [](V x) { return glu(x); });
  expect_layer("glu dim", [](V x) { return glu(transpose(x, 0, 1), 0); });
  expect_layer("swiglu", [](V x) { return swiglu(x); });
  expect_layer("swiglu dim", [](V x) { return swiglu(transpose(x, 0, 1), 0); });
  expect_layer("logit", [](V x) { return logit(sigmoid(x) * 0.5); });
  expect_layer("logit eps", [](V x) { return logit(x, 0.25); });
  for (const std::int64_t channels : {1, 3}) {
    expect_layer("prelu " + std::to_string(channels), Prelu("layer", {.channels = channels}));
  }
}

TEST(LayersBesidePyTorch, ReductionsAndMovement) {
  using V = const Value&;
  expect_layer("std", [](V x) { return stddev(x, {1}); });
  expect_layer("std of all", [](V x) { return stddev(x, {}, {.unbiased = false}); });
  expect_layer("logsumexp", [](V x) { return logsumexp(x, {1}); });
  expect_layer("logsumexp of all", [](V x) { return logsumexp(x, {}, true); });
  expect_layer("cumprod", [](V x) { return cumprod(x, 1); });
  expect_layer("flip", [](V x) { return flip(x, {0, 1}) * x; });
  expect_layer("roll", [](V x) { return roll(x, {1, -1}, {0, 1}) * x; });
  expect_layer("roll a line", [](V x) { return roll(x, {5}) * x; });
}

TEST(LayersBesidePyTorch, Resampling) {
  using V = const Value&;
  for (const auto& [name, mode] :
       std::vector<std::pair<std::string, PadMode>>{{"reflect", PadMode::reflect},
                                                    {"replicate", PadMode::replicate},
                                                    {"circular", PadMode::circular}}) {
    const auto padded = [mode = mode](std::vector<std::int64_t> pads) {
      return [=](V x) { return pad(x, pads, mode); };
    };
    expect_layer("pad " + name + " 1d", padded({2, 1}));
    expect_layer("pad " + name + " 2d", padded({1, 0, 2, 1}));
    expect_layer("pad " + name + " 3d", padded({1, 0, 0, 1, 1, 0}));
    expect_layer("pad " + name + " cut", padded({-1, 2}));
  }
  for (const auto& [name, mode] :
       std::vector<std::pair<std::string, Interpolation>>{{"nearest", Interpolation::nearest},
                                                          {"exact", Interpolation::nearest_exact},
                                                          {"linear", Interpolation::linear},
                                                          {"cubic", Interpolation::cubic}}) {
    for (std::size_t axes = 1; axes <= 3; ++axes) {
      if (mode == Interpolation::cubic && axes != 2) continue;
      const std::string of = "interpolate " + name + " " + std::to_string(axes) + "d";
      std::vector<std::int64_t> sizes = {5, 3, 4};
      sizes.resize(axes);
      const auto resized = [mode = mode](InterpolateOptions options) {
        options.mode = mode;
        return [=](V x) { return interpolate(x, options); };
      };
      expect_layer(of + " size", resized({.size = sizes}));
      expect_layer(of + " scale", resized({.scale_factor = {1.7}}));
      if (mode != Interpolation::linear && mode != Interpolation::cubic) continue;
      expect_layer(of + " corners", resized({.size = 3, .align_corners = true}));
    }
  }
}

TEST(LayersBesidePyTorch, GridSample) {
  const std::vector<std::pair<std::string, Interpolation>> modes = {
      {"bilinear", Interpolation::linear},
      {"nearest", Interpolation::nearest},
      {"bicubic", Interpolation::cubic}};
  for (const auto& [name, mode] : modes) {
    for (const GridPadding padding :
         {GridPadding::zeros, GridPadding::border, GridPadding::reflection}) {
      for (const int axes : {2, 3}) {
        if (mode == Interpolation::cubic && axes == 3) continue;
        for (const bool corners : {false, true}) {
          const GridSampleOptions options{mode, padding, corners};
          expect_as_in_pytorch(
              "grid_sample " + name + " " + std::to_string(axes) + "d " +
                  std::string(to_string(padding)) + (corners ? " corners" : ""),
              [=](const Values& x) -> Values { return {grid_sample(x[0], x[1], options)}; });
        }
      }
    }
  }
}

TEST(LayersBesidePyTorch, Columns) {
  using V = const Value&;
  const UnfoldOptions options{.dilation = {1, 2}, .padding = {1, 0}, .stride = {2, 1}};
  expect_layer("unfold", [](V x) { return unfold(x, 2); });
  expect_layer("unfold options", [=](V x) { return unfold(x, 2, options); });
  expect_layer("fold", [](V x) { return fold(x, 3, 2); });
  expect_layer("fold options", [=](V x) { return fold(x, {3, 4}, 2, options); });
}

TEST(LayersBesidePyTorch, Bags) {
  const auto expect = [](const std::string& name, const std::function<Value(const Values&)>& f) {
    expect_as_in_pytorch(name, [&](const Values& x) -> Values { return {f(x)}; });
  };
  const auto numbers = [](const Values& x, Shape shape, std::initializer_list<double> list) {
    return x[0].graph().constant(Tensor::from(std::move(shape), list, DType::int64));
  };
  const auto bags = [&](const Values& x, const EmbeddingBagOptions& options) {
    return embedding_bag(x[0], numbers(x, {7}, {2, 0, 1, 1, 3, 0, 2}),
                         numbers(x, {4}, {0, 3, 3, 5}), options);
  };
  for (const BagMode mode : {BagMode::sum, BagMode::mean, BagMode::max}) {
    const std::string name = std::string("embedding_bag ") + to_string(mode);
    expect(name, [&](const Values& x) { return bags(x, {.mode = mode}); });
    expect(name + " padding",
           [&](const Values& x) { return bags(x, {.mode = mode, .padding_idx = 1}); });
  }
  expect("embedding_bag weights", [&](const Values& x) {
    return bags(x, {.mode = BagMode::sum, .per_sample_weights = x[1]});
  });
  expect("embedding_bag last", [&](const Values& x) {
    return embedding_bag(x[0], numbers(x, {7}, {2, 0, 1, 1, 3, 0, 2}), numbers(x, {3}, {0, 4, 7}),
                         {.include_last_offset = true});
  });
  expect("embedding_bag rows", [&](const Values& x) {
    return embedding_bag(x[0], numbers(x, {2, 3}, {2, 0, 1, 1, 3, 0}));
  });
  expect("renorm 2", [](const Values& x) { return renorm(x[0], 2, 0, 1.5); });
  expect("renorm 1", [](const Values& x) { return renorm(x[0], 1, 1, 1.5); });
  expect("renorm 3", [](const Values& x) { return renorm(x[0], 3, -1, 1.5); });
}

TEST(LayersBesidePyTorch, AttentionInTiles) {
  expect_as_in_pytorch("tiles causal", [](const Values& x) -> Values {
    return {scaled_dot_product_attention(x[0], x[1], x[2], {}, {.is_causal = true})};
  });
  expect_as_in_pytorch("tiles mask", [](const Values& x) -> Values {
    Tensor seen = Tensor::from({4, 3}, {1, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0, 1}).to(DType::boolean);
    const Value mask = x[0].graph().constant(std::move(seen));
    return {scaled_dot_product_attention(x[0], x[1], x[2], mask, {.scale = 0.3})};
  });
  expect_as_in_pytorch("tiles bias", [](const Values& x) -> Values {
    return {scaled_dot_product_attention(x[0], x[1], x[2], x[3])};
  });
}

TEST(LayersBesidePyTorch, TurnedByPlaces) {
  for (const RotaryMode mode : {RotaryMode::half, RotaryMode::interleave}) {
    expect_as_in_pytorch("rotary " + to_string(mode), [&](const Values& x) -> Values {
      return {rotary_position_embedding(x[0], x[1], x[2], mode)};
    });
  }
}

TEST(LayersBesidePyTorch, NormalizationsThatAreFused) {
  expect_as_in_pytorch("masked softmax", [](const Values& x) -> Values {
    const Tensor hidden = Tensor::from({2, 4}, {0, 1, 0, 0, 1, 1, 1, 1}).to(DType::boolean);
    return {scaled_masked_softmax(x[0], x[0].graph().constant(hidden), 0.7)};
  });
  expect_as_in_pytorch("masked softmax triangle", [](const Values& x) -> Values {
    return {scaled_masked_softmax(x[0], le(x[0], -100), 1.5, true)};
  });
  expect_as_in_pytorch(
      "deep_norm", [](const Values& x) -> Values { return {deep_norm(x[0], x[1], x[2], x[3])}; });
  expect_as_in_pytorch("deep_norm options", [](const Values& x) -> Values {
    return {deep_norm(x[0], x[1], x[2], x[3], -1.25, 0.5)};
  });
}

TEST(LayersBesidePyTorch, Pooling) {
  using V = const Value&;
  const AvgPoolOptions counted{.stride = {1, 2, 2}, .padding = {1, 1, 0}, .ceil_mode = true};
  AvgPoolOptions of_elements = counted;
  of_elements.count_include_pad = false;
  const MaxPoolOptions windows{
      .stride = counted.stride, .padding = counted.padding, .ceil_mode = true};
  expect_layer("avg_pool3d", [](V x) { return avg_pool3d(x, 2); });
  expect_layer("avg_pool3d options", [=](V x) { return avg_pool3d(x, {2, 3, 2}, counted); });
  expect_layer("avg_pool3d options of elements", [=](V x) {
    return avg_pool3d(x, {2, 3, 2}, of_elements);
  });
  expect_layer("avg_pool3d divisor",
               [](V x) { return avg_pool3d(x, 2, {.stride = 1, .divisor_override = 3}); });
  expect_layer("max_pool2d", [](V x) { return max_pool2d(x, 2); });
  expect_layer("max_pool2d options", [](V x) {
    return max_pool2d(x, {2, 3}, {.stride = {2, 1}, .padding = {1, 0}, .ceil_mode = true});
  });
  expect_layer("max_pool3d", [](V x) { return max_pool3d(x, 2); });
  expect_layer("max_pool3d options", [=](V x) { return max_pool3d(x, {2, 3, 2}, windows); });
  expect_layer("max_pool3d dilation", [](V x) {
    return max_pool3d(x, 2, {.stride = 1, .dilation = {1, 2, 1}});
  });
  expect_layer("adaptive_avg_pool3d", [](V x) { return adaptive_avg_pool3d(x, {2, 1, 2}); });
  expect_layer("adaptive_max_pool2d", [](V x) { return adaptive_max_pool2d(x, {2, 3}); });
  expect_layer("adaptive_max_pool2d one", [](V x) { return adaptive_max_pool2d(x, 1); });
  expect_layer("adaptive_max_pool3d", [](V x) { return adaptive_max_pool3d(x, {2, 1, 2}); });
  const auto unpooled = [](const PerAxis& size) {
    return [=](V x) {
      const auto [values, indices] = max_pool2d_with_indices(x, 2);
      return max_unpool2d(values, indices, size);
    };
  };
  expect_layer("max_unpool2d", unpooled(4));
  expect_layer("max_unpool2d size", unpooled({4, 5}));
}

TEST(LayersBesidePyTorch, Convolutions) {
  expect_layer("conv1d", Conv1d("layer", 4, 2, 3, {.stride = 2, .padding = 1, .groups = 2}));
  expect_layer("conv3d", Conv3d("layer", 1, 2, {1, 2, 2}));
  expect_layer("conv_transpose1d",
               ConvTranspose1d("layer", 2, 3, 3, {.stride = 2, .output_padding = 1}));
  expect_layer("conv_transpose2d",
               ConvTranspose2d("layer", 2, 4, {2, 3}, {.stride = 2, .padding = 1, .groups = 2}));
  expect_layer("conv_transpose3d", ConvTranspose3d("layer", 1, 2, 2));
}

TEST(LayersBesidePyTorch, OfImages) {
  expect_layer("instance_norm", InstanceNorm("layer", 2));
  expect_layer("instance_norm affine", InstanceNorm("layer", 2, {.affine = true}));
  expect_layer("upsample", Upsample{{2, 3}});
  expect_layer("upsample 1d", Upsample{3});
}

TEST(LayersBesidePyTorch, AttentionToKeysAndValuesOfTheirOwnWidths) {
  const MultiheadAttention attention("layer", 4, 2, {.key_width = 3, .value_width = 5});
  expect_as_in_pytorch(
      "attention",
      [&](const Values& x) -> Values {
        const Tensor unseen = Tensor::from({2, 1, 1, 3}, {0, 0, 1, 0, 1, 1}, DType::boolean);
        return {attention(x[0], x[1], x[2], x[0].graph().constant(unseen))};
      },
      attention);
}

// Turned by their places, queries and keys meet by their distance alone.
TEST(Positions, RotaryProductsGoByTheDistance) {
  Graph graph;
  const Value q = graph.input("q", {1, 4}), k = graph.input("k", {1, 4});
  std::vector<Fetch> products;
  std::vector<Value> values;
  for (const auto& [a, b] : {std::pair{0, 3}, {5, 8}, {5, 9}}) {
    values.push_back(reduce_sum(rotary(q, {.first = a}) * rotary(k, {.first = b})));
    products.emplace_back(values.back());
  }
  const Tensor first = Tensor::from({1, 4}, {0.5, -1, 2, 0.25});
  const Tensor second = Tensor::from({1, 4}, {1, 0.5, -0.75, 2});
  const Results results = Session(graph, products).run({{q, first}, {k, second}});
  EXPECT_NEAR(results[values[0]].item(), results[values[1]].item(), 1e-5);
  EXPECT_GT(std::abs(results[values[0]].item() - results[values[2]].item()), 1e-3);
  EXPECT_THROW(rotary(graph.input("odd", {2, 3})), ShapeError);
  EXPECT_THROW(rotary(q, {.base = 0}), ValueError);
  EXPECT_THROW(SelfAttention("odd", 6, 2, {.rotary = true}), ShapeError);
  const SelfAttention attention("attention", 8, 2, {.causal = true, .rotary = true});
  EXPECT_EQ(attention(graph.input("x", {2, 3, 8})).shape(), (Shape{2, 3, 8}));
}

TEST(Positions, SinusoidalOnesAreThePapers) {
  const Tensor table = sinusoidal_positions(3, 4);
  const double slow = 1 / 100.0;  // 10000^(-2 / 4)
  for (std::int64_t t = 0; t < 3; ++t) {
    const auto at = static_cast<double>(t);
    EXPECT_NEAR(table.at({t, 0}), std::sin(at), 1e-7);
    EXPECT_NEAR(table.at({t, 1}), std::cos(at), 1e-7);
    EXPECT_NEAR(table.at({t, 2}), std::sin(at * slow), 1e-7);
    EXPECT_NEAR(table.at({t, 3}), std::cos(at * slow), 1e-7);
  }
  EXPECT_EQ(sinusoidal_positions(0, 3).shape(), (Shape{0, 3}));
  EXPECT_THROW(sinusoidal_positions(-1, 4), ValueError);
  EXPECT_THROW(sinusoidal_positions(1, 0), ShapeError);
  Graph graph;
  EXPECT_THROW(SinusoidalPositions{}(graph.input("row", {4})), ShapeError);
}

// A decoder's memory is read, its padding is not, and its own places see the past only.
TEST(TransformerDecoderBlock, ReadsTheMemoryAndThePast) {
  const TransformerDecoderBlock block("block", 4, 2, 6);
  Graph graph(Mode::evaluation);
  const Value x = graph.input("x", {1, 3, 4}), memory = graph.input("memory", {1, 2, 4});
  const Value y = block(x, memory, graph.constant(Tensor::from({2}, {0, 1}, DType::boolean)));
  Session session(graph, {y});
  const Tensor first = init::normal({1, 3, 4}, 1), second = init::normal({1, 2, 4}, 2);
  const Tensor before = session.run({{x, first}, {memory, second}})[y];
  Tensor later = first, padded = second, other = second;
  for (std::int64_t i = 8; i < 12; ++i) later.set(i, 3);
  for (std::int64_t i = 4; i < 8; ++i) padded.set(i, 3);
  for (std::int64_t i = 0; i < 4; ++i) other.set(i, 3 + static_cast<double>(i * i));
  const Tensor after = session.run({{x, later}, {memory, second}})[y];
  EXPECT_TRUE(bitwise_equal(after.slice(1, 0, 2), before.slice(1, 0, 2)));
  EXPECT_TRUE(bitwise_equal(session.run({{x, first}, {memory, padded}})[y], before));
  EXPECT_FALSE(bitwise_equal(session.run({{x, first}, {memory, other}})[y], before));
  EXPECT_THROW(block(x, x.graph().input("narrow", {1, 2, 3})), ShapeError);
}

TEST(Activations, SayWhichOptionsAreNone) {
  Graph graph;
  const Value x = graph.input("x", {4});
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(hardtanh(x, nan, 1), ValueError);
  EXPECT_THROW(hardtanh(x, 1, -1), ValueError);
  EXPECT_THROW(hardshrink(x, nan), ValueError);
  EXPECT_THROW(softshrink(x, nan), ValueError);
  EXPECT_THROW(softshrink(x, -1), ValueError);
  EXPECT_THROW(threshold(x, nan, 1), ValueError);
  for (const double alpha : {0.0, nan, infinity}) EXPECT_THROW(celu(x, alpha), ValueError);
  for (const double eps : {0.6, nan, infinity}) EXPECT_THROW(logit(x, eps), ValueError);
  EXPECT_EQ(logit(x, 0.5).shape(), x.shape());
}

TEST(NewLayers, SayWhatDoesNotFit) {
  EXPECT_THROW(Conv1d("c", 3, 4, 0), ShapeError);
  EXPECT_THROW(Conv1d("c", 3, 4, {2, 2}), ShapeError);
  EXPECT_THROW(Conv2d("c", 3, 4, 2, {.output_padding = 1}), ShapeError);
  EXPECT_THROW(ConvTranspose2d("c", 3, 4, 2, {.output_padding = 1}), ShapeError);
  EXPECT_THROW(InstanceNorm("n", 0), ShapeError);
  EXPECT_THROW(InstanceNorm("n", 2, {.eps = 0}), ValueError);
  EXPECT_THROW(Prelu("p", {.channels = 0}), ShapeError);
  EXPECT_THROW(MultiheadAttention("a", 6, 4), ShapeError);
  Graph graph;
  const Value images = graph.input("images", {2, 3, 4, 4});
  EXPECT_THROW(Upsample{0}(images), ShapeError);
  EXPECT_THROW((Upsample{{2, 2, 2}}(images)), ShapeError);
  EXPECT_THROW(Prelu("p", {.channels = 2})(images), ShapeError);
  EXPECT_THROW(InstanceNorm("n", 2)(images), ShapeError);
  const MultiheadAttention attention("a", 4, 2);
  const Value q = graph.input("q", {2, 3, 4}), k = graph.input("k", {2, 5, 4});
  EXPECT_THROW(attention(q, k, q), ShapeError);
  EXPECT_THROW(attention(images, k, k), ShapeError);
  EXPECT_EQ(attention(q, k, k).shape(), (Shape{2, 3, 4}));
}

}  // namespace
}  // namespace aclgrad::pytorch
