// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/report.h"
#include "aclgrad/tensor/number_text.h"
#include "xml_check.h"

namespace aclgrad::report {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Reads a picture and checks what holds for every one of them.
XmlSummary checked(const std::string& svg) {
  XmlSummary summary = read_xml(svg);
  EXPECT_EQ(summary.error, "");
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, Not(HasSubstr("href")));
  for (const char* number : {"\"nan", "\"inf", "\"-inf", ",nan", ",inf", " nan", " inf"}) {
    EXPECT_THAT(svg, Not(HasSubstr(number)));
  }
  return summary;
}

/// All points of all polylines.
std::vector<std::pair<double, double>> line_points(const std::string& svg) {
  std::vector<std::pair<double, double>> points;
  const std::regex point("(-?[0-9.]+),(-?[0-9.]+)");
  const std::regex line("points=\"([^\"]*)\"");
  for (std::sregex_iterator it(svg.begin(), svg.end(), line), end; it != end; ++it) {
    const std::string list = (*it)[1];
    for (std::sregex_iterator p(list.begin(), list.end(), point); p != end; ++p) {
      const std::string x = (*p)[1], y = (*p)[2];
      points.emplace_back(*number_from_text(x), *number_from_text(y));
    }
  }
  return points;
}

TEST(XmlCheckTest, NoticesWhatIsWrong) {
  EXPECT_EQ(read_xml("<a b=\"c\"><d/>x &amp; y</a>\n").error, "");
  for (const char* wrong : {"<a>", "<a></b>", "</a>", "<a/><b/>", "<a>&</a>", "<a b=c/>",
                            "<a b=\"&\"/>", "<a>></a>", "x", "<a>\x01</a>"}) {
    EXPECT_NE(read_xml(wrong).error, "") << wrong;
  }
}

TEST(LineChartTest, HoldsTitleLabelsLegendAndLines) {
  LineChart chart{.title = "Loss <of> \"a\" & 'b'", .x_label = "epoch", .y_label = "loss"};
  chart.series = {{.name = "train", .x = {0, 1, 2}, .y = {3, 2, 1}},
                  {.name = "test & more", .x = {0, 1, 2}, .y = {3, 2.5, 2}, .colour = "tomato"},
                  {.x = {0, 2}, .y = {1, 1}}};
  const std::string svg = chart.svg();
  const XmlSummary summary = checked(svg);
  EXPECT_EQ(summary.count.at("polyline"), 3);
  EXPECT_THAT(summary.texts,
              AllOf(Contains("Loss &lt;of&gt; &quot;a&quot; &amp; &#39;b&#39;"), Contains("epoch"),
                    Contains("loss"), Contains("train"), Contains("test &amp; more")));
  EXPECT_THAT(summary.texts, AllOf(Contains("0.5"), Contains("2.5"), Contains("3")));
  EXPECT_THAT(svg, AllOf(HasSubstr("stroke=\"tomato\""), HasSubstr("stroke=\"#0072B2\"")));
}

TEST(LineChartTest, PositionsAreLinearInTheValues) {
  LineChart chart;
  chart.series = {{.x = {0, 1, 4}, .y = {0, 2, 8}}};
  const auto points = line_points(chart.svg());
  ASSERT_THAT(points, SizeIs(3));
  EXPECT_NEAR((points[1].first - points[0].first) / (points[2].first - points[0].first), 0.25,
              1e-3);
  EXPECT_NEAR((points[1].second - points[0].second) / (points[2].second - points[0].second), 0.25,
              1e-3);
  EXPECT_LT(points[2].second, points[0].second) << "larger values are higher up";
}

TEST(LineChartTest, LogarithmicAxisGivesEqualRatiosEqualSteps) {
  LineChart chart{.log_y = true};
  chart.series = {{.x = {0, 1, 2}, .y = {1, 100, 10000}}};
  const std::string svg = chart.svg();
  const auto points = line_points(svg);
  ASSERT_THAT(points, SizeIs(3));
  EXPECT_NEAR(points[0].second - points[1].second, points[1].second - points[2].second, 0.05);
  EXPECT_THAT(checked(svg).texts, AllOf(Contains("1"), Contains("100"), Contains("10000")));
}

