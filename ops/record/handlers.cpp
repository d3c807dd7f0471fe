// SPDX-License-Identifier: Apache-2.0
// The functions of which more is noted than their line: those that make, change and destroy what
// handles stand for, and those that allocate, free, copy and fill memory.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "aclgrad_common/dtypes.h"
#include "ops/record/behind.h"
#include "ops/record/state.h"

namespace aclgrad::record {
namespace {

std::vector<int64_t> values_of(const int64_t* values, uint64_t count) {
  return values == nullptr ? std::vector<int64_t>() : std::vector<int64_t>(values, values + count);
}

std::vector<int64_t> contiguous(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] =
        static_cast<int64_t>(static_cast<uint64_t>(strides[i]) * static_cast<uint64_t>(shape[i]));
  }
  return strides;
}

// ---- Tensors and what else operators take -------------------------------------------------------

// From argument `at` on: viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
// storageDimsNum, address.
Tensor tensor_from(const State& state, size_t at) {
  Tensor tensor;
  tensor.shape = values_of(state.pointer<const int64_t*>(at), state.number(at + 1));
  tensor.dtype = static_cast<aclDataType>(state.number(at + 2));
  const auto* const strides = state.pointer<const int64_t*>(at + 3);
  tensor.strides =
      strides == nullptr ? contiguous(tensor.shape) : values_of(strides, tensor.shape.size());
  tensor.offset = static_cast<int64_t>(state.number(at + 4));
  tensor.format = static_cast<aclFormat>(state.number(at + 5));
  tensor.storage = values_of(state.pointer<const int64_t*>(at + 6), state.number(at + 7));
  tensor.address = state.pointer<void*>(at + 8);
  return tensor;
}

void tensor_made(State& state) {
  if (state.result != nullptr) object_made(state.result, tensor_from(state, 0));
}

void tensor_changed(State& state) {
  if (state.status != 0) return;
  Tensor given = tensor_from(state, 1);
  change_tensor(state.arguments[0].address, [&](Tensor& tensor) {
    if (given.shape.empty()) given.shape = tensor.shape, given.strides = tensor.strides;
    if (given.storage.empty()) given.storage = tensor.storage;
    if (given.address == nullptr) given.address = tensor.address;
    tensor = std::move(given);
  });
}

void address_changed(State& state) {
  if (state.status != 0) return;
  change_tensor(state.arguments[0].address,
                [&](Tensor& tensor) { tensor.address = state.pointer<void*>(1); });
}

void scalar_made(State& state) {
  if (state.result == nullptr || state.arguments[0].address == nullptr) return;
  Scalar scalar{.dtype = static_cast<aclDataType>(state.number(1))};
  const common::DtypeInfo* const info = common::find_dtype(scalar.dtype);
  scalar.size = info == nullptr || info->bytes == 0 ? 1 : static_cast<uint8_t>(info->bytes);
  std::memcpy(scalar.bytes.data(), state.arguments[0].address, scalar.size);
  object_made(state.result, scalar);
}

template <class Element, class Array>
void array_made(State& state) {
  if (state.result == nullptr) return;
  const auto* const values = state.pointer<const Element*>(0);
  object_made(state.result, values == nullptr ? Array() : Array(values, values + state.number(1)));
}

void list_made(State& state) {
  if (state.result == nullptr) return;
  const auto* const members = state.pointer<const void* const*>(0);
  List list;
  if (members != nullptr) list.members.assign(members, members + state.number(1));
  object_made(state.result, std::move(list));
}

// Before the call: behind it another thread may have an object of the same address.
void destroyed(State& state) { object_gone(state.arguments[0].address); }

// ---- Executors ----------------------------------------------------------------------------------

void executor_destroyed(State& state) { executor_gone(state.arguments[0].address); }

// For an executor's later runs, and as the tensor is described from now on.
void moved(const State& state, const void* tensor, void* address) {
  if (state.status != 0) return;
  move_tensor(state.arguments[0].address, tensor, address);
  change_tensor(tensor, [&](Tensor& changed) { changed.address = address; });
}

