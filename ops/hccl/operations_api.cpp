// SPDX-License-Identifier: Apache-2.0
// hccl/hccl.h, and the barrier: operations of all ranks. Each lists its checks in the documented
// order.
#include <array>

#include "hccl/hccl.h"
#include "ops/hccl/checks.h"
#include "ops/hccl/data_types.h"
#include "ops/hccl/queue.h"

using namespace aclgrad::hccl;

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                         HcclReduceOp op, HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    if (count == 0) return HCCL_SUCCESS;
    Checks checks(call, comm);
    checks.given({{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}, {"stream", stream}})
        .live()
        .count(count)
        .movable(dataType)
        .reduce_op(op)
        .product(dataType, op)
        .reducible(dataType, op);
    return queue(checks, stream,
                 {.kind = Kind::kAllReduce,
                  .name = call.function(),
                  .send = sendBuf,
                  .receive = recvBuf,
                  .count = count,
                  .dtype = dataType,
                  .op = op});
  });
}

HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                      HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    if (count == 0) return HCCL_SUCCESS;
    Checks checks(call, comm);
    checks.given({{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}, {"stream", stream}})
        .live()
        .count(count)
        .movable(dataType)
        .reduce_op(op)
        .product(dataType, op)
        .rank("root", root)
        .reducible(dataType, op);
    return queue(checks, stream,
                 {.kind = Kind::kReduce,
                  .name = call.function(),
                  .send = sendBuf,
                  .receive = recvBuf,
                  .count = count,
                  .dtype = dataType,
                  .op = op,
                  .root = root});
  });
}

HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                             aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    if (recvCount == 0) return HCCL_SUCCESS;
    Checks checks(call, comm);
    checks.given({{"stream", stream}, {"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}})
        .live()
        .count(recvCount, "recvCount")
        .movable(dataType)
        .reduce_op(op)
        .product(dataType, op)
        .reducible(dataType, op);
    return queue(checks, stream,
                 {.kind = Kind::kReduceScatter,
                  .name = call.function(),
                  .send = sendBuf,
                  .receive = recvBuf,
                  .count = recvCount,
                  .dtype = dataType,
                  .op = op});
  });
}

HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root,
                         HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    if (count == 0) return HCCL_SUCCESS;
    Checks checks(call, comm);
    checks.given({{"stream", stream}, {"comm", comm}, {"buf", buf}})
        .live()
        .count(count)
        .movable(dataType)
        .rank("root", root);
    return queue(checks, stream,
                 {.kind = Kind::kBroadcast,
                  .name = call.function(),
                  .send = buf,
                  .receive = buf,
                  .count = count,
                  .dtype = dataType,
                  .root = root});
  });
}

HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    if (sendCount == 0) return HCCL_SUCCESS;
    Checks checks(call, comm);
    checks.given({{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}, {"stream", stream}})
        .live()
        .count(sendCount, "sendCount")
        .movable(dataType);
    return queue(checks, stream,
                 {.kind = Kind::kAllGather,
                  .name = call.function(),
                  .send = sendBuf,
                  .receive = recvBuf,
                  .count = sendCount,
                  .dtype = dataType});
  });
}

HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                       uint32_t root, HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    Checks checks(call, comm);
    if (!checks.given({{"comm", comm}}).ok()) return checks.result();
    if (recvCount == 0) return HCCL_SUCCESS;
    checks.given({{"recvBuf", recvBuf}, {"stream", stream}}).live();
    if (checks.ok() && root == checks.communicator()->rank()) checks.given({{"sendBuf", sendBuf}});
    checks.count(recvCount, "recvCount").movable(dataType).rank("root", root);
    return queue(checks, stream,
                 {.kind = Kind::kScatter,
                  .name = call.function(),
                  .send = sendBuf,
                  .receive = recvBuf,
                  .count = recvCount,
                  .dtype = dataType,
                  .root = root});
  });
}

HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType,
                        const void* recvBuf, uint64_t recvCount, HcclDataType recvType,
                        HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    if (sendCount == 0 && recvCount == 0) return HCCL_SUCCESS;
    Checks checks(call, comm);
    checks.given({{"sendBuf", sendBuf}, {"recvBuf", recvBuf}})
        .equal("sendCount and recvCount", sendCount, recvCount)
        .equal("sendType and recvType", static_cast<uint64_t>(sendType),
               static_cast<uint64_t>(recvType))
        .given({{"stream", stream}, {"comm", comm}})
        .live()
        .different(sendBuf, recvBuf)
        .count(sendCount, "sendCount")
        .movable(sendType, "sendType");
    return queue(checks, stream,
                 {.kind = Kind::kAlltoAll,
                  .name = call.function(),
                  .send = sendBuf,
                  .receive = const_cast<void*>(recvBuf),
                  .count = sendCount,
                  .dtype = sendType});
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
  for (const uint64_t count : slices.counts) {
    if (count > 0) return true;
  }
  return false;
}

}  // namespace

HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls,
                         HcclDataType sendType, const void* recvBuf, const void* recvCounts,
                         const void* rdispls, HcclDataType recvType, HcclComm comm,
                         aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    Checks checks(call, comm);
    checks
        .given({{"sendCounts", sendCounts},
                {"sdispls", sdispls},
                {"recvCounts", recvCounts},
                {"rdispls", rdispls},
                {"stream", stream},
                {"comm", comm}})
        .live()
        .different(sendBuf, recvBuf);
    if (!checks.ok()) return checks.result();
    const size_t size = checks.communicator()->size();
    Slices sent = copy_slices(sendCounts, sdispls, size);
    Slices received = copy_slices(recvCounts, rdispls, size);
    for (size_t i = 0; i < size; ++i) {
      checks.count(sent.counts[i], "sendCounts").count(received.counts[i], "recvCounts");
    }
    if (has_any(sent)) checks.given({{"sendBuf", sendBuf}});
    if (has_any(received)) checks.given({{"recvBuf", recvBuf}});
    checks.movable(sendType, "sendType").movable(recvType, "recvType");
    return queue(checks, stream,
                 {.kind = Kind::kAlltoAllV,
                  .name = call.function(),
                  .send = sendBuf,
                  .receive = const_cast<void*>(recvBuf),
                  .dtype = sendType,
                  .sent = std::move(sent),
                  .received = std::move(received),
                  .received_dtype = recvType});
  });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    Checks checks(call, comm);
    checks.given({{"comm", comm}, {"stream", stream}}).live();
    return queue(checks, stream, {.kind = Kind::kBarrier, .name = call.function()});
  });
}
