// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/call/call.h"

#include "ops/runtime/call/hooks.h"

namespace aclgrad::runtime {
namespace {

// The acl layer (1xxxxx below 107000) and the runtime layer below it number their messages apart.
bool from_acl_layer(aclError status) { return status >= 100000 && status < 107000; }

// Adds the report that make() makes, unless memory runs out: then the status alone is returned.
template <class Make>
void leave(const Make& make) noexcept {
  try {
    add_report(make());
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

void Call::null_pointer(const char* parameter, aclError status) const {
  leave([&]() -> Report {
    return {from_acl_layer(status) ? "EH0008" : "EE1004", "Invalid_Argument_Null_Pointer",
            fmt::format("{} returned {}: argument {} is a null pointer, expected an address.",
                        function_, status, parameter)};
  });
  throw Failure{status};
}

void Call::report_bad_text(aclError status, const char* parameter, const std::string& value,
                           const char* expected) const {
  add_report({from_acl_layer(status) ? "EH0007" : "EE1003", "Invalid_Argument",
              fmt::format("{} returned {}: argument {} is {}, expected {}.", function_, status,
                          parameter, value, expected)});
}

void Call::bad_handle(const char* parameter, const void* handle, const char* kind,
                      aclError status) const {
  if (RuntimeHooks* const active = hooks()) active->object_missing(handle, kind);
  leave([&]() -> Report {
    return {"EE1011", "Invalid_Handle",
            fmt::format("{} returned {}: argument {} ({}) is not a live {}.", function_, status,
                        parameter, handle, kind),
            "It was destroyed already, went away with its device, or is a handle of another kind."};
  });
  throw Failure{status};
}

void Call::no_context() const {
  failed(ACL_ERROR_RT_CONTEXT_NULL, "the calling thread has no context",
         "No device is set on this thread, or the device was reset since.",
         "Call aclrtSetDevice or aclrtSetCurrentContext on this thread first.");
}

void Call::unsupported(const char* what, const char* solution) const {
  leave([&]() -> Report {
    return {"EE1017", "Not_Supported",
            fmt::format("{} returned {}: {}.", function_, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, what),
            "", solution};
  });
  throw Failure{ACL_ERROR_RT_FEATURE_NOT_SUPPORT};
}

aclError Call::report(aclError status, const std::string& what, const char* cause,
                      const char* solution) const noexcept {
  leave([&]() -> Report {
    return {from_acl_layer(status) ? "EH9999" : "EE1016", "Call_Failed",
            fmt::format("{} returned {}: {}.", function_, status, what), cause, solution};
  });
  return status;
}

}  // namespace aclgrad::runtime
