// SPDX-License-Identifier: Apache-2.0
// Pages of training runs.
#include "aclgrad/run_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <optional>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/framework/viz/page_check.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Activations, SummaryCountsDeadAndExplodingUnits) {
  // Four examples of four units: a sound one, one that is stuck, one that is huge, one with a NaN.
  const Tensor outputs =
      Tensor::from({4, 4}, {1, 0.5, 900, 1, -1, 0.5, -900, kNan, 2, 0.5, 800, 1, 0, 0.5, 1000, 1});
  const ActivationSummary summary = summarize_activations(outputs, 7, 1);
  EXPECT_EQ(summary.step, 7);
  EXPECT_EQ(summary.units, 4);
  EXPECT_EQ(summary.dead, 1);
  EXPECT_EQ(summary.exploding, 2);
  EXPECT_EQ(summary.low, -900);
  EXPECT_EQ(summary.high, 1000);
  EXPECT_DOUBLE_EQ(summary.mean, 1807.0 / 15);
  double sum = 0;
  for (const double share : summary.shares) sum += share;
  EXPECT_DOUBLE_EQ(sum, 1);
  EXPECT_DOUBLE_EQ(summary.shares.back(), 1.0 / 15);
  // Beside itself nothing is large.
  EXPECT_EQ(summarize_activations(outputs, 7).exploding, 1);
}

// Of a digit classifier at 98 % accuracy: logits of 20 from a layer that began at 0.5, and outputs
// of gated units, which are products.
TEST(Activations, SoundLogitsAndGatedUnitsDoNotExplode) {
  const Tensor logits = Tensor::from({2, 3}, {20, -15, -12, -14, 22, -11});
  EXPECT_EQ(summarize_activations(logits, 4000, 0.5).exploding, 0);
  EXPECT_EQ(summarize_activations(logits, 4000, 1e-4).exploding, 0) << "the layer began at 0";
  const Tensor gated = Tensor::from({2, 2}, {9, 0, 0.5, 14});
  EXPECT_EQ(summarize_activations(gated, 4000, 0.3).exploding, 0);
}

TEST(Activations, OneExampleSaysNothingAboutDeadUnits) {
  EXPECT_EQ(summarize_activations(Tensor::zeros({1, 3}), 0).dead, 0);
  EXPECT_EQ(summarize_activations(Tensor::zeros({2, 3}), 0).dead, 3);
  EXPECT_THROW(summarize_activations(Tensor::zeros({0, 3}), 0), ShapeError);
}

void fill(RunReport& report) {
  report.setting("rate", "0.1");
  report.setting("rate", "0.2");
  report.look("Loss", {.y_label = "nats", .log_y = true});
  for (int step = 1; step <= 1000; ++step) {
    report.point("Loss", "train", step, 1.0 / step);
    report.point("Loss", "<test>", step, step == 3 ? kNan : 2.0 / step);
  }
  report.point("Rate", "", 1, 0.5);
  report.activations("hidden & more", 1, Tensor::from({2, 2}, {0, 1, 0, 2}));
  report.activations("hidden & more", 2, Tensor::from({2, 2}, {0, 1, 0, 500}));
  report.picture("Mistakes", "<svg></svg>");
}

TEST(RunReport, PageShowsAllAndIsSelfContained) {
  const TemporaryFolder folder;
  RunReport report(folder.path() / "run.html", {.title = "<selu>"});
  fill(report);
  const std::string html = report.html();
  EXPECT_EQ(fault_of(html), "");
  for (const char* words :
       {"<title>&lt;selu&gt;</title>", "<dd>0.2</dd>", "<b>hidden &amp; more</b>",
        "Mistakes</figcaption>", ">running<", "http-equiv=\"refresh\" content=\"2\"",
        "<td class=\"number bad\">1</td><td class=\"number bad\">1</td>"}) {
    EXPECT_THAT(html, HasSubstr(words));
  }
  EXPECT_THAT(html, Not(HasSubstr("<dd>0.1</dd>")));
  const nlohmann::json data = data_of(html);
  EXPECT_EQ(data["charts"][0]["y_label"], "nats");
  EXPECT_EQ(data["charts"][0]["curves"][1]["name"], "<test>");
}

