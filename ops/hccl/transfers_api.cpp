// SPDX-License-Identifier: Apache-2.0
// hccl/hccl.h: operations from rank to rank.
#include <deque>
#include <map>

#include "hccl/hccl.h"
#include "ops/hccl/checks.h"
#include "ops/hccl/data_types.h"
#include "ops/hccl/queue.h"

using namespace aclgrad::hccl;

namespace {

HcclResult transfer(const Call& call, const char* buffer, const char* peer_name, Transfer transfer,
                    HcclComm comm, aclrtStream stream) {
  if (transfer.count == 0) return HCCL_SUCCESS;
  Checks checks(call, comm);
  checks.given({{"comm", comm}, {buffer, transfer.memory}, {"stream", stream}})
      .live()
      .count(transfer.count)
      .movable(transfer.dtype)
      .other_rank(peer_name, transfer.peer);
  return queue(checks, stream,
               {.kind = Kind::kTransfers, .name = call.function(), .transfers = {transfer}});
}

// Counts the transfers of a list to the own rank: each must have its counterpart in the list.
HcclResult check_own(const Call& call, const std::vector<Transfer>& transfers, uint32_t rank) {
  std::deque<const Transfer*> waiting;
  for (const Transfer& each : transfers) {
    if (each.peer != rank) continue;
    if (waiting.empty() || waiting.front()->is_send == each.is_send) {
      waiting.push_back(&each);
      continue;
    }
    const Transfer& other = *waiting.front();
    if (other.count != each.count || other.dtype != each.dtype) {
      return call.failed(HCCL_E_PARA, fmt::format("rank {} sends itself {} {} and receives {} {}",
                                                  rank, other.count, name_of(other.dtype),
                                                  each.count, name_of(each.dtype)));
    }
    waiting.pop_front();
  }
  if (waiting.empty()) return HCCL_SUCCESS;
  return call.failed(HCCL_E_PARA,
                     fmt::format("{} transfers of rank {} to itself have no counterpart "
                                 "in the list",
                                 waiting.size(), rank));
}

}  // namespace

HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,
                    HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    return transfer(call, "sendBuf", "destRank", {true, destRank, sendBuf, count, dataType}, comm,
                    stream);
  });
}

HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,
                    HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    return transfer(call, "recvBuf", "srcRank", {false, srcRank, recvBuf, count, dataType}, comm,
                    stream);
  });
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum, HcclComm comm,
                             aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    Checks checks(call, comm);
    checks.given({{"comm", comm}, {"stream", stream}, {"sendRecvInfo", sendRecvInfo}});
    if (!checks.ok() || itemNum == 0) return checks.result();
    checks.live();
    Operation operation{.kind = Kind::kTransfers, .name = call.function()};
    for (uint32_t i = 0; i < itemNum && checks.ok(); ++i) {
      const HcclSendRecvItem& item = sendRecvInfo[i];
      if (item.buf == nullptr) continue;
      checks.movable(item.dataType).count(item.count).rank("remoteRank", item.remoteRank);
      if (!checks.ok()) break;
      if (item.sendRecvType != HCCL_SEND && item.sendRecvType != HCCL_RECV) {
        return call.bad_value(HCCL_E_PARA, "sendRecvType", static_cast<int64_t>(item.sendRecvType),
                              "HCCL_SEND (0) or HCCL_RECV (1)");
      }
      if (item.count == 0) continue;
      operation.transfers.push_back(
          {item.sendRecvType == HCCL_SEND, item.remoteRank, item.buf, item.count, item.dataType});
    }
    if (!checks.ok()) return checks.result();
    const uint32_t rank = checks.communicator()->rank();
    if (const HcclResult bad = check_own(call, operation.transfers, rank)) return bad;
    if (operation.transfers.empty()) return HCCL_SUCCESS;
    return queue(checks, stream, std::move(operation));
  });
}
