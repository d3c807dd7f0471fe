// SPDX-License-Identifier: Apache-2.0
#include "agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad::detail {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::string line_at(const std::string& text, std::size_t begin) {
  if (begin >= text.size()) return "nothing more";
  return text.substr(begin, text.find('\n', begin) - begin);
}

// "" when there is no difference.
std::string first_difference(int rank, const std::string& mine, const std::string& first) {
  const auto [here, there] = std::mismatch(mine.begin(), mine.end(), first.begin(), first.end());
  if (here == mine.end() && there == first.end()) return "";
  const auto at = static_cast<std::size_t>(here - mine.begin());
  const std::size_t before = at == 0 ? std::string::npos : mine.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return fmt::format("rank {} has {}, rank 0 has {}", rank, line_at(mine, begin),
                     line_at(first, begin));
}

// What training is about, line by line: the values that gradients are for, then the nodes.
std::vector<std::string> describe(const Graph& graph, const Gradients& gradients, bool nodes) {
  std::vector<std::string> lines;
  for (const auto& [value, gradient] : gradients) {
    lines.push_back(
        fmt::format("gradient of {}: {} {}", value.description(), value.dtype(), value.shape()));
  }
  for (std::size_t id = 0; nodes && id < graph.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    std::string line =
        fmt::format("node {} `{}`({}) of", id, node.op->name(), node.op->attributes());
    for (const ValueId input : node.inputs) line += fmt::format(" %{}", input);
    for (const Value& output : graph.values(node.outputs)) {
      line += fmt::format(", {} {}", output.dtype(), output.shape());
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

void require_agreement(const Communicator& communicator, const std::vector<std::string>& lines) {
  if (communicator.size() == 1) return;
  const std::string text = joined(lines);
  std::uint64_t size = text.size();
  communicator.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  std::string first = text;
  first.resize(size);
  communicator.broadcast(std::as_writable_bytes(std::span(first)));
  std::array<char, 512> mine{};
  first_difference(communicator.rank(), text, first).copy(mine.data(), mine.size() - 1);
  const std::vector<std::byte> all = communicator.all_gather(std::as_bytes(std::span(mine)));
  for (std::size_t at = 0; at < all.size(); at += mine.size()) {
    const char* const difference = reinterpret_cast<const char*>(&all[at]);
    if (*difference == 0) continue;
    throw ValueError(fmt::format("the ranks do not train the same: {}", difference));
  }
}

void start_training(const Communicator& communicator, const Graph& graph,
                    const Gradients& gradients, const std::string& options, bool same_graph) {
  if (communicator.size() == 1) return;
  std::vector<std::string> lines = describe(graph, gradients, same_graph);
  lines.push_back(options);
  require_agreement(communicator, lines);
  std::vector<Variable> variables;
  for (const auto& [value, gradient] : gradients) {
    if (const Variable* variable = value.variable()) variables.push_back(*variable);
  }
  communicator.broadcast(variables);
}

}  // namespace aclgrad::detail
