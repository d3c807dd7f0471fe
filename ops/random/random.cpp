// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceNormal, aclnnInplaceUniform, and both with seed and offset in tensors.
#include "ops/random/random_kernel.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::random {
namespace {

// kFirst: mean, or from. kSecond: std, or to. kExtraOffset: beside seed and offset in tensors.
enum : size_t { kSelf, kFirst, kSecond, kSeed, kOffset, kExtraOffset };

constexpr DtypeSet kIndexDtypes{ACL_INT64};

// ---- Rules --------------------------------------------------------------------------------------

Rule not_negative(size_t attribute) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!(arguments.real(attribute) < 0)) return std::nullopt;
    return fmt::format("{} must not be negative, but is {}.", arguments.name(attribute),
                       arguments.real(attribute));
  });
}

Rule ordered(size_t from, size_t to) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!(arguments.real(from) > arguments.real(to))) return std::nullopt;
    return fmt::format("{} must not be above {}, but they are {} and {}.", arguments.name(from),
                       arguments.name(to), arguments.real(from), arguments.real(to));
  });
}

const OperatorSpec kInplaceNormal{"aclnnInplaceNormal",
                                  {output("selfRef"), attribute("mean"), attribute("std"),
                                   attribute("seed"), attribute("offset")},
                                  {not_null({kSelf}), not_negative(kSecond),
                                   dtype_in(kSelf, kRealNumbersAndBool), max_rank(kSelf)}};

const OperatorSpec kInplaceUniform{
    "aclnnInplaceUniform",
    {output("selfRef"), attribute("from"), attribute("to"), attribute("seed"), attribute("offset")},
    {not_null({kSelf}), dtype_in(kSelf, kRealNumbers), max_rank(kSelf), ordered(kFirst, kSecond)}};

const OperatorSpec kInplaceNormalTensor{
    "aclnnInplaceNormalTensor",
    {output("selfRef"), attribute("mean"), attribute("std"), input("seedTensor"),
     input("offsetTensor"), attribute("offset")},
    Rules{not_null({kSelf, kSeed, kOffset}), not_negative(kSecond),
          dtype_in(kSelf, kRealNumbersAndBool), dtype_in({kSeed, kOffset}, kIndexDtypes),
          max_rank(kSelf), has_shape(kSeed, {1}), has_shape(kOffset, {1})}};

const OperatorSpec kInplaceUniformTensor{
    "aclnnInplaceUniformTensor",
    {output("selfRef"), attribute("from"), attribute("to"), input("seedTensor"),
     input("offsetTensor"), attribute("offset")},
    Rules{not_null({kSelf, kSeed, kOffset}), dtype_in(kSelf, kRealNumbers),
          dtype_in({kSeed, kOffset}, kIndexDtypes), max_rank(kSelf), has_one_element(kSeed),
          has_one_element(kOffset), ordered(kFirst, kSecond)}};

// ---- Plans --------------------------------------------------------------------------------------

template <auto kPlan>
Plan plan(const Arguments& arguments) {
  return kPlan(arguments, kSelf, arguments.real(kFirst), arguments.real(kSecond),
               {static_cast<uint64_t>(arguments.integer(kSeed)),
                static_cast<uint64_t>(arguments.integer(kOffset))});
}

template <auto kPlan>
Plan plan_with_tensors(const Arguments& arguments) {
  return kPlan(arguments, kSelf, arguments.real(kFirst), arguments.real(kSecond),
               {0, static_cast<uint64_t>(arguments.integer(kExtraOffset)), kSeed, kOffset});
}

}  // namespace

ACLGRAD_OPERATOR(aclnnInplaceNormal, kInplaceNormal, plan<plan_normal>)
ACLGRAD_OPERATOR(aclnnInplaceUniform, kInplaceUniform, plan<plan_uniform>)
ACLGRAD_OPERATOR(aclnnInplaceNormalTensor, kInplaceNormalTensor, plan_with_tensors<plan_normal>)
ACLGRAD_OPERATOR(aclnnInplaceUniformTensor, kInplaceUniformTensor, plan_with_tensors<plan_uniform>)

}  // namespace aclgrad::ops::random
