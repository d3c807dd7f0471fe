// SPDX-License-Identifier: Apache-2.0
#include "ops/lists/lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "ops/meta/dtypes.h"

namespace aclgrad::ops::lists {
namespace {

// ---- Checks -------------------------------------------------------------------------------------

using Members = Arguments::Members;

// The places of parameters of a kind among the operands, and the first list's, which says how many
// members there are and of which dtype.
size_t first_list(const std::vector<Slot>& operands) {
  const auto found = std::ranges::find(operands, Kind::kList, &Slot::kind);
  return static_cast<size_t>(found - operands.begin());
}

// First whether any is null, then whether the handles are live.
Rule all_given(size_t count) {
  return [count](const Arguments& arguments) {
    for (size_t i = 0; i < count; ++i) {
      if (!arguments.given(i)) return not_null({i})(arguments);
    }
    for (size_t i = 0; i < count; ++i) {
      if (CheckResult result = not_null({i})(arguments); result.status != OK) return result;
    }
    return CheckResult{};
  };
}

// Beside lists without members nothing is known of dtypes.
Rule where_members(size_t list, Rule rule) {
  return when([list](const Arguments& arguments) { return arguments.members(list).count > 0; },
              std::move(rule));
}

constexpr DtypeSet kBesideFloats{
    {ACL_FLOAT, ACL_DOUBLE, ACL_FLOAT16, ACL_INT32, ACL_INT64, ACL_BOOL}, {ACL_BF16}};
constexpr DtypeSet kBesideIntegers{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL};

// Of a scalar on the host, by the dtype of the members.
Rule scalar_suits(size_t scalar, size_t list) {
  return [=](const Arguments& arguments) {
    const bool is_floating_list = is_floating(arguments.dtype(arguments.members(list).first));
    return dtype_in(scalar, is_floating_list ? kBesideFloats : kBesideIntegers)(arguments);
  };
}

// Of scalars on the device: the members' dtype; beside BF16 one element may be FLOAT.
Rule element_suits(size_t tensor, size_t list, Kind kind) {
  return [=](const Arguments& arguments) {
    const size_t first = arguments.members(list).first;
    if (kind == Kind::kElement && arguments.dtype(first) == ACL_BF16 &&
        arguments.dtype(tensor) == ACL_FLOAT) {
      return CheckResult{};
    }
    return same_dtype(tensor, first)(arguments);
  };
}

// One dimension, with an element for each member.
Rule has_element_for_each(size_t tensor, size_t list) {
  return [=](const Arguments& arguments) {
    return has_shape(tensor, Dims{static_cast<int64_t>(arguments.members(list).count)})(arguments);
  };
}

// A rule about a member and that of the list `as` in its place.
Rule each_beside(size_t list, size_t as, const std::function<Rule(size_t, size_t)>& rule) {
  return [=](const Arguments& arguments) {
    const size_t own = arguments.members(list).first;
    const size_t other = arguments.members(as).first;
    return all_members(list, [&](size_t i) { return rule(i, i - own + other); })(arguments);
  };
}

}  // namespace

Rule size_rule(Rule rule) { return with_status(kInnerTilingError, std::move(rule)); }

Rule members_given(size_t list) {
  return all_members(list, [](size_t i) { return not_null({i}); });
}
Rule members_of_dtypes(size_t list, const DtypeSet& dtypes) {
  return all_members(list, [dtypes](size_t i) { return dtype_in(i, dtypes); });
}
Rule members_of_one_dtype(size_t list, size_t as) {
  return where_members(as, [=](const Arguments& arguments) {
    const size_t first = arguments.members(as).first;
    return all_members(list, [first](size_t i) { return same_dtype(i, first); })(arguments);
  });
}
Rule members_ranked(size_t list) {
  return all_members(list, [](size_t i) { return max_rank(i); });
}
Rule members_of_one_count(size_t other, size_t list, const char* what) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t expected = arguments.members(list).count;
    const size_t count = arguments.members(other).count;
    if (count == expected) return std::nullopt;
    return fmt::format("{} must have {} {}, one for each of {}, but has {}.", arguments.name(other),
                       expected, what, arguments.name(list), count);
  });
}
Rule members_of_one_shape(size_t list, size_t as) {
  return each_beside(list, as, [](size_t i, size_t other) { return same_shape(i, other); });
}

