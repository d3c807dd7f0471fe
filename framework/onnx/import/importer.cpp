// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "aclgrad/format.h"
#include "aclgrad/session.h"

namespace aclgrad::onnx {
namespace {

// Loops of a constant count become copies of their body: a file of a few bytes must not become a
// graph without end.
constexpr std::size_t kMostNodes = 200'000;
constexpr std::size_t kMostDepth = 64;
// What is computed while recording may grow from what the file holds by so many elements: a tensor
// at a time, and in all.
constexpr std::int64_t kMostGrowthOfOne = std::int64_t{1} << 26;
constexpr std::int64_t kMostGrowth = std::int64_t{1} << 28;

// Runs what an exception says through its own type.
template <class E>
[[noreturn]] void fail(const std::string& where, const E& error) {
  throw E(where + ": " + error.what());
}

void collect(const Item& item, std::vector<Value>& values) {
  if (const Value* const value = item.value()) values.push_back(*value);
  if (const auto items = item.sequence()) {
    for (const Item& each : *items) collect(each, values);
  }
}

Item known(const Item& item, const Results& results) {
  if (const Value* const value = item.value()) return results[*value];
  const auto items = item.sequence();
  if (items == nullptr) return item;
  Items all;
  for (const Item& each : *items) all.push_back(known(each, results));
  return all;
}

std::int64_t elements_of(const Items& items) {
  std::int64_t sum = 0;
  for (const Item& item : items) {
    if (const auto tensor = item.tensor()) sum += tensor->numel();
    if (const Value* const value = item.value()) sum += value->shape().numel();
    if (const auto inner = item.sequence()) sum += elements_of(*inner);
  }
  return sum;
}

// The attributes of a node in a function that refer to those of the call.
proto::NodeProto with_attributes(const proto::NodeProto& node, const proto::NodeProto& call) {
  proto::NodeProto result = node;
  result.clear_attribute();
  for (const proto::AttributeProto& attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *result.add_attribute() = attribute;
      continue;
    }
    for (const proto::AttributeProto& given : call.attribute()) {
      if (given.name() != attribute.ref_attr_name()) continue;
      *result.add_attribute() = given;
      result.mutable_attribute(result.attribute_size() - 1)->set_name(attribute.name());
    }
  }
  return result;
}

bool refers(const proto::NodeProto& node) {
  for (const proto::AttributeProto& attribute : node.attribute()) {
    if (!attribute.ref_attr_name().empty()) return true;
  }
  return false;
}

}  // namespace

std::int64_t standard_opset(
    const google::protobuf::RepeatedPtrField<proto::OperatorSetIdProto>& imports) {
  for (const proto::OperatorSetIdProto& each : imports) {
    if (is_standard(each.domain())) return each.version();
  }
  return 1;
}

bool is_standard(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

std::string label(const proto::NodeProto& node, std::int64_t opset) {
  const std::string& name =
      node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
  return fmt::format("node `{}` ({}{}{}, opset {})", name, node.domain(),
                     node.domain().empty() ? "" : ".", node.op_type(), opset);
}

Importer::Importer(const Model::Data& model, Recording& recording)
    : model_(model), recording_(recording) {}

const Item* Importer::Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
    const auto found = scope->items.find(name);
    if (found != scope->items.end()) return &found->second;
  }
  return nullptr;
}

Items Importer::run(Names named) {
  Scope scope{nullptr, std::move(named), model_.opset};
  return run_graph(model_.proto.graph(), scope);
}

// A graph counts as a node, so that one without nodes has an end, too.
void Importer::count_node() {
  if (++nodes_ > kMostNodes) {
    throw ValueError(
        fmt::format("the model has more than {} nodes, with loops unrolled", kMostNodes));
  }
}

Items Importer::run_graph(const proto::GraphProto& graph, Scope& scope) {
  count_node();
  for (const proto::TensorProto& tensor : graph.initializer()) {
    if (scope.items.contains(tensor.name())) continue;  // given, or of the whole model
    scope.items[tensor.name()] = tensor_of(tensor, model_.folder);
  }
  for (const proto::NodeProto& node : graph.node()) run_node(node, scope);
  Items outputs;
  for (const proto::ValueInfoProto& output : graph.output()) {
    const Item* const found = scope.find(output.name());
    if (found == nullptr) {
      throw ValueError(fmt::format("no node makes the output `{}`", output.name()));
    }
    outputs.push_back(*found);
  }
  return outputs;
}

Items Importer::inputs_of(const proto::NodeProto& node, const Scope& scope) const {
  Items inputs;
  for (const std::string& name : node.input()) {
    if (name.empty()) {
      inputs.emplace_back();
      continue;
    }
    const Item* const found = scope.find(name);
    if (found == nullptr) {
      throw ValueError(fmt::format("the input `{}` is made by no node before it", name));
    }
    inputs.push_back(*found);
  }
  return inputs;
}