// executor, index, tensor, address
void executor_moved(State& state) {
  moved(state, state.arguments[2].address, state.pointer<void*>(3));
}

// executor, irIndex, relativeIndex, tensors, address
void member_moved(State& state) {
  moved(state, member_of(state.arguments[3].address, state.number(2)), state.pointer<void*>(4));
}

// ---- Memory -------------------------------------------------------------------------------------

void allocated(State& state) {
  if (state.status == 0) block_made(*state.pointer<void**>(0), state.number(1));
}

void freed(State& state) { block_gone(state.arguments[0].address); }

// Which memory of the device a copy or a fill touches, now or, captured, later. Of what lies in no
// block, the host's, no bytes are kept.
void add_block(State& state, Text& bytes, const char* name, size_t address, size_t count) {
  const auto begin = reinterpret_cast<uintptr_t>(state.arguments[address].address);
  const uint64_t size = state.number(count);
  if (size == 0 || !is_in_block(begin)) return;
  if (!state.capture.is_on) {
    state.add(bytes, name, begin, size);
    return;
  }
  Tensor stretch;
  stretch.shape = {static_cast<int64_t>(size)};
  stretch.strides = {1};
  stretch.dtype = ACL_INT8;
  stretch.address = reinterpret_cast<void*>(begin);
  state.captured.push_back({name, nullptr, std::move(stretch)});
}

// dst, destMax, src, count, kind, and the stream of an asynchronous one
template <bool kIsAsync>
void before_copy(State& state) {
  state.keeps = state.keeps_bytes() && (!kIsAsync || wait_for(state.stream(5)));
  if (state.keeps || state.capture.is_on) add_block(state, state.before, "src", 2, 3);
}

template <bool kIsAsync>
void after_copy(State& state) {
  if (state.status != 0) return;
  if (state.capture.is_on || (state.keeps && (!kIsAsync || wait_for(state.stream(5)))))
    add_block(state, state.after, "dst", 0, 3);
}

// devPtr, maxCount, value, count, and the stream of an asynchronous one
template <bool kIsAsync>
void before_fill(State& state) {
  state.keeps = state.keeps_bytes();
}

template <bool kIsAsync>
void after_fill(State& state) {
  if (state.status != 0) return;
  if (state.capture.is_on || (state.keeps && (!kIsAsync || wait_for(state.stream(4)))))
    add_block(state, state.after, "devPtr", 0, 3);
}

// ---- Streams ------------------------------------------------------------------------------------

void stream_waited(State& state) {
  if (state.status == 0) state.status = take_failure(state.stream(0));
}
void device_waited(State& state) {
  if (state.status == 0) state.status = take_failure(std::nullopt);
}

// A capture ends without a model when a stream was not joined back, or when a call has made it
// void.
constexpr aclError kNotJoined = ACL_ERROR_RT_STREAM_UNJOINED;
constexpr aclError kVoid = ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;

void capturing(State& state) {
  if (state.status == 0) capture_began();
}
void before_captured(State& state) {
  state.run = tensors_of(capture_of(state.stream(0)).recording);
}
void captured(State& state) {
  const bool is_lost = state.status == kNotJoined || state.status == kVoid;
  if (state.status == 0 || is_lost) capture_ended();
  if (is_lost) recording_gone(state.run);
}

// modelRI, and the stream of an asynchronous run: the other one waits, on the default stream.
template <bool kIsAsync>
bool wait_for_run(const State& state) {
  return wait_for(kIsAsync ? state.stream(1) : nullptr);
}

template <bool kIsAsync>
void before_run(State& state) {
  state.run = tensors_of(state.arguments[0].address);
  state.keeps = state.run != nullptr && state.keeps_bytes() && wait_for_run<kIsAsync>(state);
  if (state.keeps) state.add_tensors(state.before, *state.run);
}

template <bool kIsAsync>
void after_run(State& state) {
  if (state.keeps && state.status == 0 && wait_for_run<kIsAsync>(state))
    state.add_tensors(state.after, *state.run);
}

// Behind the call another thread may begin a recording of the same handle.
void before_destroyed(State& state) { state.run = tensors_of(state.arguments[0].address); }
void after_destroyed(State& state) {
  if (state.status == 0) recording_gone(state.run);
}