OperatorSpec spec(const char* name, const DtypeSet& dtypes, const std::vector<Slot>& operands,
                  Results results, const std::optional<DtypeSet>& scalars) {
  const size_t x = first_list(operands);
  const size_t out = operands.size();
  std::vector<Parameter> parameters;
  std::vector<Rule> rules = {all_given(out + 1)};
  std::vector<size_t> lists;
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto& [slot_name, kind] = operands[i];
    const bool is_attribute = kind == Kind::kScalar || kind == Kind::kScalars;
    parameters.push_back(is_attribute ? attribute(slot_name) : input(slot_name));
    if (kind == Kind::kList) lists.push_back(i);
    if (kind == Kind::kList || kind == Kind::kScalars) rules.push_back(members_given(i));
  }
  parameters.push_back(output("out"));
  lists.push_back(out);
  rules.push_back(members_given(out));

  rules.push_back(members_of_dtypes(x, dtypes));
  for (const size_t list : lists) {
    if (list == out && results == Results::kOfAnyDtype) {
      rules.push_back(members_of_dtypes(out, dtypes));
      rules.push_back(members_of_one_dtype(out, out));
    } else {
      rules.push_back(members_of_one_dtype(list, x));
    }
  }
  std::vector<Rule> on_sizes;
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto suits = [scalars, x](size_t scalar) {
      return scalars ? dtype_in(scalar, *scalars) : scalar_suits(scalar, x);
    };
    switch (operands[i].kind) {
      case Kind::kList:
        break;
      case Kind::kScalar:
        rules.push_back(scalars ? suits(i) : where_members(x, suits(i)));
        break;
      case Kind::kScalars:
        rules.push_back(where_members(x, all_members(i, suits)));
        on_sizes.push_back(members_of_one_count(i, x, "scalars"));
        break;
      case Kind::kElement:
        rules.push_back(scalars ? suits(i) : where_members(x, element_suits(i, x, Kind::kElement)));
        on_sizes.push_back(has_one_element(i));
        break;
      case Kind::kElements:
        rules.push_back(where_members(x, element_suits(i, x, Kind::kElements)));
        on_sizes.push_back(has_element_for_each(i, x));
        break;
    }
  }
  for (const size_t list : lists) {
    if (list != x) on_sizes.push_back(members_of_one_count(list, x, "tensors"));
  }
  for (const size_t list : lists) on_sizes.push_back(members_ranked(list));
  for (const size_t list : lists) {
    if (list == x) continue;
    on_sizes.push_back(list == out && results == Results::kOneElement
                           ? all_members(out, [](size_t i) { return has_one_element(i); })
                           : members_of_one_shape(list, x));
  }
  for (const Rule& rule : on_sizes) rules.push_back(size_rule(rule));
  return {name, parameters, rules};
}

// ---- Plans --------------------------------------------------------------------------------------

namespace {

constexpr size_t kMostArguments = 8;

// A member's work, and where its arguments lie.
struct Part {
  Body body;
  std::vector<size_t> places;

  aclError operator()(const Run& run) const {
    std::array<void*, kMostArguments> addresses{};
    for (size_t k = 0; k < places.size(); ++k) addresses[k] = run.data(places[k]);
    return body(Run(std::span<void* const>(addresses.data(), places.size()), run.workspace()));
  }
};

// How many members the first list has.
size_t count_members(const Arguments& arguments) {
  for (size_t p = 0; p < arguments.spec().parameters.size(); ++p) {
    if (arguments[p].tensor_list() != nullptr) return arguments.members(p).count;
  }
  return 0;
}

bool is_on_device(const Argument& argument) { return argument.kind() == Argument::Kind::kTensor; }

// Scalars on the device are null.
Member member_of(const Arguments& arguments, size_t i) {
  Member member;
  for (size_t p = 0; p < arguments.spec().parameters.size(); ++p) {
    const Argument& argument = arguments[p];
    const bool is_list = argument.tensor_list() != nullptr || argument.scalar_list() != nullptr;
    const size_t place = is_list ? arguments.members(p).first + i : p;
    member.values.push_back(is_on_device(argument)
                                ? Argument(static_cast<const aclScalar*>(nullptr))
                                : arguments[place]);
    member.places.push_back(place);
  }
  return member;
}

// A scalar that is read when the task runs.
struct ElementOfRun {
  size_t parameter;
  aclDataType dtype;
  int64_t step;  // in bytes, from a member's to the next one's

