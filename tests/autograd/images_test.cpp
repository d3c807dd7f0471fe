// SPDX-License-Identifier: Apache-2.0
// Gradients of operators on images, and gradients of those gradients, against derivatives in
// double.
#include <gmock/gmock.h>

#include <limits>

#include "tests/autograd/expect_right.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using derivatives::Build;
using derivatives::expect_right;
using derivatives::expect_right_once;
using derivatives::Values;

TEST(Convolution, GradientsOfEveryForm) {
  expect_right({{2, 3, 6}, {4, 3, 2}, {4}}, [](const Values& x) {
    return conv1d(x[0], x[1], x[2], {.stride = 2, .padding = 1});
  });
  expect_right({{2, 4, 4, 5}, {6, 2, 3, 2}, {6}}, [](const Values& x) {
    return conv2d(x[0], x[1], x[2],
                  {.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}, .groups = 2});
  });
  expect_right({{1, 2, 3, 3, 4}, {2, 2, 2, 1, 2}}, [](const Values& x) {
    return conv3d(x[0], x[1], {}, {.padding = {1, 0, 0}});
  });
  expect_right({{2, 4, 3, 3}, {4, 1, 2, 2}, {4}}, [](const Values& x) {
    return conv_transpose2d(x[0], x[1], x[2], {.stride = 2, .groups = 4, .output_padding = 1});
  });
  expect_right({{2, 3, 4}, {3, 2, 2}}, [](const Values& x) {
    return conv_transpose1d(x[0], x[1], {}, {.stride = 2, .padding = 1});
  });
}

// Without a quantity to learn there is no such node in the gradient.
TEST(Convolution, OnlyWhatIsNeededIsComputed) {
  Graph graph;
  const Value x = graph.input("x", {1, 2, 4, 4});
  const Value w = graph.parameter("w", init::normal({3, 2, 3, 3}, 1));
  const Gradients gradients = backward(reduce_sum(conv2d(x, w)), {w});
  EXPECT_EQ(gradients[w].shape(), (Shape{3, 2, 3, 3}));
  EXPECT_THAT(graph.to_string(), testing::HasSubstr("outputMask=[0, 1, 0]"));
}

TEST(Convolution, MistakesAreNamedWithShapes) {
  Graph graph;
  const Value x = graph.input("x", {1, 4, 5, 5});
  const Value w = graph.input("w", {2, 3, 3, 3});
  using testing::HasSubstr;
  EXPECT_THAT(message_of<Error>([&] { conv2d(x, w); }),
              HasSubstr("`x` [1, 4, 5, 5] has 4 channels, `w` [2, 3, 3, 3] is for 3"));
  EXPECT_THAT(message_of<Error>([&] { conv2d(x, w, {}, {.groups = 2}); }),
              HasSubstr("is for 6 in 2 groups"));
  EXPECT_THAT(message_of<Error>([&] { conv2d(x, w, {}, {.groups = 3}); }),
              HasSubstr("the 2 channels of `w` [2, 3, 3, 3] do not make 3 groups"));
  EXPECT_THAT(message_of<Error>([&] { conv1d(x, w); }), HasSubstr("rank 3, got [1, 4, 5, 5]"));
  const Value fits = graph.input("fits", {2, 4, 3, 3});
  EXPECT_THAT(message_of<Error>([&] { conv2d(x, fits, {}, {.stride = 0}); }),
              HasSubstr("stride must be"));
  EXPECT_THAT(message_of<Error>([&] { conv2d(x, fits, {}, {.dilation = 3}); }),
              HasSubstr("does not fit"));
  EXPECT_THAT(message_of<Error>([&] { conv2d(x, fits, graph.input("b", {3})); }),
              HasSubstr("bias"));
  EXPECT_THAT(message_of<Error>([&] {
                conv2d(x, fits, {}, {.padding = {1, 2, 3}});
              }),
              HasSubstr("[1, 2, 3]"));
}

TEST(BatchNorm, GradientsInTrainingAndEvaluation) {
  for (const Shape& shape :
       {Shape{4, 3}, Shape{2, 3, 4}, Shape{2, 3, 2, 2}, Shape{1, 3, 2, 1, 3}}) {
    SCOPED_TRACE(to_string(shape));
    for (const bool training : {true, false}) {
      expect_right({shape, {3}, {3}}, [&](const Values& x) {
        Graph graph = x[0].graph();
        const auto statistics = [&](const char* name, const Tensor& numbers) {
          return training ? graph.parameter(name, numbers) : graph.constant(numbers);
        };
        const Value mean = statistics("mean", Tensor::from({3}, {0.5, -0.5, 0}));
        const Value var = statistics("var", Tensor::from({3}, {0.5, 1, 2}));
        return batch_norm(x[0], x[1], x[2], mean, var, {.training = training});
      });
    }
  }
}

TEST(GroupNorm, GradientsOfEveryGrouping) {
  for (const std::int64_t groups : {1, 2, 4}) {
    expect_right({{2, 4, 3}, {4}, {4}},
                 [&](const Values& x) { return group_norm(x[0], groups, x[1], x[2]); });
  }
  expect_right({{2, 2, 2, 2}, {2}, {2}},
               [](const Values& x) { return group_norm(x[0], 2, x[1], x[2], 0.1); });
}

