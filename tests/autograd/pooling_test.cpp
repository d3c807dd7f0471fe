// SPDX-License-Identifier: Apache-2.0
// Gradients of averages and maxima of windows of images and volumes.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/autograd/expect_right.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using derivatives::expect_right;
using derivatives::Values;

TEST(Pooling, GradientsOfEveryForm) {
  expect_right({{2, 2, 5, 6}}, [](const Values& x) {
    return max_pool2d(x[0], {3, 2}, {.stride = {2, 3}, .padding = 1, .ceil_mode = true});
  });
  expect_right({{2, 4, 4}}, [](const Values& x) { return max_pool2d(x[0], 2); });
  for (const bool counted : {false, true}) {
    expect_right({{2, 2, 5, 6}}, [&](const Values& x) {
      return avg_pool2d(x[0], 2, {.stride = {2, 1}, .padding = 1, .count_include_pad = counted});
    });
  }
  expect_right({{1, 4, 5}}, [](const Values& x) {
    return avg_pool2d(x[0], {2, 3}, {.ceil_mode = true, .divisor_override = 3});
  });
  expect_right({{2, 3, 5, 4}}, [](const Values& x) { return adaptive_avg_pool2d(x[0], {3, 2}); });
  expect_right({{3, 5, 4}}, [](const Values& x) { return adaptive_avg_pool2d(x[0], 1); });
}

TEST(Pooling, GradientsOfVolumesAndOfAGivenSize) {
  for (const Shape& shape : {Shape{2, 1, 3, 4, 3}, Shape{2, 3, 4, 3}}) {
    expect_right({shape}, [](const Values& x) {
      return max_pool3d(x[0], {2, 3, 2}, {.stride = {1, 2, 2}, .padding = 1, .ceil_mode = true});
    });
    expect_right({shape}, [](const Values& x) {
      return max_pool3d(x[0], 2, {.stride = 1, .dilation = {2, 3, 1}});
    });
    expect_right({shape}, [](const Values& x) { return adaptive_max_pool3d(x[0], {2, 3, 1}); });
    expect_right({shape}, [](const Values& x) {
      return avg_pool3d(x[0], {2, 3, 2}, {.stride = {2, 1, 1}, .padding = 1});
    });
    expect_right({shape}, [](const Values& x) { return adaptive_avg_pool3d(x[0], {2, 3, 2}); });
  }
  expect_right({{2, 2, 5, 4}}, [](const Values& x) { return adaptive_max_pool2d(x[0], {3, 2}); });
  expect_right({{2, 5, 4}}, [](const Values& x) { return adaptive_max_pool2d(x[0], 1); });
}

// Each of several elements with one place gets the gradient there.
TEST(Pooling, GradientsOfUnpooling) {
  for (const DType dtype : {DType::int32, DType::int64}) {
    expect_right({{1, 2, 2, 2}}, [&](const Values& x) {
      const Value places =
          x[0].graph().constant(Tensor::from({1, 2, 2, 2}, {0, 5, 2, 7, 8, 3, 1, 4}, dtype));
      return max_unpool2d(x[0], places, 3);
    });
  }
  Graph graph;
  const Value x = graph.parameter("x", Tensor::from({1, 1, 2}, {3, 4}));
  const Value places = graph.constant(Tensor::from({1, 1, 2}, {1, 1}, DType::int32));
  const Value y = max_unpool2d(x, places, {1, 2});
  const Value slopes = backward(reduce_sum(y), {x})[x];
  Session session(graph, {y, slopes});
  const Results results = session.run();
  EXPECT_EQ(results[y].get(1), 4);
  EXPECT_EQ(results[slopes].get(0), 1);
  EXPECT_EQ(results[slopes].get(1), 1);
}

