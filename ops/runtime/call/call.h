// SPDX-License-Identifier: Apache-2.0
// What every C entry point shares: its name in messages, the wording of the usual failures, and the
// wall that no exception passes. The end of the calling thread passes it.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>

#include "acl/acl_rt.h"
#include "ops/runtime/call/errors.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime {

// Whether an argument is a member of its enumeration; from C it can be any number.
template <class Enum>
bool is_member(Enum value, Enum first, Enum last) {
  const int number = static_cast<int>(value);
  return number >= static_cast<int>(first) && number <= static_cast<int>(last);
}

// Ends a call with a status, whose message is left already; entry() catches it.
struct Failure {
  aclError status;
};

// The call that is being served. But for the last two, these functions leave a message and end the
// call with the status, so that a check reads `call.require(size, "size");`.
class Call {
 public:
  explicit Call(const char* function) : function_(function) {}

  template <class Pointed>
  void require(Pointed* pointer, const char* parameter,
               aclError status = ACL_ERROR_INVALID_PARAM) const {
    if (pointer == nullptr) null_pointer(parameter, status);
  }

  template <class Value>
  [[noreturn]] void bad_value(aclError status, const char* parameter, const Value& value,
                              const char* expected) const {
    throw Failure{report_bad_value(status, parameter, value, expected)};
  }

  // `kind` is what the handle should have been: "stream", "event", ...
  [[noreturn]] void bad_handle(const char* parameter, const void* handle, const char* kind,
                               aclError status = ACL_ERROR_RT_INVALID_HANDLE) const;

  [[noreturn]] void no_context() const;

  [[noreturn]] void unsupported(const char* what, const char* solution) const;

  // Anything else; cause and solution may be empty.
  [[noreturn]] void failed(aclError status, const std::string& what, const char* cause = "",
                           const char* solution = "") const {
    throw Failure{report(status, what, cause, solution)};
  }

  // The messages of failed() and bad_value() alone, for a call that goes on; return the status.
  aclError report(aclError status, const std::string& what, const char* cause = "",
                  const char* solution = "") const noexcept;

  template <class Value>
  aclError report_bad_value(aclError status, const char* parameter, const Value& value,
                            const char* expected) const noexcept {
    try {
      report_bad_text(status, parameter, fmt::format("{}", value), expected);
    } catch (const std::bad_alloc&) {
      // Out of memory: the status alone is returned.
    }
    return status;
  }

 private:
  [[noreturn]] void null_pointer(const char* parameter, aclError status) const;
  void report_bad_text(aclError status, const char* parameter, const std::string& value,
                       const char* expected) const;

  const char* function_;
};

// Runs the body of a C entry point, body(call); returns its status: 0, unless something is thrown.
template <class Body>
aclError entry(const char* function, Body&& body) {
  const Call call(function);
  aclError status = ACL_SUCCESS;
  try {
    body(call);
  } catch (const Failure& failure) {
    status = failure.status;
  } catch (const std::bad_alloc&) {
    status = call.report(ACL_ERROR_BAD_ALLOC, "out of host memory");
  } catch (const std::exception& error) {
    status = call.report(ACL_ERROR_INTERNAL_ERROR, error.what());
  } catch (const ForcedUnwind&) {
    throw;
  } catch (...) {
    status = call.report(ACL_ERROR_INTERNAL_ERROR, "an exception of unknown type");
  }
  if (status != ACL_SUCCESS) set_last_error(status);
  return status;
}

}  // namespace aclgrad::runtime
