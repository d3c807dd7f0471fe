// SPDX-License-Identifier: Apache-2.0
#include "run/run_page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "page/document.h"
#include "page/texts.h"
#include "report/svg.h"

namespace aclgrad::run {
namespace {

using report::xml_escape;

std::string state_text(const RunRecord& record) {
  constexpr std::array<std::string_view, 4> kNames = {"running", "finished", "stopped early",
                                                      "failed"};
  constexpr std::array<std::string_view, 4> kColours = {"good", "good", "bad", "bad"};
  const bool is_early = record.state == RunRecord::State::finished && record.done < record.total;
  return fmt::format(
      "<span class=\"state {}\">{}</span>", kColours.at(static_cast<std::size_t>(record.state)),
      is_early ? "finished early" : kNames.at(static_cast<std::size_t>(record.state)));
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
  if (!record.failure.empty()) {
    text += fmt::format("<div><dt>failed</dt><dd class=\"bad\">{}</dd></div>\n",
                        xml_escape(record.failure));
  }
  for (const auto& [name, value] : record.settings) {
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", xml_escape(name), xml_escape(value));
  }
  if (!record.note.empty()) {
    text += fmt::format("<div><dt>latest</dt><dd>{}</dd></div>\n", xml_escape(record.note));
  }
  return "<dl class=\"settings\">\n" + text + "</dl>\n";
}

std::string layers_section(const RunRecord& record) {
  if (record.layers.empty()) return "";
  std::string table =
      "<table><tr><th>layer</th><th class=\"number\">step</th><th class=\"number\">mean</th>"
      "<th class=\"number\">std. deviation</th><th class=\"number\">range</th>"
      "<th class=\"number\">units</th><th class=\"number\">dead</th>"
      "<th class=\"number\">exploding</th></tr>\n";
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
  }
  return "<section id=\"layers\"><h2>Activations</h2><p class=\"faint\">A dead unit gives one "
         "number whatever the example; an exploding one is not finite, or larger than 100 "
         "and than a hundred times its layer at first.</p>\n" +
         table + "</table>\n<div class=\"figures\"></div></section>\n";
}

}  // namespace

std::string curves_section() {
  return "<section id=\"curves\"><label class=\"smoothing\" hidden=\"\">smoothing<input "
         "id=\"smoothing\" type=\"range\" min=\"0\" max=\"0.98\" step=\"0.02\" "
         "value=\"0\"/></label>"
         "<h2>Curves</h2><p class=\"faint\">Point at a curve to read it, drag over a stretch to "
         "zoom in.</p><div class=\"figures\"></div></section>\n";
}

std::string with_charts(page::Document document, const nlohmann::json& data) {
  document.body += page::data_element("data", data);
  document.style = page::run_css();
  document.script = std::string(page::chart_js()).append(page::run_js());
  return document.html();
}

std::string run_page(const RunRecord& record, std::span<const Picture> pictures, int refresh_s) {
  page::Document document;
  document.title = record.title;
  document.refresh_s = record.state == RunRecord::State::running ? refresh_s : 0;
  document.body = header(record, refresh_s) + settings_table(record);
  document.body += curves_section() + norms_sections(record) + layers_section(record);
  if (!pictures.empty()) {
    document.body += "<section id=\"pictures\"><h2>Pictures</h2><div class=\"figures\">";
    for (const auto& [title, svg] : pictures) {
      document.body += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n",
                                   page::picture(svg), xml_escape(title));
    }
    document.body += "</div></section>\n";
  }
  return with_charts(std::move(document), to_json(record));
}

}  // namespace aclgrad::run
