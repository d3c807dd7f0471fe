// SPDX-License-Identifier: Apache-2.0
#include "aclgrad_contract/operator.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace aclgrad::contract {
namespace {

[[noreturn]] void has_no(const Operator& op, std::string_view name) {
  throw std::invalid_argument(op.name + " has no " + std::string(name) + " of that kind");
}

// The number of an attribute, as the operator sees it; none for tensors and arrays.
struct NumberOf {
  std::optional<Number> operator()(const ScalarSpec& spec) const {
    if (spec.dtype == ACL_FLOAT) return static_cast<float>(spec.value);
    return spec.value;
  }
  std::optional<Number> operator()(const WordSpec& spec) const {
    return static_cast<Number>(spec.chosen);
  }
  std::optional<Number> operator()(int64_t value) const { return static_cast<Number>(value); }
  std::optional<Number> operator()(double value) const { return value; }
  std::optional<Number> operator()(bool value) const { return value ? 1 : 0; }
  template <class Other>
  std::optional<Number> operator()(const Other&) const {
    return std::nullopt;
  }
};

struct Set {
  ParameterSpec& spec;

  void operator()(double value) const {
    if (auto* scalar = std::get_if<ScalarSpec>(&spec)) {
      scalar->value = value;
    } else if (auto* word = std::get_if<WordSpec>(&spec)) {
      word->chosen = static_cast<size_t>(value);
    } else if (auto* integer = std::get_if<int64_t>(&spec)) {
      *integer = static_cast<int64_t>(value);
    } else if (auto* flag = std::get_if<bool>(&spec)) {
      *flag = value != 0;
    } else {
      std::get<double>(spec) = value;
    }
  }
  void operator()(const Shape& values) const {
    if (auto* tensor = std::get_if<TensorSpec>(&spec)) {
      tensor->shape = values;
      tensor->optional = false;
    } else if (auto* sizes = std::get_if<SizesSpec>(&spec)) {
      sizes->sizes = values;
    } else if (auto* flags = std::get_if<BoolsSpec>(&spec)) {
      flags->values.assign(values.begin(), values.end());
    } else {
      std::get<Shape>(spec) = values;
    }
  }
  void operator()(aclDataType dtype) const { std::get<TensorSpec>(spec).dtype = dtype; }
};

struct Print {
  std::ostream& text;
  const ParameterSpec& spec;

  void operator()(double value) const {
    if (std::holds_alternative<bool>(spec)) {
      text << (value != 0 ? "true" : "false");
    } else if (const auto* word = std::get_if<WordSpec>(&spec)) {
      text << word->words.at(static_cast<size_t>(value));
    } else {
      text << value;
    }
  }
  void operator()(const Shape& values) const {
    text << '[';
    for (size_t i = 0; i < values.size(); ++i) text << (i == 0 ? "" : ", ") << values[i];
    text << ']';
  }
  void operator()(aclDataType dtype) const {
    text << (dtype == ACL_FLOAT ? "FLOAT" : dtype == ACL_INT64 ? "INT64" : "another dtype");
  }
};

}  // namespace

