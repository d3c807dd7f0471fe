// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/runtime/handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/runtime.h"
#include "aclgrad/tensor/to_float.h"
#include "aclgrad_ext.h"

// Only our own libraries have them; null on others.
#pragma weak aclgradAllocationId
#pragma weak aclgradReleaseTensorList

namespace aclgrad {
namespace {

std::uint64_t allocation_at(const void* memory) {
  return aclgradAllocationId == nullptr ? 0 : aclgradAllocationId(memory);
}

// The message would be taken for a part of the next one.
void forget_failure(int status) {
  if (status != 0) aclGetRecentErrMsg();
}

// Whether a runtime that numbers nothing knows the address; yes where it does not answer.
bool is_device_memory(const void* memory) {
  aclrtPtrAttributes found{};
  const int status = aclrtPointerGetAttributes(memory, &found);
  forget_failure(status);
  return status != 0 || found.location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
}

// The creating functions of the meta layer answer null instead of a status.
constexpr int kCreationFailed = 561103;

template <class T>
T* created(T* object, std::string_view function) {
  if (object == nullptr) check_status(kCreationFailed, function);
  return object;
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::size_t bytes, std::string_view purpose) : bytes_(bytes) {
  ensure_runtime();
  void* memory = nullptr;
  check_status(aclrtMalloc(&memory, std::max<std::size_t>(bytes, 1), ACL_MEM_MALLOC_HUGE_FIRST),
               "aclrtMalloc", purpose);
  memory_ = {memory, Free{allocation_at(memory)}};
  check_status(aclrtGetDevice(&device_), "aclrtGetDevice");
}

void DeviceBuffer::Free::operator()(void* memory) const noexcept {
  if (allocation_at(memory) == allocation) forget_failure(aclrtFree(memory));
}

bool DeviceBuffer::is_alive() const noexcept {
  if (data() == nullptr) return true;
  if (aclgradAllocationId == nullptr) return is_device_memory(data());
  return allocation_at(data()) == memory_.get_deleter().allocation;
}

void DeviceBuffer::check_alive() const {
  if (is_alive()) return;
  throw ValueError(
      "the device memory is gone: the device was reset since it was allocated (aclrtResetDevice, "
      "aclFinalize)");
}

void DeviceBuffer::upload(const void* host, std::size_t count) {
  check_alive();
  ensure_runtime();
  check_status(aclrtMemcpy(data(), bytes_, host, count, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
}

void DeviceBuffer::download(void* host, std::size_t count) const {
  if (count > bytes_) {
    throw ValueError(fmt::format("cannot read {} bytes of a device buffer of {}", count, bytes_));
  }
  check_alive();
  ensure_runtime();
  check_status(aclrtMemcpy(host, count, data(), count, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
}

Stream::Stream() {
  ensure_runtime();
  aclrtStream stream = nullptr;
  check_status(aclrtCreateStream(&stream), "aclrtCreateStream");
  stream_.reset(stream);
}

void Stream::Destroy::operator()(void* stream) const noexcept {
  forget_failure(aclrtDestroyStream(stream));
}

void Stream::synchronize() const {
  check_status(aclrtSynchronizeStream(get()), "aclrtSynchronizeStream");
}

Event::Event(std::uint32_t flag) {
  ensure_runtime();
  aclrtEvent event = nullptr;
  check_status(aclrtCreateEventExWithFlag(&event, flag), "aclrtCreateEventExWithFlag");
  event_.reset(event);
}

void Event::Destroy::operator()(void* event) const noexcept {
  forget_failure(aclrtDestroyEvent(event));
}

void RecordedModel::Destroy::operator()(void* model) const noexcept {
  forget_failure(aclmdlRIDestroy(model));
}

TensorHandle::TensorHandle(const Shape& shape, DType dtype, std::span<const std::int64_t> strides,
                           std::int64_t offset, const Shape& storage, void* data)
    : tensor_(created(aclCreateTensor(shape.data(), shape.rank(), static_cast<aclDataType>(dtype),
                                      strides.data(), offset, format_of_rank(shape.rank()),
                                      storage.data(), storage.rank(), data),
                      "aclCreateTensor")) {}

ScalarHandle::ScalarHandle(double value, DType beside) {
  auto create = [this](auto typed, aclDataType dtype) {
    scalar_.reset(created(aclCreateScalar(&typed, dtype), "aclCreateScalar"));
  };
  const bool whole = std::trunc(value) == value && std::abs(value) < 0x1p63;
  if (beside == DType::float64) {
    create(value, ACL_DOUBLE);
  } else if (!is_floating(beside) && whole) {
    create(static_cast<std::int64_t>(value), ACL_INT64);
  } else {
    create(to_float(value), ACL_FLOAT);
  }
}

IntArrayHandle::IntArrayHandle(std::span<const std::int64_t> values)
    : array_(created(aclCreateIntArray(values.data(), values.size()), "aclCreateIntArray")) {}

BoolArrayHandle::BoolArrayHandle(std::span<const bool> values)
    : array_(created(aclCreateBoolArray(values.data(), values.size()), "aclCreateBoolArray")) {}

TensorListHandle::TensorListHandle(std::span<aclTensor* const> tensors)
    : list_(created(aclCreateTensorList(tensors.data(), tensors.size()), "aclCreateTensorList")) {}

void TensorListHandle::Release::operator()(aclTensorList* list) const noexcept {
  if (aclgradReleaseTensorList != nullptr) forget_failure(aclgradReleaseTensorList(list));
}

}  // namespace aclgrad
