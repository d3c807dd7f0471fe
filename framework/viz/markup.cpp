// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "graph/describe.h"
#include "page/document.h"
#include "report/svg.h"
#include "viz/layout.h"
#include "viz/recording.h"

namespace aclgrad::viz {
namespace {

using report::coordinate;
using report::xml_escape;

constexpr double kMargin = 24;   // around the drawing
constexpr double kHeading = 34;  // above the lanes
constexpr std::array<const char*, kLanes> kHeadings = {"forward ↓", "backward ↑", "update ↓"};

const CallOp* call_of(const Node& node) { return node.op->as_call(); }
bool is_view(const Node& node) { return dynamic_cast<const ViewOp*>(node.op.get()) != nullptr; }

std::vector<Block> blocks_of(const Recording& recording) {
  std::vector<Block> blocks;
  for (std::size_t id = 0; id < recording.shown(); ++id) {
    const Node& node = recording.graph.node(static_cast<NodeId>(id));
    Block block;
    block.lane = static_cast<std::size_t>(node.pass);
    block.view = is_view(node);
    block.source = call_of(node) == nullptr && !block.view;
    for (const Value& input : recording.graph.values(node.inputs)) {
      const auto maker = static_cast<std::size_t>(input.node().id);
      if (std::ranges::find(block.inputs, maker) == block.inputs.end()) {
        block.inputs.push_back(maker);
      }
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::string curved(const std::vector<Point>& points) {
  std::string path =
      fmt::format("M{} {}", coordinate(points[0].first), coordinate(points[0].second));
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto [x0, y0] = points[i - 1];
    const auto [x, y] = points[i];
    if (i % 2 == 0) {
      path += fmt::format("L{} {}", coordinate(x), coordinate(y));
      continue;
    }
    const double middle = (y0 + y) / 2;
    path += fmt::format("C{} {} {} {} {} {}", coordinate(x0), coordinate(middle), coordinate(x),
                        coordinate(middle), coordinate(x), coordinate(y));
  }
  return path;
}

std::string right_angled(const std::vector<Point>& points) {
  constexpr double kRadius = 6;
  std::string path =
      fmt::format("M{} {}", coordinate(points[0].first), coordinate(points[0].second));
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    // Cuts the corner by at most half of the shorter side.
    const auto towards = [&](const Point& other) -> Point {
      const double dx = other.first - points[i].first;
      const double dy = other.second - points[i].second;
      const double length = std::max(std::abs(dx) + std::abs(dy), 1e-9);
      const double part = std::min(kRadius, length / 2) / length;
      return {points[i].first + dx * part, points[i].second + dy * part};
    };
    const auto [x0, y0] = towards(points[i - 1]);
    const auto [x1, y1] = towards(points[i + 1]);
    path += fmt::format("L{} {}Q{} {} {} {}", coordinate(x0), coordinate(y0),
                        coordinate(points[i].first), coordinate(points[i].second), coordinate(x1),
                        coordinate(y1));
  }
  return path +
         fmt::format("L{} {}", coordinate(points.back().first), coordinate(points.back().second));
}

// What flows along a line: the specs of all values that one node gives to another.
std::string carried(const Recording& recording, const Route& route) {
  std::string text;
  const Node& reader = recording.graph.node(static_cast<NodeId>(route.to));
  for (const Value& input : recording.graph.values(reader.inputs)) {
    if (static_cast<std::size_t>(input.node().id) != route.from) continue;
    const std::string one = input.description() + ": " + detail::describe_spec(input);
    if (text.find(one) == std::string::npos) text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

std::string lines_markup(const Recording& recording, const Layout& layout) {
  std::string text = fmt::format(
      "<svg id=\"lines\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" aria-hidden=\"true\">\n<defs>",
      coordinate(layout.width + 2 * kMargin), coordinate(layout.height + kHeading + 2 * kMargin));
  for (const Pass pass : {Pass::forward, Pass::backward, Pass::update}) {
    text += fmt::format(
        "<marker id=\"head-{0}\" class=\"{0}\" viewBox=\"0 0 8 8\" refX=\"7\" "
        "refY=\"4\" markerWidth=\"10\" markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" "
        "orient=\"auto\">"
        "<path d=\"M0 0.5L8 4L0 7.5z\"/></marker>",
        to_string(pass));
  }
  text += fmt::format("</defs>\n<g transform=\"translate({} {})\">\n", kMargin, kMargin + kHeading);
  for (const Route& route : layout.routes) {
    const std::string pass = to_string(recording.graph.node(static_cast<NodeId>(route.from)).pass);
    text += fmt::format(
        "<path class=\"{}\" data-from=\"{}\" data-to=\"{}\" "
        "marker-end=\"url(#head-{})\" d=\"{}\"><title>{}</title></path>\n",
        pass, route.from, route.to, pass,
        route.right_angled ? right_angled(route.points) : curved(route.points),
        xml_escape(carried(recording, route)));
  }
  return text + "</g></svg>\n";
}

std::string shape_text(const Graph& graph, const Node& node) {
  if (node.outputs.empty()) return "";
  const std::string more = node.outputs.size() > 1 ? " …" : "";
  return to_string(graph.value(node.outputs[0]).shape()) + more;
}

std::string box_markup(const Graph& graph, const Node& node, const Point& corner) {
  const char* kind = call_of(node) != nullptr ? "call" : is_view(node) ? "view" : "source";
  const std::string name = node.outputs.empty() ? "" : graph.value(node.outputs[0]).name();
  // A call's name says the operator's; what calls none has room for it.
  const std::string op(node.op->name());
  const std::string title = name.empty() ? op : name;
  const std::string below = call_of(node) != nullptr ? std::string(detail::call_name(node))
                            : name.empty()           ? kind
                                                     : op;
  return fmt::format(
      "<div class=\"node {} {}\" id=\"n{}\" data-node=\"{}\" tabindex=\"0\" role=\"button\" "
      "style=\"left:{}px;top:{}px\"><div class=\"line\"><b class=\"what\">{}</b>"
      "<span class=\"shape\">{}</span></div><div class=\"line\"><code>{}</code></div>"
      "<div class=\"line\"><span class=\"value\"></span>"
      "<span class=\"time\"></span></div></div>\n",
      to_string(node.pass), kind, node.id, node.id, coordinate(corner.first + kMargin),
      coordinate(corner.second + kMargin + kHeading), xml_escape(title),
      xml_escape(shape_text(graph, node)), xml_escape(below));
}

}  // namespace

std::string graph_markup(const Recording& recording) {
  const std::vector<Block> blocks = blocks_of(recording);
  const Layout layout = lay_out(blocks);
  std::string text = fmt::format("<div id=\"graph\" style=\"width:{}px;height:{}px\">\n",
                                 coordinate(layout.width + 2 * kMargin),
                                 coordinate(layout.height + kHeading + 2 * kMargin));
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (layout.lanes[lane].width == 0) continue;
    text += fmt::format("<div class=\"lane {}\" style=\"left:{}px;width:{}px\">{}</div>\n",
                        to_string(static_cast<Pass>(lane)),
                        coordinate(layout.lanes[lane].left + kMargin - 12),
                        coordinate(layout.lanes[lane].width + 24), kHeadings[lane]);
  }
  text += lines_markup(recording, layout);
  for (std::size_t id = 0; id < blocks.size(); ++id) {
    text += box_markup(recording.graph, recording.graph.node(static_cast<NodeId>(id)),
                       layout.corners[id]);
  }
  return text + "</div>\n";
}

std::string times_markup(const Recording& recording) {
  if (!recording.profile) return "";
  constexpr std::size_t kRows = 20;
  std::vector<const Profile::Entry*> longest;
  for (const Profile::Entry& entry : recording.profile->nodes) longest.push_back(&entry);
  std::ranges::stable_sort(
      longest, [](const auto* a, const auto* b) { return a->duration_us > b->duration_us; });
  const double total = std::max(recording.profile->total_us(), 1e-9);
  const std::size_t count = std::min(longest.size(), kRows);
  std::string text = fmt::format(
      "<section id=\"times\"><h2>Time per node</h2><p class=\"faint\">{} in all, {}. Nodes ran one "
      "by one and were waited for, so launching and waiting count.</p>\n<div class=\"strip\">",
      page::duration_text(total),
      count < longest.size() ? fmt::format("the {} longest of {} nodes", count, longest.size())
                             : fmt::format("{} nodes", longest.size()));
  for (const Profile::Entry& entry : recording.profile->nodes) {
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

std::string memory_markup(const Recording& recording) {
  if (!recording.memory) return "";
  const MemoryReport& memory = *recording.memory;
  const auto bytes = [](std::size_t count) { return page::bytes_text(static_cast<double>(count)); };
  std::string text = fmt::format(
      "<section id=\"memory\"><h2>Memory over time</h2><p class=\"faint\">{} of values share an "
      "arena "
      "of {}, {} of it in use at the fullest step, in pieces of 64 B; workspace {}, variables {}. "
      "<span id=\"alive\"></span></p>\n",
      bytes(memory.sum_of_values), bytes(memory.arena_bytes), bytes(memory.lower_bound),
      bytes(memory.workspace_bytes), bytes(memory.variable_bytes));
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
