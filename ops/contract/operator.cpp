// SPDX-License-Identifier: Apache-2.0
#include "aclgrad_contract/operator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "aclgrad_contract/numbers.h"
#include "ops/contract/dense.h"
#include "ops/contract/text.h"

namespace aclgrad::contract {
namespace {

[[noreturn]] void has_no(const Operator& op, std::string_view name) {
  throw std::invalid_argument(op.name() + " has no " + std::string(name) + " of that kind");
}

// The number of an attribute, as the operator sees it; none for tensors and arrays.
struct NumberOf {
  aclDataType tensors;

  std::optional<Number> operator()(const ScalarSpec& spec) const {
    if (spec.dtype == ACL_FLOAT) return static_cast<float>(spec.value);
    if (tensors == ACL_BOOL) return spec.value != 0 ? 1 : 0;
    // Beside BF16 the operators compute in FLOAT.
    const aclDataType held = tensors == ACL_BF16 ? ACL_FLOAT : tensors;
    return is_whole(held) ? Number{spec.value} : rounded(spec.value, held);
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

// A number that the header takes as float is rounded on the way.
std::optional<Number> number_of(const Parameter& parameter, aclDataType tensors) {
  const std::optional<Number> number = std::visit(NumberOf{tensors}, parameter.spec);
  return number && parameter.type == "float" ? static_cast<float>(*number) : number;
}

struct Set {
  ParameterSpec& spec;

  void operator()(double value) const {
    if (auto* tensor = std::get_if<TensorSpec>(&spec)) {
      tensor->fill = value;
      tensor->low = tensor->high = value;
      tensor->elements.clear();
    } else if (auto* scalar = std::get_if<ScalarSpec>(&spec)) {
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
    } else if (auto* numbers = std::get_if<ValuesSpec>(&spec)) {
      numbers->values = values;
      numbers->given = true;
    } else {
      std::get<Shape>(spec) = values;
    }
  }
  void operator()(aclDataType dtype) const {
    if (auto* tensor = std::get_if<TensorSpec>(&spec)) {
      tensor->dtype = dtype;
    } else {
      std::get<DtypeSpec>(spec).dtype = dtype;
    }
  }
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
    const bool is_shape = std::holds_alternative<TensorSpec>(spec);
    for (size_t i = 0; i < values.size(); ++i) {
      text << (i == 0 ? "" : ", ");
      if (is_shape && values[i] == kN) {
        text << 'n';
      } else {
        text << values[i];
      }
    }
    text << ']';
  }
  void operator()(aclDataType dtype) const { text << label_of(dtype); }
};

// The size that stands for kN in a base of this shape; that of small tests where there is none.
int64_t size_in(const Operator& op, const std::optional<Shape>& base) {
  const auto place = std::ranges::find(op.domain.base_shape, kN);
  if (!base || base->size() != op.domain.base_shape.size() || place == op.domain.base_shape.end())
    return 2;
  return (*base)[static_cast<size_t>(place - op.domain.base_shape.begin())];
}

}  // namespace

aclFormat format_of(size_t rank) {
  switch (rank) {
    case 3:
      return ACL_FORMAT_NCL;
    case 4:
      return ACL_FORMAT_NCHW;
    case 5:
      return ACL_FORMAT_NCDHW;
    default:
      return ACL_FORMAT_ND;
  }
}

Arguments::Arguments(std::shared_ptr<const Operator> shared, const Sample& sample,
                     const std::optional<Shape>& base)
    : op_(std::move(shared)), is_gradient_(sample.is_gradient), parameters_(op_->call.parameters) {
  const Operator& op = *op_;
  if (base) {
    const std::string& name =
        op.domain.base.empty() ? op.call.parameters.front().name : op.domain.base;
    const Shape before = shape(name);
    if (!op.domain.arrange) {
      for (Parameter& each : parameters_) {
        auto* tensor = std::get_if<TensorSpec>(&each.spec);
        if (tensor != nullptr && tensor->shape == before) tensor->shape = *base;
      }
    }
    shape(name) = *base;
  }
  for (const auto& [name, setting] : sample.settings) {
    if (!has(name)) continue;
    set(name, setting);
    auto* tensor = std::get_if<TensorSpec>(&get(name));
    if (tensor != nullptr) std::ranges::replace(tensor->shape, kN, size_in(op, base));
  }
  if (op.domain.arrange) op.domain.arrange(*this);
  number_attributes();
}

void Arguments::number_attributes() {
  numbers_.clear();
  for (const Parameter& each : parameters_) {
    if (const auto number = number_of(each, dtype_)) numbers_.push_back(*number);
  }
}

Arguments Arguments::in(aclDataType dtype) const {
  Arguments other = *this;
  other.dtype_ = dtype;
  other.number_attributes();
  return other;
}

Arguments Arguments::of_shape(const Shape& shape) const {
  Arguments other = *this;
  for (Parameter& each : other.parameters_) {
    if (auto* tensor = std::get_if<TensorSpec>(&each.spec)) tensor->shape = shape;
  }
  return other;
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
    if (const auto* values = std::get_if<ValuesSpec>(found)) return values->values;
  }
  has_no(*op_, name);
}

Shape& Arguments::array(std::string_view name) {
  return const_cast<Shape&>(std::as_const(*this).array(name));
}

TensorSpec& Arguments::tensor(std::string_view name) {
  auto* spec = std::get_if<TensorSpec>(&get(name));
  if (spec == nullptr) has_no(*op_, name);
  return *spec;
}

std::optional<aclDataType> Arguments::dtype_of(std::string_view name) const {
  const ParameterSpec* found = find(name);
  if (found != nullptr) {
    if (const auto* spec = std::get_if<TensorSpec>(found)) return spec->dtype;
    if (const auto* spec = std::get_if<DtypeSpec>(found)) return spec->dtype;
  }
  has_no(*op_, name);
}

bool Arguments::is_set(std::string_view name) const {
  return std::ranges::any_of(settings_, [&](const auto& each) { return each.first == name; });
}

Number Arguments::number(std::string_view attribute) const {
  for (const Parameter& each : parameters_) {
    if (each.name != attribute) continue;
    if (const auto number = number_of(each, dtype_)) return *number;
  }
  has_no(*op_, attribute);
}

void Arguments::set(std::string_view attribute, const Setting& setting) {
  std::visit(Set{get(attribute)}, setting);
  settings_.emplace_back(attribute, setting);
}

void Arguments::reshape(std::initializer_list<std::string_view> tensors, const Shape& shape) {
  for (Parameter& each : parameters_) {
    if (std::ranges::count(tensors, each.name) > 0) std::get<TensorSpec>(each.spec).shape = shape;
  }
}

std::string Arguments::label() const {
  std::ostringstream text = plain_stream();
  for (const auto& [name, setting] : settings_) {
    text << (text.tellp() == 0 ? "" : " ") << name;
    const ParameterSpec& spec = op_->parameter(name).spec;
    const auto* tensor = std::get_if<TensorSpec>(&spec);
    const Shape* shape = std::get_if<Shape>(&setting);
    if (tensor != nullptr && tensor->optional && shape != nullptr &&
        (shape->empty() || *shape == tensor->shape)) {
      continue;  // it is given
    }
    text << '=';
    std::visit(Print{text, spec}, setting);
  }
  return text.str();
}

aclDataType ScalarSpec::dtype_beside(std::optional<aclDataType> tensors) const {
  if (is_widest) return tensors && is_whole(*tensors) ? ACL_INT64 : ACL_DOUBLE;
  if (!dtype && tensors) return *tensors;
  if (dtype && dtype != ACL_INT64) return *dtype;
  return std::trunc(value) == value ? ACL_INT64 : ACL_DOUBLE;
}

Sets Parameter::option_sets() const {
  if (sets) return *sets;
  if (std::holds_alternative<bool>(spec)) return Sets::kFlag;
  if (std::holds_alternative<Shape>(spec)) return Sets::kList;
  if (std::holds_alternative<ValuesSpec>(spec)) return Sets::kList;
  if (std::holds_alternative<DtypeSpec>(spec)) return Sets::kDtype;
  const bool has_number = std::visit(NumberOf{ACL_DOUBLE}, spec).has_value();
  return has_number ? Sets::kNumber : Sets::kNothing;
}

bool has_free_dtype(const Operator& op) {
  return std::ranges::any_of(op.call.parameters, [](const Parameter& each) {
    if (const TensorSpec* tensor = each.tensor()) return !tensor->dtype;
    const auto* scalar = std::get_if<ScalarSpec>(&each.spec);
    const auto* dtype = std::get_if<DtypeSpec>(&each.spec);
    return (scalar != nullptr && !scalar->dtype) || (dtype != nullptr && !dtype->dtype);
  });
}

const Parameter& Operator::parameter(std::string_view name) const {
  for (const Parameter& each : call.parameters) {
    if (each.name == name) return each;
  }
  has_no(*this, name);
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
    std::string operator()(const ValuesSpec&) const { return "const aclIntArray*"; }
    std::string operator()(const WordSpec&) const { return "char*"; }
    std::string operator()(int64_t) const { return "int64_t"; }
    std::string operator()(double) const { return "double"; }
    std::string operator()(bool) const { return "bool"; }
    std::string operator()(DtypeSpec) const { return "aclDataType"; }
  };
  if (!parameter.list.empty() && parameter.type.empty()) {
    if (parameter.tensor() == nullptr) return "const aclScalarList*";
    return parameter.tensor()->role == Role::kInput ? "const aclTensorList*" : "aclTensorList*";
  }
  return parameter.type.empty() ? std::visit(TypeOf(), parameter.spec) : parameter.type;
}

