// SPDX-License-Identifier: Apache-2.0
// What each product can move and reduce.
#pragma once

#include <cstddef>

#include "hccl/hccl_types.h"

namespace aclgrad::hccl {

// Bytes of an element, 0 for a number that is no data type.
size_t size_of(HcclDataType dtype);

// "HCCL_DATA_TYPE_FP32"
const char* name_of(HcclDataType dtype);
const char* name_of(HcclReduceOp op);

bool is_reduce_op(HcclReduceOp op);

// For the product in force (aclrtGetSocName).
bool can_move(HcclDataType dtype);
bool can_reduce(HcclDataType dtype, HcclReduceOp op);

// Whether the product in force is of the family of Ascend910B.
bool is_default_product();

}  // namespace aclgrad::hccl
