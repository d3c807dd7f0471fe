// SPDX-License-Identifier: Apache-2.0
// hccl/hccl.h, and the barrier: operations between ranks. Each lists its checks in the documented
// order.
#include <algorithm>
#include <deque>

#include "hccl/hccl.h"
#include "ops/hccl/checks.h"
#include "ops/hccl/data_types.h"

using namespace aclgrad::hccl;

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                         HcclReduceOp op, HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    if (count == 0) return;
    const Checks checks(
        comm, {{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}, {"stream", stream}});
    checks.count(count).movable(dataType).reduction(dataType, op).reducible(dataType, op);
    checks.queue(stream, {{Kind::kAllReduce, dataType, op, 0, count}, sendBuf, recvBuf});
  });
}

HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                      HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    if (count == 0) return;
    const Checks checks(
        comm, {{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}, {"stream", stream}});
    checks.count(count)
        .movable(dataType)
        .reduction(dataType, op)
        .rank("root", root)
        .reducible(dataType, op);
    checks.queue(stream, {{Kind::kReduce, dataType, op, root, count}, sendBuf, recvBuf});
  });
}

HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                             aclrtStream stream) {
  return entry(__func__, [&] {
    if (recvCount == 0) return;
    const Checks checks(
        comm, {{"stream", stream}, {"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}});
    checks.count(recvCount, "recvCount")
        .movable(dataType)
        .reduction(dataType, op)
        .reducible(dataType, op);
    checks.queue(stream, {{Kind::kReduceScatter, dataType, op, 0, recvCount}, sendBuf, recvBuf});
  });
}

HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root,
                         HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    if (count == 0) return;
    const Checks checks(comm, {{"stream", stream}, {"comm", comm}, {"buf", buf}});
    checks.count(count).movable(dataType).rank("root", root);
    checks.queue(stream, {{Kind::kBroadcast, dataType, HCCL_REDUCE_SUM, root, count}, buf, buf});
  });
}

HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    if (sendCount == 0) return;
    const Checks checks(
        comm, {{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}, {"stream", stream}});
    checks.count(sendCount, "sendCount").movable(dataType);
    checks.queue(stream,
                 {{Kind::kAllGather, dataType, HCCL_REDUCE_SUM, 0, sendCount}, sendBuf, recvBuf});
  });
}

HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                       uint32_t root, HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    const Checks checks(comm);
    checks.given({{"comm", comm}});
    if (recvCount == 0) return;
    checks.given({{"recvBuf", recvBuf}, {"stream", stream}}).live();
    if (root == checks.communicator().rank()) checks.given({{"sendBuf", sendBuf}});
    checks.count(recvCount, "recvCount").movable(dataType).rank("root", root);
    checks.queue(stream,
                 {{Kind::kScatter, dataType, HCCL_REDUCE_SUM, root, recvCount}, sendBuf, recvBuf});
  });
}

HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType,
                        const void* recvBuf, uint64_t recvCount, HcclDataType recvType,
                        HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    if (sendCount == 0 && recvCount == 0) return;
    const Checks checks(comm);
    checks.given({{"sendBuf", sendBuf}, {"recvBuf", recvBuf}})
        .equal("sendCount and recvCount", sendCount, recvCount)
        .equal("sendType and recvType", static_cast<uint64_t>(sendType),
               static_cast<uint64_t>(recvType))
        .given({{"stream", stream}, {"comm", comm}})
        .live()
        .different(sendBuf, recvBuf)
        .count(sendCount, "sendCount")
        .movable(sendType, "sendType");
    checks.queue(stream, {{Kind::kAlltoAll, sendType, HCCL_REDUCE_SUM, 0, sendCount},
                          sendBuf,
                          const_cast<void*>(recvBuf)});
  });
}

namespace {

// The arrays of one side, each with an entry for every rank.
Slices copy_slices(const void* counts, const void* displacements, size_t size) {
  const auto copy = [&](const void* array) {
    const auto* const first = static_cast<const uint64_t*>(array);
    return std::vector<uint64_t>(first, first + size);
  };
  return {copy(counts), copy(displacements)};
}

bool has_any(const Slices& slices) {
  return std::any_of(slices.counts.begin(), slices.counts.end(),
                     [](auto count) { return count > 0; });
}

}  // namespace

HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls,
                         HcclDataType sendType, const void* recvBuf, const void* recvCounts,
                         const void* rdispls, HcclDataType recvType, HcclComm comm,
                         aclrtStream stream) {
  return entry(__func__, [&] {
    const Checks checks(comm, {{"sendCounts", sendCounts},
                               {"sdispls", sdispls},
                               {"recvCounts", recvCounts},
                               {"rdispls", rdispls},
                               {"stream", stream},
                               {"comm", comm}});
    checks.different(sendBuf, recvBuf);
    const size_t size = checks.communicator().size();
    Slices sent = copy_slices(sendCounts, sdispls, size);
    Slices received = copy_slices(recvCounts, rdispls, size);
    for (size_t i = 0; i < size; ++i) {
      checks.count(sent.counts[i], "sendCounts").count(received.counts[i], "recvCounts");
    }
    if (has_any(sent)) checks.given({{"sendBuf", sendBuf}});
    if (has_any(received)) checks.given({{"recvBuf", recvBuf}});
    checks.movable(sendType, "sendType").movable(recvType, "recvType");
    checks.queue(stream, {{Kind::kAlltoAllV, sendType},
                          sendBuf,
                          const_cast<void*>(recvBuf),
                          recvType,
                          std::move(sent),
                          std::move(received)});
  });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    const Checks checks(comm, {{"comm", comm}, {"stream", stream}});
    checks.queue(stream, {{Kind::kBarrier}});
  });
}

// ---- Transfers ----------------------------------------------------------------------------------

namespace {

void queue_transfer(const char* buffer, const char* peer_name, const Transfer& transfer,
                    HcclComm comm, aclrtStream stream) {
  if (transfer.count == 0) return;
  const Checks checks(comm, {{"comm", comm}, {buffer, transfer.memory}, {"stream", stream}});
  checks.count(transfer.count).movable(transfer.dtype).other_rank(peer_name, transfer.peer);
  Operation operation{transfer.signature()};
  operation.transfers = {transfer};
  checks.queue(stream, std::move(operation));
}

// The transfers of a list to the own rank must each have their counterpart in the list.
void check_own(const std::vector<Transfer>& transfers, uint32_t rank) {
  std::deque<const Transfer*> waiting;
  for (const Transfer& each : transfers) {
    if (each.peer != rank) continue;
    if (waiting.empty() || waiting.front()->is_send == each.is_send) {
      waiting.push_back(&each);
      continue;
    }
    const Transfer& other = *waiting.front();
    if (other.count != each.count || other.dtype != each.dtype) {
      throw Failure(HCCL_E_PARA,
                    fmt::format("rank {} sends itself {} {} and receives {} {}", rank, other.count,
                                name_of(other.dtype), each.count, name_of(each.dtype)));
    }
    waiting.pop_front();
  }
  if (waiting.empty()) return;
  throw Failure(HCCL_E_PARA,
                fmt::format("{} transfers of rank {} to itself have no counterpart in the list",
                            waiting.size(), rank));
}

}  // namespace

HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,
                    HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    queue_transfer("sendBuf", "destRank", {true, destRank, sendBuf, count, dataType}, comm, stream);
  });
}

HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,
                    HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    queue_transfer("recvBuf", "srcRank", {false, srcRank, recvBuf, count, dataType}, comm, stream);
  });
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum, HcclComm comm,
                             aclrtStream stream) {
  return entry(__func__, [&] {
    const Checks checks(comm);
    checks.given({{"comm", comm}, {"stream", stream}, {"sendRecvInfo", sendRecvInfo}});
    if (itemNum == 0) return;
    checks.live();
    Operation operation{{Kind::kBatchSendRecv}};
    for (uint32_t i = 0; i < itemNum; ++i) {
      const auto& [type, buffer, count, dtype, peer] = sendRecvInfo[i];
      if (buffer == nullptr) continue;
      checks.movable(dtype).count(count).rank("remoteRank", peer);
      if (type != HCCL_SEND && type != HCCL_RECV) {
        throw bad_value("sendRecvType", static_cast<int64_t>(type),
                        "HCCL_SEND (0) or HCCL_RECV (1)");
      }
      if (count > 0) operation.transfers.push_back({type == HCCL_SEND, peer, buffer, count, dtype});
    }
    check_own(operation.transfers, checks.communicator().rank());
    if (operation.transfers.empty()) return;
    checks.queue(stream, std::move(operation));
  });
}
