// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceNormal, aclnnInplaceUniform, and both with seed and offset in tensors.
#include "ops/random/random_kernel.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {
namespace {

constexpr size_t kSelf = 0;
constexpr size_t kFirst = 1;   // mean, or from
constexpr size_t kSecond = 2;  // std, or to
constexpr size_t kSeed = 3;
constexpr size_t kOffset = 4;
constexpr size_t kExtraOffset = 5;  // beside tensors

constexpr DtypeSet kNormal{{ACL_FLOAT16, ACL_FLOAT, ACL_DOUBLE, ACL_INT16, ACL_INT32, ACL_INT64,
                            ACL_INT8, ACL_UINT8, ACL_BOOL},
                           {ACL_BF16}};
constexpr DtypeSet kUniform{
    {ACL_FLOAT, ACL_INT32, ACL_INT64, ACL_FLOAT16, ACL_INT16, ACL_INT8, ACL_UINT8, ACL_DOUBLE},
    {ACL_BF16}};
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

const OperatorSpec kInplaceNormal{
    "aclnnInplaceNormal",
    {output("selfRef"), attribute("mean"), attribute("std"), attribute("seed"),
     attribute("offset")},
    {not_null({kSelf}), not_negative(kSecond), dtype_in(kSelf, kNormal), max_rank(kSelf)}};

const OperatorSpec kInplaceUniform{
    "aclnnInplaceUniform",
    {output("selfRef"), attribute("from"), attribute("to"), attribute("seed"), attribute("offset")},
    {not_null({kSelf}), dtype_in(kSelf, kUniform), max_rank(kSelf), ordered(kFirst, kSecond)}};

const OperatorSpec kInplaceNormalTensor{
    "aclnnInplaceNormalTensor",
    {output("selfRef"), attribute("mean"), attribute("std"), input("seedTensor"),
     input("offsetTensor"), attribute("offset")},
    {not_null({kSelf, kSeed, kOffset}), not_negative(kSecond), dtype_in(kSelf, kNormal),
     dtype_in(kSeed, kIndexDtypes), dtype_in(kOffset, kIndexDtypes), max_rank(kSelf),
     has_shape(kSeed, {1}), has_shape(kOffset, {1})}};

const OperatorSpec kInplaceUniformTensor{
    "aclnnInplaceUniformTensor",
    {output("selfRef"), attribute("from"), attribute("to"), input("seedTensor"),
     input("offsetTensor"), attribute("offset")},
    {not_null({kSelf, kSeed, kOffset}), dtype_in(kSelf, kUniform), dtype_in(kSeed, kIndexDtypes),
     dtype_in(kOffset, kIndexDtypes), max_rank(kSelf), has_one_element(kSeed),
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
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnInplaceNormal, 5, kInplaceNormal, plan<plan_normal>)
ACLGRAD_OPERATOR(aclnnInplaceUniform, 5, kInplaceUniform, plan<plan_uniform>)
ACLGRAD_OPERATOR(aclnnInplaceNormalTensor, 6, kInplaceNormalTensor, plan_with_tensors<plan_normal>)
ACLGRAD_OPERATOR(aclnnInplaceUniformTensor, 6, kInplaceUniformTensor,
                 plan_with_tensors<plan_uniform>)
