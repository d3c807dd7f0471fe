// SPDX-License-Identifier: Apache-2.0
// Defines the C functions of an operator, whose bodies are the same for all.
#pragma once

#include <cstddef>
#include <utility>

#include "aclgrad_common/phase_one.h"
#include "ops/meta/operator.h"

// ACLGRAD_OPERATOR(NAME, SPEC, PLANNER): both phases of the operator NAME, whose header is
// included. Phase one is a friend that a class template defines, because its parameters can be a
// pack there. It stands in the operator's own namespace, where the first lines declare the header's
// C functions once more: a C function is the same one in every namespace. Its use in the last has
// the compiler instantiate it. Inside the library, extern "C" const OperatorEntry NAMEEntry finds
// the operator (ops/lists).
#define ACLGRAD_OPERATOR(name, spec, ...)                                                   \
  extern "C" ACL_FUNC_VISIBILITY decltype(::name##GetWorkspaceSize) name##GetWorkspaceSize; \
  static constexpr auto name##Planner = __VA_ARGS__;                                        \
  extern "C" const ::aclgrad::ops::OperatorEntry name##Entry;                               \
  const ::aclgrad::ops::OperatorEntry name##Entry{                                          \
      &(spec), [](const ::aclgrad::ops::Arguments& arguments) -> ::aclgrad::ops::Plan {     \
        return name##Planner(arguments);                                                    \
      }};                                                                                   \
  template <class Indices>                                                                  \
  struct name##PhaseOne;                                                                    \
  template <size_t... kIndices>                                                             \
  struct name##PhaseOne<std::index_sequence<kIndices...>> {                                 \
    using PhaseOne = ::aclgrad::common::PhaseOne<decltype(name##GetWorkspaceSize)>;         \
    [[gnu::used]] friend aclnnStatus name##GetWorkspaceSize(                                \
        typename PhaseOne::template Type<kIndices>... arguments, uint64_t* workspaceSize,   \
        aclOpExecutor** executor) {                                                         \
      return ::aclgrad::ops::plan_operator(spec, {arguments...}, workspaceSize, executor,   \
                                           name##Planner);                                  \
    }                                                                                       \
  };                                                                                        \
  template struct name##PhaseOne<std::make_index_sequence<                                  \
      ::aclgrad::common::PhaseOne<decltype(name##GetWorkspaceSize)>::kCount>>;              \
  [[maybe_unused]] static constexpr auto* name##PhaseOneUsed = name##GetWorkspaceSize;      \
  ACLGRAD_PHASE_TWO(name)

#define ACLGRAD_PHASE_TWO(name)                                                             \
  extern "C" ACL_FUNC_VISIBILITY decltype(::name) name;                                     \
  aclnnStatus name(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,        \
                   aclrtStream stream) {                                                    \
    return ::aclgrad::ops::run_operator(#name, workspace, workspaceSize, executor, stream); \
  }