size_t Operator::output() const {
  for (size_t i = 0; i < call.parameters.size(); ++i) {
    const TensorSpec* tensor = call.parameters[i].tensor();
    if (tensor != nullptr && tensor->role != Role::kInput && !tensor->optional) return i;
  }
  has_no(*this, "output");
}

Arrays results_of(const Arguments& arguments, const Arrays& inputs) {
  const Operator& op = arguments.op();
  if (op.results.reference) return op.results.reference(arguments, inputs);
  Array out;
  for (const Array& each : inputs) out.shape = dense::broadcast_shape(out.shape, each.shape);
  std::vector<Number> x(inputs.size());
  const std::vector<Number>& attributes = arguments.numbers();
  const bool whole =
      std::ranges::all_of(attributes, [](Number each) { return std::trunc(each) == each; });
  const aclDataType held =
      arguments.parameters()[op.output()].tensor()->dtype.value_or(arguments.dtype());
  const aclDataType computed = whole ? arguments.dtype() : ACL_DOUBLE;
  const int64_t count = count_of(out.shape);
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < inputs.size(); ++k) {
      const auto place = static_cast<size_t>(i);
      x[k] = inputs[k].values[inputs[k].shape == out.shape
                                  ? place
                                  : dense::source(inputs[k].shape, out.shape, place)];
    }
    out.values.push_back(converted(op.results.formula.number(x, attributes), computed, held));
  }
  return {out};
}

