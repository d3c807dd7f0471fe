// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "bench/kernels/report.h"
#include "report/svg.h"

namespace aclgrad::bench {
namespace {

using report::Anchor;
using report::SvgCanvas;

constexpr double kBar = 7;       // thickness
constexpr double kGap = 8;       // between operators
constexpr double kLabels = 170;  // width of the operators' names
constexpr double kPanel = 330;   // width of one dtype's bars
constexpr double kTop = 76;
constexpr double kBetween = 24;

// What is drawn of every operator, in this order.
struct Contestants {
  std::vector<std::string> names;
  double fastest = 0;
};

std::vector<const Result*> drawn_results(const Report& report, aclDataType dtype) {
  std::vector<const Result*> list;
  int64_t largest = 0;
  for (const Result& result : report.results) {
    const Cell& cell = result.cell;
    if (!cell.operation->elementwise() || cell.layout != Layout::contiguous || cell.threads != 1 ||
        cell.dtype != dtype || cell.elements() < largest) {
      continue;
    }
    if (cell.elements() > largest) list.clear();
    largest = cell.elements();
    list.push_back(&result);
  }
  return list;
}

Contestants contestants(const std::vector<std::vector<const Result*>>& panels) {
  Contestants found{{kOurs}, 0};
  for (const auto& panel : panels) {
    for (const Result* result : panel) {
      for (const auto& [name, seconds] : result->seconds) {
        found.fastest = std::max(found.fastest, rate(result->cell, seconds));
        const bool limit = name == kOrdinary || name == kNonTemporal;
        if (!limit && std::ranges::count(found.names, name) == 0) found.names.push_back(name);
      }
    }
  }
  return found;
}

void draw_legend(SvgCanvas& canvas, const Contestants& who) {
  double x = 16;
  const double y = 44;
  const auto entry = [&](const std::string& name, std::string_view colour, bool line) {
    if (line) {
      canvas.line(x + 5, y - 9, x + 5, y + 2, colour, 2);
    } else {
      canvas.rectangle(x, y - 9, 11, 11, colour);
    }
    canvas.text(x + 16, y, name);
    x += 32 + report::text_width(name, report::kTextSize);
  };
  for (size_t i = 0; i < who.names.size(); ++i) entry(who.names[i], report::palette(i), false);
  entry("memory's limit", report::kInk, true);
}

void draw_panel(SvgCanvas& canvas, double left, const std::vector<const Result*>& results,
                const Contestants& who, double height, bool named) {
  const auto width = [&](double value) { return value / who.fastest * (kPanel - 30); };
  const double step = who.fastest > 16 ? 5 : who.fastest > 8 ? 2 : who.fastest > 4 ? 1 : 0.5;
  for (double tick = 0; tick <= who.fastest; tick += step) {
    canvas.line(left + width(tick), kTop, left + width(tick), kTop + height, report::kGridColour);
    canvas.text(left + width(tick), kTop + height + 16, report::nice_number(tick),
                {.colour = report::kFaintInk, .anchor = Anchor::middle});
  }
  const double block = kBar * static_cast<double>(who.names.size());
  double y = kTop + kGap / 2;
  for (const Result* result : results) {
    if (named) {
      canvas.text(left - 8, y + block / 2 + 4, result->cell.operation->name,
                  {.anchor = Anchor::end});
    }
    for (size_t i = 0; i < who.names.size(); ++i) {
      const auto found = result->seconds.find(who.names[i]);
      if (found == result->seconds.end()) continue;
      canvas.rectangle(left, y + kBar * static_cast<double>(i),
                       width(rate(result->cell, found->second)), kBar - 1, report::palette(i));
    }
    if (result->limit() > 0) {
      const double x = left + width(rate(result->cell, result->limit()));
      canvas.line(x, y - 1, x, y + block + 1, report::kInk, 2);
    }
    y += block + kGap;
  }
}

}  // namespace

std::string chart_svg(const Report& report) {
  const std::vector<aclDataType> dtypes = {ACL_FLOAT, ACL_BF16};
  std::vector<std::vector<const Result*>> panels;
  size_t most = 0;
  for (const aclDataType dtype : dtypes) {
    panels.push_back(drawn_results(report, dtype));
    // The same operators in the same places: casts have one dtype only.
    std::erase_if(panels.back(), [](const Result* result) {
      return result->cell.operation->name.starts_with("Cast");
    });
    most = std::max(most, panels.back().size());
  }
  const Contestants who = contestants(panels);
  const double block = kBar * static_cast<double>(who.names.size()) + kGap;
  const double height = block * static_cast<double>(most);
  const std::string size = panels[0].empty() ? "" : panels[0][0]->cell.size_name() + " elements, ";
  const std::string title = "Elementwise operators: " + size + "one thread, contiguous";
  SvgCanvas canvas(kLabels + (kPanel + kBetween) * static_cast<double>(panels.size()),
                   kTop + height + 48, title);
  canvas.heading(title, 24);
  if (who.fastest > 0) {
    draw_legend(canvas, who);
    double left = kLabels;
    for (size_t i = 0; i < panels.size(); ++i) {
      canvas.text(left, kTop - 8, name_of(dtypes[i]), {.bold = true});
      draw_panel(canvas, left, panels[i], who, height, i == 0);
      canvas.text(left + kPanel / 2, kTop + height + 36, "10⁹ elements a second",
                  {.colour = report::kFaintInk, .anchor = Anchor::middle});
      left += kPanel + kBetween;
    }
  }
  return std::move(canvas).finish();
}

}  // namespace aclgrad::bench
