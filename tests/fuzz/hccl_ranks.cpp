// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/hccl_ranks.h"

namespace aclgrad::fuzz {
namespace {

constexpr int32_t kTimeout = 20;  // ms, after which a rank is taken for waiting in vain

void renew_stream(aclrtStream& stream) {
  if (stream != nullptr) {
    require(aclrtDestroyStreamForce(stream) == 0, "a stream that goes away");
  }
  require(aclrtCreateStream(&stream) == 0, "a stream");
}

}  // namespace

void set_device(size_t id) {
  require(aclrtSetDevice(static_cast<int32_t>(id)) == 0, "the device is there");
}

bool check(HcclResult result, const char* call) {
  require(result == HCCL_SUCCESS || result == HCCL_E_PARA || result == HCCL_E_PTR ||
              result == HCCL_E_NOT_SUPPORT || result == HCCL_E_RUNTIME || result == HCCL_E_INTERNAL,
          "a documented result");
  require_message(result, call);
  return result == HCCL_SUCCESS;
}

void expect_success(HcclResult result, const char* call) { require(check(result, call), call); }

Ranks::Ranks() {
  for (size_t i = 0; i < kRanks; ++i) {
    set_device(i);
    renew_stream(pair[i].stream);
  }
  set_device(0);
  renew_stream(alone.stream);
  join_alone();
  join_pair();
}

Ranks::~Ranks() {
  leave(alone, 0);
  require(aclrtDestroyStreamForce(alone.stream) == 0, "a stream that goes away");
  for (size_t i = 0; i < kRanks; ++i) {
    leave(pair[i], i);
    require(aclrtDestroyStreamForce(pair[i].stream) == 0, "a stream that goes away");
  }
  aclGetRecentErrMsg();
}

void Ranks::join_alone() {
  HcclRootInfo info;
  expect_success(HcclGetRootInfo(&info), "HcclGetRootInfo");
  expect_success(HcclCommInitRootInfo(1, &info, 0, &alone.comm), "HcclCommInitRootInfo");
}

void Ranks::join_pair() {
  int32_t devices[kRanks] = {0, 1};
  HcclComm comms[kRanks] = {};
  set_device(0);
  expect_success(HcclCommInitAll(kRanks, devices, comms), "HcclCommInitAll");
  for (size_t i = 0; i < kRanks; ++i) pair[i].comm = comms[i];
}

void Ranks::leave(Rank& rank, size_t device) {
  set_device(device);
  dead_ = rank.comm;
  expect_success(HcclCommDestroy(rank.comm), "HcclCommDestroy");
  rank.comm = nullptr;
}

void Ranks::synchronize_alone() const {
  require(aclrtSynchronizeStream(alone.stream) == 0, "a rank alone does not wait");
}

void Ranks::renew_alone() {
  leave(alone, 0);
  renew_stream(alone.stream);
  join_alone();
}

void Ranks::settle() {
  bool waits[kRanks] = {}, is_sound = true;
  for (size_t i = 0; i < kRanks; ++i) {
    set_device(i);
    const aclError status = aclrtSynchronizeStreamWithTimeout(pair[i].stream, kTimeout);
    require_message(status, "synchronising a rank");
    waits[i] = status == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    is_sound &= status == 0;
  }
  if (is_sound) return;
  const size_t first = waits[0] ? 1 : 0;
  leave(pair[first], first);
  leave(pair[1 - first], 1 - first);
  for (size_t i = 0; i < kRanks; ++i) {
    set_device(i);
    require_message(aclrtSynchronizeStream(pair[i].stream), "synchronising the last time");
    renew_stream(pair[i].stream);
  }
  join_pair();
}

void* Ranks::any_handle(Input& input) const {
  const void* const handles[] = {nullptr,      alone.comm,     pair[1].comm,     dead_,
                                 alone.stream, pair[1].stream, alone.send.data()};
  return input.once_in(8) ? reinterpret_cast<void*>(static_cast<uintptr_t>(input.extent()))
                          : const_cast<void*>(input.pick(handles));
}

void Ranks::use_and_destroy(HcclComm comm) {
  set_device(0);
  expect_success(HcclBarrier(comm, alone.stream), "HcclBarrier");
  synchronize_alone();
  dead_ = comm;
  expect_success(HcclCommDestroy(comm), "HcclCommDestroy");
}

}  // namespace aclgrad::fuzz
