// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/graph/dot.h"

#include <fmt/format.h>

#include "aclgrad/tensor/plain_text.h"
#include "graph/describe.h"

namespace aclgrad {
namespace {

const char* colour(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return "#cfe2f3";
    case Pass::backward:
      return "#fce5cd";
    case Pass::update:
      return "#d9ead3";
  }
  return "#ffffff";
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : plain_text(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

// The look of a node that does no work of its own.
const char* style(const Node& node) {
  if (node.op->as_call() != nullptr) return "shape=box, style=filled";
  if (node.op->kind() == OpKind::view) return "shape=box, style=\"filled,dashed\"";
  return "shape=ellipse, style=filled";
}

std::string node_line(const Graph& graph, const Node& node) {
  std::string text = escaped(node.op->name());
  if (const CallOp* call = node.op->as_call()) {
    text += "\\n" + escaped(call->call_name());
  }
  if (const std::string attributes = node.op->attributes(); !attributes.empty()) {
    text += "\\n" + escaped(attributes);
  }
  for (const Value& output : graph.values(node.outputs)) {
    if (!output.name().empty()) text += "\\n" + escaped(output.name());
    text += "\\n" + detail::describe_spec(output);
  }
  return fmt::format("  n{} [label=\"{}\", {}, fillcolor=\"{}\"];\n", node.id, text, style(node),
                     colour(node.pass));
}

}  // namespace

std::string to_dot(const Graph& graph) {
  std::string text = "digraph aclgrad {\n  rankdir=TB;\n  node [fontname=\"sans-serif\"];\n";
  for (std::size_t id = 0; id < graph.size(); ++id) {
    text += node_line(graph, graph.node(static_cast<NodeId>(id)));
  }
  for (std::size_t id = 0; id < graph.size(); ++id) {
    for (const Value& input : graph.values(graph.node(static_cast<NodeId>(id)).inputs)) {
      text += fmt::format("  n{} -> n{} [label=\"{}\"];\n", input.node().id, id,
                          detail::describe_spec(input));
    }
  }
  return text + "}\n";
}

}  // namespace aclgrad
