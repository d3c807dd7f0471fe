// SPDX-License-Identifier: Apache-2.0
// What programs of the vendor's older interface link: attributes and options of single operators,
// dumps, the profiler. Nothing of it can be read back, so it is checked and not kept.
#include "acl/acl_mdl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "ops/runtime/call/call.h"

// The opaque types of the public headers.
struct aclopAttr {};
struct aclprofConfig {};

using namespace aclgrad::runtime;

namespace {

void require_named(const Call& call, const aclopAttr* attr, const char* name) {
  call.require(attr, "attr");
  call.require(name, "attrName");
}

aclError set_one(const char* function, const aclopAttr* attr, const char* name) {
  return entry(function, [&](const Call& call) { require_named(call, attr, name); });
}

aclError set_list(const char* function, const aclopAttr* attr, const char* name, int count,
                  const void* values) {
  return entry(function, [&](const Call& call) {
    require_named(call, attr, name);
    if (count < 0) call.bad_value(ACL_ERROR_INVALID_PARAM, "numValues", count, "at least 0");
    if (count > 0) call.require(values, "values");
  });
}

// A call whose only argument must be there.
aclError take(const char* function, const void* argument, const char* parameter) {
  return entry(function, [&](const Call& call) { call.require(argument, parameter); });
}

}  // namespace

// ---- Single operators ---------------------------------------------------------------------------

aclopAttr* aclopCreateAttr() { return new (std::nothrow) aclopAttr; }
void aclopDestroyAttr(const aclopAttr* attr) { delete attr; }

aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t) {
  return set_one(__func__, attr, attrName);
}
aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t) {
  return set_one(__func__, attr, attrName);
}
aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float) {
  return set_one(__func__, attr, attrName);
}
aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType) {
  return set_one(__func__, attr, attrName);
}
aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue) {
  return entry(__func__, [&](const Call& call) {
    require_named(call, attr, attrName);
    call.require(attrValue, "attrValue");
  });
}
aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName, int numValues,
                              const uint8_t* values) {
  return set_list(__func__, attr, attrName, numValues, values);
}
aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName, int numValues,
                             const int64_t* values) {
  return set_list(__func__, attr, attrName, numValues, values);
}
aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName, int numValues,
                               const float* values) {
  return set_list(__func__, attr, attrName, numValues, values);
}
aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName, int numLists,
                                 const int* numValues, const int64_t* const values[]) {
  return entry(__func__, [&](const Call& call) {
    require_named(call, attr, attrName);
    if (numLists < 0) call.bad_value(ACL_ERROR_INVALID_PARAM, "numLists", numLists, "at least 0");
    if (numLists == 0) return;
    call.require(numValues, "numValues");
    call.require(values, "values");
  });
}

aclError aclopSetModelDir(const char* modelDir) { return take(__func__, modelDir, "modelDir"); }

aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
  return entry(__func__, [&](const Call& call) {
    if (!is_member(opt, ACL_PRECISION_MODE, ACL_OP_DEBUG_OPTION)) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "opt", static_cast<int>(opt),
                     "a value of aclCompileOpt (0..16)");
    }
    call.require(value, "value");
  });
}

// ---- Dumps and the profiler ---------------------------------------------------------------------

aclError aclmdlInitDump() { return ACL_SUCCESS; }
aclError aclmdlSetDump(const char* configPath) { return take(__func__, configPath, "configPath"); }
aclError aclmdlFinalizeDump() { return ACL_SUCCESS; }

aclError aclprofInit(const char* profilerResultPath, size_t length) {
  return entry(__func__, [&](const Call& call) {
    call.require(profilerResultPath, "profilerResultPath");
    if (length == 0) call.bad_value(ACL_ERROR_INVALID_PARAM, "length", length, "more than 0");
  });
}
aclError aclprofFinalize() { return ACL_SUCCESS; }
aclprofConfig* aclprofCreateConfig(uint32_t* deviceIdList, uint32_t deviceNums,
                                   aclprofAicoreMetrics, const aclprofAicoreEvents*, uint64_t) {
  if (deviceIdList == nullptr && deviceNums > 0) return nullptr;
  return new (std::nothrow) aclprofConfig;
}
aclError aclprofDestroyConfig(const aclprofConfig* profilerConfig) {
  return entry(__func__, [&](const Call& call) {
    call.require(profilerConfig, "profilerConfig");
    delete profilerConfig;
  });
}
aclError aclprofStart(const aclprofConfig* profilerConfig) {
  return take(__func__, profilerConfig, "profilerConfig");
}
aclError aclprofStop(const aclprofConfig* profilerConfig) {
  return take(__func__, profilerConfig, "profilerConfig");
}
