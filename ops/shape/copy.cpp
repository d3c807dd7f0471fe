// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceCopy.
#include "aclnnop/aclnn_copy.h"

#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::copy {
namespace {

enum : size_t { kSelf, kSrc };

const OperatorSpec kInplaceCopy{
    "aclnnInplaceCopy",
    {output("selfRef"), input("src")},
    Rules{not_null({kSelf, kSrc}), dtype_in({kSelf, kSrc}, kAllDtypesAndBf16),
          max_rank({kSelf, kSrc}), broadcastable(kSelf, kSrc),
          shape_is_broadcast(kSelf, kSelf, kSrc)}};

}  // namespace

ACLGRAD_OPERATOR(aclnnInplaceCopy, kInplaceCopy,
                 [](const Arguments& arguments) { return plan_cast(arguments, kSrc, kSelf); })

}  // namespace aclgrad::ops::copy