// model, tensor, bytes
void tensor_of_recording_moved(State& state) {
  if (state.status == 0)
    recording_moved(state.arguments[0].address, state.arguments[1].address,
                    state.arguments[2].whole);
}

constexpr Handler kHandlers[] = {
    {"aclCreateTensor", nullptr, tensor_made},
    {"aclInitTensor", nullptr, tensor_changed},
    {"aclSetRawTensorAddr", nullptr, address_changed},
    {"aclCreateScalar", nullptr, scalar_made},
    {"aclCreateIntArray", nullptr, array_made<int64_t, IntArray>},
    {"aclCreateFloatArray", nullptr, array_made<float, FloatArray>},
    {"aclCreateBoolArray", nullptr, array_made<bool, BoolArray>},
    {"aclCreateTensorList", nullptr, list_made},
    {"aclCreateScalarList", nullptr, list_made},
    {"aclDestroyTensor", destroyed, nullptr},
    {"aclDestroyScalar", destroyed, nullptr},
    {"aclDestroyIntArray", destroyed, nullptr},
    {"aclDestroyFloatArray", destroyed, nullptr},
    {"aclDestroyBoolArray", destroyed, nullptr},
    {"aclDestroyTensorList", destroyed, nullptr},
    {"aclDestroyScalarList", destroyed, nullptr},
    {"aclDestroyAclOpExecutor", executor_destroyed, nullptr},
    {"aclSetInputTensorAddr", nullptr, executor_moved},
    {"aclSetOutputTensorAddr", nullptr, executor_moved},
    {"aclSetTensorAddr", nullptr, executor_moved},
    {"aclSetDynamicInputTensorAddr", nullptr, member_moved},
    {"aclSetDynamicOutputTensorAddr", nullptr, member_moved},
    {"aclSetDynamicTensorAddr", nullptr, member_moved},
    {"AclSetInputTensorAddr", nullptr, executor_moved},
    {"AclSetOutputTensorAddr", nullptr, executor_moved},
    {"AclSetTensorAddr", nullptr, executor_moved},
    {"AclSetDynamicInputTensorAddr", nullptr, member_moved},
    {"AclSetDynamicOutputTensorAddr", nullptr, member_moved},
    {"AclSetDynamicTensorAddr", nullptr, member_moved},
    {"aclrtMalloc", nullptr, allocated},
    {"aclrtMallocAlign32", nullptr, allocated},
    {"aclrtMallocCached", nullptr, allocated},
    {"aclrtMallocWithCfg", nullptr, allocated},
    {"aclrtFree", freed, nullptr},
    {"aclrtFreeWithDevSync", freed, nullptr},
    {"aclrtMemcpy", before_copy<false>, after_copy<false>},
    {"aclrtMemcpyAsync", before_copy<true>, after_copy<true>},
    {"aclrtMemset", before_fill<false>, after_fill<false>},
    {"aclrtMemsetAsync", before_fill<true>, after_fill<true>},
    {"aclrtSynchronizeStream", nullptr, stream_waited},
    {"aclrtSynchronizeStreamWithTimeout", nullptr, stream_waited},
    {"aclrtSynchronizeDevice", nullptr, device_waited},
    {"aclrtSynchronizeDeviceWithTimeout", nullptr, device_waited},
    {"aclmdlRICaptureBegin", nullptr, capturing},
    {"aclmdlRICaptureEnd", before_captured, captured},
    {"aclmdlRIExecute", before_run<false>, after_run<false>},
    {"aclmdlRIExecuteAsync", before_run<true>, after_run<true>},
    {"aclmdlRIDestroy", before_destroyed, after_destroyed},
    {"aclgradModelMoveTensor", nullptr, tensor_of_recording_moved},
};

}  // namespace

const Handler* handler_of(std::string_view name) {
  const auto* const found =
      std::ranges::find(kHandlers, name, [](const Handler& each) { return each.name; });
  return found == std::end(kHandlers) ? nullptr : found;
}

}  // namespace aclgrad::record
