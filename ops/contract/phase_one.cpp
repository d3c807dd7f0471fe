// SPDX-License-Identifier: Apache-2.0
// From a contract's parameters to those of its C function.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclgrad_contract/operator.h"

namespace aclgrad::contract {
namespace {

// Whether parameter i is the same in the header as the one before.
bool continues_list(const Operator& op, size_t i) {
  return i > 0 && !op.call.parameters[i].list.empty() &&
         op.call.parameters[i].list == op.call.parameters[i - 1].list;
}

}  // namespace

std::vector<size_t> declared_parameters(const Operator& op) {
  std::vector<size_t> firsts;
  for (size_t i = 0; i < op.call.parameters.size(); ++i) {
    if (!continues_list(op, i)) firsts.push_back(i);
  }
  return firsts;
}

PhaseOneArguments::PhaseOneArguments(const Operator& op, std::span<const Value> values,
                                     const Find& find)
    : values_(values) {
  const bool has_lists = std::ranges::any_of(
      op.call.parameters, [](const Parameter& each) { return !each.list.empty(); });
  if (!has_lists) return;
  if (values.size() > kMax) throw std::length_error(op.name() + " has too many parameters");
  release_ = reinterpret_cast<decltype(release_)>(find("aclgradReleaseTensorList"));
  size_t count = 0;
  for (size_t i = 0; i < values.size();) {
    size_t end = i + 1;
    while (end < values.size() && continues_list(op, end)) ++end;
    // The members in a list, which a function of that name makes.
    const auto pack = [&]<class Member, class List>(const char* create, Member*, List*) {
      std::array<const Member*, kMax> members;
      size_t given = 0;
      for (size_t k = i; k < end; ++k) {
        Member* const each = std::get<Member*>(values[k]);
        if (each != nullptr || !op.call.parameters[k].is_extra) members[given++] = each;
      }
      auto* const made = reinterpret_cast<List* (*)(const Member* const*, uint64_t)>(find(create));
      List* const list = made == nullptr ? nullptr : made(members.data(), given);
      lacks_list_ = lacks_list_ || list == nullptr;
      lists_[count] = list;
      packed_[count++] = list;
    };
    const bool is_packed = std::holds_alternative<aclTensorList*>(values[i]) ||
                           std::holds_alternative<aclScalarList*>(values[i]);
    if (op.call.parameters[i].list.empty() || is_packed) {
      packed_[count++] = values[i];
    } else if (op.call.parameters[i].tensor() != nullptr) {
      pack("aclCreateTensorList", static_cast<aclTensor*>(nullptr),
           static_cast<aclTensorList*>(nullptr));
    } else {
      pack("aclCreateScalarList", static_cast<aclScalar*>(nullptr),
           static_cast<aclScalarList*>(nullptr));
    }
    i = end;
  }
  values_ = std::span(packed_.data(), count);
}

PhaseOneArguments::~PhaseOneArguments() {
  if (release_ == nullptr) return;
  for (const void* const list : lists_) {
    if (list != nullptr) release_(list);
  }
}

aclnnStatus call_phase_one(const Operator& op, void* phase_one, std::span<const Value> values,
                           const Find& find, uint64_t* workspace_size, aclOpExecutor** executor) {
  const PhaseOneArguments arguments(op, values, find);
  if (arguments.lacks_list()) return 561000;
  return op.call.invoke(phase_one, arguments.values(), workspace_size, executor);
}

Value bind(const ParameterSpec& spec, const Maker& maker, std::optional<aclDataType> tensors) {
  struct Bind {
    const Maker& maker;
    std::optional<aclDataType> tensors;

    Value operator()(const TensorSpec&) const { return static_cast<aclTensor*>(nullptr); }
    Value operator()(const ScalarSpec& scalar) const {
      return maker.scalar(scalar.value, scalar.dtype_beside(tensors));
    }
    Value operator()(const Shape& values) const { return maker.int_array(values); }
    Value operator()(const SizesSpec& sizes) const { return maker.int_array(sizes.sizes); }
    Value operator()(const BoolsSpec& flags) const {
      return flags.optional ? static_cast<aclBoolArray*>(nullptr) : maker.bool_array(flags.values);
    }
    Value operator()(const ValuesSpec& values) const {
      return values.given ? maker.int_array(values.values) : static_cast<aclIntArray*>(nullptr);
    }
    Value operator()(const WordSpec& word) const {
      return const_cast<char*>(word.words.at(word.chosen));
    }
    Value operator()(int64_t number) const { return number; }
    Value operator()(double number) const { return number; }
    Value operator()(bool flag) const { return static_cast<int64_t>(flag); }
    Value operator()(DtypeSpec spec) const {
      return static_cast<int64_t>(spec.dtype.value_or(tensors.value_or(ACL_DT_UNDEFINED)));
    }
  };
  return std::visit(Bind{maker, tensors}, spec);
}

BoundPhaseOne::BoundPhaseOne(const Arguments& arguments, const Maker& maker, void* phase_one,
                             Find find, const std::vector<std::string>& nulls)
    : op_(&arguments.op()),
      phase_one_(phase_one),
      find_(std::move(find)),
      places_(places_of_tensors(arguments)) {
  for (size_t i = 0; i < arguments.parameters().size(); ++i) {
    const Parameter& parameter = arguments.parameters()[i];
    values_.push_back(bind(parameter.spec, maker));
    if (std::ranges::count(nulls, parameter.name) > 0) {
      std::visit([](auto& value) { value = {}; }, values_.back());  // of its own type
      continue;
    }
    const auto* dtype = std::get_if<DtypeSpec>(&parameter.spec);
    if (dtype != nullptr && !dtype->dtype) of_result_.push_back(i);
    const auto* scalar = std::get_if<ScalarSpec>(&parameter.spec);
    if (scalar != nullptr && scalar->is_widest) {
      of_integers_.emplace_back(i, maker.scalar(std::trunc(scalar->value), ACL_INT64));
    }
  }
}

aclnnStatus BoundPhaseOne::operator()(std::span<aclTensor* const> tensors, uint64_t* workspace_size,
                                      aclOpExecutor** executor) const {
  std::vector<Value> all = values_;
  for (size_t k = 0; k < places_.size(); ++k) all[places_[k]] = tensors[k];
  aclTensor* const result = std::get<aclTensor*>(all[op_->output()]);
  if (result != nullptr && needs_dtype()) {
    aclDataType dtype = ACL_DT_UNDEFINED;
    reinterpret_cast<decltype(aclGetDataType)*>(find_("aclGetDataType"))(result, &dtype);
    for (const size_t i : of_result_) all[i] = static_cast<int64_t>(dtype);
    for (const auto& [i, scalar] : of_integers_) {
      if (is_whole(dtype)) all[i] = scalar;
    }
  }
  return call_phase_one(*op_, phase_one_, all, find_, workspace_size, executor);
}

}  // namespace aclgrad::contract
