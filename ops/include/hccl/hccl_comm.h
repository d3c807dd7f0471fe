/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communicators: making a group of ranks, asking about it, ending it. Library: hccl.
 *
 * A rank is a device with its thread, in this process or in another one. All functions may be
 * called from any thread. What holds for all, unless said otherwise: 2   a required pointer is NULL
 *   15  the calling thread has no device (call aclrtSetDevice)
 *   1   an argument is out of its range; a communicator that was destroyed, or never was one
 * After a failure aclGetRecentErrMsg says what was wrong. Results of reductions never depend on
 * time, threads, processes or hosts, whatever the configuration (docs/how-to/collectives.md).
 */
#pragma once

#include "acl/acl.h"
#include "hccl/hccl_types.h"
#include "hccl/hccl_unsupported.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Making a group -------------------------------------------------------------------------- */

/*
 * A new identity for one group of ranks. Called by one of them, which hands the bytes to the
 * others. Returns at once; each call gives another identity.
 */
ACL_FUNC_VISIBILITY HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo);

/*
 * Joins the group that rootInfo names, as `rank` of `nRanks`, with the thread's device. Waits until
 * all ranks have joined.
 * Checks in this order: 15; 1 for nRanks 0 and for a rank that is not below it; 2 for comm, then
 * rootInfo; 1 for a bad HCCL_* environment variable, for bytes that no HcclGetRootInfo has made,
 * for ranks that disagree on nRanks or have the same number. 9 when a rank is missing after
 * HCCL_CONNECT_TIMEOUT seconds.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo,
                                                    uint32_t rank, HcclComm* comm);

/* As HcclCommInitRootInfo; then 1 when config is NULL or has a bad value, and when its name is in
 * use on this device. */
ACL_FUNC_VISIBILITY HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks,
                                                          const HcclRootInfo* rootInfo,
                                                          uint32_t rank,
                                                          const HcclCommConfig* config,
                                                          HcclComm* comm);

/*
 * One communicator for each of the process's devices; the rank is the index in `devices`. After a
 * failure all of `comms` are NULL.
 * Checks in this order: 15; 1 for ndev 0; 2 for comms, then devices; 1 for a device that comes
 * twice; 4 for one that cannot be set.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms);

/*
 * A group of some ranks of another group, which all of these call with equal arguments: rankIds
 * lists rankNum of them, ascending; subCommRankId is the caller's index in it; subCommId tells
 * groups apart. The other ranks pass rankIds NULL and subCommId 0xFFFFFFFF, and receive NULL. A
 * NULL config stands for the parent's. A group made so cannot be divided again: 5. 1 for any other
 * disagreement.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum,
                                                       uint32_t* rankIds, uint64_t subCommId,
                                                       uint32_t subCommRankId,
                                                       HcclCommConfig* config, HcclComm* subComm);

/* Sets all fields to "not set"; NULL is ignored. */
static inline void HcclCommConfigInit(HcclCommConfig* config) {
  if (config == nullptr) return;
  *config = {};
  struct Information {
    uint64_t size;
    uint32_t magic;
    uint32_t version;
    uint64_t reserved;
  } const information = {sizeof(HcclCommConfig), HCCL_COMM_CONFIG_MAGIC_WORD,
                         HCCL_COMM_CONFIG_VERSION, 0};
  static_assert(sizeof(information) == HCCL_COMM_CONFIG_INFO_BYTES, "the header of HcclCommConfig");
  const char* const bytes = reinterpret_cast<const char*>(&information);
  for (uint32_t i = 0; i < HCCL_COMM_CONFIG_INFO_BYTES; ++i) config->reserved[i] = bytes[i];
  config->hcclBufferSize = HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET;
  config->hcclDeterministic = HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET;
  config->hcclOpExpansionMode = HCCL_COMM_DEFAULT_OP_EXPANSION_MODE;
  config->hcclRdmaTrafficClass = HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET;
  config->hcclRdmaServiceLevel = HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET;
  config->hcclExecTimeOut = HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET;
  config->hcclQos = HCCL_COMM_QOS_CONFIG_NOT_SET;
  config->hcclSymWinMaxMemSizePerRank = HCCL_DEFAULT_SYMMETRIC_MEMORY_STRIDE;
  config->hcclChannelSqDepth = HCCL_COMM_SQ_DEPTH_CONFIG_NOT_SET;
}

/* The number of items of HcclCommConfig that are known: 12. */
ACL_FUNC_VISIBILITY uint32_t HcclGetCommConfigCapability();

/* ---- Asking, and ending ---------------------------------------------------------------------- */

ACL_FUNC_VISIBILITY HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize);
ACL_FUNC_VISIBILITY HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);

/* Writes the name with its terminator: commName has room for COMM_NAME_MAX_LENGTH bytes. */
ACL_FUNC_VISIBILITY HcclResult HcclGetCommName(HcclComm comm, char* commName);

/*
 * Ends the communicator once what was queued with it is over, or its timeout has passed. Other
 * ranks may go on with theirs until they need this one. NULL is fine: 0. 20 while another thread is
 * in a call with it.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommDestroy(HcclComm comm);

/* No rank's stream passes before all ranks' streams have come here. Does not wait itself. */
ACL_FUNC_VISIBILITY HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

/*
 * The first error of an operation after it was queued, 0 for none: 9 when a rank did not come in
 * time, 21 when another rank failed or ended, 1 when the ranks' arguments disagree. Once there is
 * one the group has ended: operations then fail at once.
 */
ACL_FUNC_VISIBILITY HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError);

/* English words for a result, never NULL. */
ACL_FUNC_VISIBILITY const char* HcclGetErrorString(HcclResult code);

/*
 * The level of determinism for the process, stored and returned only: every level is kept here
 * anyway. The environment variable HCCL_DETERMINISTIC wins over it. Set: 1 for a config or value
 * that does not exist, 5 for value 2 on another product than Ascend910B.
 */
ACL_FUNC_VISIBILITY HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);
ACL_FUNC_VISIBILITY HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue);

#ifdef __cplusplus
}
#endif
