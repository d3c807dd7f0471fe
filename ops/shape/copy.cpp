// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceCopy.
#include "aclnnop/aclnn_copy.h"

#include "ops/engine/dtype/cast.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {
namespace {

constexpr DtypeSet kDtypes{ACL_INT8,   ACL_INT16,  ACL_INT32,     ACL_INT64,      ACL_UINT8,
                           ACL_UINT16, ACL_UINT32, ACL_UINT64,    ACL_FLOAT,      ACL_FLOAT16,
                           ACL_BF16,   ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128, ACL_BOOL};

const OperatorSpec kInplaceCopy{
    "aclnnInplaceCopy",
    {output("selfRef"), input("src")},
    {not_null({0, 1}), dtype_in(0, kDtypes), dtype_in(1, kDtypes), max_rank(0), max_rank(1),
     broadcastable(0, 1), shape_is_broadcast(0, 0, 1)}};

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnInplaceCopy, 2, kInplaceCopy,
                 [](const Arguments& arguments) { return plan_cast(arguments, 1, 0); })