TEST(LineChartTest, ManyDecadesAreCountedFromOne) {
  LineChart chart{.log_y = true};
  chart.series = {{.x = {0, 1}, .y = {2, 1e-15}}};
  EXPECT_THAT(checked(chart.svg()).texts,
              AllOf(Contains("1"), Contains("0.001"), Contains("1e-06"), Not(Contains("0.1"))));
}

TEST(LineChartTest, GapsAndLonePoints) {
  LineChart chart{.log_y = true};
  chart.series = {{.x = {0, 1, 2, 3, 4, 5, 6, 7}, .y = {1, 2, kNan, 3, -1, kInf, 1, 2}}};
  const XmlSummary summary = checked(chart.svg());
  EXPECT_EQ(summary.count.at("polyline"), 2);
  EXPECT_EQ(summary.count.at("circle"), 1);
}

TEST(LineChartTest, OddRangesAreDrawable) {
  const std::vector<std::vector<double>> ranges = {{},
                                                   {5},
                                                   {0, 0},
                                                   {kNan, kInf},
                                                   {1e-300, 2e-300},
                                                   {1e308, -1e308},
                                                   {3, 3, 3},
                                                   {1e9, 1e9 + 1},
                                                   {-1e-9, 1e-9},
                                                   {0.1, 0.1 + 1e-17},
                                                   {1e-320, 1},
                                                   {1e-250, 1e250},
                                                   {-1e250, 1e250},
                                                   {1e250}};
  for (const bool log_y : {false, true}) {
    for (const std::vector<double>& y : ranges) {
      LineChart chart{.log_y = log_y};
      chart.series = {{.name = "s", .x = std::vector<double>(y.size(), 2), .y = y}};
      for (std::size_t i = 0; i < y.size(); ++i) chart.series[0].x[i] += static_cast<double>(i);
      const XmlSummary summary = checked(chart.svg());
      EXPECT_LT(summary.count.at("line"), 80) << testing::PrintToString(y);
    }
  }
}

TEST(LineChartTest, TickLabelsTellNeighboursApart) {
  LineChart chart;
  chart.series = {{.x = {0, 1}, .y = {100000.1, 100000.2}}};
  EXPECT_THAT(checked(chart.svg()).texts, AllOf(Contains("100000.12"), Contains("100000.14")));
}

TEST(LineChartTest, RejectsSeriesThatDoNotFit) {
  LineChart chart;
  chart.series = {{.name = "s", .x = {1, 2}, .y = {1}}};
  EXPECT_THAT([&] { chart.svg(); }, ThrowsMessage<ShapeError>("series 's' has 2 x and 1 y"));
}

TEST(HeatmapTest, ConfusionMatrixHasCountsAndAFramedDiagonal) {
  const Tensor actual = Tensor::from({5}, {0, 1, 1, 2, 2}, DType::int32);
  const Tensor predicted = Tensor::from({5}, {0, 1, 2, 2, 2}, DType::int64);
  const Tensor counts = confusion_matrix(actual, predicted, 3);
  EXPECT_EQ(to_string(counts), "[[1, 0, 0], [0, 1, 1], [0, 0, 2]]");
  const Heatmap map{.title = "Confusion",
                    .row_title = "is",
                    .column_title = "said",
                    .row_labels = {"cat", "dog", "<bird>"},
                    .column_labels = {"cat", "dog", "<bird>"},
                    .values = counts,
                    .confusion = true};
  const std::string svg = map.svg();
  const XmlSummary summary = checked(svg);
  EXPECT_EQ(summary.count.at("rect"), 1 + 9 + 3);  // ground, cells, frames
  EXPECT_EQ(std::ranges::count(summary.texts, "&lt;bird&gt;"), 2);
  EXPECT_EQ(std::ranges::count(summary.texts, "0"), 5);
  EXPECT_EQ(std::ranges::count(summary.texts, "1"), 3);
  EXPECT_EQ(std::ranges::count(summary.texts, "2"), 1);
  EXPECT_THAT(svg, HasSubstr("fill=\"#08519c\"")) << "the largest count in full colour";
}

