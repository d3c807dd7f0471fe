// SPDX-License-Identifier: Apache-2.0
// A model as its file has it: what of it becomes parameters, buffers and constants, and whether
// there is an operator for every node.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "onnx/import/importer.h"
#include "onnx/model_file.h"

namespace aclgrad::onnx {
namespace {

// A part of the model that holds variables under a name of the file.
struct Part : Module {
  explicit Part(const Name& name) : Module(name) {}
  explicit Part(const Module& module) : Module(module) {}
  using Module::buffer;
  using Module::child;
  using Module::generator;
  using Module::parameter;
};

// What no variable may have in its name is for what training keeps beside them.
std::string allowed(std::string name) {
  std::ranges::replace(name, Variable::kMark, '_');
  return name;
}

// The parts of a model by their paths, in the order in which they were asked for.
class Parts {
 public:
  explicit Parts(const Module& model) : model_(model) {}

  // The part of `conv1.weight` or `conv1/weight`, which is `conv1`, and what is left, `weight`.
  std::pair<Part, std::string> place(const std::string& given) {
    std::string name = allowed(given);
    const std::size_t end = name.find_last_of("./");
    if (end == std::string::npos || end == 0 || end + 1 == name.size()) return {model_, name};
    return {part(name.substr(0, end)), name.substr(end + 1)};
  }

  Part part(const std::string& path) {
    const auto found = parts_.find(path);
    if (found != parts_.end()) return found->second;
    Part made(model_.child(path));
    parts_.emplace(path, made);
    ordered_.push_back(made);
    return made;
  }

  std::vector<Module> ordered() const { return ordered_; }

 private:
  Part model_;
  std::map<std::string, Part> parts_;
  std::vector<Module> ordered_;
};

// What nodes do with the tensors of the file.
struct Uses {
  std::set<std::string> known, running;
  std::vector<std::string> order;
  std::set<std::string> seen;

  void add(const proto::NodeProto& node) {
    const Operator* const op = is_standard(node.domain()) ? find_operator(node.op_type()) : nullptr;
    for (int i = 0; i < node.input_size(); ++i) {
      if (op != nullptr && i < 32 && (op->known >> i & 1) != 0) known.insert(node.input(i));
      if (op != nullptr && i < 32 && (op->running >> i & 1) != 0) running.insert(node.input(i));
      if (seen.insert(node.input(i)).second) order.push_back(node.input(i));
    }
    for (const proto::AttributeProto& attribute : node.attribute()) {
      if (!attribute.has_g()) continue;
      for (const proto::NodeProto& inner : attribute.g().node()) add(inner);
    }
  }
};

// The operators that there are not, with what helps to find them.
class Missing {
 public:
  void check(const google::protobuf::RepeatedPtrField<proto::NodeProto>& nodes, std::int64_t opset,
             const Functions& functions) {
    for (const proto::NodeProto& node : nodes) {
      const bool is_there =
          functions.contains({node.domain(), node.op_type()}) ||
          (is_standard(node.domain()) && find_operator(node.op_type()) != nullptr);
      if (!is_there) {
        auto& [count, first] =
            found_[node.domain() + (node.domain().empty() ? "" : ".") + node.op_type()];
        if (count++ == 0) first = label(node, opset);
      }
      for (const proto::AttributeProto& attribute : node.attribute()) {
        if (attribute.has_g()) check(attribute.g().node(), opset, functions);
      }
    }
  }

  void throw_if_any(const std::filesystem::path& path, std::int64_t opset) const {
    if (found_.empty()) return;
    std::string text = fmt::format("{}: there are no operators here for", path.string());
    for (const auto& [name, entry] : found_) {
      text += fmt::format("\n  {} (opset {}): {} {}, the first is {}", name, opset, entry.first,
                          entry.first == 1 ? "node" : "nodes", entry.second);
    }
    throw ValueError(text);
  }

