// SPDX-License-Identifier: Apache-2.0
#include "viz/graph_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "graph/describe.h"

namespace aclgrad::viz {
namespace {

using nlohmann::json;

// The signs of what is no number, and of 0, say nothing to a reader.
double plain_sign(double value) {
  if (std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
  return value == 0 ? 0 : value;
}

std::string short_number(double value) { return fmt::format("{:.4g}", plain_sign(value)); }

// For the small box of a node: a few elements, or where they lie.
std::string short_text(const Tensor& tensor, double low, double high) {
  constexpr std::int64_t kFew = 4;
  constexpr std::size_t kRoom = 20;
  if (tensor.numel() == 1) return fmt::format("{:g}", plain_sign(tensor.get(0)));
  if (tensor.numel() <= kFew) {
    std::vector<std::string> elements;
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      elements.push_back(short_number(tensor.get(i)));
    }
    const std::string text = fmt::format("{}", fmt::join(elements, ", "));
    if (text.size() <= kRoom || elements.empty()) return "[" + text + "]";
  }
  return low <= high ? fmt::format("{:.2g} … {:.2g}", low, high) : "no finite element";
}

const char* kind_of(const Node& node) {
  if (node.op->as_call() != nullptr) return "call";
  return node.op->kind() == OpKind::view ? "view" : "source";
}

json node_data(const Node& node, std::int32_t position, const std::string& module) {
  json data = {{"op", node.op->name()},
               {"call", detail::call_name(node)},
               {"attributes", node.op->attributes()},
               {"where", detail::place(node.where)},
               {"pass", to_string(node.pass)},
               {"kind", kind_of(node)},
               {"inputs", std::vector<ValueId>(node.inputs.begin(), node.inputs.end())},
               {"outputs", std::vector<ValueId>(node.outputs.begin(), node.outputs.end())},
               {"position", position}};
  if (!module.empty()) data["module"] = module;
  if (node.differentiates >= 0) data["of"] = node.differentiates;
  return data;
}

}  // namespace

std::string base64(const Tensor& tensor) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::span<const std::byte> bytes(tensor.bytes(), tensor.nbytes());
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < count ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= count ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

json tensor_data(const Tensor& tensor, std::int64_t edge, std::int64_t top, std::int64_t left) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double sum = 0;
  std::int64_t zeros = 0;
  std::int64_t not_finite = 0;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const double value = tensor.get(i);
    if (!std::isfinite(value)) {
      ++not_finite;
      continue;
    }
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
    if (value == 0) ++zeros;
  }
  const std::int64_t columns = tensor.rank() == 0 ? 1 : tensor.shape()[-1];
  const std::int64_t rows = columns == 0 ? 0 : tensor.numel() / columns;
  top = std::clamp<std::int64_t>(top, 0, std::max<std::int64_t>(0, rows - edge));
  left = std::clamp<std::int64_t>(left, 0, std::max<std::int64_t>(0, columns - edge));
  json cells = json::array();
  for (std::int64_t row = top; row < std::min(rows, top + edge); ++row) {
    json line = json::array();
    for (std::int64_t column = left; column < std::min(columns, left + edge); ++column) {
      // As text: JSON has no NaN and no infinity.
      line.push_back(short_number(tensor.get(row * columns + column)));
    }
    cells.push_back(std::move(line));
  }
  json summary = {{"shape", tensor.shape().dims()},
                  {"rows", rows},
                  {"columns", columns},
                  {"edge", edge},
                  {"cells", std::move(cells)},
                  {"zeros", zeros},
                  {"not_finite", not_finite},
                  {"count", tensor.numel()},
                  {"text", short_text(tensor, low, high)}};
  if (top > 0) summary["row"] = top;
  if (left > 0) summary["column"] = left;
  if (low <= high) {
    summary["low"] = short_number(low);
    summary["high"] = short_number(high);
    summary["mean"] = short_number(sum / static_cast<double>(tensor.numel() - not_finite));
    summary["scale"] = std::max(std::abs(low), std::abs(high));
  }
  return summary;
}

std::size_t GraphView::shown() const { return std::min(graph.size(), options.max_nodes); }

std::vector<std::int32_t> GraphView::positions() const {
  constexpr std::int32_t kNever = -1;
  std::vector<std::int32_t> positions(graph.size(), kNever);
  for (std::size_t i = 0; i < order.size(); ++i) {
    positions[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i) + 1;
  }
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (node.op->as_call() != nullptr) continue;
    positions[id] = 0;
    for (const Value& input : graph.values(node.inputs)) {  // of a view
      const std::int32_t made = positions[static_cast<std::size_t>(input.node().id)];
      positions[id] = made == kNever ? kNever : std::max(positions[id], made);
    }
  }
  positions.resize(shown());
  return positions;
}

void GraphView::keep(ValueId value, const Tensor& tensor) {
  const std::int64_t edge = options.max_elements, count = tensor.numel();
  tensors[value] = tensor_data(tensor, edge);
  elements.erase(value);
  const std::int64_t columns = tensor.rank() == 0 ? 1 : tensor.shape()[-1];
  if ((columns <= edge && count <= edge * columns) || count > options.max_values) return;
  const bool wide = size_of(tensor.dtype()) == 8;
  elements[value] = {count, wide, base64(tensor.to(wide ? DType::float64 : DType::float32))};
  std::int64_t all = 0;
  for (const auto& [id, kept] : elements) all += kept.count;
  while (all > options.max_values) {
    const auto largest =
        std::ranges::max_element(elements, {}, [](const auto& kept) { return kept.second.count; });
    all -= largest->second.count;
    elements.erase(largest);
  }
}

json page_data(const GraphView& view) {
  const Graph& graph = view.graph;
  const std::vector<std::int32_t> positions = view.positions();
  const std::vector<std::string> modules = modules_of(view);
  json nodes = json::array();
  json values = json::object();
  for (std::size_t id = 0; id < positions.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    nodes.push_back(node_data(node, positions[id], modules[id]));
    for (const Value& output : graph.values(node.outputs)) {
      json value = {
          {"name", output.name()}, {"spec", detail::describe_spec(output)}, {"node", node.id}};
      if (const auto found = view.tensors.find(output.id()); found != view.tensors.end()) {
        value["tensor"] = found->second;
        if (const auto all = view.elements.find(output.id()); all != view.elements.end()) {
          value["tensor"]["wide"] = all->second.wide;
          value["tensor"]["all"] = all->second.text;
        }
      }
      values[std::to_string(output.id())] = std::move(value);
    }
  }
  for (const auto& [value, gradient] : view.gradient_of) {
    const std::string value_id = std::to_string(value), gradient_id = std::to_string(gradient);
    if (!values.contains(value_id) || !values.contains(gradient_id)) continue;
    values[value_id]["gradient"] = gradient;
    values[gradient_id]["gradient_of"] = value;
  }
  json data = {{"nodes", std::move(nodes)}, {"values", std::move(values)}, {"order", view.order}};
  if (view.profile) {
    json times = json::object();
    for (const Profile::Entry& entry : view.profile->nodes) {
      times[std::to_string(entry.node)] = entry.duration_us;
    }
    data["times"] = std::move(times);
  }
  if (view.memory) data["live"] = view.memory->live;
  return data;
}

}  // namespace aclgrad::viz