TEST(RunReport, IsWrittenNowAndThenAndInTheEnd) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run.html";
  RunReport report(path, {.write_every_s = 1000});
  EXPECT_FALSE(std::filesystem::exists(path));
  report.progress(1, 10, "first");
  EXPECT_THAT(read_file(path), HasSubstr("1 of 10 steps"));
  report.progress(2, 10, "second");
  EXPECT_THAT(read_file(path), HasSubstr("<dd>first</dd>"));
  report.progress(10, 10, "last");
  report.finish();
  const std::string html = read_file(path);
  EXPECT_THAT(html, HasSubstr("10 of 10 steps"));
  EXPECT_THAT(html, HasSubstr(">finished<"));
  EXPECT_THAT(html, Not(HasSubstr("http-equiv")));
  EXPECT_THAT(html, testing::ContainsRegex("written 20[0-9][0-9]-[0-9]+-[0-9]+ [0-9:]+ UTC"));
}

TEST(RunReport, RefusesATimeThatIsNone) {
  for (const double every : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(RunReport("page.html", {.write_every_s = every}), ValueError);
  }
}

TEST(RunReport, SaysWhenTheRunStopped) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run.html";
  { RunReport(path).progress(1, 10); }
  EXPECT_THAT(read_file(path), HasSubstr(">stopped early<"));
  EXPECT_EQ(read_run(path).state, RunRecord::State::stopped);
  RunReport nowhere(folder.path() / "no" / "run.html");
  EXPECT_THROW(nowhere.progress(1, 2), IoError);
}

TEST(RunReport, AWrittenPageCanBeReadAgain) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run.html";
  RunReport report(path, {.title = "</script>"});
  fill(report);
  report.progress(3, 4, "note");
  const RunRecord read = read_run(path);
  EXPECT_EQ(read.title, "</script>");
  EXPECT_EQ(read.page, "run.html");
  EXPECT_EQ(read.done, 3);
  EXPECT_EQ(read.total, 4);
  EXPECT_EQ(read.note, "note");
  EXPECT_EQ(read.settings, report.record().settings);
  ASSERT_EQ(read.charts.size(), 2U);
  EXPECT_TRUE(read.charts[0].log_y);
  EXPECT_EQ(read.charts[0].series[0].y, report.record().charts[0].series[0].y);
  EXPECT_TRUE(std::isnan(read.charts[0].series[1].y[2]));
  ASSERT_EQ(read.layers.size(), 1U);
  EXPECT_EQ(read.layers[0].history[1].exploding, 1);
  EXPECT_EQ(read.layers[0].history[1].shares, report.record().layers[0].history[1].shares);
  write_file_atomically(path, "<html></html>");
  EXPECT_EQ(message_of<ValueError>([&] { read_run(path); }),
            path.string() + ": not the page of a run");
}

TEST(RunReport, MarksTheBestStepAndSaysThatARunEndedEarly) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run.html";
  RunReport report(path);
  fill(report);
  report.mark("best", 2);
  report.mark("best", 3);
  report.progress(4, 9);
  report.finish();
  EXPECT_THAT(read_file(path), HasSubstr(">finished early<"));
  const RunRecord read = read_run(path);
  ASSERT_EQ(read.marks.size(), 1U);
  EXPECT_EQ(read.marks[0], std::pair(std::string("best"), 3.0));
}

