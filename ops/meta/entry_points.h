// SPDX-License-Identifier: Apache-2.0
// Defines the C functions of an operator, whose bodies are the same for all.
#ifndef ACLGRAD_OPS_META_ENTRY_POINTS_H_
#define ACLGRAD_OPS_META_ENTRY_POINTS_H_

#include <cstddef>
#include <tuple>

#include "ops/meta/operator.h"

namespace aclgrad::ops {

template <class Function>
struct ParametersOf;
template <class... Parameter>
struct ParametersOf<aclnnStatus(Parameter...)> {
  using Types = std::tuple<Parameter...>;
};

// The type of a C function's parameter, as its public header declares it.
template <class Function, size_t kIndex>
using ParameterType = std::tuple_element_t<kIndex, typename ParametersOf<Function>::Types>;

}  // namespace aclgrad::ops

// ACLGRAD_OPERATOR(NAME, COUNT, SPEC, PLANNER): both phases of the operator NAME, whose header is
// included, with COUNT parameters before workspaceSize.
#define ACLGRAD_OPERATOR(name, count, spec, ...)                                                   \
  aclnnStatus name##GetWorkspaceSize(ACLGRAD_PARAMETERS_##count(decltype(name##GetWorkspaceSize)), \
                                     uint64_t* workspaceSize, aclOpExecutor** executor) {          \
    return ::aclgrad::ops::plan_operator(spec, {ACLGRAD_ARGUMENTS_##count}, workspaceSize,         \
                                         executor, __VA_ARGS__);                                   \
  }                                                                                                \
  ACLGRAD_PHASE_TWO(name)

#define ACLGRAD_PHASE_TWO(name)                                                             \
  aclnnStatus name(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,        \
                   aclrtStream stream) {                                                    \
    return ::aclgrad::ops::run_operator(#name, workspace, workspaceSize, executor, stream); \
  }

// The parameters and their names, so many.
#define ACLGRAD_PARAMETER(type, index) ::aclgrad::ops::ParameterType<type, index> a##index
#define ACLGRAD_PARAMETERS_1(type) ACLGRAD_PARAMETER(type, 0)
#define ACLGRAD_PARAMETERS_2(type) ACLGRAD_PARAMETERS_1(type), ACLGRAD_PARAMETER(type, 1)
#define ACLGRAD_PARAMETERS_3(type) ACLGRAD_PARAMETERS_2(type), ACLGRAD_PARAMETER(type, 2)
#define ACLGRAD_PARAMETERS_4(type) ACLGRAD_PARAMETERS_3(type), ACLGRAD_PARAMETER(type, 3)
#define ACLGRAD_PARAMETERS_5(type) ACLGRAD_PARAMETERS_4(type), ACLGRAD_PARAMETER(type, 4)
#define ACLGRAD_PARAMETERS_6(type) ACLGRAD_PARAMETERS_5(type), ACLGRAD_PARAMETER(type, 5)
#define ACLGRAD_PARAMETERS_7(type) ACLGRAD_PARAMETERS_6(type), ACLGRAD_PARAMETER(type, 6)
#define ACLGRAD_PARAMETERS_8(type) ACLGRAD_PARAMETERS_7(type), ACLGRAD_PARAMETER(type, 7)
#define ACLGRAD_PARAMETERS_9(type) ACLGRAD_PARAMETERS_8(type), ACLGRAD_PARAMETER(type, 8)
#define ACLGRAD_PARAMETERS_10(type) ACLGRAD_PARAMETERS_9(type), ACLGRAD_PARAMETER(type, 9)
#define ACLGRAD_PARAMETERS_11(type) ACLGRAD_PARAMETERS_10(type), ACLGRAD_PARAMETER(type, 10)
#define ACLGRAD_PARAMETERS_12(type) ACLGRAD_PARAMETERS_11(type), ACLGRAD_PARAMETER(type, 11)
#define ACLGRAD_PARAMETERS_13(type) ACLGRAD_PARAMETERS_12(type), ACLGRAD_PARAMETER(type, 12)
#define ACLGRAD_PARAMETERS_14(type) ACLGRAD_PARAMETERS_13(type), ACLGRAD_PARAMETER(type, 13)
#define ACLGRAD_ARGUMENTS_1 a0
#define ACLGRAD_ARGUMENTS_2 ACLGRAD_ARGUMENTS_1, a1
#define ACLGRAD_ARGUMENTS_3 ACLGRAD_ARGUMENTS_2, a2
#define ACLGRAD_ARGUMENTS_4 ACLGRAD_ARGUMENTS_3, a3
#define ACLGRAD_ARGUMENTS_5 ACLGRAD_ARGUMENTS_4, a4
#define ACLGRAD_ARGUMENTS_6 ACLGRAD_ARGUMENTS_5, a5
#define ACLGRAD_ARGUMENTS_7 ACLGRAD_ARGUMENTS_6, a6
#define ACLGRAD_ARGUMENTS_8 ACLGRAD_ARGUMENTS_7, a7
#define ACLGRAD_ARGUMENTS_9 ACLGRAD_ARGUMENTS_8, a8
#define ACLGRAD_ARGUMENTS_10 ACLGRAD_ARGUMENTS_9, a9
#define ACLGRAD_ARGUMENTS_11 ACLGRAD_ARGUMENTS_10, a10
#define ACLGRAD_ARGUMENTS_12 ACLGRAD_ARGUMENTS_11, a11
#define ACLGRAD_ARGUMENTS_13 ACLGRAD_ARGUMENTS_12, a12
#define ACLGRAD_ARGUMENTS_14 ACLGRAD_ARGUMENTS_13, a13

#endif  // ACLGRAD_OPS_META_ENTRY_POINTS_H_
