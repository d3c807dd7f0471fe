// SPDX-License-Identifier: Apache-2.0
// Tensors, scalars, arrays, executors.
#include "aclnnop/aclnn_selu.h"
#include "tests/contract/runtime_faults.h"

namespace aclgrad::contract {
namespace {

constexpr int64_t kDims[26] = {};
const char* const kNull = "null pointer";
const char* const kInvalidHandle = "not a live handle";
uint64_t count;

// A handle of a function that returns null when it fails: 0 when it did not.
int refused(const void* made, int status) { return made == nullptr ? status : 0; }

template <class Handle>
Handle* invalid_handle(World& world) {
  return static_cast<Handle*>(world.invalid_handle());
}

class Tensor {
 public:
  Tensor()
      : handle_(
            aclCreateTensor(kSize, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, kSize, 1, nullptr)) {}
  ~Tensor() { aclDestroyTensor(handle_); }
  operator aclTensor*() const { return handle_; }

 private:
  static constexpr int64_t kSize[1] = {2};
  aclTensor* handle_;
};

class Executor {
 public:
  Executor() { aclnnInplaceSeluGetWorkspaceSize(tensor_, &count, &handle_); }
  ~Executor() { aclDestroyAclOpExecutor(handle_); }
  operator aclOpExecutor*() const { return handle_; }
  aclTensor* tensor() const { return tensor_; }

 private:
  Tensor tensor_;
  aclOpExecutor* handle_ = nullptr;
};

// A list of no tensors, which knows no element 0.
class EmptyList {
 public:
  EmptyList() : handle_(aclCreateTensorList(nullptr, 0)) {}
  ~EmptyList() { aclDestroyTensorList(handle_); }
  operator aclTensorList*() const { return handle_; }