int64_t count_of(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

Arguments::Arguments(const Operator& op, const Sample& sample, const std::optional<Shape>& base)
    : op_(&op), is_gradient_(sample.is_gradient), parameters_(op.parameters) {
  if (base) {
    const std::string& name = op.base.empty() ? op.parameters.front().name : op.base;
    const Shape before = shape(name);
    if (!op.arrange) {
      for (Parameter& each : parameters_) {
        auto* tensor = std::get_if<TensorSpec>(&each.spec);
        if (tensor != nullptr && tensor->shape == before) tensor->shape = *base;
      }
    }
    shape(name) = *base;
  }
  for (const auto& [name, setting] : sample.settings) {
    if (has(name)) set(name, setting);
  }
  if (op.arrange) op.arrange(*this);
  for (const Parameter& each : parameters_) {
    if (const auto number = std::visit(NumberOf(), each.spec)) numbers_.push_back(*number);
  }
}

const ParameterSpec* Arguments::find(std::string_view name) const {
  for (const Parameter& each : parameters_) {
    if (each.name == name) return &each.spec;
  }
  return nullptr;
}

ParameterSpec& Arguments::get(std::string_view name) {
  for (Parameter& each : parameters_) {
    if (each.name == name) return each.spec;
  }
  has_no(*op_, name);
}

bool Arguments::has(std::string_view name) const { return find(name) != nullptr; }

const Shape& Arguments::shape(std::string_view tensor) const {
  const ParameterSpec* found = find(tensor);
  const auto* spec = found == nullptr ? nullptr : std::get_if<TensorSpec>(found);
  if (spec == nullptr) has_no(*op_, tensor);
  return spec->shape;
}

Shape& Arguments::shape(std::string_view tensor) {
  return const_cast<Shape&>(std::as_const(*this).shape(tensor));
}

const Shape& Arguments::array(std::string_view name) const {
  const ParameterSpec* found = find(name);
  if (found != nullptr) {
    if (const auto* sizes = std::get_if<SizesSpec>(found)) return sizes->sizes;
    if (const auto* numbers = std::get_if<Shape>(found)) return *numbers;
  }
  has_no(*op_, name);
}

Shape& Arguments::array(std::string_view name) {
  return const_cast<Shape&>(std::as_const(*this).array(name));
}

Number Arguments::number(std::string_view attribute) const {
  const ParameterSpec* found = find(attribute);
  const auto number = found == nullptr ? std::nullopt : std::visit(NumberOf(), *found);
  if (!number) has_no(*op_, attribute);
  return *number;
}

void Arguments::set(std::string_view attribute, const Setting& setting) {
  std::visit(Set{get(attribute)}, setting);
  settings_.emplace_back(attribute, setting);
}

std::string Arguments::label() const {
  std::ostringstream text;
  for (const auto& [name, setting] : settings_) {
    text << (text.tellp() == 0 ? "" : " ") << name;
    const ParameterSpec& spec = op_->parameter(name).spec;
    const auto* tensor = std::get_if<TensorSpec>(&spec);
    if (tensor != nullptr && tensor->optional && std::holds_alternative<Shape>(setting)) continue;
    text << '=';
    std::visit(Print{text, spec}, setting);
  }
  return text.str();
}

const Parameter& Operator::parameter(std::string_view name_) const {
  for (const Parameter& each : parameters) {
    if (each.name == name_) return each;
  }
  has_no(*this, name_);
}

std::string type_of(const Parameter& parameter) {
  struct TypeOf {
    std::string operator()(const TensorSpec& spec) const {
      return spec.role == Role::kInput ? "const aclTensor*" : "aclTensor*";
    }
    std::string operator()(const ScalarSpec&) const { return "const aclScalar*"; }
    std::string operator()(const Shape&) const { return "const aclIntArray*"; }
    std::string operator()(const SizesSpec&) const { return "const aclIntArray*"; }
    std::string operator()(const BoolsSpec&) const { return "const aclBoolArray*"; }
    std::string operator()(const WordSpec&) const { return "char*"; }
    std::string operator()(int64_t) const { return "int64_t"; }
    std::string operator()(double) const { return "double"; }
    std::string operator()(bool) const { return "bool"; }
    std::string operator()(DtypeUnderTest) const { return "aclDataType"; }
  };
  return parameter.type.empty() ? std::visit(TypeOf(), parameter.spec) : parameter.type;
}

size_t Operator::output() const {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const TensorSpec* tensor = parameters[i].tensor();
    if (tensor != nullptr && tensor->role != Role::kInput) return i;
  }
  has_no(*this, "output");
}

std::vector<Arguments> Operator::arguments(const std::optional<Shape>& base_) const {
  std::vector<Arguments> all;
  for (const Sample& sample : samples) all.emplace_back(*this, sample, base_);
  return all;
}

Arrays results_of(const Arguments& arguments, const Arrays& inputs) {
  const Operator& op = arguments.op();
  if (!op.formula) return op.reference(arguments, inputs);
  Array out{inputs.front().shape, {}};
  std::vector<Number> x(inputs.size());
  for (size_t i = 0; i < inputs.front().values.size(); ++i) {
    for (size_t k = 0; k < inputs.size(); ++k) x[k] = inputs[k].values[i];
    out.values.push_back(op.formula.number(x, arguments.numbers()));
  }
  return {out};
}

Arrays backward_inputs(const Arguments& backward, const Arrays& inputs, const Arrays& outputs,
                       const Array& gradient) {
  const Gradient& derivative = *backward.op().gradient;
  if (derivative.inputs) return derivative.inputs(backward, inputs, outputs, gradient);
  Arrays given = {gradient};
  given.insert(given.end(), inputs.begin(), inputs.end());
  return given;
}

double value_of(const Operator& op) {
  if (op.value) return *op.value;
  const Arguments right(op);
  Arrays inputs;
  for (const Parameter& each : right.parameters()) {
    const TensorSpec* tensor = each.tensor();
    if (tensor == nullptr || tensor->role == Role::kOutput || tensor->optional) continue;
    inputs.push_back(
        {tensor->shape,
         std::vector<Number>(static_cast<size_t>(count_of(tensor->shape)), tensor->fill)});
  }
  return static_cast<double>(results_of(right, inputs)[0].values.at(0));
}

DTypes value_dtypes_of(const Operator& op) {
  DTypes dtypes = op.everywhere;
  dtypes.insert(dtypes.end(), op.from_a2_on.begin(), op.from_a2_on.end());
  std::erase_if(dtypes, [](aclDataType dtype) {
    return dtype == ACL_BOOL || dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
  });
  return dtypes;
}

Shape base_shape_of(const Operator& op, int64_t n) {
  Shape shape = op.base_shape;
  std::replace(shape.begin(), shape.end(), kN, n);
  return shape;
}

}  // namespace aclgrad::contract
