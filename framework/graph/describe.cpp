// SPDX-License-Identifier: Apache-2.0
#include "graph/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "aclgrad/format.h"

namespace aclgrad {
namespace detail {

std::string place(const std::source_location& where) {
  std::string_view file = where.file_name();
  const std::size_t last = file.find_last_of('/');
  if (last != std::string_view::npos && last > 0) {
    const std::size_t before = file.find_last_of('/', last - 1);
    if (before != std::string_view::npos) file.remove_prefix(before + 1);
  }
  return fmt::format("{}:{}", file, where.line());
}

std::string node_label(NodeId id, std::string_view op, const std::source_location& where) {
  return fmt::format("node {} `{}` ({})", id, op, place(where));
}

std::string_view call_name(const Node& node) {
  const CallOp* call = node.op->as_call();
  return call != nullptr ? call->call_name() : std::string_view{};
}

std::string describe_spec(const TensorSpec& spec) {
  return fmt::format("{} {}", spec.dtype, spec.shape);
}

std::string describe_spec(const Value& value) {
  return describe_spec(TensorSpec{value.shape(), value.dtype()});
}

}  // namespace detail

std::string label(const Node& node) {
  return detail::node_label(node.id, node.op->name(), node.where);
}

std::string to_string(Pass pass) {
  constexpr std::array kNames = {"forward", "backward", "update"};
  return kNames.at(static_cast<std::size_t>(pass));
}

std::string Graph::to_string() const {
  using Row = std::array<std::string, 7>;
  std::vector<Row> rows = {{"node", "op", "call", "inputs", "outputs", "pass", "recorded at"}};
  for (std::size_t id = 0; id < size(); ++id) {
    const Node& entry = node(static_cast<NodeId>(id));
    auto list = [this](std::span<const ValueId> ids, bool with_spec) {
      std::string text;
      for (const Value& value : values(ids)) {
        if (!text.empty()) text += ", ";
        text += fmt::format("%{}", value.id());
        if (!value.name().empty()) text += fmt::format(" {}", value.name());
        if (with_spec) text += fmt::format(": {}", detail::describe_spec(value));
      }
      return text;
    };
    std::string op(entry.op->name());
    if (const std::string attributes = entry.op->attributes(); !attributes.empty()) {
      op += fmt::format("({})", attributes);
    }
    rows.push_back({std::to_string(entry.id), op, std::string(detail::call_name(entry)),
                    list(entry.inputs, false), list(entry.outputs, true),
                    aclgrad::to_string(entry.pass), detail::place(entry.where)});
  }
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += fmt::format("{:<{}}", row[i], widths[i] + 2);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace aclgrad
