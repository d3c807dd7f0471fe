// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/data/time_series.h"

#include <gmock/gmock.h>

#include <cmath>
#include <ctime>

#include "aclgrad/error.h"
#include "aclgrad/random.h"
#include "tests/support/message_of.h"

namespace aclgrad::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor doubles(const Shape& shape, const std::vector<double>& values) {
  return Tensor::from(shape, std::span<const double>(values), DType::float64);
}

TEST(Times, AreReadAsIso8601WritesThem) {
  EXPECT_EQ(time_from_text("1970-01-01"), 0);
  EXPECT_EQ(time_from_text("2024-03-01"), 1709251200);
  EXPECT_EQ(time_from_text("2024-02-29 23:59"), 1709251140);
  EXPECT_EQ(time_from_text("2024-03-01T12:30:05.25Z"), 1709296205.25);
  EXPECT_EQ(time_from_text("2024-03-01T12:30:05,5"), 1709296205.5);
  EXPECT_EQ(time_from_text("2024-03-01 02:00:00+02:00"), 1709251200);
  EXPECT_EQ(time_from_text("2024-02-29T18:30-0530"), 1709251200);
  EXPECT_EQ(time_from_text("2024-03-01T02:00:00.000000000+02"), 1709251200);
  EXPECT_EQ(time_from_text("1969-12-31T23:59:59.5"), -0.5);
  for (const char* text :
       {"", "2024", "2024-3-1", "2023-02-29", "2024-13-01", "2024-00-10", "2024-03-01T",
        "2024-03-01Z", "2024-03-01 24:00", "2024-03-01 12:60", "2024-03-01 12:30:60",
        "2024-03-01 12:30:", " 2024-03-01", "2024-03-01 12:30:05.", "2024-03-01 12:30 ",
        "2024-03-01T12:30+", "01/03/2024", "2024-03-0a"}) {
    EXPECT_FALSE(time_from_text(text)) << text;
  }
  EXPECT_THAT(message_of<ValueError>([] {
                times_of({"2024-03-01", "March"});
              }),
              AllOf(HasSubstr("row 2"), HasSubstr("found \"March\"")));
}

