// SPDX-License-Identifier: Apache-2.0
// Collective communication: values, structures and functions.
#include "hccl/hccl.h"

#include <cstddef>

#include "tests/contract/specification/signature.h"

namespace aclgrad::specification {

// ---- Values -------------------------------------------------------------------------------------

static_assert(sizeof(HcclResult) == 4);
static_assert(HCCL_SUCCESS == 0);
static_assert(HCCL_E_PARA == 1);
static_assert(HCCL_E_PTR == 2);
static_assert(HCCL_E_MEMORY == 3);
static_assert(HCCL_E_INTERNAL == 4);
static_assert(HCCL_E_NOT_SUPPORT == 5);
static_assert(HCCL_E_NOT_FOUND == 6);
static_assert(HCCL_E_UNAVAIL == 7);
static_assert(HCCL_E_SYSCALL == 8);
static_assert(HCCL_E_TIMEOUT == 9);
static_assert(HCCL_E_OPEN_FILE_FAILURE == 10);
static_assert(HCCL_E_TCP_CONNECT == 11);
static_assert(HCCL_E_ROCE_CONNECT == 12);
static_assert(HCCL_E_TCP_TRANSFER == 13);
static_assert(HCCL_E_ROCE_TRANSFER == 14);
static_assert(HCCL_E_RUNTIME == 15);
static_assert(HCCL_E_DRV == 16);
static_assert(HCCL_E_PROFILING == 17);
static_assert(HCCL_E_CCE == 18);
static_assert(HCCL_E_NETWORK == 19);
static_assert(HCCL_E_AGAIN == 20);
static_assert(HCCL_E_REMOTE == 21);
static_assert(HCCL_E_SUSPENDING == 22);
static_assert(HCCL_E_OPRETRY_FAIL == 23);
static_assert(HCCL_E_OOM == 24);
static_assert(HCCL_E_IN_STATUS == 1041);
static_assert(HCCL_E_RESERVED == 1042);

static_assert(sizeof(HcclReduceOp) == 4);
static_assert(HCCL_REDUCE_SUM == 0);
static_assert(HCCL_REDUCE_PROD == 1);
static_assert(HCCL_REDUCE_MAX == 2);
static_assert(HCCL_REDUCE_MIN == 3);
static_assert(HCCL_REDUCE_RESERVED == 255);

static_assert(sizeof(HcclDataType) == 4);
static_assert(HCCL_DATA_TYPE_INT8 == 0);
static_assert(HCCL_DATA_TYPE_INT16 == 1);
static_assert(HCCL_DATA_TYPE_INT32 == 2);
static_assert(HCCL_DATA_TYPE_FP16 == 3);
static_assert(HCCL_DATA_TYPE_FP32 == 4);
static_assert(HCCL_DATA_TYPE_INT64 == 5);
static_assert(HCCL_DATA_TYPE_UINT64 == 6);
static_assert(HCCL_DATA_TYPE_UINT8 == 7);
static_assert(HCCL_DATA_TYPE_UINT16 == 8);
static_assert(HCCL_DATA_TYPE_UINT32 == 9);
static_assert(HCCL_DATA_TYPE_FP64 == 10);
static_assert(HCCL_DATA_TYPE_BFP16 == 11);
static_assert(HCCL_DATA_TYPE_INT128 == 12);
static_assert(HCCL_DATA_TYPE_HIF8 == 14);
static_assert(HCCL_DATA_TYPE_FP8E4M3 == 15);
static_assert(HCCL_DATA_TYPE_FP8E5M2 == 16);
static_assert(HCCL_DATA_TYPE_FP8E8M0 == 17);
static_assert(HCCL_DATA_TYPE_RESERVED == 255);

static_assert(sizeof(HcclSendRecvType) == 4);
static_assert(HCCL_SEND == 0);
static_assert(HCCL_RECV == 1);
static_assert(HCCL_SEND_RECV_RESERVED == 2);

static_assert(sizeof(HcclConfig) == 4);
static_assert(HCCL_DETERMINISTIC == 0);
static_assert(HCCL_CONFIG_RESERVED == 1);

// ---- Constants ----------------------------------------------------------------------------------

static_assert(HCCL_ROOT_INFO_BYTES == 4108);
static_assert(COMM_NAME_MAX_LENGTH == 128);
static_assert(BUFFER_NAME_MAX_LENGTH == 128);
static_assert(UDI_MAX_LENGTH == 128);
static_assert(HCCL_COMM_RETRY_PARAMS_MAX_LENGTH == 128);
static_assert(HCCL_COMM_ALGO_MAX_LENGTH == 1600);
static_assert(HCCL_COMM_RETRY_ENABLE_MAX_LENGTH == 50);
static_assert(HCCL_COMM_CONFIG_INFO_BYTES == 24);
static_assert(HCCL_COMM_CONFIG_MAGIC_WORD == 0xf0f0f0f0);
static_assert(HCCL_COMM_CONFIG_VERSION == 11);
static_assert(HCCL_COMM_DEFAULT_BUFFSIZE == 200);
static_assert(HCCL_COMM_DEFAULT_DETERMINISTIC == 0);
static_assert(HCCL_COMM_DEFAULT_OP_EXPANSION_MODE == 0);
static_assert(HCCL_DEFAULT_SYMMETRIC_MEMORY_STRIDE == 16);
static_assert(HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET == 0xffffffff);
static_assert(HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET == 0xffffffff);
static_assert(HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET == 0xffffffff);
static_assert(HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET == 0xffffffff);
static_assert(HCCL_COMM_QOS_CONFIG_NOT_SET == 0xffffffff);
static_assert(HCCL_COMM_SQ_DEPTH_CONFIG_NOT_SET == 0xffffffff);
static_assert(HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET == -1);

// ---- Structures ---------------------------------------------------------------------------------

static_assert(kIs<HcclComm, void*>);
static_assert(kIs<decltype(HcclRootInfo::internal), char[4108]>);
static_assert(sizeof(HcclRootInfo) == 4108);
static_assert(alignof(HcclRootInfo) == 1);
static_assert(kIs<decltype(HcclConfigValue::value), int32_t>);
static_assert(sizeof(HcclConfigValue) == 4);

static_assert(kIs<decltype(HcclSendRecvItem::sendRecvType), HcclSendRecvType>);
static_assert(offsetof(HcclSendRecvItem, sendRecvType) == 0);
static_assert(kIs<decltype(HcclSendRecvItem::buf), void*>);
static_assert(offsetof(HcclSendRecvItem, buf) == 8);
static_assert(kIs<decltype(HcclSendRecvItem::count), uint64_t>);
static_assert(offsetof(HcclSendRecvItem, count) == 16);
static_assert(kIs<decltype(HcclSendRecvItem::dataType), HcclDataType>);
static_assert(offsetof(HcclSendRecvItem, dataType) == 24);
static_assert(kIs<decltype(HcclSendRecvItem::remoteRank), uint32_t>);
static_assert(offsetof(HcclSendRecvItem, remoteRank) == 28);
static_assert(sizeof(HcclSendRecvItem) == 32);

static_assert(kIs<decltype(HcclCommConfig::reserved), char[24]>);
static_assert(offsetof(HcclCommConfig, reserved) == 0);
static_assert(kIs<decltype(HcclCommConfig::hcclBufferSize), uint32_t>);
static_assert(offsetof(HcclCommConfig, hcclBufferSize) == 24);
static_assert(kIs<decltype(HcclCommConfig::hcclDeterministic), uint32_t>);
static_assert(offsetof(HcclCommConfig, hcclDeterministic) == 28);
static_assert(kIs<decltype(HcclCommConfig::hcclCommName), char[128]>);
static_assert(offsetof(HcclCommConfig, hcclCommName) == 32);
static_assert(kIs<decltype(HcclCommConfig::hcclUdi), char[128]>);
static_assert(offsetof(HcclCommConfig, hcclUdi) == 160);
static_assert(kIs<decltype(HcclCommConfig::hcclOpExpansionMode), uint32_t>);
static_assert(offsetof(HcclCommConfig, hcclOpExpansionMode) == 288);
static_assert(kIs<decltype(HcclCommConfig::hcclRdmaTrafficClass), uint32_t>);
static_assert(offsetof(HcclCommConfig, hcclRdmaTrafficClass) == 292);
static_assert(kIs<decltype(HcclCommConfig::hcclRdmaServiceLevel), uint32_t>);
static_assert(offsetof(HcclCommConfig, hcclRdmaServiceLevel) == 296);
static_assert(kIs<decltype(HcclCommConfig::hcclWorldRankID), uint32_t>);
static_assert(offsetof(HcclCommConfig, hcclWorldRankID) == 300);
static_assert(kIs<decltype(HcclCommConfig::hcclJobID), uint64_t>);
static_assert(offsetof(HcclCommConfig, hcclJobID) == 304);
static_assert(kIs<decltype(HcclCommConfig::aclGraphZeroCopyEnable), uint8_t>);
static_assert(offsetof(HcclCommConfig, aclGraphZeroCopyEnable) == 312);
static_assert(kIs<decltype(HcclCommConfig::hcclExecTimeOut), int32_t>);
static_assert(offsetof(HcclCommConfig, hcclExecTimeOut) == 316);
static_assert(kIs<decltype(HcclCommConfig::hcclAlgo), char[1600]>);
static_assert(offsetof(HcclCommConfig, hcclAlgo) == 320);
static_assert(kIs<decltype(HcclCommConfig::hcclRetryEnable), char[50]>);
static_assert(offsetof(HcclCommConfig, hcclRetryEnable) == 1920);
static_assert(kIs<decltype(HcclCommConfig::hcclRetryParams), char[128]>);
static_assert(offsetof(HcclCommConfig, hcclRetryParams) == 1970);
static_assert(kIs<decltype(HcclCommConfig::hcclBufferName), char[128]>);
static_assert(offsetof(HcclCommConfig, hcclBufferName) == 2098);
static_assert(kIs<decltype(HcclCommConfig::hcclQos), uint32_t>);
static_assert(offsetof(HcclCommConfig, hcclQos) == 2228);
static_assert(kIs<decltype(HcclCommConfig::hcclSymWinMaxMemSizePerRank), uint64_t>);
static_assert(offsetof(HcclCommConfig, hcclSymWinMaxMemSizePerRank) == 2232);
static_assert(kIs<decltype(HcclCommConfig::hcclChannelSqDepth), uint32_t>);
static_assert(offsetof(HcclCommConfig, hcclChannelSqDepth) == 2240);
static_assert(sizeof(HcclCommConfig) == 2248);

// ---- Communicators ------------------------------------------------------------------------------

static_assert(kIs<decltype(HcclGetRootInfo), HcclResult(HcclRootInfo*)>);
static_assert(kIs<decltype(HcclCommInitRootInfo),
                  HcclResult(uint32_t, const HcclRootInfo*, uint32_t, HcclComm*)>);
static_assert(
    kIs<decltype(HcclCommInitRootInfoConfig),
        HcclResult(uint32_t, const HcclRootInfo*, uint32_t, const HcclCommConfig*, HcclComm*)>);
static_assert(kIs<decltype(HcclCommInitAll), HcclResult(uint32_t, int32_t*, HcclComm*)>);
static_assert(kIs<decltype(HcclCommInitClusterInfo), HcclResult(const char*, uint32_t, HcclComm*)>);
static_assert(kIs<decltype(HcclCommInitClusterInfoConfig),
                  HcclResult(const char*, uint32_t, HcclCommConfig*, HcclComm*)>);
static_assert(
    kIs<decltype(HcclCreateSubCommConfig), HcclResult(HcclComm*, uint32_t, uint32_t*, uint64_t,
                                                      uint32_t, HcclCommConfig*, HcclComm*)>);
static_assert(kIs<decltype(HcclGetRankSize), HcclResult(HcclComm, uint32_t*)>);
static_assert(kIs<decltype(HcclGetRankId), HcclResult(HcclComm, uint32_t*)>);
static_assert(kIs<decltype(HcclGetCommName), HcclResult(HcclComm, char*)>);
static_assert(kIs<decltype(HcclCommDestroy), HcclResult(HcclComm)>);
static_assert(kIs<decltype(HcclBarrier), HcclResult(HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclGetErrorString), const char*(HcclResult)>);
static_assert(kIs<decltype(HcclGetCommAsyncError), HcclResult(HcclComm, HcclResult*)>);
static_assert(kIs<decltype(HcclSetConfig), HcclResult(HcclConfig, HcclConfigValue)>);
static_assert(kIs<decltype(HcclGetConfig), HcclResult(HcclConfig, HcclConfigValue*)>);
static_assert(kIs<decltype(HcclGetCommConfigCapability), uint32_t()>);
static_assert(kIs<decltype(HcclGroupStart), HcclResult()>);
static_assert(kIs<decltype(HcclGroupEnd), HcclResult()>);
static_assert(kIs<decltype(HcclGroupStatusGet), HcclResult(bool*)>);
static_assert(kIs<decltype(HcclCommGetHandleWithName), HcclResult(const char*, HcclComm*)>);
static_assert(kIs<decltype(HcclCommSuspend), HcclResult(HcclComm)>);
static_assert(kIs<decltype(HcclCommResume), HcclResult(HcclComm)>);

// ---- Operations ---------------------------------------------------------------------------------

static_assert(kIs<decltype(HcclAllReduce), HcclResult(void*, void*, uint64_t, HcclDataType,
                                                      HcclReduceOp, HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclBroadcast),
                  HcclResult(void*, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclReduce), HcclResult(void*, void*, uint64_t, HcclDataType,
                                                   HcclReduceOp, uint32_t, HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclAllGather),
                  HcclResult(void*, void*, uint64_t, HcclDataType, HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclReduceScatter), HcclResult(void*, void*, uint64_t, HcclDataType,
                                                          HcclReduceOp, HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclScatter), HcclResult(void*, void*, uint64_t, HcclDataType, uint32_t,
                                                    HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclSend),
                  HcclResult(void*, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclRecv),
                  HcclResult(void*, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream)>);
static_assert(
    kIs<decltype(HcclAlltoAll), HcclResult(const void*, uint64_t, HcclDataType, const void*,
                                           uint64_t, HcclDataType, HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclAlltoAllV),
                  HcclResult(const void*, const void*, const void*, HcclDataType, const void*,
                             const void*, const void*, HcclDataType, HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclBatchSendRecv),
                  HcclResult(HcclSendRecvItem*, uint32_t, HcclComm, aclrtStream)>);
static_assert(
    kIs<decltype(HcclAllGatherV), HcclResult(void*, uint64_t, void*, const void*, const void*,
                                             HcclDataType, HcclComm, aclrtStream)>);
static_assert(kIs<decltype(HcclReduceScatterV),
                  HcclResult(void*, const void*, const void*, void*, uint64_t, HcclDataType,
                             HcclReduceOp, HcclComm, aclrtStream)>);
static_assert(
    kIs<decltype(HcclAlltoAllVC), HcclResult(const void*, const void*, HcclDataType, const void*,
                                             HcclDataType, HcclComm, aclrtStream)>);

}  // namespace aclgrad::specification
