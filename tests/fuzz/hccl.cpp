// SPDX-License-Identifier: Apache-2.0
// Collectives with arguments that go wrong anywhere: a group of one rank, whose results are those
// of a copy, and a group of two ranks, both issued by this thread, that may disagree or fail.
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

#include "aclgrad_ext.h"
#include "tests/fuzz/hccl_ranks.h"

namespace aclgrad::fuzz {
namespace {

constexpr uint64_t kTooMany = uint64_t{0x7FFFFFFFF} + 1;
constexpr int kMaxSteps = 24;

enum Function : size_t {
  kAllReduce,
  kReduce,
  kReduceScatter,
  kBroadcast,
  kAllGather,
  kScatter,
  kAllToAll,
  kBarrier,
  kTransfer,  // from the first rank to the second
  kFunctions
};

// What one rank passes; all ranks start from the same.
struct Arguments {
  Function function;
  uint64_t count;
  HcclDataType dtype;
  HcclReduceOp op;
  uint32_t root;
};

class Sequence {
 public:
  Sequence(const uint8_t* data, size_t size) : input_(data, size) {}

  void run() {
    using Action = void (Sequence::*)();
    constexpr Action kActions[] = {
        &Sequence::alone,  &Sequence::wrong,         &Sequence::both,    &Sequence::send_list,
        &Sequence::to_all, &Sequence::communicators, &Sequence::recorded};
    for (int i = 0; !input_.empty() && i < kMaxSteps; ++i) (this->*input_.pick(kActions))();
  }

 private:
  void communicators() { fuzz_communicators(input_, ranks_); }

  uint64_t count() {
    return input_.once_in(16) ? kTooMany + input_.byte() : input_.below(kMaxElements + 1);
  }
  HcclDataType dtype() { return static_cast<HcclDataType>(input_.below(20)); }
  HcclReduceOp op() { return static_cast<HcclReduceOp>(input_.below(5)); }
  uint32_t root() {
    return input_.once_in(8) ? input_.number<uint32_t>()
                             : static_cast<uint32_t>(input_.below(kRanks + 1));
  }
  Arguments arguments() {
    return {.function = static_cast<Function>(input_.below(kFunctions)),
            .count = count(),
            .dtype = input_.once_in(2) ? HCCL_DATA_TYPE_FP32 : dtype(),
            .op = op(),
            .root = root()};
  }
  HcclResult call(const Arguments& of, void* send, void* receive, HcclComm comm,
                  aclrtStream stream) {
    const auto& [function, count, dtype, op, root] = of;
    switch (function) {
      case kAllReduce:
        return HcclAllReduce(send, receive, count, dtype, op, comm, stream);
      case kReduce:
        return HcclReduce(send, receive, count, dtype, op, root, comm, stream);
      case kReduceScatter:
        return HcclReduceScatter(send, receive, count, dtype, op, comm, stream);
      case kBroadcast:
        return HcclBroadcast(send, count, dtype, root, comm, stream);
      case kAllGather:
        return HcclAllGather(send, receive, count, dtype, comm, stream);
      case kScatter:
        return HcclScatter(send, receive, count, dtype, root, comm, stream);
      case kAllToAll:
        return HcclAlltoAll(send, count, dtype, receive, count, dtype, comm, stream);
      case kBarrier:
        return HcclBarrier(comm, stream);
      default:
        return comm == ranks_.pair[0].comm ? HcclSend(send, count, dtype, 1, comm, stream)
                                           : HcclRecv(receive, count, dtype, root, comm, stream);
    }
  }

  // A group of one rank: what succeeds has moved what was sent, and written nothing else.
  void alone() {
    product();
    const Arguments of = arguments();
    for (unsigned char& each : alone_.send) each = input_.byte();
    std::fill(alone_.receive.begin(), alone_.receive.end(), static_cast<unsigned char>(0xA5));
    const auto sent = alone_.send, before = alone_.receive;
    set_device(0);
    const bool is_queued = check(
        call(of, alone_.send.data(), alone_.receive.data(), alone_.comm, alone_.stream), "alone");
    ranks_.synchronize_alone();
    require(alone_.send == sent, "what is sent stays");
    const bool moves =
        is_queued && of.function != kBroadcast && of.function != kBarrier && of.count > 0;
    require(moves || alone_.receive == before, "nothing else is written");
    if (!moves) return;
    const size_t bytes = of.count * width(of.dtype);
    require(std::memcmp(alone_.receive.data(), sent.data(), bytes) == 0,
            "the only rank's elements are the result");
    require(std::equal(before.begin() + static_cast<std::ptrdiff_t>(bytes), before.end(),
                       alone_.receive.begin() + static_cast<std::ptrdiff_t>(bytes)),
            "no byte too many");
  }

  static size_t width(HcclDataType dtype) {
    switch (dtype) {
      case HCCL_DATA_TYPE_INT16:
      case HCCL_DATA_TYPE_FP16:
      case HCCL_DATA_TYPE_UINT16:
      case HCCL_DATA_TYPE_BFP16:
        return 2;
      case HCCL_DATA_TYPE_INT32:
      case HCCL_DATA_TYPE_FP32:
      case HCCL_DATA_TYPE_UINT32:
        return 4;
      case HCCL_DATA_TYPE_INT64:
      case HCCL_DATA_TYPE_UINT64:
      case HCCL_DATA_TYPE_FP64:
        return 8;
      default:
        return 1;
    }
  }