TEST(BatchNorm, AnEmptyBatchHasGradientsOfZero) {
  for (const bool training : {true, false}) {
    Graph graph;
    const Value x = graph.parameter("x", Tensor::zeros({0, 4, 2}));
    const Value weight = graph.parameter("weight", Tensor::full({4}, 2));
    const Value bias = graph.parameter("bias", Tensor::full({4}, 3));
    const Value mean = graph.parameter("mean", Tensor::full({4}, 5));
    const Value var = graph.parameter("var", Tensor::full({4}, 7));
    const Value y = batch_norm(x, weight, bias, mean, var, {.training = training});
    const Gradients gradients = backward(reduce_sum(y), {x, weight, bias});
    Session session(graph, {gradients[x], gradients[weight], gradients[bias]}, {.poison = true});
    const Results results = session.run();
    EXPECT_EQ(results[gradients[x]].shape(), (Shape{0, 4, 2}));
    EXPECT_TRUE(allclose(results[gradients[weight]], Tensor::zeros({4}), 0, 0));
    EXPECT_TRUE(allclose(results[gradients[bias]], Tensor::zeros({4}), 0, 0));
  }
}

// Constant groups have no gradient: what rounds mean and rstd to x's dtype makes one.
TEST(GroupNorm, StatisticsOf16BitImagesAreNotRounded) {
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16}) {
    SCOPED_TRACE(fmt::format("{}", dtype));
    Graph graph;
    const Value x = graph.parameter("x", Tensor::from({1, 1, 2, 2}, {100, 100.5, 101, 101}, dtype));
    const Value weight = graph.parameter("weight", Tensor::full({1}, 1, dtype));
    const Value bias = graph.parameter("bias", Tensor::zeros({1}, dtype));
    const Value y = group_norm(x, 1, weight, bias);
    EXPECT_EQ(y.dtype(), dtype);
    const Gradients gradients = backward(reduce_sum(y), {x, weight, bias});
    Session session(graph, {gradients[x], gradients[weight], gradients[bias]});
    const Results results = session.run();
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(results[gradients[x]].get(i), 0, 1e-5);
    EXPECT_NEAR(results[gradients[weight]].get(0), 0, 1e-4);
    EXPECT_EQ(results[gradients[bias]].get(0), 4);
    EXPECT_EQ(gradients[x].dtype(), dtype);
  }
  Graph graph;
  const Value x = graph.input("x", {1, 2, 2, 2}), c = graph.input("c", {2});
  for (const double eps : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(group_norm(x, 1, c, c, eps), ValueError) << eps;
  }
}

TEST(Resampling, PaddingsByElements) {
  for (const PadMode mode : {PadMode::reflect, PadMode::replicate, PadMode::circular}) {
    const auto padded = [mode](std::vector<std::int64_t> pads) {
      return [=](const Values& x) { return pad(x[0], pads, mode); };
    };
    for (const auto& pads : std::vector<std::vector<std::int64_t>>{
             {2, 1}, {-1, 2}, {0, -2}, {1, 2, 2, 0}, {2, -1, 1, 1, 0, 1}}) {
      expect_right({{2, 2, 3, 4}}, padded(pads));
    }
    // Without channels, with nothing before the axes, with more than a batch.
    expect_right({{4}}, padded({3, 2}));
    expect_right({{2, 1, 2, 2, 3}}, padded({1, 1}));
  }
}

TEST(Resampling, Interpolation) {
  const std::vector<Shape> shapes = {{1, 2, 4}, {2, 1, 3, 4}, {1, 2, 2, 3, 2}};
  for (const Shape& shape : shapes) {
    const std::size_t axes = shape.rank() - 2;
    for (const Interpolation mode : {Interpolation::nearest, Interpolation::nearest_exact,
                                     Interpolation::linear, Interpolation::cubic}) {
      if (mode == Interpolation::cubic && axes != 2) continue;
      const auto resized = [mode](const InterpolateOptions& options) {
        InterpolateOptions all = options;
        all.mode = mode;
        return [=](const Values& x) { return interpolate(x[0], all); };
      };
      expect_right({shape}, resized({.size = 5}));
      expect_right({shape}, resized({.size = 1}));
      expect_right({shape}, resized({.scale_factor = {1.7}}));
      if (mode == Interpolation::linear || mode == Interpolation::cubic) {
        expect_right({shape}, resized({.size = 5, .align_corners = true}));
      }
    }
  }
}

TEST(Resampling, ColumnsOfImages) {
  for (const Shape& shape : {Shape{2, 2, 4, 5}, Shape{2, 4, 5}}) {
    for (const auto& [kernel, options] : std::vector<std::pair<PerAxis, UnfoldOptions>>{
             {2, {}},
             {{2, 3}, {.dilation = {1, 2}, .padding = {1, 0}, .stride = {2, 1}}},
             {1, {}}}) {
      expect_right({shape}, [&](const Values& x) { return unfold(x[0], kernel, options); });
      expect_right({shape}, [&](const Values& x) {
        const Value columns = unfold(x[0], kernel, options);
        return fold(columns, {4, 5}, kernel, options);
      });
    }
  }
}

TEST(Resampling, GridSample) {
  for (const Interpolation mode : {Interpolation::linear, Interpolation::cubic}) {
    for (const GridPadding padding :
         {GridPadding::zeros, GridPadding::border, GridPadding::reflection}) {
      for (const bool corners : {false, true}) {
        const Build sampled = [=](const Values& x) {
          return grid_sample(x[0], x[1] * 0.4, {mode, padding, corners});
        };
        expect_right_once({{2, 2, 3, 4}, {2, 2, 3, 2}}, sampled);
        if (mode == Interpolation::cubic) continue;
        expect_right_once({{1, 2, 2, 3, 4}, {1, 2, 1, 3, 3}}, sampled);
      }
    }
  }
  // Of the nearest element only x has a gradient.
  expect_right_once({{1, 2, 3, 4}}, [](const Values& x) {
    return grid_sample(x[0], x[0].graph().constant(init::normal({1, 3, 3, 2}, 3)),
                       {.mode = Interpolation::nearest, .padding = GridPadding::border});
  });
}

}  // namespace
}  // namespace aclgrad
