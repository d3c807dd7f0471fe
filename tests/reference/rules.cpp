// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/session.h"

namespace aclgrad::reference {

Text rule_of(const Words& words) {
  const Record record = record_of(words.operators.front());
  if (!record) return {};
  Graph graph;
  const Recorded recorded = record(graph);
  if (!is_floating(recorded.result.dtype())) return {};
  const Value seed = graph.input("seed", recorded.result.shape(), recorded.result.dtype());
  const std::size_t before = graph.size();
  std::vector<Fetch> gradients;
  try {
    const Gradients all = backward(recorded.result, recorded.inputs, {.seed = seed});
    for (const Value& input : recorded.inputs) gradients.emplace_back(all[input]);
  } catch (const ValueError&) {
    return {};
  }
  std::vector<std::pair<std::string, int>> calls;
  for (std::size_t id = before; id < graph.size(); ++id) {
    const auto* call = dynamic_cast<const AclnnOp*>(graph.node(static_cast<NodeId>(id)).op.get());
    if (call == nullptr) continue;  // a view
    const std::string name(call->call_name());
    const auto same = std::ranges::find(calls, name, &std::pair<std::string, int>::first);
    if (same == calls.end()) {
      calls.emplace_back(name, 1);
    } else {
      ++same->second;
    }
  }
  if (calls.empty()) {
    const std::vector<Value> needed = Session(graph, gradients).inputs();
    const bool passes = std::ranges::find(needed, seed) != needed.end();
    return passes ? Text{"passes through", "直接传递"} : Text{"0", "0"};
  }
  std::string text;
  for (const auto& [name, count] : calls) {
    text += fmt::format("{}`{}`{}", text.empty() ? "" : ", ", name,
                        count > 1 ? fmt::format(" ×{}", count) : "");
  }
  return {text, text};
}

}  // namespace aclgrad::reference