Bound bound_of(const Arguments& arguments) {
  Bound bound = arguments.op().results.bound;
  if (arguments.op().results.roundings)
    bound.of_float += arguments.op().results.roundings(arguments);
  return bound;
}

Arrays backward_inputs(const Arguments& backward, const Arrays& inputs, const Arrays& outputs,
                       const Array& gradient) {
  const Gradient& derivative = *backward.op().gradient;
  if (derivative.inputs) return derivative.inputs(backward, inputs, outputs, gradient);
  Arrays given = {gradient};
  given.insert(given.end(), inputs.begin(), inputs.end());
  return given;
}

size_t differentiated_result(const Arguments& forward) {
  size_t before = 0;
  for (const Parameter& each : forward.parameters()) {
    const TensorSpec* tensor = each.tensor();
    if (tensor == nullptr || tensor->optional || tensor->role == Role::kInput) continue;
    // A result in a dtype of its own is kept for the backward.
    const bool is_kept = forward.op().parameter(each.name).tensor()->dtype.has_value();
    if (tensor->role == Role::kOutput && !is_kept) return before;
    ++before;
  }
  return 0;  // in place
}

double value_of(const Operator& op, aclDataType dtype) {
  if (op.results.value)
    return static_cast<double>(rounded(*op.results.value, dtype == ACL_BOOL ? dtype : ACL_DOUBLE));
  const Arguments right = Arguments(op).in(dtype);
  Arrays inputs;
  for (const Parameter& each : right.parameters()) {
    const TensorSpec* tensor = each.tensor();
    if (tensor == nullptr || tensor->role == Role::kOutput || tensor->optional) continue;
    inputs.push_back(
        {tensor->shape, std::vector<Number>(static_cast<size_t>(count_of(tensor->shape)),
                                            rounded(tensor->fill, tensor->dtype.value_or(dtype)))});
  }
  return static_cast<double>(results_of(right, inputs)[0].values.at(0));
}

