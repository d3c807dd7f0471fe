// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceNormal, aclnnInplaceUniform, both with seed and offset in tensors, too, and the
// normal numbers of aclnnNormalFloatFloat and its like.
#include "ops/random/random_kernel.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_normal_out.h"
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

constexpr auto kNormal = [](const Arguments& arguments, size_t out, double mean, double stddev,
                            const RandomStream& stream) {
  return plan_normal(arguments, out, {mean}, {stddev}, stream);
};

template <auto kPlan>
Plan plan(const Arguments& arguments) {
  return kPlan(arguments, kSelf, arguments.real(kFirst), arguments.real(kSecond),
               stream_of(arguments, kSeed, kOffset));
}

template <auto kPlan>
Plan plan_with_tensors(const Arguments& arguments) {
  return kPlan(arguments, kSelf, arguments.real(kFirst), arguments.real(kSecond),
               stream_in_tensors(arguments, kSeed, kOffset, kExtraOffset));
}

// ---- Out of place -------------------------------------------------------------------------------

namespace out_of_place {

enum : size_t { kMean, kStd, kSeed, kOffset, kOut };

OperatorSpec spec(const char* name, bool mean_is_tensor, bool std_is_tensor) {
  std::vector<size_t> tensors;
  if (mean_is_tensor) tensors.push_back(kMean);
  if (std_is_tensor) tensors.push_back(kStd);
  Rules rules = of_each(tensors, [](size_t tensor) { return not_null({tensor}); });
  const auto add = [&](const Rules& more) { rules.insert(rules.end(), more.begin(), more.end()); };
  add(not_null({kOut}));
  add(dtype_in(tensors, kRealFloats));
  add(dtype_in(kOut, kRealFloats));
  add(max_rank(tensors));
  add(max_rank(kOut));
  add(broadcasts_to(tensors, kOut));
  if (!std_is_tensor) add(not_negative(kStd));
  return {name,
          {mean_is_tensor ? input("mean") : attribute("mean"),
           std_is_tensor ? input("std") : attribute("std"), attribute("seed"), attribute("offset"),
           output("out")},
          rules};
}

const OperatorSpec kFloatFloat = spec("aclnnNormalFloatFloat", false, false);
const OperatorSpec kFloatTensor = spec("aclnnNormalFloatTensor", false, true);
const OperatorSpec kTensorFloat = spec("aclnnNormalTensorFloat", true, false);
const OperatorSpec kTensorTensor = spec("aclnnNormalTensorTensor", true, true);

RandomOperand operand(const Arguments& arguments, size_t parameter) {
  if (arguments[parameter].tensor() != nullptr) return {0, parameter};
  return {arguments.real(parameter)};
}

Plan plan(const Arguments& arguments) {
  return plan_normal(arguments, kOut, operand(arguments, kMean), operand(arguments, kStd),
                     stream_of(arguments, kSeed, kOffset));
}

}  // namespace out_of_place

}  // namespace

ACLGRAD_OPERATOR(aclnnInplaceNormal, kInplaceNormal, plan<kNormal>)
ACLGRAD_OPERATOR(aclnnInplaceUniform, kInplaceUniform, plan<plan_uniform>)
ACLGRAD_OPERATOR(aclnnInplaceNormalTensor, kInplaceNormalTensor, plan_with_tensors<kNormal>)
ACLGRAD_OPERATOR(aclnnInplaceUniformTensor, kInplaceUniformTensor, plan_with_tensors<plan_uniform>)
ACLGRAD_OPERATOR(aclnnNormalFloatFloat, out_of_place::kFloatFloat, out_of_place::plan)
ACLGRAD_OPERATOR(aclnnNormalFloatTensor, out_of_place::kFloatTensor, out_of_place::plan)
ACLGRAD_OPERATOR(aclnnNormalTensorFloat, out_of_place::kTensorFloat, out_of_place::plan)
ACLGRAD_OPERATOR(aclnnNormalTensorTensor, out_of_place::kTensorTensor, out_of_place::plan)

}  // namespace aclgrad::ops::random
