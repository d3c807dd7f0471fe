// SPDX-License-Identifier: Apache-2.0
// Settings of the process and of contexts: aclrtSetSysParamOpt and its relatives.
#include "ops/runtime/context/system_options.h"

#include "aclgrad_ext.h"
#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/context/context.h"

namespace aclgrad::runtime {
namespace {

SystemOptions& process_options() { return never_destroyed<SystemOptions>(); }

void check_option(const Call& call, aclSysParamOpt option) {
  if (is_member(option, ACL_OPT_DETERMINISTIC, ACL_OPT_ENABLE_KERNEL_EARLY_START)) {
    return;
  }
  call.bad_value(ACL_ERROR_INVALID_PARAM, "opt", static_cast<int>(option),
                 "a value of aclSysParamOpt (0..3)");
}

void set_option(const Call& call, SystemOptions& options, aclSysParamOpt option, int64_t value) {
  if (option == ACL_OPT_DETERMINISTIC && (value < 0 || value > 3)) {
    call.bad_value(ACL_ERROR_INVALID_PARAM, "value", value, "0..3 for ACL_OPT_DETERMINISTIC");
  }
  options.set(option, value);
}

void get_option(const Call& call, const SystemOptions& options, aclSysParamOpt option,
                int64_t* value) {
  const std::optional<int64_t> found = options.get(option);
  if (!found) {
    call.failed(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
                fmt::format("option {} was never set", static_cast<int>(option)), "",
                "Set it first: aclrtSetSysParamOpt, aclrtCtxSetSysParamOpt.");
  }
  *value = *found;
}

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return entry(__func__, [&](const Call& call) {
    check_option(call, opt);
    set_option(call, process_options(), opt, value);
  });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return entry(__func__, [&](const Call& call) {
    call.require(value, "value");
    check_option(call, opt);
    get_option(call, process_options(), opt, value);
  });
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return entry(__func__, [&](const Call& call) {
    check_option(call, opt);
    Context& context = require_context(call);
    set_option(call, context.options(), opt, value);
  });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return entry(__func__, [&](const Call& call) {
    call.require(value, "value");
    check_option(call, opt);
    Context& context = require_context(call);
    get_option(call, context.options(), opt, value);
  });
}

int32_t aclgradIsDeterministic() {
  std::optional<int64_t> value;
  if (Context* const context = current_context())
    value = context->options().get(ACL_OPT_DETERMINISTIC);
  if (!value) value = process_options().get(ACL_OPT_DETERMINISTIC);
  return value.value_or(0) != 0 ? 1 : 0;
}
