// SPDX-License-Identifier: Apache-2.0
// Tensors, scalars, arrays, executors.
#include "tests/contract/wrong_calls.h"

namespace aclgrad::contract {
namespace {

constexpr int64_t kDims[26] = {};
const char* const kNull = "null pointer";
const char* const kInvalidHandle = "not a live handle";

// The same mistakes with every getter of a tensor and every size of an array.
template <class Handle, class... Outputs>
void add_getter(std::vector<RuntimeFault>& faults, const char* name, const char* parameter,
                aclnnStatus (*getter)(const Handle*, Outputs...)) {
  WrongCalls(faults, name, getter, nullptr, Outputs{}...)
      .template with<0>(nullptr, 161001, {parameter, kNull})
      .template with<0>(&World::invalid_handle, 161002, {parameter, kInvalidHandle});
}

template <class... Outputs>
void add_tensor_getter(std::vector<RuntimeFault>& faults, const char* name, const char* output,
                       aclnnStatus (*getter)(const aclTensor*, Outputs...)) {
  add_getter(faults, name, "tensor", getter);
  WrongCalls(faults, name, getter, &World::tensor, Outputs{}...).unchanged(161001, {output, kNull});
}

template <class Handle>
void add_destroyer(std::vector<RuntimeFault>& faults, const char* name,
                   aclnnStatus (*destroy)(const Handle*)) {
  WrongCalls(faults, name, destroy, &World::invalid_handle).unchanged(161002, {kInvalidHandle});
}

template <class Handle, class Value>
void add_array(std::vector<RuntimeFault>& faults, const char* name,
               Handle* (*create)(const Value*, uint64_t)) {
  WrongCalls(faults, name, create, &World::invalid_handle, 1)
      .template with<1>(UINT64_MAX, 161002, {"size", "18446744073709551615", "at most"});
}

using SetAddress = aclnnStatus (*)(aclOpExecutor*, const size_t, aclTensor*, void*);
void add_setter(std::vector<RuntimeFault>& faults, const char* name, SetAddress set) {
  WrongCalls(faults, name, set, &World::executor, 0, &World::tensor, nullptr)
      .with<2>(nullptr, 561103, {"tensor", kNull})
      .with<2>(&World::invalid_handle, 161002, {"tensor", kInvalidHandle})
      .with<0>(nullptr, 561103, {"executor", kNull})
      .with<0>(&World::invalid_handle, 561000, {"executor", "not a live executor"})
      .unchanged(161002, {"tensor", "aclnnInplaceSeluGetWorkspaceSize"});
}

using SetListAddress = aclnnStatus (*)(aclOpExecutor*, size_t, const size_t, aclTensorList*, void*);
void add_list_setter(std::vector<RuntimeFault>& faults, const char* name, SetListAddress set) {
  WrongCalls(faults, name, set, &World::executor, 0, 0, &World::empty_list, nullptr)
      .with<3>(nullptr, 561103, {"tensors", kNull})
      .with<3>(&World::invalid_handle, 161002, {"tensors", kInvalidHandle})
      .with<2>(3, 161002, {"relativeIndex", "3", "less than 0"});
}

void add_creations(std::vector<RuntimeFault>& faults) {
  WrongCalls(faults, "aclCreateTensor", aclCreateTensor, kDims, 1, ACL_FLOAT, nullptr, 0,
             ACL_FORMAT_ND, kDims, 1, nullptr)
      .with<0>(nullptr, 161001, {"viewDims", kNull})
      .with<6>(nullptr, 161001, {"storageDims", kNull})
      .with<1>(26, 161002, {"viewDims", "26", "at most 25"})
      .with<7>(26, 161002, {"storageDims", "26", "at most 25"});
  WrongCalls(faults, "aclCreateScalar", aclCreateScalar, &World::host, ACL_FLOAT)
      .with<0>(nullptr, 161001, {"value", kNull})
      .with<1>(ACL_STRING, 161002, {"dataType", "DT_STRING"});
  add_array(faults, "aclCreateIntArray", aclCreateIntArray);
  add_array(faults, "aclCreateFloatArray", aclCreateFloatArray);
  add_array(faults, "aclCreateBoolArray", aclCreateBoolArray);
  add_array(faults, "aclCreateTensorList", aclCreateTensorList);
  add_array(faults, "aclCreateScalarList", aclCreateScalarList);
  WrongCalls(faults, "aclInitTensor", aclInitTensor, &World::tensor, kDims, 1, ACL_FLOAT, nullptr,
             0, ACL_FORMAT_ND, kDims, 1, nullptr)
      .with<0>(nullptr, 161001, {"tensor", kNull})
      .with<2>(26, 161002, {"viewDims", "26", "at most 25"});
}

void add_executors(std::vector<RuntimeFault>& faults) {
  WrongCalls(faults, "aclSetAclOpExecutorRepeatable", aclSetAclOpExecutorRepeatable,
             &World::executor)
      .with<0>(nullptr, 561103, {"executor", kNull})
      .with<0>(&World::invalid_handle, 561000, {"executor", "not a live executor"});
  WrongCalls(faults, "aclDestroyAclOpExecutor", aclDestroyAclOpExecutor, &World::executor)
      .with<0>(nullptr, 561103, {"executor", kNull})
      .with<0>(&World::invalid_handle, 561000, {"executor", "not a live executor"});
  WrongCalls(faults, "aclSetRawTensorAddr", aclSetRawTensorAddr, &World::tensor, nullptr)
      .with<0>(nullptr, 161001, {"tensor", kNull});
  add_setter(faults, "aclSetInputTensorAddr", aclSetInputTensorAddr);
  add_setter(faults, "aclSetOutputTensorAddr", aclSetOutputTensorAddr);
  add_setter(faults, "aclSetTensorAddr", aclSetTensorAddr);
  add_setter(faults, "aclSetInputTensorAddr", AclSetInputTensorAddr);
  add_setter(faults, "aclSetOutputTensorAddr", AclSetOutputTensorAddr);
  add_setter(faults, "aclSetTensorAddr", AclSetTensorAddr);
  add_list_setter(faults, "aclSetDynamicInputTensorAddr", aclSetDynamicInputTensorAddr);
  add_list_setter(faults, "aclSetDynamicOutputTensorAddr", aclSetDynamicOutputTensorAddr);
  add_list_setter(faults, "aclSetDynamicTensorAddr", aclSetDynamicTensorAddr);
  add_list_setter(faults, "aclSetDynamicInputTensorAddr", AclSetDynamicInputTensorAddr);
  add_list_setter(faults, "aclSetDynamicOutputTensorAddr", AclSetDynamicOutputTensorAddr);
  add_list_setter(faults, "aclSetDynamicTensorAddr", AclSetDynamicTensorAddr);
}

}  // namespace

std::vector<RuntimeFault> meta_faults() {
  std::vector<RuntimeFault> faults;
  add_creations(faults);
  add_destroyer(faults, "aclDestroyTensor", aclDestroyTensor);
  add_destroyer(faults, "aclDestroyScalar", aclDestroyScalar);
  add_destroyer(faults, "aclDestroyIntArray", aclDestroyIntArray);
  add_destroyer(faults, "aclDestroyFloatArray", aclDestroyFloatArray);
  add_destroyer(faults, "aclDestroyBoolArray", aclDestroyBoolArray);
  add_destroyer(faults, "aclDestroyTensorList", aclDestroyTensorList);
  add_destroyer(faults, "aclDestroyScalarList", aclDestroyScalarList);
  add_tensor_getter(faults, "aclGetViewShape", "viewDims", aclGetViewShape);
  add_tensor_getter(faults, "aclGetStorageShape", "storageDims", aclGetStorageShape);
  add_tensor_getter(faults, "aclGetViewStrides", "stridesValue", aclGetViewStrides);
  add_tensor_getter(faults, "aclGetViewOffset", "offset", aclGetViewOffset);
  add_tensor_getter(faults, "aclGetFormat", "format", aclGetFormat);
  add_tensor_getter(faults, "aclGetDataType", "dataType", aclGetDataType);
  add_tensor_getter(faults, "aclGetRawTensorAddr", "addr", aclGetRawTensorAddr);
  add_getter(faults, "aclGetIntArraySize", "array", aclGetIntArraySize);
  add_getter(faults, "aclGetFloatArraySize", "array", aclGetFloatArraySize);
  add_getter(faults, "aclGetBoolArraySize", "array", aclGetBoolArraySize);
  add_getter(faults, "aclGetTensorListSize", "tensorList", aclGetTensorListSize);
  add_getter(faults, "aclGetScalarListSize", "scalarList", aclGetScalarListSize);
  add_executors(faults);
  return faults;
}

}  // namespace aclgrad::contract