// Against the C library's calendar.
TEST(Times, AreWrittenAndReadAgain) {
  RandomSequence random(5);
  for (int i = 0; i < 20'000; ++i) {
    const double whole = static_cast<double>(random.below(315'569'519'999)) - 62'167'219'200.0;
    const auto seconds = static_cast<std::time_t>(whole);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[64];
    std::strftime(text, sizeof text, "-%m-%dT%H:%M:%S", &parts);
    char year[16];
    std::snprintf(year, sizeof year, "%04d", parts.tm_year + 1900);
    ASSERT_EQ(time_from_text(year + std::string(text)), whole) << text;
    const double time = whole + static_cast<double>(random.below(1000)) / 1000;
    ASSERT_NEAR(*time_from_text(text_of_time(time)), time, 1e-4) << text_of_time(time);
  }
  EXPECT_EQ(text_of_time(1709251200), "2024-03-01");
  EXPECT_EQ(text_of_time(1709296200), "2024-03-01T12:30");
  EXPECT_EQ(text_of_time(-0.5), "1969-12-31T23:59:59.5");
  for (const double bad : {kNan, 1e300, -1e12, 253402300799.9999}) {
    EXPECT_THROW(text_of_time(bad), ValueError);
  }
}

TEST(Gaps, AreFilledOnLinesOrForward) {
  const Tensor series = doubles({6}, {kNan, 1, kNan, kNan, 4, kNan});
  EXPECT_TRUE(bitwise_equal(fill_gaps(series), doubles({6}, {1, 1, 2, 3, 4, 4})));
  const Tensor forward = fill_gaps(series, {.how = Fill::forward});
  EXPECT_TRUE(std::isnan(forward.get(0)));
  EXPECT_TRUE(bitwise_equal(forward.slice(0, 1, 6), doubles({5}, {1, 1, 1, 4, 4})));
  const Tensor times = doubles({6}, {0, 10, 20, 60, 70, 80});
  EXPECT_TRUE(
      allclose(fill_gaps(series, {.times = times}), doubles({6}, {1, 1, 1.5, 3.5, 4, 4}), 1e-12));
  const Tensor kept = fill_gaps(series, {.longest = 1});
  EXPECT_TRUE(std::isnan(kept.get(2)) && std::isnan(kept.get(3)));
  EXPECT_EQ(kept.get(5), 4);
  // Column by column, in float32; of one without a number nothing is known.
  const Tensor two = fill_gaps(Tensor::from({3, 2}, {1, kNan, kNan, kNan, 3, kNan}));
  EXPECT_EQ(two.dtype(), DType::float32);
  EXPECT_EQ(two.get(2), 2);
  EXPECT_TRUE(std::isnan(two.get(1)) && std::isnan(two.get(5)));
  EXPECT_EQ(fill_gaps(Tensor::zeros({0, 2})).shape(), (Shape{0, 2}));
}

TEST(Gaps, SayWhatDoesNotFit) {
  const Tensor series = Tensor::zeros({3});
  EXPECT_THROW(fill_gaps(Tensor::zeros({3}, DType::int64)), DTypeError);
  EXPECT_THROW(fill_gaps(Tensor::zeros({3, 1, 1})), ShapeError);
  EXPECT_THROW(fill_gaps(series, {.times = Tensor::arange(2)}), ShapeError);
  EXPECT_THAT(message_of<ValueError>([&] {
                fill_gaps(series, {.times = Tensor::from({3}, {1, 3, 3})});
              }),
              HasSubstr("row 2 has 3 behind 3"));
  EXPECT_THROW(fill_gaps(series, {.longest = -1}), ValueError);
}

TEST(Windows, AreThoseOfASlice) {
  RandomSequence random(3);
  for (int i = 0; i < 300; ++i) {
    const auto below = [&](std::uint64_t bound) {
      return static_cast<std::int64_t>(random.below(bound));
    };
    const std::int64_t rows = 1 + below(20), columns = 1 + below(3);
    WindowOptions options{.length = 1 + below(6), .ahead = below(4), .every = 1 + below(3)};
    if (below(2) == 0) options.targets = {below(static_cast<std::uint64_t>(columns))};
    const Tensor series = Tensor::arange(rows * columns).reshape({rows, columns});
    if (options.length + options.ahead > rows) {
      EXPECT_THROW(windows(series, options), ShapeError);
      continue;
    }
    const Dataset made = windows(series, options);
    const std::int64_t count = (rows - options.length - options.ahead) / options.every + 1;
    ASSERT_EQ(made.features.shape(), (Shape{count, options.length, columns}));
    for (std::int64_t w = 0; w < count; ++w) {
      const std::int64_t begin = w * options.every, end = begin + options.length;
      EXPECT_TRUE(bitwise_equal(made.features.slice(0, w, w + 1).reshape({options.length, columns}),
                                series.slice(0, begin, end)));
      if (options.ahead == 0) continue;
      Tensor ahead = series.slice(0, end, end + options.ahead);
      if (!options.targets.empty())
        ahead = ahead.slice(1, options.targets[0], options.targets[0] + 1);
      EXPECT_TRUE(bitwise_equal(made.labels.slice(0, w, w + 1).reshape(ahead.shape()), ahead));
    }
    if (options.ahead == 0) {
      EXPECT_EQ(made.labels.numel(), 0);
    }
  }
  const Dataset one = windows(Tensor::arange(5), {.length = 3});
  EXPECT_EQ(one.features.shape(), (Shape{2, 3}));
  EXPECT_TRUE(bitwise_equal(one.labels, Tensor::from({2, 1}, {3, 4})));
}

TEST(Windows, SayWhereAGapIsOrLeaveItOut) {
  Tensor series = Tensor::arange(16).reshape({8, 2});
  series.set({3, 1}, kNan);
  EXPECT_THAT(message_of<ValueError>([&] { windows(series, {.length = 2}); }),
              HasSubstr("row 3, column 1 is nan"));
  const Dataset made = windows(series, {.length = 2, .skip_gaps = true});
  EXPECT_TRUE(
      bitwise_equal(made.labels.reshape({3, 2}), Tensor::from({3, 2}, {4, 5, 12, 13, 14, 15})));
  EXPECT_THROW(windows(series, {.length = 0}), ValueError);
  EXPECT_THROW(windows(series, {.length = 2, .targets = {2}}), ValueError);
}

TEST(SplitInOrder, IsAsLongAsAShuffledOneAndKeepsTheOrder) {
  const Dataset all{Tensor::arange(13).reshape({13, 1}), Tensor::arange(13)};
  for (const double fraction : {0.0, 0.3, 0.5, 0.77, 1.0}) {
    const Split ordered = split_in_order(all, fraction), shuffled = split(all, fraction, 1);
    EXPECT_EQ(ordered.train.size(), shuffled.train.size());
    EXPECT_TRUE(bitwise_equal(ordered.train.labels, all.labels.slice(0, 0, ordered.train.size())));
    EXPECT_TRUE(bitwise_equal(ordered.test.labels, all.labels.slice(0, ordered.train.size(), 13)));
  }
  const std::vector<Dataset> three = split_in_order(all, {0.6, 0.2, 0.2});
  EXPECT_EQ(three[1].labels.get(0), 8);
  EXPECT_EQ(three[2].size(), 3);
  EXPECT_THROW(split_in_order(all, 1.5), ValueError);
  EXPECT_THROW(split_in_order(all, {0.5, 0.6}), ValueError);
}

TEST(StandardizerWithGaps, NamesTheColumnOrSkipsIt) {
  const Tensor features = doubles({4, 2}, {1, kNan, 2, 10, kNan, 10, 6, 16});
  EXPECT_THAT(message_of<ValueError>([&] { Standardizer all(features); }),
              HasSubstr("row 0, column 1 is nan"));
  const Standardizer skipping(features, {.skip_nan = true});
  EXPECT_EQ(skipping.means(), (std::vector<double>{3, 12}));
  EXPECT_NEAR(skipping.stddevs()[0], std::sqrt(14.0 / 3), 1e-12);
  const Tensor moved = skipping(features);
  EXPECT_TRUE(std::isnan(moved.get(1)));
  EXPECT_EQ(moved.get(5), (10 - 12) / skipping.stddevs()[1]);
  EXPECT_THROW(Standardizer(doubles({1, 1}, {INFINITY}), {.skip_nan = true}), ValueError);
  EXPECT_THAT(message_of<ValueError>([] {
                Standardizer all(doubles({2, 1}, {kNan, kNan}), {.skip_nan = true});
              }),
              HasSubstr("column 0 has nothing but NaN"));
}

}  // namespace
}  // namespace aclgrad::data
