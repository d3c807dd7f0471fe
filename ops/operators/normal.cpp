// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceNormal, aclnnInplaceNormalTensor.
#include "aclnnop/aclnn_normal.h"

#include <fmt/format.h>

#include "ops/kernels/random.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {
namespace {

constexpr size_t kSelf = 0;
constexpr size_t kMean = 1;
constexpr size_t kStd = 2;
constexpr size_t kSeed = 3;
constexpr size_t kOffset = 4;

constexpr DtypeSet kDtypes{{ACL_FLOAT16, ACL_FLOAT, ACL_DOUBLE, ACL_INT16, ACL_INT32, ACL_INT64,
                            ACL_INT8, ACL_UINT8, ACL_BOOL},
                           {ACL_BF16}};

Rule not_negative(size_t attribute) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!(arguments.real(attribute) < 0)) return std::nullopt;
    return fmt::format("{} must not be negative, but is {}.", arguments.name(attribute),
                       arguments.real(attribute));
  });
}

const OperatorSpec kInplaceNormal{
    "aclnnInplaceNormal",
    {output("selfRef"), attribute("mean"), attribute("std"), attribute("seed"),
     attribute("offset")},
    {not_null({kSelf}), not_negative(kStd), dtype_in(kSelf, kDtypes), max_rank(kSelf)}};

Plan plan(const Arguments& arguments) {
  return plan_normal(arguments, kSelf, arguments.real(kMean), arguments.real(kStd),
                     {static_cast<uint64_t>(arguments.integer(kSeed)),
                      static_cast<uint64_t>(arguments.integer(kOffset))});
}

// ---- Seed and offset in tensors -----------------------------------------------------------------

constexpr size_t kSeedTensor = 3;
constexpr size_t kOffsetTensor = 4;
constexpr size_t kExtraOffset = 5;
constexpr DtypeSet kIndexDtypes{ACL_INT64};

const OperatorSpec kInplaceNormalTensor{
    "aclnnInplaceNormalTensor",
    {output("selfRef"), attribute("mean"), attribute("std"), input("seedTensor"),
     input("offsetTensor"), attribute("offset")},
    {not_null({kSelf, kSeedTensor, kOffsetTensor}), not_negative(kStd), dtype_in(kSelf, kDtypes),
     dtype_in(kSeedTensor, kIndexDtypes), dtype_in(kOffsetTensor, kIndexDtypes), max_rank(kSelf),
     has_shape(kSeedTensor, {1}), has_shape(kOffsetTensor, {1})}};

Plan plan_with_tensors(const Arguments& arguments) {
  return plan_normal(
      arguments, kSelf, arguments.real(kMean), arguments.real(kStd),
      {0, static_cast<uint64_t>(arguments.integer(kExtraOffset)), kSeedTensor, kOffsetTensor});
}

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnInplaceNormal, 5, kInplaceNormal, plan)
ACLGRAD_OPERATOR(aclnnInplaceNormalTensor, 6, kInplaceNormalTensor, plan_with_tensors)