// A window that steps over all elements is -infinity, of no place: neither gradient nor second
// gradient comes from it, whatever arrives.
TEST(Pooling, WindowsWithoutElementsGiveNothing) {
  Graph graph;
  const Value x = graph.parameter("x", Tensor::arange(14, 1).reshape({1, 1, 1, 1, 14}));
  const auto [values, places] = max_pool3d_with_indices(
      x, {1, 1, 3}, {.stride = {1, 1, 6}, .padding = {0, 0, 1}, .dilation = {1, 1, 2}});
  const auto [none, nowhere] = max_pool3d_with_indices(
      x, {1, 3, 3},
      {.stride = {1, 6, 6}, .padding = {0, 1, 1}, .ceil_mode = true, .dilation = {1, 2, 2}});
  const Value seed = graph.parameter("seed", Tensor::full(none.shape(), NAN));
  const Value slopes = backward(none, {x}, {.seed = seed})[x];
  const Value upstream = graph.constant(Tensor::full(x.shape(), NAN));
  const Value second = backward(slopes, {seed}, {.seed = upstream})[seed];
  Session session(graph, {values, places, none, nowhere, slopes, second});
  const Results results = session.run();
  EXPECT_EQ(results[values].get(0), 4);
  EXPECT_EQ(results[places].get(0), 3);
  for (std::int64_t i = 0; i < none.shape().numel(); ++i) {
    EXPECT_EQ(results[none].get(i), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(results[nowhere].get(i), -1);
    EXPECT_EQ(results[second].get(i), 0);
  }
  for (std::int64_t i = 0; i < 14; ++i) EXPECT_EQ(results[slopes].get(i), 0) << i;
}

// Windows in the padded image, by the definition: the largest element of each and its average, over
// the elements alone or with padding, and how a gradient of 1 is shared out.
struct Windows {
  std::vector<double> most, of_most, average, of_average;

  Windows(const Tensor& image, const Dims& kernel, const Dims& stride, const Dims& padding,
          bool count_include_pad, const Shape& count)
      : of_most(static_cast<std::size_t>(image.numel())), of_average(of_most) {
    const std::int64_t height = image.shape()[2], width = image.shape()[3];
    for (std::int64_t k = 0; k < count.numel(); ++k) {
      const std::int64_t top = k / count[1] * stride[0] - padding[0];
      const std::int64_t left = k % count[1] * stride[1] - padding[1];
      // Padding counts, what lies behind it does not.
      const double all =
          static_cast<double>((std::min(top + kernel[0], height + padding[0]) - top) *
                              (std::min(left + kernel[1], width + padding[1]) - left));
      std::vector<std::size_t> inside;
      for (std::int64_t y = std::max<std::int64_t>(top, 0); y < std::min(top + kernel[0], height);
           ++y) {
        for (std::int64_t x = std::max<std::int64_t>(left, 0);
             x < std::min(left + kernel[1], width); ++x) {
          inside.push_back(static_cast<std::size_t>(y * width + x));
        }
      }
      const double number = count_include_pad ? all : static_cast<double>(inside.size());
      std::size_t best = inside.front();
      average.push_back(0);
      for (const std::size_t at : inside) {
        const auto value = [&](std::size_t i) { return image.get(static_cast<std::int64_t>(i)); };
        if (value(at) > value(best)) best = at;
        average.back() += value(at) / number;
        of_average[at] += 1 / number;
      }
      most.push_back(image.get(static_cast<std::int64_t>(best)));
      of_most[best] += 1;
    }
  }
};

// Windows that reach beyond the axis, or are larger than it. How many there are is what
// PyTorch 1.13 has.
TEST(Pooling, RoundedUpIsAsInPyTorch) {
  struct RoundedUp {
    Shape image;
    Dims kernel, stride, padding;
    bool count_include_pad;
    Shape result;
  };
  const std::vector<RoundedUp> cases = {{{2, 2}, {3, 3}, {2, 2}, {0, 0}, true, {1, 1}},
                                        {{1, 1}, {2, 2}, {2, 2}, {0, 0}, true, {1, 1}},
                                        {{1, 1}, {2, 2}, {2, 2}, {1, 1}, true, {1, 1}},
                                        {{2, 3}, {4, 5}, {3, 3}, {0, 1}, true, {1, 1}},
                                        {{2, 3}, {4, 5}, {3, 3}, {1, 2}, false, {1, 2}},
                                        {{3, 2}, {5, 3}, {4, 2}, {1, 1}, true, {1, 2}},
                                        {{1, 4}, {3, 2}, {3, 3}, {1, 0}, false, {1, 2}},
                                        {{3, 3}, {2, 4}, {1, 2}, {1, 1}, true, {4, 2}}};
  for (const RoundedUp& each : cases) {
    SCOPED_TRACE(fmt::format("{} to {}", each.image, each.result));
    Graph graph;
    Tensor numbers = Tensor::zeros({1, 1, each.image[0], each.image[1]});
    for (std::int64_t i = 0; i < numbers.numel(); ++i) {
      numbers.set(i, static_cast<double>((i + 1) * (i + 1) * 7 % 11));
    }
    const Value x = graph.parameter("x", numbers);
    const PerAxis kernel{each.kernel}, stride{each.stride}, padding{each.padding};
    const Value most =
        max_pool2d(x, kernel, {.stride = stride, .padding = padding, .ceil_mode = true});
    const Value average = avg_pool2d(x, kernel,
                                     {.stride = stride,
                                      .padding = padding,
                                      .ceil_mode = true,
                                      .count_include_pad = each.count_include_pad});
    const Value of_most = backward(reduce_sum(most), {x})[x];
    const Value of_average = backward(reduce_sum(average), {x})[x];
    Session session(graph, {most, average, of_most, of_average});
    const Results results = session.run();
    const auto expect = [&](const Value& value, const std::vector<double>& wanted) {
      ASSERT_EQ(value.shape().numel(), static_cast<std::int64_t>(wanted.size()));
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(results[value].get(static_cast<std::int64_t>(i)), wanted[i], 1e-6) << i;
      }
    };
    EXPECT_EQ(most.shape(), (Shape{1, 1, each.result[0], each.result[1]}));
    EXPECT_EQ(average.shape(), most.shape());
    const Windows right(numbers, each.kernel, each.stride, each.padding, each.count_include_pad,
                        each.result);
    expect(most, right.most);
    expect(of_most, right.of_most);
    expect(average, right.average);
    expect(of_average, right.of_average);
  }
  // By the stride or more, no window is left.
  Graph graph;
  const Value x = graph.input("x", {1, 1, 2, 2});
  EXPECT_THROW(max_pool2d(x, 4, {.stride = 2, .ceil_mode = true}), ShapeError);
  EXPECT_THROW(avg_pool2d(x, 3, {.stride = 1, .ceil_mode = true}), ShapeError);
  EXPECT_THROW(max_pool2d(x, 3, {.stride = 2}), ShapeError);
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  for (const MaxPoolOptions& options :
       {MaxPoolOptions{.stride = kHuge}, MaxPoolOptions{.padding = kHuge}}) {
    EXPECT_THROW(max_pool2d(x, 2, options), ValueError);
  }
  EXPECT_THROW(max_pool2d(x, kHuge), ValueError);
}

