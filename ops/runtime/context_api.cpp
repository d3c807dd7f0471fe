// SPDX-License-Identifier: Apache-2.0
// Context functions of acl/acl_rt.h.
#include "ops/runtime/context.h"
#include "ops/runtime/device.h"

using namespace aclgrad::runtime;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (context == nullptr) return call.null_pointer("context");
    if (!is_device(deviceId)) return call.bad_device("deviceId", deviceId);
    std::shared_ptr<Context> made = make_context(deviceId, /*is_primary=*/false);
    *context = made->handle();
    set_current_context(std::move(made));
    return ACL_SUCCESS;
  });
}

aclError aclrtDestroyContext(aclrtContext context) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (context == nullptr) return call.null_pointer("context");
    const std::shared_ptr<Context> found = contexts().find(context);
    if (!found) {
      return call.bad_handle("context", context, "context", ACL_ERROR_RT_PARAM_INVALID);
    }
    if (found->is_primary()) {
      return call.failed(ACL_ERROR_RT_PARAM_INVALID,
                         "argument context is the default context of a device", "",
                         "Release it with aclrtResetDevice.");
    }
    if (!end_context(*found, /*drain=*/true)) return inside_own_task(call);
    return ACL_SUCCESS;
  });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (context == nullptr) return call.null_pointer("context");
    std::shared_ptr<Context> found = contexts().find(context);
    if (!found) {
      return call.bad_handle("context", context, "context", ACL_ERROR_RT_PARAM_INVALID);
    }
    set_current_context(std::move(found));
    return ACL_SUCCESS;
  });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (context == nullptr) return call.null_pointer("context");
    const Context* const current = current_context();
    if (current == nullptr) return call.no_context();
    *context = current->handle();
    return ACL_SUCCESS;
  });
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (stream == nullptr) return call.null_pointer("stream");
    const Context* const current = current_context();
    if (current == nullptr) return call.no_context();
    *stream = current->default_stream()->handle();
    return ACL_SUCCESS;
  });
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (flags == nullptr) return call.null_pointer("flags");
    if (active == nullptr) return call.null_pointer("active");
    if (!is_device(deviceId)) return call.bad_device("deviceId", deviceId);
    *flags = 0;
    *active = is_device_set(deviceId) ? 1 : 0;
    return ACL_SUCCESS;
  });
}
