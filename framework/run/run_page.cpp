// SPDX-License-Identifier: Apache-2.0
#include "run/run_page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "page/document.h"
#include "page/texts.h"
#include "report/axes.h"
#include "report/svg.h"

namespace aclgrad::run {
namespace {

using report::xml_escape;

constexpr std::size_t kMaxPoints = 400;  // of a curve as drawn
constexpr double kChartWidth = 600;
constexpr double kChartHeight = 340;

std::string state_text(const RunRecord& record) {
  constexpr std::array<std::string_view, 3> kNames = {"running", "finished", "stopped early"};
  return fmt::format("<span class=\"state {}\">{}</span>",
                     record.state == RunRecord::State::stopped ? "bad" : "good",
                     kNames.at(static_cast<std::size_t>(record.state)));
}

std::string header(const RunRecord& record, int refresh_s) {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  const double part =
      record.total > 0 ? 100 * static_cast<double>(record.done) / static_cast<double>(record.total)
                       : 0;
  std::string text = fmt::format(
      "<header><h1>{}</h1>{}<span class=\"faint\">{} of {} steps</span>"
      "<span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>",
      xml_escape(record.title), state_text(record), record.done, record.total,
      std::clamp(part, 0.0, 100.0));
  text += fmt::format(
      "<span class=\"faint\" id=\"written\" data-written=\"{}\" data-every=\"{}\" "
      "data-state=\"{}\">written {:%Y-%m-%d %H:%M:%S} UTC</span>",
      seconds.count(), refresh_s, record.state == RunRecord::State::running ? "running" : "ended",
      fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
  return text + "<button id=\"theme\" type=\"button\">Dark</button></header>\n";
}

std::string settings_table(const RunRecord& record) {
  std::string text;
  for (const auto& [name, value] : record.settings) {
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", xml_escape(name), xml_escape(value));
  }
  if (!record.note.empty()) {
    text += fmt::format("<div><dt>latest</dt><dd>{}</dd></div>\n", xml_escape(record.note));
  }
  return text.empty() ? "" : "<dl class=\"settings\">\n" + text + "</dl>\n";
}

// The distribution of a layer's outputs at a few steps, the first and the last among them.
std::string histogram(const RunRecord::Layer& layer) {
  constexpr std::size_t kShown = 4;
  report::LineChart chart{.title = "Outputs of " + layer.name,
                          .x_label = "value",
                          .y_label = "density",
                          .width = kChartWidth,
                          .height = kChartHeight};
  const std::size_t count = std::min(kShown, layer.history.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count == 1 ? 0 : i * (layer.history.size() - 1) / (count - 1);
    const ActivationSummary& one = layer.history[at];
    report::Series series{.name = fmt::format("step {}", one.step), .y = {}};
    const double width =
        std::max((one.high - one.low) / static_cast<double>(one.shares.size()), 1e-30);
    for (std::size_t bin = 0; bin < one.shares.size(); ++bin) {
      series.x.push_back(one.low + (static_cast<double>(bin) + 0.5) * width);
      series.y.push_back(one.shares[bin] / width);
    }
    chart.series.push_back(std::move(series));
  }
  return page::chart(chart.svg());
}

std::string layers_section(const RunRecord& record) {
  if (record.layers.empty()) return "";
  std::string table =
      "<table><tr><th>layer</th><th class=\"number\">step</th><th class=\"number\">mean</th>"
      "<th class=\"number\">std. deviation</th><th class=\"number\">range</th>"
      "<th class=\"number\">units</th><th class=\"number\">dead</th>"
      "<th class=\"number\">exploding</th></tr>\n";
  std::string figures;
  RunRecord::Chart unhealthy{.title = "Dead and exploding units",
                             .y_label = "percent of the layer"};
  for (const RunRecord::Layer& layer : record.layers) {
    const ActivationSummary& last = layer.history.back();
    const auto counted = [](std::int64_t count) {
      return fmt::format("<td class=\"number{}\">{}</td>", count > 0 ? " bad" : "", count);
    };
    table += fmt::format(
        "<tr><td><b>{}</b></td><td class=\"number\">{}</td><td class=\"number\">{:.3g}</td>"
        "<td class=\"number\">{:.3g}</td><td class=\"number\">{:.3g} … {:.3g}</td>"
        "<td class=\"number\">{}</td>{}{}</tr>\n",
        xml_escape(layer.name), last.step, last.mean, last.stddev, last.low, last.high, last.units,
        counted(last.dead), counted(last.exploding));
    report::Series series{.name = layer.name, .y = {}};
    for (const ActivationSummary& one : layer.history) {
      series.x.push_back(static_cast<double>(one.step));
      series.y.push_back(100 * static_cast<double>(one.dead + one.exploding) /
                         static_cast<double>(one.units));
    }
    unhealthy.series.push_back(std::move(series));
    figures += card(histogram(layer), "");
  }
  const bool any_unhealthy = std::ranges::any_of(unhealthy.series, [](const report::Series& one) {
    return std::ranges::any_of(one.y, [](double share) { return share > 0; });
  });
  if (any_unhealthy) figures = card(page::chart(thinned(unhealthy).chart.svg()), "") + figures;
  return "<section id=\"layers\"><h2>Activations</h2><p class=\"faint\">A dead unit gives one "
         "number whatever the example; an exploding one is not finite, or larger than 100 "
         "and than a hundred times its layer at first.</p>\n" +
         table + "</table>\n<div class=\"figures\">" + figures + "</div></section>\n";
}

}  // namespace

std::string card(const std::string& content, const std::string& note) {
  return "<figure>" + content +
         (note.empty() ? "" : "<figcaption>" + xml_escape(note) + "</figcaption>") + "</figure>\n";
}

Thinned thinned(const RunRecord::Chart& chart) {
  Thinned result;
  result.chart = {.title = chart.title,
                  .x_label = chart.x_label,
                  .y_label = chart.y_label,
                  .log_y = chart.log_y,
                  .width = kChartWidth,
                  .height = kChartHeight};
  report::check_series(chart.series);
  std::int64_t most = chart.values_per_point;
  for (const report::Series& one : chart.series) {
    const std::size_t group = (one.x.size() + kMaxPoints - 1) / kMaxPoints;
    report::Series drawn{.name = one.name, .y = {}, .colour = one.colour};
    for (std::size_t begin = 0; begin < one.x.size(); begin += std::max<std::size_t>(group, 1)) {
      const std::size_t end = std::min(begin + group, one.x.size());
      double x = 0, y = 0;
      for (std::size_t i = begin; i < end; ++i) {
        x += one.x[i] / static_cast<double>(end - begin);
        y += one.y[i] / static_cast<double>(end - begin);
      }
      drawn.x.push_back(x);
      drawn.y.push_back(y);
    }
    most = std::max(most, chart.values_per_point * static_cast<std::int64_t>(group));
    result.chart.series.push_back(std::move(drawn));
  }
  if (most > 1) result.note = fmt::format("Each point is the mean of up to {} values.", most);
  return result;
}

std::string run_page(const RunRecord& record, std::span<const Picture> pictures, int refresh_s) {
  page::Document document;
  document.title = record.title;
  document.refresh_s = record.state == RunRecord::State::running ? refresh_s : 0;
  document.body = header(record, refresh_s) + settings_table(record);
  std::string charts;
  for (const RunRecord::Chart& chart : record.charts) {
    const Thinned drawn = thinned(chart);
    charts += card(page::chart(drawn.chart.svg()), drawn.note);
  }
  document.body += "<section id=\"curves\"><h2>Curves</h2><div class=\"figures\">" + charts +
                   "</div></section>\n" + layers_section(record);
  if (!pictures.empty()) {
    document.body += "<section id=\"pictures\"><h2>Pictures</h2><div class=\"figures\">";
    for (const auto& [title, svg] : pictures) document.body += card(page::picture(svg), title);
    document.body += "</div></section>\n";
  }
  document.body += page::data_element("data", to_json(record));
  document.style = page::run_css();
  document.script = page::run_js();
  return document.html();
}

}  // namespace aclgrad::run
