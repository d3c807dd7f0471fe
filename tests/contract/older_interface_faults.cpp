// SPDX-License-Identifier: Apache-2.0
// Descriptions of tensors, attributes of single operators, dumps, the profiler, overflow.
#include <memory>

#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "tests/contract/wrong_calls.h"

namespace aclgrad::contract {
namespace {

int64_t dims[1] = {4};
int64_t ranges[1][ACL_TENSOR_SHAPE_RANGE_NUM] = {};
int counts[1] = {1};
float reals[1] = {};
uint8_t flags[1] = {};
const int64_t* lists[1] = {dims};

// One for the process: the calls with it change nothing.
aclTensorDesc* description(World&) {
  static const std::unique_ptr<aclTensorDesc, void (*)(const aclTensorDesc*)> made(
      aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND), aclDestroyTensorDesc);
  return made.get();
}

aclopAttr* attributes(World&) {
  static const std::unique_ptr<aclopAttr, void (*)(const aclopAttr*)> made(aclopCreateAttr(),
                                                                           aclopDestroyAttr);
  return made.get();
}

void add_descriptions(std::vector<RuntimeFault>& faults) {
  WrongCalls(faults, "aclGetTensorDescDimV2", aclGetTensorDescDimV2, description, 0, dims)
      .null<0>("desc")
      .null<2>("dimSize")
      .with<1>(1, 100000, {"index", "1", "less than 1"});
  WrongCalls(faults, "aclSetTensorFormat", aclSetTensorFormat, description, ACL_FORMAT_ND)
      .null<0>("desc");
  WrongCalls(faults, "aclSetTensorShape", aclSetTensorShape, description, 1, dims)
      .null<0>("desc")
      .null<2>("dims")
      .with<1>(-1, 100000, {"numDims", "-1"});
  WrongCalls(faults, "aclSetTensorShapeRange", aclSetTensorShapeRange, description, 1, ranges)
      .null<0>("desc")
      .null<2>("dimsRange");
  WrongCalls(faults, "aclSetTensorConst", aclSetTensorConst, description, dims, 8)
      .null<0>("desc")
      .null<1>("dataBuffer")
      .with<2>(0, 100000, {"length", "0"});
  WrongCalls(faults, "aclSetTensorPlaceMent", aclSetTensorPlaceMent, description, ACL_MEMTYPE_HOST)
      .null<0>("desc")
      .with<1>(no_member<aclMemType>(), 100000, {"memType", "99"});
}

template <class... Values>
void add_attribute(std::vector<RuntimeFault>& faults, const char* name,
                   aclError (*set)(aclopAttr*, const char*, Values...), Values... values) {
  WrongCalls(faults, name, set, attributes, "axis", values...)
      .template null<0>("attr")
      .template null<1>("attrName");
}

template <class Value>
void add_list(std::vector<RuntimeFault>& faults, const char* name,
              aclError (*set)(aclopAttr*, const char*, int, const Value*), const Value* values) {
  add_attribute<int, const Value*>(faults, name, set, 1, values);
  WrongCalls(faults, name, set, attributes, "axis", 1, values)
      .template null<3>("values")
      .template with<2>(-1, 100000, {"numValues", "-1"});
}

void add_single_operators(std::vector<RuntimeFault>& faults) {
  add_attribute<uint8_t>(faults, "aclopSetAttrBool", aclopSetAttrBool, 1);
  add_attribute<int64_t>(faults, "aclopSetAttrInt", aclopSetAttrInt, 1);
  add_attribute<float>(faults, "aclopSetAttrFloat", aclopSetAttrFloat, 1);
  add_attribute<aclDataType>(faults, "aclopSetAttrDataType", aclopSetAttrDataType, ACL_FLOAT);
  add_attribute<const char*>(faults, "aclopSetAttrString", aclopSetAttrString, "edge");
  WrongCalls(faults, "aclopSetAttrString", aclopSetAttrString, attributes, "mode", "edge")
      .null<2>("attrValue");
  add_list<uint8_t>(faults, "aclopSetAttrListBool", aclopSetAttrListBool, flags);
  add_list<int64_t>(faults, "aclopSetAttrListInt", aclopSetAttrListInt, dims);
  add_list<float>(faults, "aclopSetAttrListFloat", aclopSetAttrListFloat, reals);
  WrongCalls(faults, "aclopSetAttrListListInt", aclopSetAttrListListInt, attributes, "pads", 1,
             counts, lists)
      .null<0>("attr")
      .null<1>("attrName")
      .with<2>(-1, 100000, {"numLists", "-1"})
      .null<3>("numValues")
      .null<4>("values");
  WrongCalls(faults, "aclopSetModelDir", aclopSetModelDir, "op_models").null<0>("modelDir");
  WrongCalls(faults, "aclSetCompileopt", aclSetCompileopt, ACL_OP_JIT_COMPILE, "disable")
      .with<0>(no_member<aclCompileOpt>(), 100000, {"opt", "99"})
      .null<1>("value");
}

void add_profiler(std::vector<RuntimeFault>& faults) {
  WrongCalls(faults, "aclmdlSetDump", aclmdlSetDump, "dump.json").null<0>("configPath");
  WrongCalls(faults, "aclprofInit", aclprofInit, "profile", 7)
      .null<0>("profilerResultPath")
      .with<1>(0, 100000, {"length", "0"});
  WrongCalls(faults, "aclprofDestroyConfig", aclprofDestroyConfig, nullptr)
      .null<0>("profilerConfig");
  WrongCalls(faults, "aclprofStart", aclprofStart, nullptr).null<0>("profilerConfig");
  WrongCalls(faults, "aclprofStop", aclprofStop, nullptr).null<0>("profilerConfig");
}

void add_overflow(std::vector<RuntimeFault>& faults) {
  WrongCalls(faults, "aclrtSetDeviceSatMode", aclrtSetDeviceSatMode, ACL_RT_OVERFLOW_MODE_INFNAN)
      .with<0>(ACL_RT_OVERFLOW_MODE_UNDEF, 100000, {"mode", "2"});
  WrongCalls(faults, "aclrtGetOverflowStatus", aclrtGetOverflowStatus, &World::memory, 64,
             &World::stream)
      .null<0>("outputAddr")
      .with<1>(63, 100000, {"outputSize", "63"})
      .with<2>(&World::invalid_handle, 107017, {"stream", "not a live stream"})
      .without_context();
  WrongCalls(faults, "aclrtResetOverflowStatus", aclrtResetOverflowStatus, &World::stream)
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"})
      .without_context();
  static size_t found;
  WrongCalls(faults, "aclrtGetMemUceInfo", aclrtGetMemUceInfo, 0, nullptr, 0, &found)
      .null<3>("retSize")
      .with<0>(-1, 107001, {"deviceId", "-1"});
}

}  // namespace

std::vector<RuntimeFault> older_interface_faults() {
  std::vector<RuntimeFault> faults;
  add_descriptions(faults);
  add_single_operators(faults);
  add_profiler(faults);
  add_overflow(faults);
  return faults;
}

}  // namespace aclgrad::contract