  aclScalar read(const Run& run, size_t member) const {
    aclScalar scalar;
    scalar.dtype = dtype;
    std::memcpy(scalar.value,
                run.data<unsigned char>(parameter) + static_cast<int64_t>(member) * step,
                aclDataTypeSize(dtype));
    return scalar;
  }
};

ElementOfRun element_of(const Arguments& arguments, size_t parameter) {
  const aclTensor& tensor = arguments.tensor(parameter);
  const auto size = static_cast<int64_t>(aclDataTypeSize(tensor.dtype));
  const bool is_for_all = count_elements(tensor.view_shape) == 1;
  return {parameter, tensor.dtype, is_for_all ? 0 : tensor.view_strides[0] * size};
}

// Of functions with a scalar on the device: plans are made when the task runs, by which time the
// objects of the call may be gone.
class PlannedInRun {
 public:
  PlannedInRun(const Arguments& arguments, PlanMember plan_member, size_t scalar)
      : plan_member_(plan_member), scalar_(element_of(arguments, scalar)), place_(scalar) {
    const size_t count = count_members(arguments);
    for (size_t i = 0; i < count; ++i) {
      members_.push_back(member_of(arguments, i));
      for (const Argument& value : members_.back().values) {
        if (value.tensor() != nullptr) tensors_.push_back(*value.tensor());
      }
    }
    size_t next = 0;
    for (Member& member : members_) {
      for (Argument& value : member.values) {
        if (value.tensor() != nullptr) value = Argument(&tensors_[next++]);
      }
    }
  }

  aclError operator()(const Run& run) const {
    for (size_t i = 0; i < members_.size(); ++i) {
      const aclScalar scalar = scalar_.read(run, i);
      Member member = members_[i];
      member.values[place_] = Argument(&scalar);
      try {
        const Plan plan = plan_member_(member);
        if (!plan.body) continue;
        if (const aclError error = Part{plan.body, member.places}(run); error != ACL_SUCCESS) {
          return error;
        }
      } catch (const PlanError&) {
        return ACL_ERROR_INVALID_PARAM;  // a number that the function does not know
      }
    }
    return ACL_SUCCESS;
  }

 private:
  PlanMember plan_member_;
  ElementOfRun scalar_;
  size_t place_;
  std::vector<Member> members_;
  std::vector<aclTensor> tensors_;  // what their values point to
};

}  // namespace

Plan plan_of(const OperatorEntry& single, const Member& member) {
  return single.plan(Arguments(*single.spec, member.values));
}

Plan plan_members(const Arguments& arguments, PlanMember plan_member) {
  for (size_t p = 0; p < arguments.spec().parameters.size(); ++p) {
    if (!is_on_device(arguments[p])) continue;
    if (count_members(arguments) == 0) return {};
    const auto planned = std::make_shared<const PlannedInRun>(arguments, plan_member, p);
    return {[planned](const Run& run) { return (*planned)(run); }};
  }
  auto parts = std::make_shared<std::vector<Part>>();
  uint64_t workspace = 0;
  const size_t count = count_members(arguments);
  for (size_t i = 0; i < count; ++i) {
    Member member = member_of(arguments, i);
    Plan plan = plan_member(member);
    if (plan.body) parts->push_back({std::move(plan.body), std::move(member.places)});
    workspace = std::max(workspace, plan.workspace_size);
  }
  if (parts->empty()) return {};
  return {[parts](const Run& run) -> aclError {
            for (const Part& part : *parts) {
              if (const aclError error = part(run); error != ACL_SUCCESS) return error;
            }
            return ACL_SUCCESS;
          },
          workspace};
}

}  // namespace aclgrad::ops::lists