  void product() {
    constexpr const char* kProducts[] = {"Ascend910B", "Ascend910", "Ascend310P", "Ascend950"};
    require(aclgradSetSocName(input_.once_in(4) ? input_.pick(kProducts) : nullptr) == 0,
            "a known product");
  }

  // Pointers and handles that are none, or another's. A rank of the pair, used from another device,
  // is refused.
  void wrong() {
    set_device(0);
    void* const send = input_.once_in(3) ? nullptr : alone_.send.data();
    void* const receive = input_.once_in(3) ? nullptr : alone_.receive.data();
    check(call(arguments(), send, receive, ranks_.any_handle(input_), ranks_.any_handle(input_)),
          "with wrong handles");
    ranks_.synchronize_alone();
    HcclComm const comm = ranks_.any_handle(input_);
    if (comm != alone_.comm) check(HcclCommDestroy(comm), "HcclCommDestroy");
  }

  // Both ranks, which may disagree. One that waits for the other in vain hears of its end.
  void both() {
    const Arguments common = arguments();
    for (size_t i = 0; i < kRanks; ++i) {
      Rank& rank = ranks_.pair[i];
      Arguments own = common;
      if (input_.once_in(8)) own = arguments();
      // A transfer and something else would both wait.
      if ((own.function == kTransfer) != (common.function == kTransfer)) own = common;
      set_device(i);
      check(call(own, rank.send.data(), rank.receive.data(), rank.comm, rank.stream), "one of two");
    }
    ranks_.settle();
  }
  // A list of transfers of the only rank to itself.
  void send_list() {
    HcclSendRecvItem items[4] = {};
    for (HcclSendRecvItem& each : items) {
      each.sendRecvType = static_cast<HcclSendRecvType>(input_.below(2) + input_.once_in(16));
      auto& memory = each.sendRecvType == HCCL_SEND ? alone_.send : alone_.receive;
      each.buf = input_.once_in(8) ? nullptr : memory.data();
      each.count = input_.once_in(4) ? count() : 2;
      each.dataType = input_.once_in(4) ? dtype() : HCCL_DATA_TYPE_FP32;
      each.remoteRank = input_.once_in(16) ? root() : 0;
    }
    set_device(0);
    check(HcclBatchSendRecv(input_.once_in(16) ? nullptr : items,
                            static_cast<uint32_t>(input_.below(std::size(items) + 1)), alone_.comm,
                            alone_.stream),
          "HcclBatchSendRecv");
    ranks_.synchronize_alone();
  }

  void to_all() {
    const uint64_t sent = count(), received = input_.once_in(4) ? count() : sent;
    // A displacement of nothing may be anything.
    const auto displacement = [&](uint64_t elements) {
      return elements == 0 ? static_cast<uint64_t>(input_.extent())
                           : input_.below(kMaxElements * (kRanks - 1) + 1);
    };
    const uint64_t send_at = displacement(sent), receive_at = displacement(received);
    const HcclDataType type = dtype();
    set_device(0);
    check(HcclAlltoAllV(input_.once_in(8) ? nullptr : alone_.send.data(), &sent, &send_at, type,
                        input_.once_in(8) ? nullptr : alone_.receive.data(), &received, &receive_at,
                        input_.once_in(8) ? dtype() : type, alone_.comm, alone_.stream),
          "HcclAlltoAllV");
    // Sides that disagree are found out when they meet.
    require_message(aclrtSynchronizeStream(alone_.stream),
                    "a rank that sends itself something else");
    HcclResult later = HCCL_SUCCESS;
    expect_success(HcclGetCommAsyncError(alone_.comm, &later), "HcclGetCommAsyncError");
    if (later == HCCL_SUCCESS) return;
    require(later == HCCL_E_PARA, "the only thing that can go wrong alone");
    ranks_.renew_alone();
  }

  // Captured, and replayed a few times.
  void recorded() {
    set_device(0);
    require(aclmdlRICaptureBegin(alone_.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) == 0,
            "a capture");
    for (size_t calls = input_.below(4); calls > 0; --calls) {
      check(
          call(arguments(), alone_.send.data(), alone_.receive.data(), alone_.comm, alone_.stream),
          "captured");
    }
    aclmdlRI model = nullptr;
    require(aclmdlRICaptureEnd(alone_.stream, &model) == 0, "the end of a capture");
    for (size_t replays = input_.below(3); replays > 0; --replays) {
      require(aclmdlRIExecuteAsync(model, alone_.stream) == 0, "a replay");
      ranks_.synchronize_alone();
    }
    require(aclmdlRIDestroy(model) == 0, "a recording that goes away");
  }

  Input input_;
  Ranks ranks_;
  Rank& alone_ = ranks_.alone;
};

}  // namespace

void fuzz_hccl(const uint8_t* data, size_t size) {
  static const bool ready = [] {
    // Before the runtime counts its devices.
    return setenv("ACLGRAD_DEVICE_COUNT", "2", /*overwrite=*/1) == 0 &&
           setenv("HCCL_EXEC_TIMEOUT", "1", /*overwrite=*/1) == 0;
  }();
  require(ready, "two devices");
  Sequence(data, size).run();
  aclgradSetSocName(nullptr);
}

}  // namespace aclgrad::fuzz
