// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>

#include "hccl/hccl.h"
#include "tests/faults/scenarios.h"

namespace aclgrad::faults {
namespace {

constexpr uint32_t kRanks = 2;
constexpr uint64_t kNumbers = 6;
constexpr auto kFloat = HCCL_DATA_TYPE_FP32;

// In the numbers of the runtime, where memory is exhausted, here or in a runtime call; any other
// result is a complaint.
aclError status_of(HcclResult result) {
  const bool is_exhausted = result == HCCL_E_MEMORY || result == HCCL_E_RUNTIME;
  return is_exhausted ? ACL_ERROR_BAD_ALLOC : static_cast<aclError>(result);
}

struct Rank {
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  std::array<float, kNumbers> send = {}, receive = {};
};

void set_device(Run& run, uint32_t rank) {
  run.call("aclrtSetDevice", [&] { return aclrtSetDevice(static_cast<int32_t>(rank)); });
}

void make_stream(Run& run, uint32_t device, Rank& rank) {
  set_device(run, device);
  run.later("aclrtResetDevice",
            [device] { return aclrtResetDevice(static_cast<int32_t>(device)); });
  run.call("aclrtCreateStream", [&] { return aclrtCreateStream(&rank.stream); });
  run.later("aclrtDestroyStream", [&rank, device] {
    aclrtSetDevice(static_cast<int32_t>(device));
    aclrtSynchronizeStream(rank.stream);  // a task's failure was reported already
    aclrtResetDevice(static_cast<int32_t>(device));
    return aclrtDestroyStream(rank.stream);
  });
}

template <class Function>
void collective(Run& run, const char* what, Function&& function) {
  run.call(what, [&] { return status_of(function()); });
}

void leave_later(Run& run, uint32_t device, Rank& rank) {
  run.later("HcclCommDestroy", [&rank, device] {
    aclrtSetDevice(static_cast<int32_t>(device));
    const aclError status = status_of(HcclCommDestroy(rank.comm));
    aclrtResetDevice(static_cast<int32_t>(device));
    return status;
  });
}

void synchronize(Run& run, Rank& rank) {
  run.call("aclrtSynchronizeStream", [&] { return aclrtSynchronizeStream(rank.stream); });
  run.result(rank.receive.data(), sizeof rank.receive);
}

void rank_alone(Run& run) {
  Rank rank;
  rank.send = {1, 2, 3, 4, 5, 6};
  make_stream(run, 0, rank);
  HcclRootInfo info;
  collective(run, "HcclGetRootInfo", [&] { return HcclGetRootInfo(&info); });
  // A group that is named is kept until a rank comes, so one does in the end.
  run.later("HcclCommInitRootInfo, again", [&] {
    HcclCommInitRootInfo(1, &info, 0, &rank.comm);
    HcclCommDestroy(rank.comm);
    return ACL_SUCCESS;
  });
  collective(run, "HcclCommInitRootInfo",
             [&] { return HcclCommInitRootInfo(1, &info, 0, &rank.comm); });
  leave_later(run, 0, rank);
  collective(run, "HcclAllReduce", [&] {
    return HcclAllReduce(rank.send.data(), rank.receive.data(), kNumbers, kFloat, HCCL_REDUCE_SUM,
                         rank.comm, rank.stream);
  });
  synchronize(run, rank);
  std::array<HcclSendRecvItem, 2> items = {{{HCCL_SEND, rank.send.data(), 2, kFloat, 0},
                                            {HCCL_RECV, rank.receive.data() + 4, 2, kFloat, 0}}};
  collective(run, "HcclBatchSendRecv",
             [&] { return HcclBatchSendRecv(items.data(), 2, rank.comm, rank.stream); });
  const uint64_t count = kNumbers, at = 0;
  collective(run, "HcclAlltoAllV", [&] {
    return HcclAlltoAllV(rank.send.data(), &count, &at, kFloat, rank.receive.data(), &count, &at,
                         kFloat, rank.comm, rank.stream);
  });
  synchronize(run, rank);
  run.finish();
}

// One thread issues for both. Where one call fails the other rank hears of it when the group ends.
void two_ranks(Run& run) {
  std::array<Rank, kRanks> ranks;
  ranks[0].send = {1, 2, 3, 4, 5, 6};
  ranks[1].send = {6, 5, 4, 3, 2, 1};
  for (uint32_t i = 0; i < kRanks; ++i) make_stream(run, i, ranks[i]);
  std::array<int32_t, kRanks> devices = {0, 1};
  std::array<HcclComm, kRanks> comms = {};
  collective(run, "HcclCommInitAll",
             [&] { return HcclCommInitAll(kRanks, devices.data(), comms.data()); });
  for (uint32_t i = 0; i < kRanks; ++i) {
    ranks[i].comm = comms[i];
    leave_later(run, i, ranks[i]);
  }
  const auto both = [&](const char* what, auto function) {
    for (uint32_t i = 0; i < kRanks; ++i) {
      set_device(run, i);
      run.later("aclrtResetDevice", [i] { return aclrtResetDevice(static_cast<int32_t>(i)); });
      collective(run, what, [&] { return function(ranks[i], i); });
    }
    for (uint32_t i = 0; i < kRanks; ++i) {
      set_device(run, i);
      run.later("aclrtResetDevice", [i] { return aclrtResetDevice(static_cast<int32_t>(i)); });
      synchronize(run, ranks[i]);
    }
  };
  both("HcclReduceScatter", [&](Rank& rank, uint32_t) {
    return HcclReduceScatter(rank.send.data(), rank.receive.data(), kNumbers / kRanks, kFloat,
                             HCCL_REDUCE_SUM, rank.comm, rank.stream);
  });
  both("HcclSend, HcclRecv", [&](Rank& rank, uint32_t i) {
    return i == 0 ? HcclSend(rank.send.data(), kNumbers, kFloat, 1, rank.comm, rank.stream)
                  : HcclRecv(rank.receive.data(), kNumbers, kFloat, 0, rank.comm, rank.stream);
  });
  both("HcclBarrier", [&](Rank& rank, uint32_t) { return HcclBarrier(rank.comm, rank.stream); });
  run.finish();
}

}  // namespace

std::vector<Scenario> hccl_scenarios() {
  // Before the runtime counts its devices; no rank waits long for one whose call has failed.
  setenv("ACLGRAD_DEVICE_COUNT", "2", /*overwrite=*/1);
  setenv("HCCL_EXEC_TIMEOUT", "5", /*overwrite=*/1);
  return {{"a rank alone", rank_alone}, {"two ranks", two_ranks}};
}

}  // namespace aclgrad::faults