void Importer::run_node(const proto::NodeProto& node, Scope& scope) {
  count_node();
  const std::string where = label(node, scope.opset);
  Items outputs;
  try {
    Items inputs = inputs_of(node, scope);
    const auto function = model_.functions.find({node.domain(), node.op_type()});
    if (function != model_.functions.end()) {
      outputs = call_function(*function->second, node, std::move(inputs));
    } else {
      const Operator* const op =
          is_standard(node.domain()) ? find_operator(node.op_type()) : nullptr;
      if (op == nullptr) throw ValueError("there is no such operator here");
      outputs = record(node, *op, std::move(inputs), scope);
    }
    if (outputs.size() < static_cast<std::size_t>(node.output_size())) {
      for (std::size_t i = outputs.size(); i < static_cast<std::size_t>(node.output_size()); ++i) {
        if (node.output(static_cast<int>(i)).empty()) continue;
        throw ValueError(fmt::format("there is no output {} here", i));
      }
    }
  } catch (const NotConstantError&) {
    throw;
  } catch (const NotKnown& input) {
    const std::string& name = node.input(static_cast<int>(input.input));
    std::vector<std::string> from = origins(name);
    const std::string what = fmt::format(
        "{}: its input `{}` ({}) must be known when the node is recorded, but follows "
        "from values of the graph; give a Tensor for {}",
        where, name, input.why, fmt::join(from, ", "));
    throw NotConstantError(what, std::move(from));
  } catch (const ShapeError& error) {
    fail(where, error);
  } catch (const DTypeError& error) {
    fail(where, error);
  } catch (const ValueError& error) {
    fail(where, error);
  }
  for (int i = 0; i < node.output_size() && static_cast<std::size_t>(i) < outputs.size(); ++i) {
    if (node.output(i).empty()) continue;
    Item& output = outputs[static_cast<std::size_t>(i)];
    if (const Value* const value = output.value(); value != nullptr && value->name().empty()) {
      value->named(node.output(i));
    }
    scope.items[node.output(i)] = std::move(output);
  }
}

Items Importer::record(const proto::NodeProto& node, const Operator& op, Items inputs,
                       Scope& scope) {
  bool is_known = op.folds;
  for (const Item& input : inputs) is_known = is_known && input.is_known();
  if (is_known) return fold(node, op, std::move(inputs), scope.opset);
  const auto before =
      std::exchange(recording_.subgraph, [&](const proto::GraphProto& graph, Items given) {
        if (given.size() != static_cast<std::size_t>(graph.input_size())) {
          throw ValueError(
              fmt::format("its graph takes {} inputs, got {}", graph.input_size(), given.size()));
        }
        Scope inner{&scope, {}, scope.opset};
        for (std::size_t i = 0; i < given.size(); ++i) {
          inner.items[graph.input(static_cast<int>(i)).name()] = std::move(given[i]);
        }
        return run_graph(graph, inner);
      });
  struct Restore {
    Recording& recording;
    decltype(Recording::subgraph) before;
    ~Restore() { recording.subgraph = std::move(before); }
  } const restore{recording_, before};
  return op.record(NodeCall(node, scope.opset, std::move(inputs), recording_));
}

// What follows from known tensors is computed at once, by the same nodes in a graph of their own.
Items Importer::fold(const proto::NodeProto& node, const Operator& op, Items inputs,
                     std::int64_t opset) {
  Graph graph(Mode::evaluation);
  Recording recording{graph};
  const std::int64_t given = elements_of(inputs);
  Items outputs = op.record(NodeCall(node, opset, std::move(inputs), recording));
  for (std::size_t id = 0; id < graph.value_count(); ++id) {
    const Shape shape = graph.value(static_cast<ValueId>(id)).shape();
    if (shape.numel() - given > kMostGrowthOfOne) {
      throw ValueError(
          fmt::format("a tensor of {} from {} numbers is too large to be computed while recording",
                      shape, given));
    }
  }
  growth_ += std::max<std::int64_t>(elements_of(outputs) - given, 0);
  if (growth_ > kMostGrowth) {
    throw ValueError(fmt::format(
        "constants grow to {} numbers more than the file holds: too many to be computed", growth_));
  }
  std::vector<Value> values;
  for (const Item& output : outputs) collect(output, values);
  if (values.empty()) return outputs;
  Session session(graph, {values.begin(), values.end()}, {.replay = false});
  const Results results = session.run();
  for (Item& output : outputs) output = known(output, results);
  return outputs;
}

Items Importer::call_function(const proto::FunctionProto& function, const proto::NodeProto& node,
                              Items inputs) {
  if (++depth_ > kMostDepth) throw ValueError("functions call each other without end");
  if (inputs.size() > static_cast<std::size_t>(function.input_size())) {
    throw ValueError(
        fmt::format("the function takes {} inputs, got {}", function.input_size(), inputs.size()));
  }
  Scope scope{nullptr, {}, standard_opset(function.opset_import())};
  for (int i = 0; i < function.input_size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    scope.items[function.input(i)] = at < inputs.size() ? inputs[at] : Item();
  }
  for (const proto::NodeProto& inner : function.node()) {
    run_node(refers(inner) ? with_attributes(inner, node) : inner, scope);
  }
  Items outputs;
  for (const std::string& output : function.output()) {
    const Item* const found = scope.find(output);
    if (found == nullptr) throw ValueError(fmt::format("no node makes `{}`", output));
    outputs.push_back(*found);
  }
  --depth_;
  return outputs;
}

// The inputs of the model that a name of its graph follows from: all of them, for a name of a graph
// within it.
std::vector<std::string> Importer::origins(const std::string& name) const {
  std::map<std::string, const proto::NodeProto*> makers;
  for (const proto::NodeProto& node : model_.proto.graph().node()) {
    for (const std::string& output : node.output()) makers[output] = &node;
  }
  std::set<std::string> inputs, found, seen;
  for (const Port& port : model_.inputs) inputs.insert(port.name);
  std::vector<std::string> open = {name};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    if (!seen.insert(next).second) continue;
    if (inputs.contains(next)) found.insert(next);
    const auto maker = makers.find(next);
    if (maker == makers.end()) continue;
    open.insert(open.end(), maker->second->input().begin(), maker->second->input().end());
  }
  if (found.empty()) found = inputs;
  return {found.begin(), found.end()};
}

}  // namespace aclgrad::onnx
