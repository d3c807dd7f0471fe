// SPDX-License-Identifier: Apache-2.0
// The wrong calls of one function, most of which differ from a right call in one argument.
#pragma once

#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/contract/runtime_faults.h"

namespace aclgrad::contract {

//   WrongCalls(faults, "aclrtStreamGetId", aclrtStreamGetId, &World::stream, &number)
//       .null<1>("streamId")
//       .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
//
// An argument is a value, a member of the world of the call, or a function of it. What every row
// changes may be anything in the right call.
template <class Result, class... Parameters>
class WrongCalls {
 public:
  template <class... Values>
  WrongCalls(std::vector<RuntimeFault>& faults, const char* name, Result (*function)(Parameters...),
             Values... right)
      : faults_(faults), name_(name), function_(function), right_(argument<Parameters>(right)...) {}

  // With another argument of this number, counted from 0.
  template <size_t kNumber, class Value>
  WrongCalls& with(Value value, int status, std::vector<std::string> words) {
    Arguments arguments = right_;
    std::get<kNumber>(arguments) = argument<Parameter<kNumber>>(value);
    return when(status, std::move(words), call_with(std::move(arguments), status));
  }
  // With a null pointer that is refused at once.
  template <size_t kNumber>
  WrongCalls& null(const char* parameter) {
    return with<kNumber>(nullptr, 100000, {parameter});
  }
  // The right call, wrong here for what came before it.
  WrongCalls& unchanged(int status, std::vector<std::string> words) {
    return when(status, std::move(words), call_with(right_, status));
  }
  WrongCalls& without_context() {
    when(107002, {"no context", "aclrtSetDevice"}, call_with(right_, 107002));
    faults_.back().on_bare_thread = true;
    return *this;
  }
  // Another call of the function, after what makes it wrong.
  WrongCalls& when(int status, std::vector<std::string> words, std::function<int(World&)> call) {
    faults_.push_back({name_, status, std::move(words), std::move(call)});
    return *this;
  }

 private:
  using Arguments = std::tuple<std::function<Parameters(World&)>...>;
  template <size_t kNumber>
  using Parameter = std::tuple_element_t<kNumber, std::tuple<Parameters...>>;

  template <class Wanted, class Value>
  static std::function<Wanted(World&)> argument(Value value) {
    return [value]([[maybe_unused]] World& world) {
      if constexpr (std::is_invocable_v<Value, World&>) {
        return static_cast<Wanted>(std::invoke(value, world));
      } else {
        return static_cast<Wanted>(value);
      }
    };
  }
  // A function that returns a handle has only that to say that it failed.
  std::function<int(World&)> call_with(Arguments arguments, [[maybe_unused]] int status) const {
    return [=, function = function_](World& world) -> int {
      const auto call = [&](const auto&... each) { return function(each(world)...); };
      const Result result = std::apply(call, arguments);
      if constexpr (std::is_pointer_v<Result>) {
        return result == nullptr ? status : 0;
      } else {
        return result;
      }
    };
  }

  std::vector<RuntimeFault>& faults_;
  const char* name_;
  Result (*function_)(Parameters...);
  Arguments right_;
};

}  // namespace aclgrad::contract