TEST(HeatmapTest, ManyClassesStayAPictureOfSomeHundredKilobytes) {
  const auto picture = [](std::int64_t classes) {
    Tensor actual = Tensor::zeros({20 * classes}, DType::int64), predicted = actual;
    for (std::int64_t i = 0; i < actual.numel(); ++i) {
      actual.set(i, static_cast<double>(i % classes));
      predicted.set(i, static_cast<double>(i % 3 == 0 ? i % classes : i * 7919 % classes));
    }
    return confusion(actual, predicted, classes).svg();
  };
  const std::string hundred = picture(100), thousand = picture(1000);
  checked(hundred);
  checked(thousand);
  EXPECT_LT(hundred.size(), 500'000u);
  EXPECT_LT(thousand.size(), 800'000u);
  EXPECT_THAT(hundred, AllOf(HasSubstr(">predicted class<"), HasSubstr(">99<")));
  EXPECT_THAT(thousand, HasSubstr(">predicted class, 8 in a cell<"));
}

TEST(HeatmapTest, MergedCellsAreSumsOfCountsAndMeansOfOtherValues) {
  Heatmap map{.row_labels = {"0"}, .values = Tensor::full({1, 256}, 2)};
  for (int i = 0; i < 256; ++i) map.column_labels.push_back(std::to_string(i));
  map.values.set(0, 4);  // the first cell: 4 and 2, the second 4 and nothing
  map.values.set(2, 4);
  map.values.set(3, kNan);
  const std::string svg = map.svg();
  checked(svg);
  EXPECT_THAT(svg, HasSubstr(">2 in a cell<"));
  // Means from 2 to 4, so that the first is in the middle and the second at the end.
  EXPECT_THAT(svg,
              AllOf(HasSubstr("fill=\"#84a8ce\" d=\"M0 0h1"), HasSubstr("\"#08519c\" d=\"M1 0h1")));
}

TEST(LineChartTest, LongSeriesKeepTheirPeaksAndGaps) {
  LineChart chart{.series = {{.name = "long"}}};
  for (int i = 0; i < 1'000'000; ++i) {
    chart.series[0].x.push_back(i);
    chart.series[0].y.push_back(i == 777'777 ? 50 : i / 500'000);
  }
  const std::vector<std::pair<double, double>> plain = line_points(chart.svg());
  EXPECT_LT(plain.size(), 3000u);
  double highest = 1e9, lowest = 0;  // of the picture, downwards
  for (const auto& [x, y] : plain) {
    highest = std::min(highest, y);
    lowest = std::max(lowest, y);
  }
  EXPECT_GT(lowest - highest, 300);
  for (int i = 400'000; i < 600'000; ++i) chart.series[0].y[static_cast<std::size_t>(i)] = kNan;
  const std::string svg = chart.svg();
  checked(svg);
  EXPECT_NE(svg.find("<polyline", svg.find("<polyline") + 1), std::string::npos) << "two lines";
  for (int i = 0; i < 1'000'000; i += 2) chart.series[0].y[static_cast<std::size_t>(i)] = kNan;
  EXPECT_LT(chart.svg().size(), 500'000u);
}

TEST(LineChartTest, RefusesSizesThatNoPictureHas) {
  for (const double size : {0.0, -1.0, kNan, kInf, 1e6}) {
    EXPECT_THAT([&] { LineChart{.width = size}.svg(); },
                ThrowsMessage<ValueError>(HasSubstr("a chart is above 0")));
    EXPECT_THROW(LineChart{.height = size}.svg(), ValueError);
  }
}

TEST(HeatmapTest, PlainValues) {
  const Heatmap map{.row_labels = {"a"},
                    .column_labels = {"x", "y", "z"},
                    .values = Tensor::from({1, 3}, {-1.5, 0.123456, kNan})};
  const XmlSummary summary = checked(map.svg());
  EXPECT_EQ(summary.count.at("rect"), 1 + 3);
  EXPECT_THAT(summary.texts, AllOf(Contains("-1.5"), Contains("0.123"), Contains("nan")));
}

TEST(HeatmapTest, RejectsWhatDoesNotFit) {
  const Heatmap map{.row_labels = {"a"}, .column_labels = {"x"}, .values = Tensor::zeros({2, 1})};
  EXPECT_THAT(
      [&] { map.svg(); },
      ThrowsMessage<ShapeError>("values of shape [2, 1] do not fit 1 row and 1 column labels"));
  EXPECT_THROW(confusion_matrix(Tensor::zeros({2}), Tensor::zeros({3}), 2), ShapeError);
  EXPECT_THAT([] { confusion_matrix(Tensor::full({1}, 2), Tensor::zeros({1}), 2); },
              ThrowsMessage<ValueError>("example 0: the class there 2 is none of 0 .. 1"));
}

TEST(ImageGridTest, DrawsShadesAndCaptions) {
  ImageGrid grid{.title = "Digits", .columns = 2, .light = 0, .dark = 16};
  const Tensor image = Tensor::from({2, 3}, {0, 8, 16, 16, 16, 16}, DType::uint8);
  grid.images = {{image, "is 3", "#009E73"}, {image, "", ""}, {image, "a < b", ""}};
  const std::string svg = grid.svg();
  const XmlSummary summary = checked(svg);
  // Ground, and a frame for each image, which has three shades in the first row, one run in the
  // second.
  EXPECT_EQ(summary.count.at("rect"), 1 + 3);
  EXPECT_EQ(summary.count.at("path"), 3 * 3);
  EXPECT_THAT(svg, AllOf(HasSubstr("<path fill=\"#ffffff\" d=\"M0 0h1v1h-1z\"/>"),
                         HasSubstr("<path fill=\"#000000\" d=\"M2 0h1v1h-1zM0 1h3v1h-3z\"/>")));
  EXPECT_THAT(svg, AllOf(HasSubstr("fill=\"#808080\""), HasSubstr("fill=\"#000000\""),
                         HasSubstr("fill=\"#009E73\"")));
  EXPECT_THAT(summary.texts, testing::ElementsAre("Digits", "is 3", "a &lt; b"));
  checked(ImageGrid{}.svg());
  EXPECT_THAT(
      [] {
        (ImageGrid{.images = {{Tensor::zeros({4}), "", ""}}}.svg());
      },
      ThrowsMessage<ShapeError>("images must be [height, width], got shape [4]"));
}

TEST(ImageGridTest, LightInkOnDarkGround) {
  const ImageGrid grid{.images = {{Tensor::from({1, 1}, {1}), "", ""}}, .light = 1, .dark = 0};
  EXPECT_THAT(grid.svg(), Not(HasSubstr("fill=\"#000000\"")));
}

TEST(ImageGridTest, ShowsWhatAClassifierTookForSomethingElse) {
  const Tensor images = Tensor::arange(3 * 4).reshape({3, 1, 2, 2});
  const Tensor actual = Tensor::from({3}, {1, 0, 2}, DType::int64);
  const Tensor predicted = Tensor::from({3}, {1, 2, 0}, DType::int64);
  const ImageGrid grid = mistakes(images, actual, predicted);
  EXPECT_EQ(grid.title, "2 of 3 misclassified");
  ASSERT_EQ(grid.images.size(), 2u);
  EXPECT_EQ(grid.images[0].caption, "0, taken for 2");
  EXPECT_EQ(grid.images[0].pixels.shape(), (Shape{2, 2}));
  EXPECT_EQ(grid.images[0].pixels.get(0), 4);
  EXPECT_EQ(grid.light, 0);
  EXPECT_EQ(grid.dark, 11);
  EXPECT_EQ(mistakes(images, actual, predicted, 1).images.size(), 1u);
  const ImageGrid flat = mistakes(images.reshape({3, 4}), actual, predicted);
  EXPECT_EQ(flat.images[0].pixels.shape(), (Shape{2, 2}));
  EXPECT_THROW(mistakes(images.reshape({3, 4}).slice(1, 0, 3), actual, predicted), ShapeError);
  EXPECT_THROW(mistakes(images, actual, Tensor::zeros({2})), ShapeError);
  EXPECT_THROW(mistakes(actual, actual, predicted), ShapeError);

  const Heatmap map = confusion(actual, predicted, 3);
  EXPECT_EQ(map.title, "33.3 % correct");
  EXPECT_EQ(map.values.get(0 * 3 + 2), 1);
  EXPECT_EQ(map.row_labels.back(), "2");
  EXPECT_NO_THROW(map.svg());
}

TEST(DecisionMapTest, DrawsFieldAndPoints) {
  DecisionMap map{
      .title = "Moons", .x_label = "x", .y_label = "y", .x_range = {0, 2}, .y_range = {0, 2}};
  map.field = Tensor::from({2, 2}, {0, 1, 1, 1});
  map.points = {{.name = "left", .x = {0.5, kNan}, .y = {0.5, 1}},
                {.name = "right", .x = {1.5}, .y = {1.5}}};
  const std::string svg = map.svg();
  const XmlSummary summary = checked(svg);
  // Ground and frame; two cells in the lower row, one run in the upper.
  EXPECT_EQ(summary.count.at("rect"), 1 + 1);
  EXPECT_EQ(summary.count.at("path"), 2);
  EXPECT_EQ(summary.count.at("circle"), 2 + 2);  // points and their marks in the legend
  EXPECT_THAT(summary.texts, AllOf(Contains("left"), Contains("right"), Contains("Moons")));
  // Row 0 of the field is at the bottom: the value 0 begins halfway down.
  EXPECT_THAT(svg, AllOf(HasSubstr(" 46) scale(220 220)\">"), HasSubstr("d=\"M0 1h1v1h-1z\"/>"),
                         HasSubstr("d=\"M0 0h2v1h-2zM1 1h1v1h-1z\"/>")));
}

TEST(DecisionMapTest, WithoutFieldAndWithBadOne) {
  DecisionMap map;
  map.points = {{.x = {0}, .y = {0}}};
  EXPECT_EQ(checked(map.svg()).count.at("circle"), 1);
  map.field = Tensor::zeros({4});
  EXPECT_THAT([&] { map.svg(); },
              ThrowsMessage<ShapeError>("the field must be [rows, columns], got shape [4]"));
  map.field = Tensor::full({1, 1}, kNan);
  checked(map.svg());
  map.field_colours[0] = "blue";
  EXPECT_THAT([&] { map.svg(); },
              ThrowsMessage<ValueError>("a colour must be written #RRGGBB, got 'blue'"));
}

TEST(PictureTest, AnyBytesAreSafeInTexts) {
  const std::string hostile = "\xFF<\x01\xC3\xA9]]>\xED\xA0\x80\xEF\xBF\xBE&\t";
  LineChart chart{.title = hostile, .x_label = hostile, .y_label = hostile};
  chart.series = {{.name = hostile, .x = {0, 1}, .y = {0, 1}, .colour = "\"><script/>"}};
  const XmlSummary summary = checked(chart.svg());
  EXPECT_FALSE(summary.count.contains("script"));
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_THAT(summary.texts,
              Contains(r + "&lt;" + r + "\xC3\xA9]]&gt;" + r + r + r + r + "&amp;\t"));
}

}  // namespace
}  // namespace aclgrad::report
