// SPDX-License-Identifier: Apache-2.0
// What every C entry point shares: its name in messages, the wording of the usual failures, and the
// wall that no exception passes. The end of the calling thread passes it.
#ifndef ACLGRAD_OPS_RUNTIME_CALL_H_
#define ACLGRAD_OPS_RUNTIME_CALL_H_

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>

#include "acl/acl_rt.h"
#include "ops/runtime/errors.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime {

// Whether an argument is a member of its enumeration; from C it can be any number.
template <class Enum>
bool is_member(Enum value, Enum first, Enum last) {
  const int number = static_cast<int>(value);
  return number >= static_cast<int>(first) && number <= static_cast<int>(last);
}

// The call that is being served. Each function leaves a message and returns the status, so that a
// check reads `return call.null_pointer("size");`.
class Call {
 public:
  explicit Call(const char* function) : function_(function) {}

  aclError null_pointer(const char* parameter,
                        aclError status = ACL_ERROR_INVALID_PARAM) const noexcept;

  template <class Value>
  aclError bad_value(aclError status, const char* parameter, const Value& value,
                     const char* expected) const noexcept {
    try {
      return bad_text(status, parameter, fmt::format("{}", value), expected);
    } catch (...) {
      return status;
    }
  }

  // `kind` is what the handle should have been: "stream", "event", ...
  aclError bad_handle(const char* parameter, const void* handle, const char* kind,
                      aclError status = ACL_ERROR_RT_INVALID_HANDLE) const noexcept;

  aclError no_context() const noexcept;

  aclError bad_device(const char* parameter, int64_t device) const noexcept;

  aclError unsupported(const char* what, const char* solution) const noexcept;

  // Anything else; cause and solution may be empty.
  aclError failed(aclError status, const std::string& what, const char* cause = "",
                  const char* solution = "") const noexcept;

 private:
  aclError bad_text(aclError status, const char* parameter, const std::string& value,
                    const char* expected) const;

  const char* function_;
};

// Runs the body of a C entry point: body(call) returns the status.
template <class Body>
aclError entry(const char* function, Body&& body) {
  const Call call(function);
  aclError status = ACL_SUCCESS;
  try {
    status = body(call);
  } catch (const std::bad_alloc&) {
    status = call.failed(ACL_ERROR_BAD_ALLOC, "out of host memory");
  } catch (const std::exception& error) {
    status = call.failed(ACL_ERROR_INTERNAL_ERROR, error.what());
  } catch (const ForcedUnwind&) {
    throw;
  } catch (...) {
    status = call.failed(ACL_ERROR_INTERNAL_ERROR, "an exception of unknown type");
  }
  if (status != ACL_SUCCESS) set_last_error(status);
  return status;
}

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_CALL_H_
