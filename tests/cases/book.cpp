// SPDX-License-Identifier: Apache-2.0
// The operator book as rows of the case table.
#include <dlfcn.h>

#include <stdexcept>

#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

using contract::Arguments;
using contract::Operator;
using contract::Parameter;
using contract::Role;
using contract::TensorSpec;
using contract::Value;

void* find(const std::string& name) {
  void* const found = dlsym(RTLD_DEFAULT, name.c_str());
  if (found == nullptr) throw std::runtime_error("no library has " + name);
  return found;
}

// Makes the arguments of phase one; objects other than tensors live as long as the table.
struct Make {
  aclTensor* tensor;

  Value operator()(const TensorSpec&) const { return tensor; }
  Value operator()(const contract::ScalarSpec& spec) const {
    auto value = static_cast<float>(spec.value);
    return aclCreateScalar(&value, ACL_FLOAT);
  }
  Value operator()(const contract::Shape& values) const {
    return aclCreateIntArray(values.data(), values.size());
  }
  Value operator()(const contract::SizesSpec& spec) const { return (*this)(spec.sizes); }
  Value operator()(const contract::BoolsSpec& spec) const {
    bool values[8] = {};
    std::copy(spec.values.begin(), spec.values.end(), values);
    return aclCreateBoolArray(values, spec.values.size());
  }
  Value operator()(const contract::WordSpec& spec) const {
    return const_cast<char*>(spec.words.at(spec.chosen));
  }
  Value operator()(int64_t number) const { return number; }
  Value operator()(double number) const { return number; }
  Value operator()(bool flag) const { return static_cast<int64_t>(flag); }
  Value operator()(contract::DtypeUnderTest) const { return int64_t{ACL_FLOAT}; }
};

// Tensors come as inputs, then outputs, which is the order of every C function.
PhaseOne phase_one_of(const Arguments& arguments) {
  std::vector<Value> values;
  std::vector<size_t> given;
  for (size_t i = 0; i < arguments.parameters().size(); ++i) {
    const Parameter& parameter = arguments.parameters()[i];
    values.push_back(std::visit(Make{nullptr}, parameter.spec));
    if (parameter.tensor() != nullptr && !parameter.tensor()->optional) given.push_back(i);
  }
  return [values, given, invoke = arguments.op().invoke,
          address = find(arguments.op().name + "GetWorkspaceSize")](
             std::span<aclTensor* const> tensors, uint64_t* size, aclOpExecutor** executor) {
    std::vector<Value> all = values;
    for (size_t k = 0; k < given.size(); ++k) all[given[k]] = tensors[k];
    return invoke(address, all, size, executor);
  };
}

Reference reference_of(const Arguments& arguments, const contract::Reference& reference) {
  if (!reference) return nullptr;
  return [arguments, reference](const Arrays& inputs) { return reference(arguments, inputs); };
}

// The sample's arguments for a size in the place of kN.
SizedShape shape_of(const Operator& op, const contract::Sample& sample, size_t parameter) {
  return SizedShape([&op, &sample, parameter](int64_t n) {
    const Arguments arguments(op, sample, contract::base_shape_of(op, n));
    return arguments.parameters()[parameter].tensor()->shape;
  });
}

Case row_of(const Operator& op, const contract::Sample& sample) {
  const Arguments arguments(op, sample, contract::base_shape_of(op, 2));
  Case row;
  row.api = op.name;
  row.entry = &op;
  row.numbers = arguments.numbers();
  row.attributes = arguments.label();
  row.dtypes = contract::value_dtypes_of(op);
  for (size_t i = 0; i < arguments.parameters().size(); ++i) {
    const TensorSpec* tensor = arguments.parameters()[i].tensor();
    if (tensor == nullptr || tensor->optional) continue;
    Slot slot{shape_of(op, sample, i), tensor->low, tensor->high, tensor->dtype};
    if (tensor->role != Role::kOutput) row.inputs.push_back(slot);
    if (tensor->role == Role::kInPlace) slot.aliases = row.inputs.size() - 1;
    if (tensor->role != Role::kInput) row.outputs.push_back(slot);
  }
  row.phase_one = phase_one_of(arguments);
  row.phase_two = reinterpret_cast<PhaseTwo>(find(op.name));
  row.reference = reference_of(arguments, contract::results_of);
  row.magnitude = reference_of(arguments, op.magnitude);
  row.max_ulp = op.bound.of_float;
  row.max_ulp_16bit = op.bound.of_16_bits;
  row.max_ulp_double = op.bound.of_double;
  row.least_magnitude_double = op.least_magnitude_double;
  if (!op.gradient || !arguments.is_gradient()) return row;
  const Operator& forward = contract::find_entry(op.gradient->of);
  const std::string label = Arguments(forward, sample, contract::base_shape_of(forward, 2)).label();
  row.derivative_of =
      DerivativeOf{op.gradient->of + (label.empty() ? "" : " " + label),
                   [arguments](const Arrays& inputs, const Arrays& outputs, const Array& gradient) {
                     return contract::backward_inputs(arguments, inputs, outputs, gradient);
                   },
                   op.gradient->corners};
  return row;
}

}  // namespace

std::vector<Case> book_cases() {
  std::vector<Case> rows;
  for (const contract::Family& family : contract::book()) {
    for (const Operator& op : family.operators) {
      for (const contract::Sample& sample : op.samples) rows.push_back(row_of(op, sample));
    }
  }
  return rows;
}

}  // namespace aclgrad::cases
