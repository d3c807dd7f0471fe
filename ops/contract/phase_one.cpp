// SPDX-License-Identifier: Apache-2.0
// From an entry's parameters to those of its C function.
#include <algorithm>
#include <stdexcept>

#include "aclgrad_contract/operator.h"

namespace aclgrad::contract {
namespace {

// Whether parameter i is the same in the header as the one before.
bool continues_list(const Operator& op, size_t i) {
  return i > 0 && !op.parameters[i].list.empty() &&
         op.parameters[i].list == op.parameters[i - 1].list;
}

}  // namespace

std::vector<size_t> declared_parameters(const Operator& op) {
  std::vector<size_t> firsts;
  for (size_t i = 0; i < op.parameters.size(); ++i) {
    if (!continues_list(op, i)) firsts.push_back(i);
  }
  return firsts;
}

PhaseOneArguments::PhaseOneArguments(const Operator& op, std::span<const Value> values,
                                     const Find& find)
    : values_(values) {
  const bool has_lists =
      std::ranges::any_of(op.parameters, [](const Parameter& each) { return !each.list.empty(); });
  if (!has_lists) return;
  if (values.size() > kMax) throw std::length_error(op.name + " has too many parameters");
  auto* const create =
      reinterpret_cast<decltype(aclCreateTensorList)*>(find("aclCreateTensorList"));
  release_ = reinterpret_cast<decltype(aclDestroyTensorList)*>(find("aclgradReleaseTensorList"));
  size_t count = 0;
  for (size_t i = 0; i < values.size();) {
    size_t end = i + 1;
    while (end < values.size() && continues_list(op, end)) ++end;
    if (op.parameters[i].list.empty() || std::holds_alternative<aclTensorList*>(values[i])) {
      packed_[count++] = values[i];
    } else {
      std::array<const aclTensor*, kMax> tensors;
      for (size_t k = i; k < end; ++k) tensors[k - i] = std::get<aclTensor*>(values[k]);
      lists_[count] = create == nullptr ? nullptr : create(tensors.data(), end - i);
      packed_[count] = lists_[count];
      lacks_list_ = lacks_list_ || lists_[count] == nullptr;
      ++count;
    }
    i = end;
  }
  values_ = std::span(packed_.data(), count);
}

PhaseOneArguments::~PhaseOneArguments() {
  if (release_ == nullptr) return;
  for (aclTensorList* const list : lists_) {
    if (list != nullptr) release_(list);
  }
}

aclnnStatus call_phase_one(const Operator& op, void* phase_one, std::span<const Value> values,
                           const Find& find, uint64_t* workspace_size, aclOpExecutor** executor) {
  const PhaseOneArguments arguments(op, values, find);
  if (arguments.lacks_list()) return 561000;
  return op.invoke(phase_one, arguments.values(), workspace_size, executor);
}

}  // namespace aclgrad::contract
