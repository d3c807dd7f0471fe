// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/operation.h"

#include <fmt/format.h>

#include <array>

#include "ops/hccl/data_types.h"

namespace aclgrad::hccl {
namespace {

bool agree(const Signature& a, const Signature& b) {
  if (is_transfer(a.kind)) return a.count == b.count && a.dtype == b.dtype;
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::kAlltoAllV) return a.count == b.expected && a.expected == b.count;
  return a.count == b.count && a.dtype == b.dtype && a.op == b.op && a.root == b.root;
}

}  // namespace

const char* name_of(Kind kind) {
  static constexpr std::array kNames{"HcclAllReduce", "HcclReduce",    "HcclReduceScatter",
                                     "HcclBroadcast", "HcclAllGather", "HcclScatter",
                                     "HcclAlltoAll",  "HcclAlltoAllV", "HcclBarrier",
                                     "HcclSend",      "HcclRecv",      "HcclBatchSendRecv"};
  static_assert(kNames.size() == static_cast<size_t>(Kind::kBatchSendRecv) + 1);
  return kNames.at(static_cast<size_t>(kind));
}

std::string describe(const Signature& signature) {
  const auto& [kind, dtype, op, root, count, expected] = signature;
  std::string text = name_of(kind);
  if (kind == Kind::kBarrier || kind == Kind::kBatchSendRecv) return text;
  if (kind == Kind::kAlltoAllV) return fmt::format("{} of {}", text, name_of(dtype));
  text += fmt::format(" of {} {}", count, name_of(dtype));
  if (is_reduction(kind)) text += fmt::format(", {}", name_of(op));
  if (has_root(kind)) text += fmt::format(", root {}", root);
  if (is_transfer(kind))
    text += fmt::format(" {} rank {}", kind == Kind::kSend ? "to" : "from", root);
  return text;
}

std::string find_disagreement(uint32_t rank, const Signature& mine, uint32_t other,
                              const Signature& theirs) {
  if (agree(mine, theirs)) return "";
  if (mine.kind != Kind::kAlltoAllV || theirs.kind != Kind::kAlltoAllV) {
    return fmt::format("the ranks disagree: rank {} is at {}, rank {} at {}", rank, describe(mine),
                       other, describe(theirs));
  }
  const bool is_sent = mine.count != theirs.expected;
  return fmt::format("{}: rank {} sends {} bytes to rank {}, which expects {}", name_of(mine.kind),
                     is_sent ? rank : other, is_sent ? mine.count : theirs.count,
                     is_sent ? other : rank, is_sent ? theirs.expected : mine.expected);
}

Signature Operation::signature_for(uint32_t peer) const {
  Signature signature = *this;
  if (kind == Kind::kAlltoAllV) {
    signature.count = sent.counts[peer] * size_of(dtype);
    signature.expected = received.counts[peer] * size_of(received_dtype);
  }
  return signature;
}

}  // namespace aclgrad::hccl
