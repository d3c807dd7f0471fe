// SPDX-License-Identifier: Apache-2.0
// Phase one of an operator by the type of its C function, as the public header declares it: what
// calls it takes its parameters from there. Both sides of the C API boundary include this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "aclnn/aclnn_base.h"

namespace aclgrad::common {

template <class Function>
struct PhaseOne;

template <class... Parameters>
struct PhaseOne<aclnnStatus(Parameters...)> {
  using Function = aclnnStatus(Parameters...);
  static constexpr std::size_t kCount = sizeof...(Parameters) - 2;  // without the two results

  // The type of a parameter.
  template <std::size_t kIndex>
  using Type = std::tuple_element_t<kIndex, std::tuple<Parameters...>>;

  // argument.operator()<kIndex>() makes each argument, a Type<kIndex>, from the first to the last.
  template <class Argument>
  static aclnnStatus call(Function* phase_one, const Argument& argument,
                          std::uint64_t* workspace_size, aclOpExecutor** executor) {
    return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      // In braces, arguments are made from left to right.
      const std::tuple<Type<kIndex>...> arguments{argument.template operator()<kIndex>()...};
      return phase_one(std::get<kIndex>(arguments)..., workspace_size, executor);
    }
    (std::make_index_sequence<kCount>());
  }
};

}  // namespace aclgrad::common
