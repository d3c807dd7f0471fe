// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/data_types.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "acl/acl.h"
#include "aclgrad_ext.h"

// A function of libnnopbase; null in a program that links no operator library.
#pragma weak aclgradGetAcceptDouble

namespace aclgrad::hccl {
namespace {

// Products, as far as they differ here.
enum Products : unsigned {
  kNone = 0,
  k910 = 1,   // Ascend910A and its kin
  k310 = 2,   // Ascend310P, Ascend310B
  kA2 = 4,    // Ascend910B
  kA3 = 8,    // Ascend910_93
  k950 = 16,  // Ascend950
  kA2A3 = kA2 | kA3,
  kAll = k910 | k310 | kA2A3 | k950
};

struct Row {
  HcclDataType dtype;
  const char* name;
  size_t bytes;
  unsigned moved;       // by these products
  unsigned reduced;     // by SUM, MAX, MIN
  unsigned multiplied;  // by PROD
};

constexpr Row kRows[] = {
    {HCCL_DATA_TYPE_INT8, "HCCL_DATA_TYPE_INT8", 1, kAll, kAll, kAll},
    {HCCL_DATA_TYPE_INT16, "HCCL_DATA_TYPE_INT16", 2, kAll, k310 | kA2A3 | k950, kNone},
    {HCCL_DATA_TYPE_INT32, "HCCL_DATA_TYPE_INT32", 4, kAll, kAll, kAll},
    {HCCL_DATA_TYPE_FP16, "HCCL_DATA_TYPE_FP16", 2, kAll, kAll, kAll},
    {HCCL_DATA_TYPE_FP32, "HCCL_DATA_TYPE_FP32", 4, kAll, kAll, kAll},
    {HCCL_DATA_TYPE_INT64, "HCCL_DATA_TYPE_INT64", 8, kAll, kAll & ~k310, kAll & ~k310},
    {HCCL_DATA_TYPE_UINT64, "HCCL_DATA_TYPE_UINT64", 8, kAll, k950, k950},
    {HCCL_DATA_TYPE_UINT8, "HCCL_DATA_TYPE_UINT8", 1, kAll, kNone, kNone},
    {HCCL_DATA_TYPE_UINT16, "HCCL_DATA_TYPE_UINT16", 2, kAll, kNone, kNone},
    {HCCL_DATA_TYPE_UINT32, "HCCL_DATA_TYPE_UINT32", 4, kAll, kNone, kNone},
    {HCCL_DATA_TYPE_FP64, "HCCL_DATA_TYPE_FP64", 8, kAll, k950, k950},
    {HCCL_DATA_TYPE_BFP16, "HCCL_DATA_TYPE_BFP16", 2, kA2A3 | k950, kA2A3 | k950, kNone},
    {HCCL_DATA_TYPE_INT128, "HCCL_DATA_TYPE_INT128", 16, kNone, kNone, kNone},
    {HCCL_DATA_TYPE_HIF8, "HCCL_DATA_TYPE_HIF8", 1, k950, kNone, kNone},
    {HCCL_DATA_TYPE_FP8E4M3, "HCCL_DATA_TYPE_FP8E4M3", 1, k950, kNone, kNone},
    {HCCL_DATA_TYPE_FP8E5M2, "HCCL_DATA_TYPE_FP8E5M2", 1, k950, kNone, kNone},
    {HCCL_DATA_TYPE_FP8E8M0, "HCCL_DATA_TYPE_FP8E8M0", 1, k950, kNone, kNone},
};

constexpr std::array kReduceOps{"HCCL_REDUCE_SUM", "HCCL_REDUCE_PROD", "HCCL_REDUCE_MAX",
                                "HCCL_REDUCE_MIN"};

// Chips by the beginnings of their names, longer ones first.
struct Prefix {
  std::string_view prefix;
  Products product;
};
constexpr Prefix kPrefixes[] = {
    {"Ascend910_93", kA3}, {"Ascend910B", kA2}, {"Ascend950", k950},
    {"Ascend310", k310},   {"Ascend910", k910},
};

unsigned current_product() {
  const char* const soc = aclrtGetSocName();
  const std::string_view name = soc == nullptr ? "" : soc;
  for (const Prefix& each : kPrefixes) {
    if (name.starts_with(each.prefix)) return each.product;
  }
  return kA2;
}

// The row of a data type; one without types for a number that is no data type.
const Row& find(HcclDataType dtype) {
  static constexpr Row kNothing{HCCL_DATA_TYPE_RESERVED, "no data type", 0, kNone, kNone, kNone};
  const auto* const row = std::find_if(std::begin(kRows), std::end(kRows),
                                       [&](const Row& each) { return each.dtype == dtype; });
  return row == std::end(kRows) ? kNothing : *row;
}

bool accepts_double() { return aclgradGetAcceptDouble != nullptr && aclgradGetAcceptDouble() != 0; }

}  // namespace

size_t size_of(HcclDataType dtype) { return find(dtype).bytes; }

const char* name_of(HcclDataType dtype) { return find(dtype).name; }

bool is_reduce_op(HcclReduceOp op) {
  const auto number = static_cast<int64_t>(op);
  return number >= 0 && number < static_cast<int64_t>(kReduceOps.size());
}

const char* name_of(HcclReduceOp op) {
  return is_reduce_op(op) ? kReduceOps.at(static_cast<size_t>(op)) : "no reduction";
}

bool can_move(HcclDataType dtype) { return (find(dtype).moved & current_product()) != 0; }

bool can_reduce(HcclDataType dtype, HcclReduceOp op) {
  const unsigned product = current_product();
  if (dtype == HCCL_DATA_TYPE_FP64 && accepts_double()) dtype = HCCL_DATA_TYPE_FP32;
  if (op == HCCL_REDUCE_PROD) return (find(dtype).multiplied & product) != 0;
  if (product == k310 && dtype == HCCL_DATA_TYPE_INT16) return op == HCCL_REDUCE_SUM;
  return (find(dtype).reduced & product) != 0;
}

bool is_default_product() { return current_product() == kA2; }

}  // namespace aclgrad::hccl
