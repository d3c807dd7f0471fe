// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "page/document.h"
#include "report/axes.h"
#include "report/svg.h"
#include "viz/graph_view.h"

namespace aclgrad::viz {

using report::bytes_text;
using report::xml_escape;

std::string times_markup(const GraphView& view) {
  if (!view.profile) return "";
  constexpr std::size_t kRows = 20;
  std::vector<const Profile::Entry*> longest;
  for (const Profile::Entry& entry : view.profile->nodes) longest.push_back(&entry);
  std::ranges::stable_sort(
      longest, [](const auto* a, const auto* b) { return a->duration_us > b->duration_us; });
  const double total = std::max(view.profile->total_us(), 1e-9);
  const std::size_t count = std::min(longest.size(), kRows);
  std::string text = fmt::format(
      "<section id=\"times\"><h2>Time per node</h2><p class=\"faint\">{} in all, {}. Nodes ran one "
      "by one and were waited for, so launching and waiting count.</p>\n<div class=\"strip\">",
      page::duration_text(total),
      count < longest.size() ? fmt::format("the {} longest of {} nodes", count, longest.size())
                             : fmt::format("{} nodes", longest.size()));
  for (const Profile::Entry& entry : view.profile->nodes) {
    text += fmt::format(
        "<i class=\"{}\" data-node=\"{}\" style=\"flex-grow:{:.4f}\" "
        "title=\"{}: {}\"></i>",
        to_string(entry.pass), entry.node, 1000 * entry.duration_us / total,
        xml_escape(entry.operation), page::duration_text(entry.duration_us));
  }
  text +=
      "</div>\n<table><tr><th>node</th><th>operator</th><th>call</th><th>recorded at</th>"
      "<th class=\"number\">time</th><th class=\"bar\">share</th></tr>\n";
  for (std::size_t i = 0; i < count; ++i) {
    const Profile::Entry& entry = *longest[i];
    text += fmt::format(
        "<tr data-node=\"{0}\" class=\"{1}\"><td>{0}</td><td>{2}{3}</td><td><code>{4}</code></td>"
        "<td>{5}</td><td class=\"number\">{6}</td><td class=\"bar\"><i "
        "style=\"width:{7:.2f}%\"></i>"
        "<span>{8:.1f} %</span></td></tr>\n",
        entry.node, to_string(entry.pass), xml_escape(entry.operation),
        entry.name.empty() ? "" : " <b>" + xml_escape(entry.name) + "</b>", xml_escape(entry.call),
        xml_escape(entry.where), page::duration_text(entry.duration_us),
        70 * entry.duration_us / std::max(longest[0]->duration_us, 1e-9),
        100 * entry.duration_us / total);
  }
  return text + "</table></section>\n";
}

std::string memory_markup(const GraphView& view) {
  if (!view.memory) return "";
  const MemoryReport& memory = *view.memory;
  std::string text = fmt::format(
      "<section id=\"memory\"><h2>Memory over time</h2><p class=\"faint\">{} of values share an "
      "arena "
      "of {}, {} of it in use at the fullest position, in pieces of 64 B; workspace {}, variables "
      "{}. "
      "<span id=\"alive\"></span></p>\n",
      bytes_text(memory.sum_of_values), bytes_text(memory.arena_bytes),
      bytes_text(memory.lower_bound), bytes_text(memory.workspace_bytes),
      bytes_text(memory.variable_bytes));
  constexpr std::size_t kMaxIntervals = 5000;
  if (memory.intervals.size() > kMaxIntervals) {
    text += fmt::format(
        "<p class=\"note\">{} values are too many for a picture here; "
        "MemoryReport::svg() draws them all.</p>\n",
        memory.intervals.size());
  } else {
    text += page::chart(memory.svg());
  }
  return text + "</section>\n";
}

}  // namespace aclgrad::viz
