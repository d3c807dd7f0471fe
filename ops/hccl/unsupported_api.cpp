// SPDX-License-Identifier: Apache-2.0
// hccl/hccl_unsupported.h: each function says so and touches nothing.
#include "hccl/hccl.h"
#include "ops/hccl/call.h"

namespace {

HcclResult refuse(const char* function) {
  return aclgrad::hccl::report(function, HCCL_E_NOT_SUPPORT, "the function is not supported");
}

HcclResult refuse_rank_table(const char* function) {
  return aclgrad::hccl::report(
      function, HCCL_E_NOT_SUPPORT, "rank tables are not supported",
      "Start the ranks with an MPI launcher, or as threads, and use HcclCommInitRootInfo.");
}

}  // namespace

HcclResult HcclCommInitClusterInfo(const char*, uint32_t, HcclComm*) {
  return refuse_rank_table(__func__);
}
HcclResult HcclCommInitClusterInfoConfig(const char*, uint32_t, HcclCommConfig*, HcclComm*) {
  return refuse_rank_table(__func__);
}
HcclResult HcclCommGetHandleWithName(const char*, HcclComm*) { return refuse(__func__); }
HcclResult HcclCommSuspend(HcclComm) { return refuse(__func__); }
HcclResult HcclCommResume(HcclComm) { return refuse(__func__); }
HcclResult HcclGroupStart() { return refuse(__func__); }
HcclResult HcclGroupEnd() { return refuse(__func__); }
HcclResult HcclGroupStatusGet(bool*) { return refuse(__func__); }

HcclResult HcclAllGatherV(void*, uint64_t, void*, const void*, const void*, HcclDataType, HcclComm,
                          aclrtStream) {
  return refuse(__func__);
}
HcclResult HcclReduceScatterV(void*, const void*, const void*, void*, uint64_t, HcclDataType,
                              HcclReduceOp, HcclComm, aclrtStream) {
  return refuse(__func__);
}
HcclResult HcclAlltoAllVC(const void*, const void*, HcclDataType, const void*, HcclDataType,
                          HcclComm, aclrtStream) {
  return refuse(__func__);
}
