// SPDX-License-Identifier: Apache-2.0
// Functions over lists of tensors (aclnnForeach...): an operator of single tensors, carried out for
// every member. The parameters of such a function are those of the single operator, in its order,
// with lists in the place of tensors; so a member's call is a call of the single operator, and its
// plan is that operator's. A function is a line:
//
//   ACLGRAD_FOREACH(AddListV2, Add, kNumbersOfLists, list("x1"), list("x2"), number("alpha"))
#pragma once

#include <vector>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/entry_points.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::lists {

// What a parameter before `out` is: a list of tensors; a scalar on the host for all members, or one
// for each; the same in a tensor on the device, of one element or of one for each member, which is
// read when the task runs.
enum class Kind { kList, kScalar, kScalars, kElement, kElements };

struct Slot {
  const char* name;
  Kind kind;
};
inline Slot list(const char* name) { return {name, Kind::kList}; }
inline Slot number(const char* name) { return {name, Kind::kScalar}; }
inline Slot numbers(const char* name) { return {name, Kind::kScalars}; }
inline Slot element(const char* name) { return {name, Kind::kElement}; }
inline Slot elements(const char* name) { return {name, Kind::kElements}; }

// All members of all lists have one dtype of these.
inline constexpr DtypeSet kFloatsAndInt32{{ACL_FLOAT, ACL_FLOAT16, ACL_INT32}, {ACL_BF16}};
inline constexpr DtypeSet kNumbersOfLists{
    {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8}, {ACL_BF16}};
// DOUBLE without aclgradSetAcceptDouble, too.
inline constexpr DtypeSet kNumbersAndDouble{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8},
    {ACL_BF16}};

// ---- Checks -------------------------------------------------------------------------------------

// The vendor's code of these functions is generated, and finds wrong sizes when it plans.
Rule size_rule(Rule rule);

// What the members of out are.
enum class Results { kLikeX, kOneElement, kOfAnyDtype };

// With the list out behind the operands. A scalar has a dtype of `scalars`; without it, beside
// floating members any real one but the small integers, beside integers any integer or BOOL.
OperatorSpec spec(const char* name, const DtypeSet& dtypes, const std::vector<Slot>& operands,
                  Results results = Results::kLikeX,
                  const std::optional<DtypeSet>& scalars = std::nullopt);

// Rules that functions with parameters of their own need, too.
Rule members_given(size_t list);
Rule members_of_dtypes(size_t list, const DtypeSet& dtypes);
Rule members_of_one_dtype(size_t list, size_t as);
Rule members_ranked(size_t list);
Rule members_of_one_count(size_t list, size_t as, const char* what = "tensors");
Rule members_of_one_shape(size_t list, size_t as);

// ---- Plans --------------------------------------------------------------------------------------

// The arguments of a member's call, and of each the place among the list function's arguments,
// whose address it has.
struct Member {
  std::vector<Argument> values;
  std::vector<size_t> places;

  void insert(size_t place, const Argument& value) {
    const auto at = static_cast<ptrdiff_t>(place);
    values.insert(values.begin() + at, value);
    places.insert(places.begin() + at, 0);  // what is no tensor has no address
  }
  void erase(size_t place) {
    const auto at = static_cast<ptrdiff_t>(place);
    values.erase(values.begin() + at);
    places.erase(places.begin() + at);
  }
};

// The single operator's plan for a member, whose arguments become those of that operator.
using PlanMember = Plan (*)(Member& member);
Plan plan_of(const OperatorEntry& single, const Member& member);

// A plan for each member of the first list, one after the other.
Plan plan_members(const Arguments& arguments, PlanMember plan_member);

}  // namespace aclgrad::ops::lists

// Both phases of aclnnForeach<Name>, whose members' plan is aclnn<Single>'s; the operands follow.
#define ACLGRAD_FOREACH(Name, Single, dtypes, ...)                           \
  extern "C" const ::aclgrad::ops::OperatorEntry aclnn##Single##Entry;       \
  ACLGRAD_FOREACH_BY(                                                        \
      Name,                                                                  \
      [](::aclgrad::ops::lists::Member& member) {                            \
        return ::aclgrad::ops::lists::plan_of(aclnn##Single##Entry, member); \
      },                                                                     \
      dtypes, __VA_ARGS__)

// The operator itself, as aclnn<Name>Entry.
#define ACLGRAD_SINGLE(Name) extern "C" const ::aclgrad::ops::OperatorEntry aclnn##Name##Entry;

// The same with a PlanMember.
#define ACLGRAD_FOREACH_BY(Name, plan_member, dtypes, ...)                                       \
  static const ::aclgrad::ops::OperatorSpec k##Name =                                            \
      ::aclgrad::ops::lists::spec("aclnnForeach" #Name, dtypes, {__VA_ARGS__});                  \
  ACLGRAD_OPERATOR(aclnnForeach##Name, k##Name, [](const ::aclgrad::ops::Arguments& arguments) { \
    return ::aclgrad::ops::lists::plan_members(arguments, plan_member);                          \
  })
