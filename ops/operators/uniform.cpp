// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceUniform, aclnnInplaceUniformTensor.
#include "aclnnop/aclnn_uniform.h"

#include <fmt/format.h>

#include "ops/kernels/random.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {
namespace {

constexpr size_t kSelf = 0;
constexpr size_t kFrom = 1;
constexpr size_t kTo = 2;
constexpr size_t kSeed = 3;
constexpr size_t kOffset = 4;

constexpr DtypeSet kDtypes{
    {ACL_FLOAT, ACL_INT32, ACL_INT64, ACL_FLOAT16, ACL_INT16, ACL_INT8, ACL_UINT8, ACL_DOUBLE},
    {ACL_BF16}};

Rule ordered(size_t from, size_t to) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!(arguments.real(from) > arguments.real(to))) return std::nullopt;
    return fmt::format("{} must not be above {}, but they are {} and {}.", arguments.name(from),
                       arguments.name(to), arguments.real(from), arguments.real(to));
  });
}

const OperatorSpec kInplaceUniform{
    "aclnnInplaceUniform",
    {output("selfRef"), attribute("from"), attribute("to"), attribute("seed"), attribute("offset")},
    {not_null({kSelf}), dtype_in(kSelf, kDtypes), max_rank(kSelf), ordered(kFrom, kTo)}};

Plan plan(const Arguments& arguments) {
  return plan_uniform(arguments, kSelf, arguments.real(kFrom), arguments.real(kTo),
                      {static_cast<uint64_t>(arguments.integer(kSeed)),
                       static_cast<uint64_t>(arguments.integer(kOffset))});
}

// ---- Seed and offset in tensors -----------------------------------------------------------------

constexpr size_t kSeedTensor = 3;
constexpr size_t kOffsetTensor = 4;
constexpr size_t kExtraOffset = 5;
constexpr DtypeSet kIndexDtypes{ACL_INT64};

const OperatorSpec kInplaceUniformTensor{
    "aclnnInplaceUniformTensor",
    {output("selfRef"), attribute("from"), attribute("to"), input("seedTensor"),
     input("offsetTensor"), attribute("offset")},
    {not_null({kSelf, kSeedTensor, kOffsetTensor}), dtype_in(kSelf, kDtypes),
     dtype_in(kSeedTensor, kIndexDtypes), dtype_in(kOffsetTensor, kIndexDtypes), max_rank(kSelf),
     has_one_element(kSeedTensor), has_one_element(kOffsetTensor), ordered(kFrom, kTo)}};

Plan plan_with_tensors(const Arguments& arguments) {
  return plan_uniform(
      arguments, kSelf, arguments.real(kFrom), arguments.real(kTo),
      {0, static_cast<uint64_t>(arguments.integer(kExtraOffset)), kSeedTensor, kOffsetTensor});
}

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnInplaceUniform, 5, kInplaceUniform, plan)
ACLGRAD_OPERATOR(aclnnInplaceUniformTensor, 6, kInplaceUniformTensor, plan_with_tensors)
