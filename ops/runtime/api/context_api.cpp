// SPDX-License-Identifier: Apache-2.0
// Context functions of acl/acl_rt.h.
#include "ops/runtime/context/context.h"
#include "ops/runtime/context/synchronize.h"
#include "ops/runtime/device/device.h"
#include "ops/runtime/process/devices.h"

using namespace aclgrad::runtime;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return entry(__func__, [&](const Call& call) {
    call.require(context, "context");
    require_device(call, "deviceId", deviceId);
    std::shared_ptr<Context> made = make_context(deviceId, /*is_primary=*/false);
    *context = made->handle();
    set_current_context(std::move(made));
  });
}

aclError aclrtDestroyContext(aclrtContext context) {
  return entry(__func__, [&](const Call& call) {
    call.require(context, "context");
    const std::shared_ptr<Context> found = contexts().find(context);
    if (!found) {
      call.bad_handle("context", context, "context", ACL_ERROR_RT_PARAM_INVALID);
    }
    if (found->is_primary()) {
      call.failed(ACL_ERROR_RT_PARAM_INVALID, "argument context is the default context of a device",
                  "", "Release it with aclrtResetDevice.");
    }
    if (!end_context(*found, /*drain=*/true)) inside_own_task(call);
  });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return entry(__func__, [&](const Call& call) {
    call.require(context, "context");
    std::shared_ptr<Context> found = contexts().find(context);
    if (!found) {
      call.bad_handle("context", context, "context", ACL_ERROR_RT_PARAM_INVALID);
    }
    set_current_context(std::move(found));
  });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return entry(__func__, [&](const Call& call) {
    call.require(context, "context");
    *context = require_context(call).handle();
  });
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return entry(__func__, [&](const Call& call) {
    call.require(stream, "stream");
    *stream = require_context(call).default_stream()->handle();
  });
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return entry(__func__, [&](const Call& call) {
    call.require(flags, "flags");
    call.require(active, "active");
    require_device(call, "deviceId", deviceId);
    *flags = 0;
    *active = is_device_set(deviceId) ? 1 : 0;
  });
}
