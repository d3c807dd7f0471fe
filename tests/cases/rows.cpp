// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "tests/cases/case.h"
#include "tests/ops/support/numbers.h"

namespace aclgrad::cases {
namespace {

using contract::Role;
using contract::Sample;

constexpr int64_t kSmallest = 2;

void* find(const std::string& name) {
  void* const found = dlsym(RTLD_DEFAULT, name.c_str());
  if (found == nullptr) throw std::runtime_error("no library has " + name);
  return found;
}

// Objects other than tensors live as long as the table.
contract::BoundPhaseOne phase_one_of(const Arguments& arguments) {
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

Arguments call_of(const Operator& op, const Sample& sample, int64_t n) {
  return Arguments(op, sample, contract::base_shape_of(op, n));
}

// Forms in place take the samples of their operator, but for those that they cannot.
bool is_possible(const Arguments& arguments, const Sample& sample) {
  const Operator& op = arguments.op();
  const bool is_in_place = op.call.parameters[op.output()].tensor()->role == Role::kInPlace;
  if (op.call.form_of.empty() || !is_in_place) return true;
  return is_form_of(arguments,
                    call_of(contract::find_contract(op.call.form_of), sample, kSmallest));
}

std::vector<Row> rows_of(std::vector<Sample> contract::Domain::*samples) {
  std::vector<Row> rows;
  for (const Operator& op : contract::all_contracts()) {
    for (const Sample& sample : op.domain.*samples) {
      const Arguments arguments = call_of(op, sample, kSmallest);
      if (is_supported(arguments) && is_possible(arguments, sample)) rows.emplace_back(op, sample);
    }
  }
  return rows;
}

}  // namespace

Row::Row(const Operator& op, const Sample& sample)
    : op_(&op),
      sample_(&sample),
      arguments_(call_of(op, sample, kSmallest)),
      dtypes_(value_dtypes_of(arguments_)),
      phase_one_(phase_one_of(arguments_)),
      phase_two_(reinterpret_cast<PhaseTwo>(find(op.name()))) {
  std::erase_if(dtypes_, [](aclDataType dtype) { return !is_supported(dtype); });
}

std::string Row::name() const {
  const std::string label = attributes();
  return label.empty() ? api() : api() + " " + label;
}

Arguments Row::of_size(int64_t n) const { return call_of(*op_, *sample_, n); }

void Row::keep_dtypes(const contract::DTypes& wanted) {
  std::erase_if(dtypes_, [&](aclDataType dtype) { return std::ranges::count(wanted, dtype) == 0; });
}

bool Row::is_elementwise() const {
  return contract::has_one_shape(arguments_) && op_->is_elementwise() &&
         std::ranges::all_of(arguments_.parameters(), [](const Parameter& each) {
           return each.tensor() == nullptr || !each.tensor()->dtype;
         });
}

Arguments Row::forward(int64_t n) const {
  return call_of(contract::find_contract(op_->gradient->of), *sample_, n);
}

std::vector<const Parameter*> results_in(const Arguments& arguments) {
  std::vector<const Parameter*> results = inputs_of(arguments);
  std::erase_if(results,
                [](const Parameter* input) { return input->tensor()->role == Role::kInput; });
  const std::vector<const Parameter*> outputs = outputs_of(arguments);
  results.insert(results.end(), outputs.begin(), outputs.end());
  return results;
}

const std::vector<Row>& all_cases() {
  static const std::vector<Row> rows = rows_of(&contract::Domain::samples);
  return rows;
}

const std::vector<Row>& value_cases() {
  static const std::vector<Row> rows = rows_of(&contract::Domain::value_samples);
  return rows;
}

const Row& find_case(std::string_view name) {
  for (const Row& row : all_cases()) {
    if (row.name() == name) return row;
  }
  throw std::invalid_argument("no row is called " + std::string(name));
}

}  // namespace aclgrad::cases
