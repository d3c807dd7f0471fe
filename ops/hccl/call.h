// SPDX-License-Identifier: Apache-2.0
// What every entry point of the library shares: its name in messages, the wording of the usual
// failures, and the wall that no exception passes.
#ifndef ACLGRAD_OPS_HCCL_CALL_H_
#define ACLGRAD_OPS_HCCL_CALL_H_

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "hccl/hccl_types.h"

namespace aclgrad::hccl {

// How something ended; the text says why when it is not a success.
struct Outcome {
  HcclResult result = HCCL_SUCCESS;
  std::string text = {};

  bool ok() const { return result == HCCL_SUCCESS; }
};

// Memory is exhausted. The words are so short that they need none.
inline Outcome out_of_memory() { return {HCCL_E_MEMORY, "out of memory"}; }

// A failure with a message of its own, thrown by what lies below an entry point.
struct Failure : std::exception {
  Failure(HcclResult failed_with, std::string why, const char* what_helps = "")
      : result(failed_with), reason(std::move(why)), solution(what_helps) {}
  const char* what() const noexcept override { return reason.c_str(); }

  HcclResult result;
  std::string reason;
  const char* solution;
};

// The call that is being served. Each function leaves a message and returns the status.
class Call {
 public:
  explicit Call(const char* function) : function_(function) {}

  const char* function() const { return function_; }

  HcclResult null_pointer(const char* parameter) const noexcept;

  template <class Value>
  HcclResult bad_value(HcclResult result, const char* parameter, const Value& value,
                       const std::string& expected) const noexcept {
    try {
      return failed(result,
                    fmt::format("argument {} is {}, expected {}", parameter, value, expected));
    } catch (...) {
      return result;
    }
  }

  HcclResult no_device() const noexcept;
  HcclResult not_supported(std::string_view what) const noexcept;
  HcclResult failed(HcclResult result, std::string_view what,
                    const char* solution = "") const noexcept;

 private:
  const char* function_;
};

// Runs the body of a C entry point: body(call) returns the status.
template <class Body>
HcclResult entry(const char* function, Body&& body) {
  const Call call(function);
  try {
    return body(call);
  } catch (const Failure& failure) {
    return call.failed(failure.result, failure.reason, failure.solution);
  } catch (const std::bad_alloc&) {
    return call.failed(HCCL_E_MEMORY, "out of host memory");
  } catch (const std::exception& error) {
    return call.failed(HCCL_E_INTERNAL, error.what());
  }
}

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_CALL_H_
