// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals: lists of what names stand for, which no run has.
#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace sequence_nodes {
namespace {

const Items& sequence(const NodeCall& node, std::size_t input) {
  const std::shared_ptr<const Items> items = node.item(input).sequence();
  if (items == nullptr) throw ValueError(fmt::format("input {} is no sequence", input));
  return *items;  // which the call keeps
}

// A place in a sequence; negative ones count from the end. `more` for a place behind the last.
std::size_t place(const NodeCall& node, std::size_t input, std::size_t size, std::size_t more) {
  const auto count = static_cast<std::int64_t>(size);
  auto at = static_cast<std::int64_t>(node.known_number(input, "the place"));
  if (at < 0) at += count;
  if (at < 0 || at >= count + static_cast<std::int64_t>(more)) {
    throw ValueError(fmt::format("there is no place {} in a sequence of {}", at, size));
  }
  return static_cast<std::size_t>(at);
}

// As ONNX has it, a tensor: sequences in sequences could grow without end.
const Item& member(const NodeCall& node, std::size_t input) {
  node.require(node.item(input).sequence() == nullptr, "a sequence has no sequences in it");
  return node.item(input);
}

Items construct(const NodeCall& node) {
  Items items;
  for (std::size_t i = 0; i < node.inputs(); ++i) items.push_back(member(node, i));
  return {Item(std::move(items))};
}

Items empty(const NodeCall&) { return {Item(Items{})}; }

Items at(const NodeCall& node) {
  const Items& items = sequence(node, 0);
  return {items[place(node, 1, items.size(), 0)]};
}

Items insert(const NodeCall& node) {
  Items items = sequence(node, 0);
  const std::size_t before = node.has(2) ? place(node, 2, items.size(), 1) : items.size();
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(before), member(node, 1));
  return {Item(std::move(items))};
}

Items erase(const NodeCall& node) {
  Items items = sequence(node, 0);
  if (items.empty()) throw ValueError("the sequence is empty");
  const std::size_t gone = node.has(1) ? place(node, 1, items.size(), 0) : items.size() - 1;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(gone));
  return {Item(std::move(items))};
}

Items length(const NodeCall& node) {
  const auto count = static_cast<double>(sequence(node, 0).size());
  return {Tensor::scalar(count, DType::int64)};
}

Items concatenate(const NodeCall& node) {
  std::vector<Value> values;
  for (const Item& item : sequence(node, 0)) values.push_back(node.as_value(item));
  const std::int64_t axis = node.integer("axis");
  return {node.integer("new_axis", 0) != 0 ? stack(values, axis) : cat(values, axis)};
}

// Parts of one size, of known sizes, or of 1, whose axis goes unless it is to stay.
Items split_to_sequence(const NodeCall& node) {
  const Value x = node.value(0);
  const std::int64_t axis = axis_of(node.integer("axis", 0), x.shape());
  std::vector<Value> parts;
  if (!node.has(1)) {
    parts = split(x, std::int64_t{1}, axis);
  } else if (node.shape(1).rank() == 0) {
    parts = split(x, static_cast<std::int64_t>(node.known_number(1, "the size")), axis);
  } else {
    parts = split(x, node.known_numbers(1, "the sizes"), axis);
  }
  Items items;
  for (Value part : parts) {
    if (!node.has(1) && node.integer("keepdims", 1) == 0) {
      Dims dims = part.shape().dims();
      dims.erase(dims.begin() + axis);
      part = reshape(part, dims);
    }
    items.emplace_back(part);
  }
  return {Item(std::move(items))};
}

// Its graph for each element of the first sequence, beside those of the others and all of a tensor.
Items map(const NodeCall& node) {
  const Items& first = sequence(node, 0);
  std::vector<Items> collected(node.outputs());
  for (std::size_t i = 0; i < first.size(); ++i) {
    Items inputs = {first[i]};
    for (std::size_t k = 1; k < node.inputs(); ++k) {
      const std::shared_ptr<const Items> items = node.item(k).sequence();
      if (items != nullptr && items->size() != first.size()) {
        throw ValueError("the sequences differ in length");
      }
      inputs.push_back(items == nullptr ? node.item(k) : (*items)[i]);
    }
    const Items outputs = node.run(node.subgraph("body"), std::move(inputs));
    for (std::size_t k = 0; k < collected.size() && k < outputs.size(); ++k) {
      collected[k].push_back(outputs[k]);
    }
  }
  Items outputs;
  for (Items& items : collected) outputs.emplace_back(std::move(items));
  return outputs;
}

Items optional(const NodeCall& node) { return {node.has(0) ? node.item(0) : Item()}; }

Items has_element(const NodeCall& node) {
  return {Tensor::scalar(node.has(0) ? 1 : 0, DType::boolean)};
}

constexpr Operator kOperators[] = {
    {"ConcatFromSequence", concatenate},
    {"Optional", optional},
    {"OptionalGetElement", optional},
    {"OptionalHasElement", has_element},
    {"SequenceAt", at, 0b10},
    {"SequenceConstruct", construct},
    {"SequenceEmpty", empty},
    {"SequenceErase", erase, 0b10},
    {"SequenceInsert", insert, 0b100},
    {"SequenceLength", length},
    {"SequenceMap", map, 0, 0, false},
    {"SplitToSequence", split_to_sequence, 0b10},
};

}  // namespace
}  // namespace sequence_nodes

std::span<const Operator> sequence_operators() { return sequence_nodes::kOperators; }

}  // namespace aclgrad::onnx
