// SPDX-License-Identifier: Apache-2.0
// aclTensor: creation, getters, re-initialisation, destruction.
#include <algorithm>

#include "ops/meta/objects.h"
#include "ops/meta/tensor.h"

using namespace aclgrad::ops;

namespace {

constexpr char kDims[] = "viewDims";
constexpr char kStorage[] = "storageDims";

// What aclCreateTensor and aclInitTensor refuse; null when the dimensions can be held.
const char* refused_dims(const int64_t* dims, uint64_t count, const char* name) {
  if (dims == nullptr && count > 0) return name;
  return count > kMaxRank ? name : nullptr;
}

void report_refused(const char* function, const char* parameter, const int64_t* dims,
                    uint64_t count) {
  if (dims == nullptr) {
    check_given(function, parameter, nullptr);
  } else {
    if_memory_allows([&] {
      report(function, kInvalidParameter,
             fmt::format("argument {} has {} dimensions, expected at most {}.", parameter, count,
                         kMaxRank));
    });
  }
}

bool accept_dims(const char* function, const int64_t* viewDims, uint64_t viewDimsNum,
                 const int64_t* storageDims, uint64_t storageDimsNum) {
  if (const char* name = refused_dims(viewDims, viewDimsNum, kDims)) {
    report_refused(function, name, viewDims, viewDimsNum);
    return false;
  }
  if (const char* name = refused_dims(storageDims, storageDimsNum, kStorage)) {
    report_refused(function, name, storageDims, storageDimsNum);
    return false;
  }
  return true;
}

// The sizes that are given, for the tensor; those that are not (no dimensions) stay. False when
// more dimensions than have room in a tensor are out of memory: it is as it was then.
bool assign_dims(aclTensor& tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                 const int64_t* stride, const int64_t* storageDims, uint64_t storageDimsNum) {
  try {
    Dims view =
        viewDimsNum > 0 ? Dims(viewDims, static_cast<size_t>(viewDimsNum)) : tensor.view_shape;
    Dims storage = storageDimsNum > 0 ? Dims(storageDims, static_cast<size_t>(storageDimsNum))
                                      : tensor.storage_shape;
    tensor.view_strides = stride != nullptr ? Dims(stride, view.size()) : contiguous_strides(view);
    tensor.view_shape = std::move(view);
    tensor.storage_shape = std::move(storage);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void assign_rest(aclTensor& tensor, aclDataType dtype, int64_t offset, aclFormat format) {
  tensor.dtype = dtype;
  tensor.format = format;
  tensor.offset = offset;
}

// The caller frees the array with delete[], so it comes from the global operator new[].
aclnnStatus copy_dims(const char* function, const char* parameter, const aclTensor* tensor,
                      const Dims aclTensor::*field, int64_t** values, uint64_t* count) {
  if (const aclnnStatus status = check_handle(function, "tensor", tensor, ACLGRAD_HANDLE_TENSOR);
      status != kSuccess) {
    return status;
  }
  if (values == nullptr || count == nullptr) {
    return check_given(function, values == nullptr ? parameter : "the count", nullptr);
  }
  const Dims& dims = tensor->*field;
  auto* copy = new (std::nothrow) int64_t[dims.size()];
  if (copy == nullptr) {
    report_exhausted(function);
    return kInnerError;
  }
  std::copy(dims.begin(), dims.end(), copy);
  *values = copy;
  *count = dims.size();
  return kSuccess;
}

template <class T>
aclnnStatus get_field(const char* function, const char* parameter, const aclTensor* tensor,
                      T aclTensor::*field, T* out) {
  if (const aclnnStatus status = check_handle(function, "tensor", tensor, ACLGRAD_HANDLE_TENSOR);
      status != kSuccess) {
    return status;
  }
  if (const aclnnStatus status = check_given(function, parameter, out); status != kSuccess) {
    return status;
  }
  *out = tensor->*field;
  return kSuccess;
}

}  // namespace

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
  if (!accept_dims("aclCreateTensor", viewDims, viewDimsNum, storageDims, storageDimsNum)) {
    return nullptr;
  }
  std::unique_ptr<aclTensor> tensor(new (std::nothrow) aclTensor);
  if (tensor != nullptr &&
      !assign_dims(*tensor, viewDims, viewDimsNum, stride, storageDims, storageDimsNum)) {
    tensor.reset();  // register_handle() reports it
  }
  if (tensor != nullptr) {
    tensor->data = tensorData;
    assign_rest(*tensor, dataType, offset, format);
  }
  return register_handle("aclCreateTensor", std::move(tensor), ACLGRAD_HANDLE_TENSOR);
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t* stride, int64_t offset,
                          aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                          void* tensorDataAddr) {
  constexpr char kFunction[] = "aclInitTensor";
  if (const aclnnStatus status = check_handle(kFunction, "tensor", tensor, ACLGRAD_HANDLE_TENSOR);
      status != kSuccess) {
    return status;
  }
  // Null dimensions leave the shape unchanged, whatever the count is.
  const uint64_t view_count = viewDims != nullptr ? viewDimsNum : 0;
  const uint64_t storage_count = storageDims != nullptr ? storageDimsNum : 0;
  if (!accept_dims(kFunction, viewDims, view_count, storageDims, storage_count)) {
    return kInvalidParameter;
  }
  if (!assign_dims(*tensor, viewDims, view_count, stride, storageDims, storage_count)) {
    report_exhausted(kFunction);
    return kInnerError;
  }
  if (tensorDataAddr != nullptr) tensor->data = tensorDataAddr;
  assign_rest(*tensor, dataType, offset, format);
  if (OperatorHooks* const active = hooks()) active->object_changed(tensor);
  return kSuccess;
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return destroy("aclDestroyTensor", tensor, ACLGRAD_HANDLE_TENSOR);
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  return copy_dims("aclGetViewShape", "viewDims", tensor, &aclTensor::view_shape, viewDims,
                   viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
  return copy_dims("aclGetStorageShape", "storageDims", tensor, &aclTensor::storage_shape,
                   storageDims, storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
  return copy_dims("aclGetViewStrides", "stridesValue", tensor, &aclTensor::view_strides,
                   stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return get_field("aclGetViewOffset", "offset", tensor, &aclTensor::offset, offset);
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return get_field("aclGetFormat", "format", tensor, &aclTensor::format, format);
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return get_field("aclGetDataType", "dataType", tensor, &aclTensor::dtype, dataType);
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return get_field("aclGetRawTensorAddr", "addr", tensor, &aclTensor::data, addr);
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  const aclnnStatus status =
      check_handle("aclSetRawTensorAddr", "tensor", tensor, ACLGRAD_HANDLE_TENSOR);
  if (status != kSuccess) return status;
  tensor->data = addr;
  if (OperatorHooks* const active = hooks()) active->object_changed(tensor);
  return kSuccess;
}
