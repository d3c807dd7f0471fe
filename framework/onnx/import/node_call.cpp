// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/node_call.h"

#include "aclgrad/format.h"

namespace aclgrad::onnx {

std::string NodeCall::name() const {
  if (!node_.name().empty()) return node_.name();
  return node_.output_size() == 0 ? "" : node_.output(0);
}

bool NodeCall::wants(std::size_t output) const {
  return output < outputs() && !node_.output(static_cast<int>(output)).empty();
}

const Item& NodeCall::item(std::size_t input) const {
  if (!has(input)) throw ValueError(fmt::format("input {} is missing", input));
  return inputs_[input];
}

Value NodeCall::as_value(const Item& it) const {
  if (const Value* const value = it.value()) return *value;
  const std::shared_ptr<const Tensor> tensor = it.tensor();
  if (tensor == nullptr) {
    throw ValueError("expected a tensor, got a sequence or nothing");
  }
  auto& [kept, constant] = recording_.uploaded[tensor.get()];
  if (!constant) {
    kept = tensor;  // no other tensor can have its address meanwhile
    constant = recording_.graph.constant(*tensor);
  }
  return constant;
}

std::vector<Value> NodeCall::values() const {
  std::vector<Value> all;
  for (std::size_t i = 0; i < inputs_.size(); ++i) all.push_back(value(i));
  return all;
}

const Shape& NodeCall::shape(std::size_t input) const {
  const Item& it = item(input);
  if (const Value* const value = it.value()) return value->shape();
  if (it.tensor() == nullptr) throw ValueError(fmt::format("input {} is a sequence", input));
  return it.tensor()->shape();
}

DType NodeCall::dtype(std::size_t input) const {
  const Item& it = item(input);
  if (const Value* const value = it.value()) return value->dtype();
  if (it.tensor() == nullptr) throw ValueError(fmt::format("input {} is a sequence", input));
  return it.tensor()->dtype();
}

bool NodeCall::is_known(std::size_t input) const {
  return has(input) && inputs_[input].tensor() != nullptr;
}

const Tensor& NodeCall::known(std::size_t input, std::string_view why) const {
  const std::shared_ptr<const Tensor> tensor = item(input).tensor();
  if (tensor == nullptr) throw NotKnown{input, std::string(why)};
  return *tensor;  // which this call keeps alive
}

Dims NodeCall::known_numbers(std::size_t input, std::string_view why) const {
  const Tensor numbers = known(input, why).to(DType::int64);
  return {numbers.data<std::int64_t>().begin(), numbers.data<std::int64_t>().end()};
}

double NodeCall::known_number(std::size_t input, std::string_view why) const {
  return known(input, why).item();
}

const proto::AttributeProto* NodeCall::find(std::string_view name) const {
  for (const proto::AttributeProto& attribute : node_.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::int64_t NodeCall::integer(std::string_view name, std::int64_t otherwise) const {
  const proto::AttributeProto* const found = find(name);
  return found == nullptr ? otherwise : found->i();
}

std::int64_t NodeCall::integer(std::string_view name) const {
  if (!has_attribute(name)) throw ValueError(fmt::format("the attribute `{}` is missing", name));
  return integer(name, 0);
}

double NodeCall::number(std::string_view name, double otherwise) const {
  const proto::AttributeProto* const found = find(name);
  return found == nullptr ? otherwise : double{found->f()};
}

std::string NodeCall::text(std::string_view name, std::string_view otherwise) const {
  const proto::AttributeProto* const found = find(name);
  return found == nullptr ? std::string(otherwise) : found->s();
}

Dims NodeCall::integers(std::string_view name, Dims otherwise) const {
  const proto::AttributeProto* const found = find(name);
  if (found == nullptr) return otherwise;
  return {found->ints().begin(), found->ints().end()};
}

std::vector<double> NodeCall::numbers(std::string_view name) const {
  const proto::AttributeProto* const found = find(name);
  if (found == nullptr) return {};
  return {found->floats().begin(), found->floats().end()};
}

std::vector<std::string> NodeCall::texts(std::string_view name) const {
  const proto::AttributeProto* const found = find(name);
  if (found == nullptr) return {};
  return {found->strings().begin(), found->strings().end()};
}

std::optional<Tensor> NodeCall::tensor(std::string_view name) const {
  const proto::AttributeProto* const found = find(name);
  if (found == nullptr || !found->has_t()) return std::nullopt;
  if (found->t().data_location() == proto::TensorProto::EXTERNAL) {
    throw ValueError(fmt::format("the tensor `{}` lies in another file", name));
  }
  return tensor_of(found->t());
}

const proto::GraphProto& NodeCall::subgraph(std::string_view name) const {
  const proto::AttributeProto* const found = find(name);
  if (found == nullptr || !found->has_g()) {
    throw ValueError(fmt::format("the graph `{}` is missing", name));
  }
  return found->g();
}

std::optional<Dims> NodeCall::numbers_of(std::string_view attribute, std::size_t input) const {
  if (has_attribute(attribute)) return integers(attribute);
  if (!has(input)) return std::nullopt;
  return known_numbers(input, attribute);
}

}  // namespace aclgrad::onnx
