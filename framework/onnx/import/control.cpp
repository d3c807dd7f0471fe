// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan: what of them is known becomes the nodes of what runs.
#include <algorithm>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace control_nodes {
namespace {

// The branch that holds; of a condition that a run decides both, and a choice of their results.
Items if_node(const NodeCall& node) {
  if (node.is_known(0)) {
    const bool holds = node.known_number(0, "the condition") != 0;
    return node.run(node.subgraph(holds ? "then_branch" : "else_branch"), {});
  }
  const Value condition = reshape(node.value(0), Dims{});
  const Items first = node.run(node.subgraph("then_branch"), {});
  const Items second = node.run(node.subgraph("else_branch"), {});
  Items outputs;
  for (std::size_t i = 0; i < first.size() && i < second.size(); ++i) {
    const Value a = node.as_value(first[i]), b = node.as_value(second[i]);
    if (a.shape() != b.shape()) {
      throw ShapeError(
          fmt::format("a run decides between results of {} and {}: a condition that is "
                      "not known needs two of one shape",
                      a.shape(), b.shape()));
    }
    outputs.emplace_back(where(condition, a, b));
  }
  return outputs;
}

// What steps have made, one behind the other along a new axis.
Item stacked(const NodeCall& node, Items steps, std::int64_t axis, bool reversed) {
  if (steps.empty()) throw ShapeError("a loop of no steps has no results to put together");
  if (reversed) std::ranges::reverse(steps);
  std::vector<Value> values;
  for (const Item& step : steps) values.push_back(node.as_value(step));
  const auto rank = static_cast<std::int64_t>(values[0].shape().rank()) + 1;
  return stack(values, axis < 0 ? axis + rank : axis);
}

// Its count and condition must be known, at each step.
Items loop_node(const NodeCall& node) {
  const proto::GraphProto& body = node.subgraph("body");
  const bool counts = node.has(0);
  const auto most = counts ? static_cast<std::int64_t>(node.known_number(0, "the count")) : 0;
  bool goes_on = !node.has(1) || node.known_number(1, "the condition") != 0;
  Items carried;
  for (std::size_t i = 2; i < node.inputs(); ++i) {
    carried.push_back(node.has(i) ? node.item(i) : Item());
  }
  const std::size_t results = node.outputs() - std::min(node.outputs(), carried.size());
  std::vector<Items> collected(results);
  for (std::int64_t step = 0; goes_on && (!counts || step < most); ++step) {
    Items inputs = {Tensor::scalar(static_cast<double>(step), DType::int64),
                    Tensor::scalar(1, DType::boolean)};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    Items outputs = node.run(body, std::move(inputs));
    if (outputs.size() < 1 + carried.size() + results) {
      throw ValueError("the body has fewer outputs than the loop needs");
    }
    const std::shared_ptr<const Tensor> condition = outputs[0].tensor();
    if (condition == nullptr) {
      throw ValueError("whether the loop goes on must be known at each step, but a run decides it");
    }
    goes_on = condition->item() != 0;
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = std::move(outputs[1 + i]);
    for (std::size_t i = 0; i < results; ++i) {
      collected[i].push_back(std::move(outputs[1 + carried.size() + i]));
    }
  }
  Items outputs = carried;
  for (Items& steps : collected) outputs.push_back(stacked(node, std::move(steps), 0, false));
  return outputs;
}

// A number of a list of attributes, or another one where there is no list.
std::int64_t each(const Dims& list, std::size_t i) { return i < list.size() ? list[i] : 0; }

// As many steps as the scanned inputs have elements along their axes.
Items scan_steps(const NodeCall& node, Items states, const std::vector<Value>& scanned,
                 std::size_t results) {
  const proto::GraphProto& body = node.subgraph("body");
  const Dims directions = node.integers(node.opset() < 9 ? "directions" : "scan_input_directions");
  const Dims axes = node.integers("scan_input_axes");
  const Dims output_directions = node.integers("scan_output_directions");
  const Dims output_axes = node.integers("scan_output_axes");
  std::vector<std::int64_t> along;
  for (std::size_t i = 0; i < scanned.size(); ++i) {
    along.push_back(axis_of(each(axes, i), scanned[i].shape()));
  }
  const std::int64_t steps = scanned.empty() ? 0 : scanned[0].shape()[along[0]];
  std::vector<Items> collected(results);
  for (std::int64_t step = 0; step < steps; ++step) {
    Items inputs = states;
    for (std::size_t i = 0; i < scanned.size(); ++i) {
      const std::int64_t at = each(directions, i) != 0 ? steps - 1 - step : step;
      Dims dims = scanned[i].shape().dims();
      dims.erase(dims.begin() + along[i]);
      inputs.emplace_back(reshape(slice(scanned[i], along[i], at, at + 1), dims));
    }
    Items outputs = node.run(body, std::move(inputs));
    if (outputs.size() < states.size() + results) {
      throw ValueError("the body has fewer outputs than the scan needs");
    }
    for (std::size_t i = 0; i < results; ++i) {
      collected[i].push_back(outputs[states.size() + i]);
    }
    outputs.resize(states.size());
    states = std::move(outputs);
  }
  Items outputs = states;
  for (std::size_t i = 0; i < results; ++i) {
    outputs.push_back(stacked(node, std::move(collected[i]), each(output_axes, i),
                              each(output_directions, i) != 0));
  }
  return outputs;
}

// Opset 8 scans each row of a batch by itself; later ones have no batch.
Items scan_node(const NodeCall& node) {
  const auto count = static_cast<std::size_t>(node.integer("num_scan_inputs"));
  const std::size_t first = node.opset() < 9 ? 1 : 0;
  if (node.inputs() < first + count) throw ValueError("Scan has fewer inputs than num_scan_inputs");
  const std::size_t states = node.inputs() - first - count;
  const std::size_t results = node.outputs() - std::min(node.outputs(), states);
  std::vector<Value> scanned;
  for (std::size_t i = 0; i < count; ++i) scanned.push_back(node.value(first + states + i));
  if (first == 0) {
    Items begin;
    for (std::size_t i = 0; i < states; ++i) begin.push_back(node.item(i));
    return scan_steps(node, begin, scanned, results);
  }
  node.require(!node.has(0), "there is no Scan with lengths");
  std::vector<Items> rows(states + results);
  const std::int64_t batch = scanned.empty() ? 0 : scanned[0].shape()[0];
  const auto row_of = [](const Value& x, std::int64_t row) {
    const Dims& dims = x.shape().dims();
    return reshape(slice(x, 0, row, row + 1), Dims(dims.begin() + 1, dims.end()));
  };
  for (std::int64_t row = 0; row < batch; ++row) {
    Items begin;
    std::vector<Value> parts;
    for (std::size_t i = 0; i < states; ++i) begin.emplace_back(row_of(node.value(first + i), row));
    for (const Value& all : scanned) parts.push_back(row_of(all, row));
    Items outputs = scan_steps(node, begin, parts, results);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(std::move(outputs[i]));
  }
  Items outputs;
  for (Items& each_row : rows) outputs.push_back(stacked(node, std::move(each_row), 0, false));
  return outputs;
}

constexpr Operator kOperators[] = {
    {"If", if_node, 0b1, 0, false},
    {"Loop", loop_node, 0b11, 0, false},
    {"Scan", scan_node, 0, 0, false},
};

}  // namespace
}  // namespace control_nodes

std::span<const Operator> control_operators() { return control_nodes::kOperators; }

}  // namespace aclgrad::onnx