TEST(Pooling, MistakesAreNamedWithShapes) {
  Graph graph;
  const Value x = graph.input("x", {2, 4, 4});
  using testing::HasSubstr;
  EXPECT_THAT(message_of<Error>([&] { max_pool2d(x, 5); }), HasSubstr("does not fit [2, 4, 4]"));
  EXPECT_THAT(message_of<Error>([&] { avg_pool2d(x, 2, {.padding = 2}); }),
              HasSubstr("padding [2, 2]"));
  EXPECT_THAT(message_of<Error>([&] { max_pool2d(x, {1, 2, 3}); }), HasSubstr("got [1, 2, 3]"));
  EXPECT_THAT(message_of<Error>([&] { adaptive_avg_pool2d(x, 0); }), HasSubstr("size must be"));
  EXPECT_THAT(message_of<Error>([&] {
                max_pool2d(graph.input("r", {4, 4}), 2);
              }),
              HasSubstr("got [4, 4]"));

  const Value volume = graph.input("volume", {1, 2, 3, 4, 5});
  const Value image = graph.input("image", {2, 4, 4});
  const Value places = graph.input("places", {2, 4, 4}, DType::int32);
  EXPECT_THAT(message_of<Error>([&] { max_pool3d(image, 2); }),
              HasSubstr("[N, C, D, H, W], got [2, 4, 4]"));
  EXPECT_THAT(message_of<Error>([&] { avg_pool3d(volume, 4); }),
              HasSubstr("does not fit [1, 2, 3, 4, 5]"));
  EXPECT_THAT(message_of<Error>([&] {
                avg_pool3d(volume, {2, 2});
              }),
              HasSubstr("one or three numbers"));
  EXPECT_THAT(message_of<Error>([&] { max_pool3d(volume, 2, {.dilation = 0}); }),
              HasSubstr("dilation must be"));
  EXPECT_THAT(message_of<Error>([&] { max_pool3d(volume, 2, {.dilation = 3}); }),
              HasSubstr("and dilation [3, 3, 3] does not fit"));
  EXPECT_THAT(message_of<Error>([&] { max_pool2d(image, 2, {.dilation = 2}); }),
              HasSubstr("max_pool3d()"));
  EXPECT_THAT(message_of<Error>([&] { adaptive_max_pool3d(volume, 0); }),
              HasSubstr("size must be"));
  EXPECT_THAT(message_of<Error>([&] {
                adaptive_avg_pool3d(volume, {1, 2});
              }),
              HasSubstr("size must be"));
  EXPECT_THAT(message_of<Error>([&] { max_unpool2d(image, places, 0); }),
              HasSubstr("size must be"));
  EXPECT_THROW(max_unpool2d(image, image, 4), DTypeError);
  EXPECT_THROW(max_unpool2d(graph.input("y", {2, 4, 3}), places, 4), ShapeError);
  EXPECT_THROW(max_unpool2d(image, Value(), 4), ValueError);
  EXPECT_THROW(adaptive_max_pool_backward(image, image, Value(), {{2, 2}}), ValueError);
  EXPECT_THROW(max_pool3d(graph.input("n", {1, 2, 2, 2}, DType::int32), 1), DTypeError);
}

}  // namespace
}  // namespace aclgrad
