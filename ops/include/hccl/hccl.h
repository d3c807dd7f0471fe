/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations between the ranks of a group. Library: hccl.
 *
 * Success means queued: the call never waits, not for other ranks either, so one thread may issue
 * for several devices. Buffers stay in use until the stream has passed the operation. Operations
 * may be captured and replayed like any task; all ranks then replay the graph of the same capture,
 * equally often. What goes wrong later is reported by aclrtSynchronizeStream and
 * HcclGetCommAsyncError.
 *
 * All ranks issue the same operations on a communicator in the same order, with equal counts,
 * types, reductions and roots. Counts are in elements, at most 34359738367. Buffers may be any
 * memory, with any alignment. What holds for all, unless said otherwise: 0   for a count of 0,
 * before anything else is looked at 2   comm, stream (there is no default stream here) or a
 * required buffer is NULL 1   a root or rank that is not in the group, too large a count, a
 * communicator that is not live, a stream of another device than the communicator's 5   a data type
 * or reduction that the product does not have All data types but INT128, and those of 8 bits only
 * on Ascend950, can be moved. Reductions take INT8, INT32, INT64, FP16, FP32, and INT16 and BFP16
 * without PROD; on Ascend950 also UINT64 and FP64.
 *
 * A reduction joins the ranks' elements in one fixed tree over the rank numbers: with R left and M
 * the largest power of two below R, rank i >= M goes into i - M, until one is left. FP16 and BFP16
 * are reduced in float and rounded once, to nearest even; integers wrap; MAX and MIN hand on NaN
 * and have -0 below +0. So the bits of a result do not depend on how a buffer is cut into
 * operations.
 */
#pragma once

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reductions ------------------------------------------------------------------------------ */

/* recvBuf[i] = the reduction of all ranks' sendBuf[i], on every rank; may be in place. */
ACL_FUNC_VISIBILITY HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count,
                                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                                             aclrtStream stream);

/* As HcclAllReduce for the root; recvBuf of the others is left alone, but must not be NULL. */
ACL_FUNC_VISIBILITY HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count,
                                          HcclDataType dataType, HcclReduceOp op, uint32_t root,
                                          HcclComm comm, aclrtStream stream);

/*
 * sendBuf has recvCount elements for each rank, in their order; rank r gets the reduction of the
 * r-th part. recvBuf may be the rank's own part of sendBuf, or its first.
 */
ACL_FUNC_VISIBILITY HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                                                 HcclDataType dataType, HcclReduceOp op,
                                                 HcclComm comm, aclrtStream stream);

/* ---- Moving data ----------------------------------------------------------------------------- */

/* The root's elements, to all. */
ACL_FUNC_VISIBILITY HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType,
                                             uint32_t root, HcclComm comm, aclrtStream stream);

/* recvBuf = the ranks' sendCount elements each, in their order. sendBuf may be the rank's own part
 * of recvBuf. */
ACL_FUNC_VISIBILITY HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount,
                                             HcclDataType dataType, HcclComm comm,
                                             aclrtStream stream);

/* Rank r gets the r-th recvCount elements of the root's sendBuf, which the others need not have. A
 * NULL comm is an error for a count of 0 too. */
ACL_FUNC_VISIBILITY HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                                           HcclDataType dataType, uint32_t root, HcclComm comm,
                                           aclrtStream stream);

/*
 * Rank s gets in its r-th sendCount elements what rank r has in its s-th. Counts and types of both
 * sides are equal, the buffers are not: 1. recvBuf is written.
 */
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount,
                                            HcclDataType sendType, const void* recvBuf,
                                            uint64_t recvCount, HcclDataType recvType,
                                            HcclComm comm, aclrtStream stream);

/*
 * HcclAlltoAll with counts and displacements (elements) for each rank, in host arrays of uint64_t
 * that are copied. Rank r's count for s is the one that s expects from r. A buffer may be NULL
 * where all its counts are 0.
 */
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts,
                                             const void* sdispls, HcclDataType sendType,
                                             const void* recvBuf, const void* recvCounts,
                                             const void* rdispls, HcclDataType recvType,
                                             HcclComm comm, aclrtStream stream);

/* ---- From rank to rank ----------------------------------------------------------------------- */

/*
 * The n-th Send from one rank to another meets its n-th Recv; neither stream passes before the
 * other rank's has come there. 5 for the own rank, then 1 for one that is not in the group.
 */
ACL_FUNC_VISIBILITY HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType,
                                        uint32_t destRank, HcclComm comm, aclrtStream stream);
ACL_FUNC_VISIBILITY HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType,
                                        uint32_t srcRank, HcclComm comm, aclrtStream stream);

/*
 * Several of them at once, none of which waits for another. Those between the same two ranks meet
 * in the order of the lists. The list is copied; an item with a NULL buffer is skipped. Transfers
 * to the own rank pair up within the list.
 */
ACL_FUNC_VISIBILITY HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum,
                                                 HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif
