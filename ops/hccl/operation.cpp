// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/operation.h"

#include <fmt/format.h>

#include <array>

#include "ops/hccl/data_types.h"

namespace aclgrad::hccl {

const char* name_of(Kind kind) {
  static constexpr std::array kNames{
      "HcclAllReduce", "HcclReduce",   "HcclReduceScatter", "HcclBroadcast", "HcclAllGather",
      "HcclScatter",   "HcclAlltoAll", "HcclAlltoAllV",     "HcclBarrier",   "a transfer"};
  static_assert(kNames.size() == static_cast<size_t>(Kind::kTransfers) + 1);
  return kNames.at(static_cast<size_t>(kind));
}

bool is_reduction(Kind kind) {
  return kind == Kind::kAllReduce || kind == Kind::kReduce || kind == Kind::kReduceScatter;
}

bool has_root(Kind kind) {
  return kind == Kind::kReduce || kind == Kind::kBroadcast || kind == Kind::kScatter;
}

std::string describe(const Operation& operation) {
  std::string text = operation.name;
  if (operation.kind == Kind::kBarrier || operation.kind == Kind::kTransfers) return text;
  if (operation.kind == Kind::kAlltoAllV) {
    return fmt::format("{} of {}", text, name_of(operation.dtype));
  }
  text += fmt::format(" of {} {}", operation.count, name_of(operation.dtype));
  if (is_reduction(operation.kind)) text += fmt::format(", {}", name_of(operation.op));
  if (has_root(operation.kind)) text += fmt::format(", root {}", operation.root);
  return text;
}

bool agree(const Operation& a, const Operation& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::kBarrier || a.kind == Kind::kAlltoAllV) return true;
  return a.count == b.count && a.dtype == b.dtype && (!is_reduction(a.kind) || a.op == b.op) &&
         (!has_root(a.kind) || a.root == b.root);
}

}  // namespace aclgrad::hccl
