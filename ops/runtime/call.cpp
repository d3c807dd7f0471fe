// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/call.h"

#include "ops/runtime/hooks.h"

namespace aclgrad::runtime {
namespace {

// The acl layer (1xxxxx below 107000) and the runtime layer below it number their messages apart.
bool from_acl_layer(aclError status) { return status >= 100000 && status < 107000; }

void report(const char* code, const char* title, const std::string& message, const char* cause = "",
            const char* solution = "") noexcept {
  try {
    add_report({code, title, message, cause, solution});
  } catch (...) {
    // Out of memory while telling of an error: the status alone has to do.
  }
}

}  // namespace

aclError Call::null_pointer(const char* parameter, aclError status) const noexcept {
  try {
    report(from_acl_layer(status) ? "EH0008" : "EE1004", "Invalid_Argument_Null_Pointer",
           fmt::format("{} returned {}: argument {} is a null pointer, expected an address.",
                       function_, status, parameter));
  } catch (...) {
  }
  return status;
}

aclError Call::bad_text(aclError status, const char* parameter, const std::string& value,
                        const char* expected) const {
  report(from_acl_layer(status) ? "EH0007" : "EE1003", "Invalid_Argument",
         fmt::format("{} returned {}: argument {} is {}, expected {}.", function_, status,
                     parameter, value, expected));
  return status;
}

aclError Call::bad_handle(const char* parameter, const void* handle, const char* kind,
                          aclError status) const noexcept {
  try {
    if (Hooks* const active = hooks()) active->object_missing(handle, kind);
    report("EE1011", "Invalid_Handle",
           fmt::format("{} returned {}: argument {} ({}) is not a live {}.", function_, status,
                       parameter, handle, kind),
           "It was destroyed already, went away with its device, or is a handle of another kind.");
  } catch (...) {
  }
  return status;
}

aclError Call::no_context() const noexcept {
  return failed(ACL_ERROR_RT_CONTEXT_NULL, "the calling thread has no context",
                "No device is set on this thread, or the device was reset since.",
                "Call aclrtSetDevice or aclrtSetCurrentContext on this thread first.");
}

aclError Call::bad_device(const char* parameter, int64_t device) const noexcept {
  return bad_value(ACL_ERROR_RT_INVALID_DEVICEID, parameter, device,
                   "0 or more and less than what aclrtGetDeviceCount tells");
}

aclError Call::unsupported(const char* what, const char* solution) const noexcept {
  try {
    report("EE1017", "Not_Supported",
           fmt::format("{} returned {}: {}.", function_, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, what),
           "", solution);
  } catch (...) {
  }
  return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

aclError Call::failed(aclError status, const std::string& what, const char* cause,
                      const char* solution) const noexcept {
  try {
    report(from_acl_layer(status) ? "EH9999" : "EE1016", "Call_Failed",
           fmt::format("{} returned {}: {}.", function_, status, what), cause, solution);
  } catch (...) {
  }
  return status;
}

}  // namespace aclgrad::runtime