// Weights whose gradients shrink by 4 from the last to the first; one has none at all.
TEST(RunReport, SaysHowGradientsShrinkFromLayerToLayer) {
  const TemporaryFolder folder;
  RunReport report(folder.path() / "run.html");
  EXPECT_THAT(report.html(), Not(HasSubstr("Gradient norms by layer")));
  for (int i = 0; i < 8; ++i) {
    report.point("Gradient norms", fmt::format("l{}.weight", i), 0, 1);
    report.point("Gradient norms", fmt::format("l{}.weight", i), 5, std::pow(4, i));
    report.point("Gradient norms", fmt::format("l{}.bias", i), 5, 1);
  }
  EXPECT_THAT(report.html(),
              HasSubstr("Backwards, gradients shrink by 4 a layer, 1.6e+04 over all: "
                        "they vanish"));
  EXPECT_THAT(report.html(), Not(HasSubstr("<td>l0.bias</td>")));
  report.point("Gradient norms", "out.weight", 5, 0);
  EXPECT_THAT(report.html(), HasSubstr("The gradient of out.weight is 0: it learns nothing. Back"));
  RunReport even(folder.path() / "even.html");
  for (int i = 0; i < 8; ++i) even.point("Gradient norms", fmt::format("l{}.weight", i), 0, 2);
  EXPECT_THAT(even.html(),
              AllOf(HasSubstr("Gradient norms by layer"), Not(HasSubstr("Backwards"))));
}

TEST(RunReport, SaysHowMuchAStepChangesTheWeights) {
  const TemporaryFolder folder;
  RunReport report(folder.path() / "run.html");
  EXPECT_THAT(report.html(), Not(HasSubstr("Updates by layer")));
  for (int i = 0; i < 5; ++i) report.point("Update ratios", fmt::format("l{}.weight", i), 9, 2e-3);
  report.point("Update ratios", "l5.weight", 9, 3e-6);
  report.point("Update ratios", "l6.weight", 9, 0.4);
  EXPECT_THAT(report.html(), AllOf(HasSubstr("Updates by layer"),
                                   HasSubstr("A step changed the weights by 0.2 % of their norm"),
                                   HasSubstr(" l5.weight: hardly changed"),
                                   HasSubstr(" l6.weight: changed a lot")));
  for (int i = 0; i < 9; ++i) report.point("Update ratios", fmt::format("d{}.weight", i), 9, 1e-7);
  EXPECT_THAT(report.html(),
              HasSubstr(" l5.weight, d0.weight, d1.weight, d2.weight and 6 more: hardly"));
}

TEST(RunReport, LongHistoriesAreThinnedButKeepTheirEnds) {
  const TemporaryFolder folder;
  RunReport report(folder.path() / "run.html");
  for (int step = 0; step <= 1000; ++step) report.activations("h", step, Tensor::zeros({2, 2}));
  const std::vector<ActivationSummary>& history = report.record().layers[0].history;
  EXPECT_LE(history.size(), 64U);
  EXPECT_GE(history.size(), 32U);
  EXPECT_EQ(history.front().step, 0);
  EXPECT_EQ(history.back().step, 1000);
  for (std::size_t i = 1; i < history.size(); ++i) {
    EXPECT_GT(history[i].step, history[i - 1].step);
  }
}