 private:
  std::map<std::string, std::pair<std::size_t, std::string>> found_;
};

std::string type_text(const proto::TypeProto& type) {
  if (type.has_tensor_type()) return type_name(type.tensor_type().elem_type());
  if (type.has_sequence_type()) return "sequence of " + type_text(type.sequence_type().elem_type());
  if (type.has_optional_type()) return "optional " + type_text(type.optional_type().elem_type());
  if (type.has_map_type()) return "map";
  if (type.has_sparse_tensor_type()) return "sparse tensor";
  return "unknown";
}

Port port_of(const proto::ValueInfoProto& info) {
  Port port{info.name(), std::nullopt, type_text(info.type()), std::nullopt};
  if (!info.type().has_tensor_type()) return port;
  port.dtype = dtype_of(info.type().tensor_type().elem_type());
  if (!info.type().tensor_type().has_shape()) return port;
  port.dims.emplace();
  for (const auto& dim : info.type().tensor_type().shape().dim()) {
    port.dims->push_back(dim.has_dim_value() ? dim.dim_value() : -1);
  }
  return port;
}

bool is_parameter(const Tensor& tensor, const std::string& name, const Uses& uses) {
  return is_floating(tensor.dtype()) && tensor.rank() > 0 && tensor.numel() > 0 &&
         uses.seen.contains(name) && !uses.known.contains(name);
}

}  // namespace

Model load(const std::filesystem::path& path) {
  auto data = std::make_shared<Model::Data>();
  ModelFile file(path);
  data->proto = std::move(file.model());
  data->folder = path.parent_path();
  data->opset = standard_opset(data->proto.opset_import());
  const proto::GraphProto& graph = data->proto.graph();
  for (const proto::FunctionProto& function : data->proto.functions()) {
    data->functions[{function.domain(), function.name()}] = &function;
  }
  Missing missing;
  missing.check(graph.node(), data->opset, data->functions);
  for (const proto::FunctionProto& function : data->proto.functions()) {
    missing.check(function.node(), standard_opset(function.opset_import()), data->functions);
  }
  missing.throw_if_any(path, data->opset);
  if (graph.sparse_initializer_size() != 0) {
    throw ValueError(path.string() + ": sparse tensors are not supported");
  }

  Uses uses;
  for (const proto::NodeProto& node : graph.node()) uses.add(node);
  std::map<std::string, const Initializer*> initializers;
  for (const Initializer& each : file.initializers()) initializers[each.tensor.name()] = &each;
  for (const proto::ValueInfoProto& input : graph.input()) {
    if (!initializers.contains(input.name())) data->inputs.push_back(port_of(input));
  }
  for (const proto::ValueInfoProto& output : graph.output()) {
    data->outputs.push_back(port_of(output));
    if (uses.seen.insert(output.name()).second) uses.order.push_back(output.name());
  }

  Model model({}, data);
  Parts parts(model);
  for (const std::string& name : uses.order) {
    const auto found = initializers.find(name);
    if (found == initializers.end()) continue;
    Tensor tensor = file.read(*found->second);
    if (!is_parameter(tensor, name, uses)) {
      data->tensors[name] = std::make_shared<const Tensor>(std::move(tensor));
      continue;
    }
    const auto [part, rest] = parts.place(name);
    data->variables[name] = model.variables_.size();
    model.variables_.push_back(uses.running.contains(name) ? part.buffer(rest, tensor)
                                                           : part.parameter(rest, tensor));
  }
  std::size_t drawing = 0;
  for (const proto::NodeProto& node : graph.node()) {
    if (node.op_type() != "Dropout" || node.output_size() == 0) continue;
    const std::string& name = node.name().empty() ? node.output(0) : node.name();
    data->generators[name] = model.generators_.size();
    model.generators_.push_back(Part(model).generator(fmt::format("dropout{}.draws", drawing++)));
  }
  model.parts_ = parts.ordered();
  return model;
}

}  // namespace aclgrad::onnx
