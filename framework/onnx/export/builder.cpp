// SPDX-License-Identifier: Apache-2.0
#include "onnx/export/builder.h"

#include <fmt/format.h>

#include "aclgrad/tensor/to_float.h"

namespace aclgrad::onnx::saving {
namespace {

// What is as large as this is written as it comes: looking for another like it costs more.
constexpr std::size_t kMostShared = 4096;

std::string unique_in(std::unordered_set<std::string>& taken, const std::string& wanted) {
  std::string name = wanted;
  for (int k = 1; !taken.insert(name).second; ++k) name = fmt::format("{}_{}", wanted, k);
  return name;
}

struct SetAttribute {
  proto::AttributeProto& to;
  void operator()(std::int64_t value) const {
    to.set_type(proto::AttributeProto::INT);
    to.set_i(value);
  }
  void operator()(double value) const {
    to.set_type(proto::AttributeProto::FLOAT);
    to.set_f(to_float(value));
  }
  void operator()(const std::string& value) const {
    to.set_type(proto::AttributeProto::STRING);
    to.set_s(value);
  }
  void operator()(const Ints& values) const {
    to.set_type(proto::AttributeProto::INTS);
    for (const std::int64_t value : values) to.add_ints(value);
  }
  void operator()(const std::vector<double>& values) const {
    to.set_type(proto::AttributeProto::FLOATS);
    for (const double value : values) to.add_floats(to_float(value));
  }
};

}  // namespace

std::string Builder::unique(const std::string& wanted) {
  return unique_in(names_, wanted.empty() ? "value" : wanted);
}

void Builder::begin(std::string scope) {
  scope_ = std::move(scope);
  first_ = graph_.node_size();
}

std::vector<std::string> Builder::add(std::string_view op, const std::vector<std::string>& inputs,
                                      const Attributes& attributes, std::size_t outputs) {
  proto::NodeProto& node = *graph_.add_node();
  const std::string name = unique_in(node_names_, fmt::format("{}/{}", scope_, op));
  node.set_name(name);
  node.set_op_type(std::string(op));
  for (const std::string& input : inputs) node.add_input(input);
  for (const auto& [key, value] : attributes) {
    proto::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(std::string(key));
    std::visit(SetAttribute{attribute}, value);
  }
  std::vector<std::string> made;
  for (std::size_t k = 0; k < outputs; ++k) {
    made.push_back(unique(name));
    node.add_output(made.back());
  }
  return made;
}

std::string Builder::initializer(const std::string& name, const Tensor& tensor) {
  std::string kept = unique(name);
  *graph_.add_initializer() = tensor_proto(kept, tensor);
  return kept;
}

std::string Builder::constant(const Tensor& tensor) {
  if (tensor.nbytes() > kMostShared) return initializer("constant", tensor);
  std::string key = fmt::format("{} {} ", to_string(tensor.dtype()), to_string(tensor.shape()));
  key.append(reinterpret_cast<const char*>(tensor.bytes()), tensor.nbytes());
  const auto [place, is_new] = constants_.try_emplace(std::move(key));
  if (is_new) place->second = initializer("constant", tensor);
  return place->second;
}

std::string Builder::rename(const std::string& from, const std::string& wanted) {
  std::string to;
  for (int k = first_; k < graph_.node_size(); ++k) {
    proto::NodeProto& node = *graph_.mutable_node(k);
    for (std::string& input : *node.mutable_input()) {
      if (!to.empty() && input == from) input = to;
    }
    for (std::string& output : *node.mutable_output()) {
      if (output == from) output = to = unique(wanted);
    }
  }
  return to.empty() ? from : to;
}

}  // namespace aclgrad::onnx::saving
