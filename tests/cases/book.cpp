// SPDX-License-Identifier: Apache-2.0
// The operator book as rows of the case table: every entry with each of its samples.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "tests/cases/case.h"
#include "tests/ops/support/numbers.h"

namespace aclgrad::cases {
namespace {

using contract::Arguments;
using contract::Operator;
using contract::Parameter;
using contract::Role;
using contract::TensorSpec;

void* find(const std::string& name) {
  void* const found = dlsym(RTLD_DEFAULT, name.c_str());
  if (found == nullptr) throw std::runtime_error("no library has " + name);
  return found;
}

// Objects other than tensors live as long as the table.
PhaseOne phase_one_of(const Arguments& arguments) {
  const contract::Maker maker{.scalar =
                                  [](double value, aclDataType dtype) {
                                    alignas(16) unsigned char bytes[16] = {};
                                    testing::set_element(bytes, dtype, 0, value);
                                    return aclCreateScalar(bytes, dtype);
                                  },
                              .int_array =
                                  [](const contract::Shape& values) {
                                    return aclCreateIntArray(values.data(), values.size());
                                  },
                              .bool_array =
                                  [](const std::vector<char>& values) {
                                    bool flags[8] = {};
                                    std::copy(values.begin(), values.end(), flags);
                                    return aclCreateBoolArray(flags, values.size());
                                  }};
  return contract::BoundPhaseOne(arguments, maker, find(arguments.op().name() + "GetWorkspaceSize"),
                                 [](const char* name) { return dlsym(RTLD_DEFAULT, name); });
}

// Those that tests read and write; and every tensor must have one.
bool is_supported(aclDataType dtype) {
  return contract::is_float(dtype) || contract::is_whole(dtype);
}

bool is_supported(const Arguments& arguments) {
  return std::ranges::all_of(arguments.parameters(), [](const Parameter& each) {
    return each.tensor() == nullptr || is_supported(each.tensor()->dtype.value_or(ACL_FLOAT));
  });
}

// Forms in place take the samples of their operator, but for those that they cannot.
bool is_possible(const Arguments& arguments, const contract::Sample& sample) {
  const Operator& op = arguments.op();
  const bool is_in_place = op.call.parameters[op.output()].tensor()->role == Role::kInPlace;
  if (op.call.form_of.empty() || !is_in_place) return true;
  const Operator& whole = contract::find_contract(op.call.form_of);
  return is_form_of(arguments, Arguments(whole, sample, contract::base_shape_of(whole, 2)));
}

// One element of one of every tensor makes one of the result, all in the dtype under test.
bool is_elementwise(const Arguments& arguments) {
  return contract::has_one_shape(arguments) && arguments.op().is_elementwise() &&
         std::ranges::all_of(arguments.parameters(), [](const Parameter& each) {
           return each.tensor() == nullptr || !each.tensor()->dtype;
         });
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
  row.api = op.name();
  if (is_elementwise(arguments)) {
    row.entry = &op;
    row.numbers = arguments.numbers();
  }
  row.attributes = arguments.label();
  for (const aclDataType dtype : value_dtypes_of(arguments)) {
    if (is_supported(dtype)) row.dtypes.push_back(dtype);
  }
  for (const size_t i : contract::places_of_tensors(arguments)) {
    const TensorSpec* tensor = arguments.parameters()[i].tensor();
    Slot slot{shape_of(op, sample, i), tensor->low, tensor->high, tensor->dtype};
    if (tensor->role != Role::kOutput) row.inputs.push_back(slot);
    if (tensor->role == Role::kInPlace) slot.aliases = row.inputs.size() - 1;
    if (tensor->role != Role::kInput) row.outputs.push_back(slot);
  }
  row.phase_one = phase_one_of(arguments);
  row.phase_two = reinterpret_cast<PhaseTwo>(find(op.name()));
  row.reference = [&op, sample](const Arrays& inputs, aclDataType dtype, int64_t size) {
    const Arguments sized(op, sample, contract::base_shape_of(op, size));
    return contract::results_of(sized.in(dtype), inputs);
  };
  if (op.results.property) {
    row.property = [arguments](const Array& result, aclDataType dtype) {
      return arguments.op().results.property(arguments.in(dtype), result);
    };
  }
  if (op.results.magnitude) {
    row.magnitude = [&op, sample](const Arrays& inputs, int64_t size) {
      return op.results.magnitude(Arguments(op, sample, contract::base_shape_of(op, size)), inputs);
    };
  }
  const contract::Bound bound = bound_of(arguments);
  row.max_ulp = bound.of_float;
  row.max_ulp_16bit = bound.of_16_bits;
  row.max_ulp_double = bound.of_double;
  row.least_magnitude_double = op.results.least_magnitude_double;
  if (!op.gradient || !arguments.is_gradient()) return row;
  const Operator& forward = contract::find_contract(op.gradient->of);
  const Arguments call(forward, sample, contract::base_shape_of(forward, 2));
  const std::string label = call.label();
  row.derivative_of = DerivativeOf{
      op.gradient->of + (label.empty() ? "" : " " + label), contract::differentiated_result(call),
      [arguments](const Arrays& inputs, const Arrays& outputs, const Array& gradient) {
        return contract::backward_inputs(arguments, inputs, outputs, gradient);
      },
      op.gradient->corners};
  return row;
}

std::vector<Case> rows_of(std::vector<contract::Sample> contract::Domain::*samples) {
  std::vector<Case> rows;
  for (const contract::Family& family : contract::families()) {
    for (const Operator& op : family.operators) {
      for (const contract::Sample& sample : op.domain.*samples) {
        const Arguments arguments(op, sample, contract::base_shape_of(op, 2));
        if (is_supported(arguments) && is_possible(arguments, sample)) {
          rows.push_back(row_of(op, sample));
        }
      }
    }
  }
  return rows;
}

}  // namespace

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = rows_of(&contract::Domain::samples);
  return cases;
}

const std::vector<Case>& value_cases() {
  static const std::vector<Case> cases = rows_of(&contract::Domain::value_samples);
  return cases;
}

const Case& find_case(std::string_view name) {
  for (const Case& row : all_cases()) {
    if (row.name() == name) return row;
  }
  throw std::invalid_argument("no row is called " + std::string(name));
}

}  // namespace aclgrad::cases
