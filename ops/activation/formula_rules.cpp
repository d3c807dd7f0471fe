// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/formula_rules.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/engine/iterate.h"

namespace aclgrad::ops {
namespace {

FormulaRow row_of(std::vector<Parameter> parameters, Names numbers, const DtypeSet& dtypes,
                  Tensors tensors, std::vector<Rule> more) {
  for (const char* number : numbers) parameters.push_back(attribute(number));
  return {std::move(parameters), dtypes, tensors, std::move(more)};
}

bool is_handle(const Argument& argument) {
  return argument.kind() == Argument::Kind::kTensor || argument.kind() == Argument::Kind::kScalar;
}

Rule real_scalars() {
  return [](const Arguments& arguments) -> CheckResult {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].kind() != Argument::Kind::kScalar) continue;
      CheckResult result = scalar_castable_to_float(i)(arguments);
      if (result.status != OK) return result;
    }
    return {};
  };
}

// What an element of an integer dtype would hold.
double held(double number, aclDataType dtype) {
  int64_t integer = 0;
  alignas(8) unsigned char slot[8];
  store(&number, slot, dtype, 1, 1);
  load(slot, dtype, 1, &integer, 1);
  return static_cast<double>(integer);
}

}  // namespace

FormulaRow forward(Names numbers, const DtypeSet& dtypes, std::vector<Rule> more, Tensors tensors) {
  FormulaRow row = row_of({input("self")}, numbers, dtypes, tensors, std::move(more));
  row.parameters.push_back(output("out"));
  return row;
}
FormulaRow in_place(Names numbers, const DtypeSet& dtypes, std::vector<Rule> more) {
  return row_of({in_out("selfRef")}, numbers, dtypes, Tensors::kAlike, std::move(more));
}
FormulaRow backward(Names numbers, Tensors tensors) {
  FormulaRow row = row_of({input("gradOutput"), input("self")}, numbers, kRealFloats, tensors, {});
  row.parameters.push_back(output("gradInput"));
  return row;
}

Rule all_given() {
  return [](const Arguments& arguments) -> CheckResult {
    for (const bool given : {false, true}) {  // nulls first, then handles that were destroyed
      for (size_t i = 0; i < arguments.size(); ++i) {
        if (!is_handle(arguments[i]) || arguments.given(i) != given) continue;
        CheckResult result = not_null({i})(arguments);
        if (result.status != OK) return result;
      }
    }
    return {};
  };
}

OperatorSpec formula_spec(const char* name, const FormulaRow& row) {
  std::vector<size_t> tensors;
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    if (row.parameters[i].role != Role::kAttribute) tensors.push_back(i);
  }
  const size_t first = tensors.front(), out = tensors.back();
  std::vector<Rule> rules = {all_given()};
  const bool is_alike = row.tensors == Tensors::kAlike;
  for (const size_t each : tensors) {
    rules.push_back(is_alike && each != first ? same_dtype(each, first)
                                              : dtype_in(each, row.dtypes));
  }
  if (row.tensors == Tensors::kConverted && tensors.size() == 2) {
    rules.push_back(can_cast_tensor(first, out));
  }
  if (row.has_scalars && tensors.size() < row.parameters.size()) rules.push_back(real_scalars());
  if (row.tensors == Tensors::kBroadcast) {
    for (const size_t each : tensors) rules.push_back(max_rank(each));
    rules.push_back(broadcastable(first, tensors[1]));
    rules.push_back(shape_is_broadcast(out, first, tensors[1]));
  } else {
    rules.push_back(max_rank(first));
    for (const size_t each : tensors) {
      if (each != first) rules.push_back(same_shape(each, first));
    }
  }
  rules.insert(rules.end(), row.more.begin(), row.more.end());
  return {name, row.parameters, rules};
}

Plan plan_formula(const Arguments& arguments, Kernel (*make)(const Numbers& numbers)) {
  std::vector<size_t> inputs;
  size_t out = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Role role = arguments.role(i);
    if (role == Role::kInput || role == Role::kInOut) inputs.push_back(i);
    if (role == Role::kOutput || role == Role::kInOut) out = i;
  }
  Numbers numbers{*promote_tensors(inputs)(arguments)};
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments.role(i) != Role::kAttribute) continue;
    if (arguments[i].kind() == Argument::Kind::kReal) {
      numbers.values.push_back(arguments.real(i));
    } else if (is_integer(numbers.dtype)) {
      numbers.values.push_back(held(arguments.scalar(i).to_double(), numbers.dtype));
    } else if (numbers.dtype == ACL_DOUBLE) {
      numbers.values.push_back(arguments.scalar(i).to_double());
    } else {
      numbers.values.push_back(static_cast<double>(arguments.scalar(i).to_float()));
    }
  }
  return plan_arithmetic(arguments, out, inputs, numbers.dtype, make(numbers));
}

FloatKernel both(const FloatKernel& first, const FloatKernel& second) {
  return {[=](const double* const* in, double* const* out, size_t count) {
            first.exact(in, out, count);
            second.exact(in, out + 1, count);
          },
          [=](const NativeBlock& block) {
            first.native(block);
            NativeBlock other = block;
            other.out = block.out + 1;
            if (block.out_strides != nullptr) other.out_strides = block.out_strides + 1;
            second.native(other);
          }};
}

}  // namespace aclgrad::ops