 private:
  aclTensorList* handle_;
};

// The same mistakes with every getter of a tensor and every size of an array.
template <class Handle, class... Outputs>
void add_getter(std::vector<RuntimeFault>& faults, const char* name, const char* parameter,
                aclnnStatus (*getter)(const Handle*, Outputs...)) {
  faults.push_back(
      {name, 161001, {parameter, kNull}, [=](World&) { return getter(nullptr, Outputs{}...); }});
  faults.push_back({name, 161002, {parameter, kInvalidHandle}, [=](World& world) {
                      return getter(invalid_handle<Handle>(world), Outputs{}...);
                    }});
}

template <class... Outputs>
void add_tensor_getter(std::vector<RuntimeFault>& faults, const char* name, const char* output,
                       aclnnStatus (*getter)(const aclTensor*, Outputs...)) {
  add_getter(faults, name, "tensor", getter);
  faults.push_back(
      {name, 161001, {output, kNull}, [=](World&) { return getter(Tensor(), Outputs{}...); }});
}

template <class Handle>
void add_destroyer(std::vector<RuntimeFault>& faults, const char* name,
                   aclnnStatus (*destroy)(const Handle*)) {
  faults.push_back({name, 161002, {kInvalidHandle}, [=](World& world) {
                      return destroy(invalid_handle<Handle>(world));
                    }});
}

template <class Handle, class Value>
void add_array(std::vector<RuntimeFault>& faults, const char* name,
               Handle* (*create)(const Value*, uint64_t)) {
  faults.push_back({name, 161002, {"size", "18446744073709551615", "at most"}, [=](World&) {
                      const Value value{};
                      return refused(create(&value, UINT64_MAX), 161002);
                    }});
}

using SetAddress = aclnnStatus (*)(aclOpExecutor*, const size_t, aclTensor*, void*);
void add_setter(std::vector<RuntimeFault>& faults, const char* name, SetAddress set) {
  faults.push_back({name, 561103, {"tensor", kNull}, [=](World&) {
                      return set(Executor(), 0, nullptr, nullptr);
                    }});
  faults.push_back({name, 161002, {"tensor", kInvalidHandle}, [=](World& world) {
                      return set(Executor(), 0, invalid_handle<aclTensor>(world), nullptr);
                    }});
  faults.push_back({name, 561103, {"executor", kNull}, [=](World&) {
                      return set(nullptr, 0, Tensor(), nullptr);
                    }});
  faults.push_back({name, 561000, {"executor", "not a live executor"}, [=](World& world) {
                      return set(invalid_handle<aclOpExecutor>(world), 0, Tensor(), nullptr);
                    }});
  faults.push_back({name, 161002, {"tensor", "aclnnInplaceSeluGetWorkspaceSize"}, [=](World&) {
                      return set(Executor(), 0, Tensor(), nullptr);
                    }});
}

using SetListAddress = aclnnStatus (*)(aclOpExecutor*, size_t, const size_t, aclTensorList*, void*);
void add_list_setter(std::vector<RuntimeFault>& faults, const char* name, SetListAddress set) {
  faults.push_back({name, 561103, {"tensors", kNull}, [=](World&) {
                      return set(Executor(), 0, 0, nullptr, nullptr);
                    }});
  faults.push_back({name, 161002, {"tensors", kInvalidHandle}, [=](World& world) {
                      return set(Executor(), 0, 0, invalid_handle<aclTensorList>(world), nullptr);
                    }});
  faults.push_back({name, 161002, {"relativeIndex", "3", "less than 0"}, [=](World&) {
                      return set(Executor(), 0, 3, EmptyList(), nullptr);
                    }});
}

void add_creations(std::vector<RuntimeFault>& faults) {
  const auto tensor = [](const int64_t* dims, uint64_t dims_count, const int64_t* storage,
                         uint64_t storage_count) {
    return aclCreateTensor(dims, dims_count, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage,
                           storage_count, nullptr);
  };
  faults.push_back({"aclCreateTensor", 161001, {"viewDims", kNull}, [=](World&) {
                      return refused(tensor(nullptr, 1, kDims, 1), 161001);
                    }});
  faults.push_back({"aclCreateTensor", 161001, {"storageDims", kNull}, [=](World&) {
                      return refused(tensor(kDims, 1, nullptr, 1), 161001);
                    }});
  faults.push_back({"aclCreateTensor", 161002, {"viewDims", "26", "at most 25"}, [=](World&) {
                      return refused(tensor(kDims, 26, kDims, 1), 161002);
                    }});
  faults.push_back({"aclCreateTensor", 161002, {"storageDims", "26", "at most 25"}, [=](World&) {
                      return refused(tensor(kDims, 1, kDims, 26), 161002);
                    }});
  faults.push_back({"aclCreateScalar", 161001, {"value", kNull}, [](World&) {
                      return refused(aclCreateScalar(nullptr, ACL_FLOAT), 161001);
                    }});
  faults.push_back({"aclCreateScalar", 161002, {"dataType", "DT_STRING"}, [](World& world) {
                      return refused(aclCreateScalar(world.host, ACL_STRING), 161002);
                    }});
  add_array(faults, "aclCreateIntArray", aclCreateIntArray);
  add_array(faults, "aclCreateFloatArray", aclCreateFloatArray);
  add_array(faults, "aclCreateBoolArray", aclCreateBoolArray);
  add_array(faults, "aclCreateTensorList", aclCreateTensorList);
  add_array(faults, "aclCreateScalarList", aclCreateScalarList);
  faults.push_back({"aclInitTensor", 161001, {"tensor", kNull}, [](World&) {
                      return aclInitTensor(nullptr, kDims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                                           kDims, 1, nullptr);
                    }});
  faults.push_back({"aclInitTensor", 161002, {"viewDims", "26", "at most 25"}, [](World&) {
                      return aclInitTensor(Tensor(), kDims, 26, ACL_FLOAT, nullptr, 0,
                                           ACL_FORMAT_ND, kDims, 1, nullptr);
                    }});
}

void add_executors(std::vector<RuntimeFault>& faults) {
  faults.push_back({"aclSetAclOpExecutorRepeatable", 561103, {"executor", kNull}, [](World&) {
                      return aclSetAclOpExecutorRepeatable(nullptr);
                    }});
  faults.push_back({"aclSetAclOpExecutorRepeatable",
                    561000,
                    {"executor", "not a live executor"},
                    [](World& world) {
                      return aclSetAclOpExecutorRepeatable(invalid_handle<aclOpExecutor>(world));
                    }});
  faults.push_back({"aclDestroyAclOpExecutor", 561103, {"executor", kNull}, [](World&) {
                      return aclDestroyAclOpExecutor(nullptr);
                    }});
  faults.push_back(
      {"aclDestroyAclOpExecutor", 561000, {"executor", "not a live executor"}, [](World& world) {
         return aclDestroyAclOpExecutor(invalid_handle<aclOpExecutor>(world));
       }});
  faults.push_back({"aclSetRawTensorAddr", 161001, {"tensor", kNull}, [](World&) {
                      return aclSetRawTensorAddr(nullptr, nullptr);
                    }});
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