DTypes table_dtypes_of(const Operator& op) {
  DTypes dtypes = op.domain.everywhere;
  dtypes.insert(dtypes.end(), op.domain.from_a2_on.begin(), op.domain.from_a2_on.end());
  return dtypes;
}

DTypes value_dtypes_of(const Arguments& arguments) {
  const Operator& op = arguments.op();
  DTypes dtypes = table_dtypes_of(op);
  std::erase_if(dtypes, [&](aclDataType dtype) {
    if (op.domain.also_refuses && op.domain.also_refuses(arguments, "Ascend910B", dtype))
      return true;
    return op.results.complex == Complex::kUnknown && (dtype == ACL_BOOL || is_complex(dtype));
  });
  return dtypes;
}

namespace {

std::vector<const Parameter*> tensors_of(const Arguments& arguments, bool outputs) {
  std::vector<const Parameter*> tensors;
  for (const Parameter& each : arguments.parameters()) {
    const TensorSpec* tensor = each.tensor();
    if (tensor == nullptr || tensor->optional) continue;
    if ((tensor->role == Role::kOutput) == outputs) tensors.push_back(&each);
  }
  return tensors;
}

}  // namespace

std::vector<const Parameter*> inputs_of(const Arguments& arguments) {
  return tensors_of(arguments, false);
}

std::vector<const Parameter*> outputs_of(const Arguments& arguments) {
  return tensors_of(arguments, true);
}

std::vector<size_t> places_of_tensors(const Arguments& arguments) {
  std::vector<size_t> places;
  for (const bool outputs : {false, true}) {
    for (const Parameter* each : tensors_of(arguments, outputs)) {
      places.push_back(static_cast<size_t>(each - arguments.parameters().data()));
    }
  }
  return places;
}

bool has_one_shape(const Arguments& arguments) {
  const TensorSpec* result = arguments.parameters()[arguments.op().output()].tensor();
  return std::ranges::all_of(arguments.parameters(), [&](const Parameter& each) {
    return each.tensor() == nullptr || each.tensor()->optional ||
           each.tensor()->shape == result->shape;
  });
}

bool is_form_of(const Arguments& form, const Arguments& call) {
  const auto has_all = std::ranges::all_of(
      call.settings(), [&](const auto& setting) { return form.has(setting.first); });
  if (!has_all) return false;
  const TensorSpec* written = form.parameters()[form.op().output()].tensor();
  return written->shape == call.parameters()[call.op().output()].tensor()->shape;
}

Shape base_shape_of(const Operator& op, int64_t n) {
  Shape shape = op.domain.base_shape;
  std::replace(shape.begin(), shape.end(), kN, n);
  return shape;
}

}  // namespace aclgrad::contract
