// SPDX-License-Identifier: Apache-2.0
// hccl/hccl.h, and the barrier: operations between ranks. Each lists its checks in the documented
// order.
#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "hccl/hccl.h"
#include "ops/hccl/communicator.h"
#include "ops/hccl/data_types.h"

using namespace aclgrad::hccl;

namespace {

constexpr uint64_t kMaxElements = 0x7FFFFFFFF;

// The checks of an operation's arguments, made in the order in which they are written down: each
// throws a Failure.
class Checks {
 public:
  struct Pointer {
    const char* name;
    const void* value;
  };

  explicit Checks(HcclComm comm) : comm_(comm) {}
  Checks(HcclComm comm, std::initializer_list<Pointer> pointers) : Checks(comm) {
    given(pointers).live();
  }

  // 2 for the first pointer that is null.
  Checks& given(std::initializer_list<Pointer> pointers) {
    for (const Pointer& each : pointers) {
      if (each.value == nullptr) throw null_pointer(each.name);
    }
    return *this;
  }
  // 1 for a communicator that is not live.
  Checks& live() {
    communicator_ = use(comm_);
    return *this;
  }
  Checks& count(uint64_t count, const char* name = "count") {
    if (count > kMaxElements) throw bad_value(name, count, fmt::format("at most {}", kMaxElements));
    return *this;
  }
  Checks& movable(HcclDataType dtype, const char* name = "dataType") {
    if (can_move(dtype)) return *this;
    throw Failure(HCCL_E_NOT_SUPPORT,
                  fmt::format("argument {} is {} ({}), which {} does not have", name,
                              static_cast<int64_t>(dtype), name_of(dtype), aclrtGetSocName()));
  }
  // The operation, and the rule about products; reducible(): whether it has the type at all.
  Checks& reduction(HcclDataType dtype, HcclReduceOp op) {
    if (!is_reduce_op(op)) {
      throw bad_value("op", static_cast<int64_t>(op), "HCCL_REDUCE_SUM, PROD, MAX or MIN (0 to 3)",
                      HCCL_E_NOT_SUPPORT);
    }
    const bool has_no_product = dtype == HCCL_DATA_TYPE_INT16 || dtype == HCCL_DATA_TYPE_BFP16;
    return op == HCCL_REDUCE_PROD && has_no_product ? reducible(dtype, op) : *this;
  }
  Checks& reducible(HcclDataType dtype, HcclReduceOp op) {
    if (can_reduce(dtype, op)) return *this;
    throw Failure(HCCL_E_NOT_SUPPORT, fmt::format("{} of {} is not supported on {}", name_of(op),
                                                  name_of(dtype), aclrtGetSocName()));
  }
  Checks& rank(const char* name, uint32_t rank) {
    const uint32_t size = communicator().size();
    if (rank < size) return *this;
    throw bad_value(name, rank, fmt::format("less than the size of the group, {}", size));
  }
  Checks& other_rank(const char* name, uint32_t rank) {
    if (rank != communicator().rank()) return this->rank(name, rank);
    throw Failure(HCCL_E_NOT_SUPPORT, fmt::format("argument {} is {}, the own rank", name, rank));
  }
  // 1 when the values differ, or when the buffers are the same.
  Checks& equal(const char* what, uint64_t a, uint64_t b) {
    if (a == b) return *this;
    throw Failure(HCCL_E_PARA, fmt::format("arguments {} differ: {} and {}", what, a, b));
  }
  Checks& different(const void* a, const void* b) {
    if (a != b || a == nullptr) return *this;
    throw Failure(HCCL_E_PARA, "arguments sendBuf and recvBuf are the same buffer",
                  "The operation cannot be in place.");
  }

  // Once the communicator is live.
  Communicator& communicator() const { return *communicator_; }

 private:
  const HcclComm comm_;
  std::shared_ptr<Communicator> communicator_;
};

}  // namespace

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                         HcclReduceOp op, HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    if (count == 0) return;
    Checks checks(comm,
                  {{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}, {"stream", stream}});
    checks.count(count).movable(dataType).reduction(dataType, op).reducible(dataType, op);
    queue(checks.communicator(), stream,
          {{Kind::kAllReduce, dataType, op, 0, count}, sendBuf, recvBuf});
  });
}

HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                      HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    if (count == 0) return;
    Checks checks(comm,
                  {{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}, {"stream", stream}});
    checks.count(count)
        .movable(dataType)
        .reduction(dataType, op)
        .rank("root", root)
        .reducible(dataType, op);
    queue(checks.communicator(), stream,
          {{Kind::kReduce, dataType, op, root, count}, sendBuf, recvBuf});
  });
}

HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                             aclrtStream stream) {
  return entry(__func__, [&] {
    if (recvCount == 0) return;
    Checks checks(comm,
                  {{"stream", stream}, {"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}});
    checks.count(recvCount, "recvCount")
        .movable(dataType)
        .reduction(dataType, op)
        .reducible(dataType, op);
    queue(checks.communicator(), stream,
          {{Kind::kReduceScatter, dataType, op, 0, recvCount}, sendBuf, recvBuf});
  });
}

HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root,
                         HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    if (count == 0) return;
    Checks checks(comm, {{"stream", stream}, {"comm", comm}, {"buf", buf}});
    checks.count(count).movable(dataType).rank("root", root);
    queue(checks.communicator(), stream,
          {{Kind::kBroadcast, dataType, HCCL_REDUCE_SUM, root, count}, buf, buf});
  });
}

HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    if (sendCount == 0) return;
    Checks checks(comm,
                  {{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}, {"stream", stream}});
    checks.count(sendCount, "sendCount").movable(dataType);
    queue(checks.communicator(), stream,
          {{Kind::kAllGather, dataType, HCCL_REDUCE_SUM, 0, sendCount}, sendBuf, recvBuf});
  });
}

HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                       uint32_t root, HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    Checks checks(comm);
    checks.given({{"comm", comm}});
    if (recvCount == 0) return;
    checks.given({{"recvBuf", recvBuf}, {"stream", stream}}).live();
    if (root == checks.communicator().rank()) checks.given({{"sendBuf", sendBuf}});
    checks.count(recvCount, "recvCount").movable(dataType).rank("root", root);
    queue(checks.communicator(), stream,
          {{Kind::kScatter, dataType, HCCL_REDUCE_SUM, root, recvCount}, sendBuf, recvBuf});
  });
}

HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType,
                        const void* recvBuf, uint64_t recvCount, HcclDataType recvType,
                        HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    if (sendCount == 0 && recvCount == 0) return;
    Checks checks(comm);
    checks.given({{"sendBuf", sendBuf}, {"recvBuf", recvBuf}})
        .equal("sendCount and recvCount", sendCount, recvCount)
        .equal("sendType and recvType", static_cast<uint64_t>(sendType),
               static_cast<uint64_t>(recvType))
        .given({{"stream", stream}, {"comm", comm}})
        .live()
        .different(sendBuf, recvBuf)
        .count(sendCount, "sendCount")
        .movable(sendType, "sendType");
    queue(checks.communicator(), stream,
          {{Kind::kAlltoAll, sendType, HCCL_REDUCE_SUM, 0, sendCount},
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
    Checks checks(comm, {{"sendCounts", sendCounts},
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
    queue(checks.communicator(), stream,
          {{Kind::kAlltoAllV, sendType},
           sendBuf,
           const_cast<void*>(recvBuf),
           recvType,
           std::move(sent),
           std::move(received)});
  });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&] {
    Checks checks(comm, {{"comm", comm}, {"stream", stream}});
    queue(checks.communicator(), stream, {{Kind::kBarrier}});
  });
}

// ---- Transfers ----------------------------------------------------------------------------------

namespace {

void queue_transfer(const char* buffer, const char* peer_name, const Transfer& transfer,
                    HcclComm comm, aclrtStream stream) {
  if (transfer.count == 0) return;
  Checks checks(comm, {{"comm", comm}, {buffer, transfer.memory}, {"stream", stream}});
  checks.count(transfer.count).movable(transfer.dtype).other_rank(peer_name, transfer.peer);
  Operation operation{transfer.signature()};
  operation.transfers = {transfer};
  queue(checks.communicator(), stream, std::move(operation));
}

// The transfers of a list to the own rank must each have their counterpart in the list.
void check_own(const std::vector<Transfer>& transfers, uint32_t rank) {
  std::vector<const Transfer*> received, sent;
  for (const Transfer& each : transfers) {
    if (each.peer == rank) (each.is_send ? sent : received).push_back(&each);
  }
  const size_t pairs = std::min(sent.size(), received.size());
  for (size_t i = 0; i < pairs; ++i) {
    const Transfer &from = *sent[i], &to = *received[i];
    if (from.count == to.count && from.dtype == to.dtype) continue;
    throw Failure(HCCL_E_PARA,
                  fmt::format("rank {} sends itself {} {} and receives {} {}", rank, from.count,
                              name_of(from.dtype), to.count, name_of(to.dtype)));
  }
  if (sent.size() == received.size()) return;
  throw Failure(HCCL_E_PARA,
                fmt::format("{} transfers of rank {} to itself have no counterpart in the list",
                            sent.size() + received.size() - 2 * pairs, rank));
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
    Checks checks(comm);
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
    queue(checks.communicator(), stream, std::move(operation));
  });
}
