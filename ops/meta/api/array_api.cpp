// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers and lists of tensors and scalars.
#include "ops/meta/objects.h"
#include "ops/meta/tensor.h"

using namespace aclgrad::ops;

namespace {

template <class Array, class Value>
Array* create(const char* function, const Value* values, uint64_t size, aclgradHandleKind kind,
              auto Array::*field) noexcept {
  try {
    auto array = std::make_unique<Array>();
    auto& held = array.get()->*field;
    if (values != nullptr && size > 0) {
      if (size > held.max_size()) {
        report(function, kInvalidParameter,
               fmt::format("argument size is {}, expected at most {}.", size, held.max_size()));
        return nullptr;
      }
      held.assign(values, values + size);
    }
    return register_handle(function, std::move(array), kind);
  } catch (const std::exception&) {
    report_exhausted(function);
    return nullptr;
  }
}

template <class Array>
aclnnStatus get_size(const char* function, const char* parameter, const Array* array,
                     aclgradHandleKind kind, auto Array::*field, uint64_t* size) {
  if (const aclnnStatus status = check_handle(function, parameter, array, kind);
      status != kSuccess) {
    return status;
  }
  if (const aclnnStatus status = check_given(function, "size", size); status != kSuccess) {
    return status;
  }
  *size = (array->*field).size();
  return kSuccess;
}

// A list owns its elements.
template <class List>
aclnnStatus destroy_list(const char* function, const List* list, aclgradHandleKind kind,
                         auto destroy_element) {
  if (list == nullptr) return kSuccess;
  if (aclgradHandleCheck(list, kind) == 0) return destroy(function, list, kind);
  const auto elements = std::move(const_cast<List*>(list)->elements);
  aclnnStatus status = destroy(function, list, kind);
  for (const auto* element : elements) {
    if (const aclnnStatus failed = destroy_element(element); status == kSuccess) status = failed;
  }
  return status;
}

}  // namespace

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return create<aclIntArray>(__func__, value, size, ACLGRAD_HANDLE_INT_ARRAY, &aclIntArray::values);
}
aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return create<aclFloatArray>(__func__, value, size, ACLGRAD_HANDLE_FLOAT_ARRAY,
                               &aclFloatArray::values);
}
aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return create<aclBoolArray>(__func__, value, size, ACLGRAD_HANDLE_BOOL_ARRAY,
                              &aclBoolArray::values);
}
aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return create<aclTensorList>(__func__, value, size, ACLGRAD_HANDLE_TENSOR_LIST,
                               &aclTensorList::elements);
}
aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return create<aclScalarList>(__func__, value, size, ACLGRAD_HANDLE_SCALAR_LIST,
                               &aclScalarList::elements);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  return destroy("aclDestroyIntArray", array, ACLGRAD_HANDLE_INT_ARRAY);
}
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return destroy("aclDestroyFloatArray", array, ACLGRAD_HANDLE_FLOAT_ARRAY);
}
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return destroy("aclDestroyBoolArray", array, ACLGRAD_HANDLE_BOOL_ARRAY);
}
aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return destroy_list("aclDestroyTensorList", array, ACLGRAD_HANDLE_TENSOR_LIST, aclDestroyTensor);
}
int32_t aclgradReleaseTensorList(const void* list) {
  if (aclgradHandleCheck(list, ACLGRAD_HANDLE_SCALAR_LIST) != 0) {
    return destroy("aclgradReleaseTensorList", static_cast<const aclScalarList*>(list),
                   ACLGRAD_HANDLE_SCALAR_LIST);
  }
  return destroy("aclgradReleaseTensorList", static_cast<const aclTensorList*>(list),
                 ACLGRAD_HANDLE_TENSOR_LIST);
}
aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  return destroy_list("aclDestroyScalarList", array, ACLGRAD_HANDLE_SCALAR_LIST, aclDestroyScalar);
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return get_size("aclGetIntArraySize", "array", array, ACLGRAD_HANDLE_INT_ARRAY,
                  &aclIntArray::values, size);
}
aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return get_size("aclGetFloatArraySize", "array", array, ACLGRAD_HANDLE_FLOAT_ARRAY,
                  &aclFloatArray::values, size);
}
aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return get_size("aclGetBoolArraySize", "array", array, ACLGRAD_HANDLE_BOOL_ARRAY,
                  &aclBoolArray::values, size);
}
aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  return get_size("aclGetTensorListSize", "tensorList", tensorList, ACLGRAD_HANDLE_TENSOR_LIST,
                  &aclTensorList::elements, size);
}
aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  return get_size("aclGetScalarListSize", "scalarList", scalarList, ACLGRAD_HANDLE_SCALAR_LIST,
                  &aclScalarList::elements, size);
}