// A run of any length has a page of bounded size, with its latest values and its NaN.
TEST(RunReport, LongCurvesAreMeans) {
  const TemporaryFolder folder;
  RunReport report(folder.path() / "run.html");
  const auto curve = [&]() -> const report::Series& { return report.record().charts[0].series[0]; };
  constexpr int kValues = 100'001;
  for (int step = 1; step <= kValues; ++step) {
    report.point("Loss", "train", step, step == 5 ? kNan : step);
    ASSERT_LE(curve().y.size(), 2048U);
    ASSERT_EQ(curve().x.back(), step) << "the latest as it is";
    if (step == 2000) {
      ASSERT_EQ(curve().y.size(), 2000U) << "short curves keep all";
    }
  }
  ASSERT_GE(curve().y.size(), 1024U);
  EXPECT_TRUE(std::isnan(curve().y.front()));
  EXPECT_EQ(curve().y.back(), kValues);
  const std::int64_t each = report.record().charts[0].values_per_point;
  EXPECT_EQ(each, 64);
  for (std::size_t i = 1; i + 1 < curve().y.size(); ++i) {
    const double mean = static_cast<double>(each * static_cast<std::int64_t>(i)) +
                        static_cast<double>(each + 1) / 2;
    ASSERT_EQ(curve().x[i], mean);
    ASSERT_EQ(curve().y[i], mean);
  }
  const std::string html = report.html();
  EXPECT_EQ(data_of(html)["charts"][0]["values_per_point"], each);
  EXPECT_LT(html.size(), 200'000U);
  report.write();
  EXPECT_EQ(read_run(folder.path() / "run.html").charts[0].values_per_point, each);
}

// What is in a file is not always what was written.
TEST(RunReport, DamagedPagesAreRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run.html";
  RunReport report(path);
  report.point("Loss", "train", 1, 2);
  report.progress(1, 2);
  const std::string sound = read_file(path);
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string text = sound;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write_file_atomically(path, text.replace(at, from.size(), to));
    return message_of<ValueError>([&] { read_run(path); });
  };
  EXPECT_THAT(damaged("\"x\":[1.0]", "\"x\":[1.0,2.0]"), HasSubstr("has 2 x and 1 y"));
  RunRecord uneven;
  uneven.charts.push_back({.title = "Loss", .series = {{.name = "a", .x = {1}}}});
  EXPECT_THROW(compare_runs("One", std::vector<RunRecord>{uneven}), ShapeError);
  EXPECT_THAT(damaged("\"state\":0", "\"state\":77"), HasSubstr("there is no state 77"));
  EXPECT_THAT(damaged("\"done\":1", "\"done\":1e40"), HasSubstr("1e+40 where an integer"));
}

TEST(CompareRuns, LinksLeadToPagesOfAnyName) {
  const auto link = [](const std::string& page) {
    const RunRecord run{.title = "a", .page = page};
    const std::string html = compare_runs("One", std::vector<RunRecord>{run});
    const std::size_t at = html.find("<a href=\"") + 9;
    return html.substr(at, html.find('"', at) - at);
  };
  EXPECT_EQ(link("lr 50%#1.html"), "lr%2050%25%231.html");
  EXPECT_EQ(link("javascript:alert(1)"), "javascript%3Aalert%281%29");
  EXPECT_EQ(link("../runs/a.html"), "../runs/a.html");
  EXPECT_EQ(link("/runs/a.html"), "/runs/a.html");
}

TEST(CompareRuns, ALineForEveryRun) {
  RunRecord a{.title = "a", .page = "a.html", .settings = {{"rate", "0.1"}, {"seed", "1"}}};
  a.charts.push_back({.title = "Loss", .series = {{.name = "train", .x = {1, 2}, .y = {3, 2.5}}}});
  RunRecord b{.title = "<b>", .settings = {{"rate", "0.2"}}};
  b.charts.push_back({.title = "Loss",
                      .series = {{.name = "train", .x = {1, 2}, .y = {4, 1.25}},
                                 {.name = "test", .x = {1}, .y = {7}}}});
  const std::string html = compare_runs("Two", std::vector<RunRecord>{a, b});
  EXPECT_EQ(fault_of(html), "");
  const nlohmann::json charts = data_of(html)["charts"];
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0]["title"], "Loss, train");
  EXPECT_EQ(charts[0]["curves"].size(), 2U);
  EXPECT_EQ(charts[1]["curves"][0]["name"], "<b>");
  EXPECT_EQ(charts[1]["curves"][0]["colour"], 1) << "a run has one colour on all charts";
  EXPECT_THAT(html, HasSubstr("<th><a href=\"a.html\">a</a></th><th>&lt;b&gt;</th>"));
  EXPECT_THAT(html, HasSubstr("<tr><td>rate</td><td>0.1</td><td>0.2</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><td>seed</td><td>1</td><td></td></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><td>Loss, train</td><td>2.5</td><td>1.25</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><td>Loss, test</td><td></td><td>7</td></tr>"));
  b.charts.push_back({.title = "Rate", .series = {{.x = {1}, .y = {8}}}});
  EXPECT_THAT(compare_runs("One", std::vector<RunRecord>{b}),
              HasSubstr("<tr><td>Rate</td><td>8</td></tr>"));
  EXPECT_EQ(fault_of(compare_runs("None", {})), "");
}

}  // namespace
}  // namespace aclgrad
