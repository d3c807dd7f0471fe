// SPDX-License-Identifier: Apache-2.0
// A reference to something that can be called, for parameters that are only called during the call:
// unlike std::function it never allocates.
#pragma once

#include <type_traits>
#include <utility>

namespace aclgrad::ops {

template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
  requires std::is_invocable_r_v<Result, const Callable&, Arguments...> FunctionRef(
      const Callable& callable)  // NOLINT: converts
      : callable_(&callable), call_([](const void* what, Arguments... arguments) -> Result {
          return (*static_cast<const Callable*>(what))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(callable_, std::forward<Arguments>(arguments)...);
  }

 private:
  const void* callable_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace aclgrad::ops
