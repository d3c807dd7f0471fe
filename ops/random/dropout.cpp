// SPDX-License-Identifier: Apache-2.0
// aclnnDropoutGenMask, aclnnDropoutGenMaskV2, aclnnDropoutGenMaskV2Tensor, aclnnDropoutDoMask,
// aclnnDropout, aclnnDropoutBackward.
#include "ops/random/dropout_kernel.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "aclnnop/aclnn_dropout.h"
#include "aclnnop/aclnn_dropout_backward.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/engine/dtype/dtype_sets.h"

namespace aclgrad::ops::dropout {
namespace {

constexpr DtypeSet kMask{ACL_UINT8};

// NaN passes.
Rule is_probability(size_t attribute) {
  return require([attribute](const Arguments& arguments) -> std::optional<std::string> {
    const double value = arguments.real(attribute);
    if (!(value < 0 || value > 1)) return std::nullopt;
    return fmt::format("{} must be within [0, 1], but is {}.", arguments.name(attribute), value);
  });
}

// Of the tensor or the array of sizes that says how many elements there are.
Dims shape_of(const Arguments& arguments, size_t elements) {
  if (arguments[elements].tensor() != nullptr) return arguments.shape(elements);
  const std::vector<int64_t>& sizes = arguments.int_array(elements);
  return {sizes.data(), sizes.size()};
}

Rule mask_is_of(size_t mask, size_t elements, bool may_be_more = false) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims shape = shape_of(arguments, elements);
    const int64_t expected = mask_bytes(count_elements(shape));
    const int64_t count = count_elements(arguments.shape(mask));
    if (may_be_more ? count >= expected : count == expected) return std::nullopt;
    return fmt::format(
        "tensor {} must have {} elements{}, one bit for each element of {} {}, but has {}.",
        arguments.name(mask), expected, may_be_more ? " or more" : "", arguments.name(elements),
        to_string(shape), count);
  });
}

// ---- Masks --------------------------------------------------------------------------------------

Rule is_shape(size_t array) {
  return require([array](const Arguments& arguments) -> std::optional<std::string> {
    const Dims sizes = shape_of(arguments, array);
    int64_t count = 0;
    const bool is_one = sizes.size() <= kMaxRank &&
                        std::ranges::all_of(sizes, [](int64_t size) { return size >= 0; }) &&
                        count_fits(sizes, count) &&
                        count < std::numeric_limits<int64_t>::max() - 128;
    if (is_one) return std::nullopt;
    return fmt::format("{} must be a shape of fewer than 2^63 elements, but is {}.",
                       arguments.name(array), to_string(sizes));
  });
}

// The dtype that devices take the probability in.
Rule is_floating_16_or_32(size_t attribute) {
  return require([attribute](const Arguments& arguments) -> std::optional<std::string> {
    const auto dtype = static_cast<aclDataType>(arguments.integer(attribute));
    if (kFloats.contains(dtype)) return std::nullopt;
    return fmt::format("{} is {}, expected one of {}.", arguments.name(attribute),
                       dtype_name(dtype), kFloats.to_string());
  });
}

namespace gen_mask {

// Of aclnnDropoutGenMask; what V2 has instead; what V2Tensor has instead, its seed and offset being
// tensors.
enum : size_t { kShape, kProb, kSeed, kOffset, kOut };
enum : size_t { kProbDataType = 4, kOutOfV2 };
enum : size_t { kExtraOffset = 4, kTensorProbDataType, kTensorOut };

const OperatorSpec kSpec{
    "aclnnDropoutGenMask",
    {attribute("shape"), attribute("prob"), attribute("seed"), attribute("offset"), output("out")},
    {not_null({kShape, kOut}), dtype_in(kOut, kMask), is_probability(kProb), is_shape(kShape),
     mask_is_of(kOut, kShape)}};
const OperatorSpec kV2Spec{
    "aclnnDropoutGenMaskV2",
    {attribute("shape"), attribute("prob"), attribute("seed"), attribute("offset"),
     attribute("probDataType"), output("out")},
    {not_null({kShape, kOutOfV2}), dtype_in(kOutOfV2, kMask), is_floating_16_or_32(kProbDataType),
     is_probability(kProb), is_shape(kShape), mask_is_of(kOutOfV2, kShape)}};
const OperatorSpec kTensorSpec{
    "aclnnDropoutGenMaskV2Tensor",
    {attribute("shape"), attribute("prob"), input("seedTensor"), input("offsetTensor"),
     attribute("offset"), attribute("probDataType"), output("out")},
    Rules{not_null({kShape, kSeed, kOffset, kTensorOut}), dtype_in({kSeed, kOffset}, {ACL_INT64}),
          dtype_in(kTensorOut, kMask), is_floating_16_or_32(kTensorProbDataType),
          is_probability(kProb), has_one_element(kSeed), has_one_element(kOffset), is_shape(kShape),
          mask_is_of(kTensorOut, kShape)}};

Plan plan(const Arguments& arguments, size_t out) {
  return plan_dropout_mask(arguments, out, arguments.real(kProb),
                           stream_of(arguments, kSeed, kOffset));
}

Plan plan_with_tensors(const Arguments& arguments) {
  return plan_dropout_mask(arguments, kTensorOut, arguments.real(kProb),
                           stream_in_tensors(arguments, kSeed, kOffset, kExtraOffset));
}

}  // namespace gen_mask

// ---- Their use ----------------------------------------------------------------------------------

bool is_none(double probability) {
  return std::abs(probability) <= std::numeric_limits<double>::epsilon();
}

// self / (1 - probability) where it is kept; for 0 a copy, for 1 nothing but zeros.
Plan plan_use(const Arguments& arguments, size_t self, size_t mask, size_t out,
              double probability) {
  if (arguments.empty(self)) return {};
  const aclDataType dtype = arguments.dtype(self);
  if (is_none(probability)) {
    return plan_arithmetic(arguments, out, {self}, dtype, product(dtype, KernelScalar{1, 1, 1}));
  }
  if (probability == 1)
    return plan_arithmetic(arguments, out, {}, dtype, constant(dtype, KernelScalar{}));
  return plan_dropout(arguments, self, mask, out, round_to_dtype(1 - probability, dtype));
}

namespace use {
enum : size_t { kSelf, kMaskBits, kNumber, kOut };
}  // namespace use

// Empty tensors are not checked.
Rule unless_empty(Rule rule) {
  return when(
      [](const Arguments& arguments) {
        return !arguments.empty(use::kSelf) && !arguments.empty(use::kMaskBits);
      },
      std::move(rule));
}

std::vector<Rule> use_rules() {
  using namespace use;
  std::vector<Rule> rules = {not_null({kSelf, kMaskBits, kOut})};
  for (const Rule& rule : std::vector<Rule>{
           dtype_in(kSelf, kFloats), dtype_in(kOut, kFloats), dtype_in(kMaskBits, kMask),
           is_probability(kNumber), max_rank(kSelf), max_rank(kOut), same_shape(kOut, kSelf),
           mask_is_of(kMaskBits, kSelf, true)}) {
    rules.push_back(unless_empty(rule));
  }
  return rules;
}

const OperatorSpec kDoMask{"aclnnDropoutDoMask",
                           {input("self"), input("mask"), attribute("prob"), output("out")},
                           use_rules()};

// 0, which drops all, or at least 1.
Rule is_scale(size_t attribute) {
  return require([attribute](const Arguments& arguments) -> std::optional<std::string> {
    const double value = arguments.real(attribute);
    if (value == 0 || value >= 1) return std::nullopt;
    return fmt::format("{} must be 0, or 1 or more, but is {}.", arguments.name(attribute), value);
  });
}

const OperatorSpec kBackward{
    "aclnnDropoutBackward",
    {input("gradOutput"), input("mask"), attribute("scale"), output("out")},
    {not_null({use::kSelf, use::kMaskBits, use::kOut}), dtype_in(use::kSelf, kFloats),
     dtype_in(use::kOut, kFloats), dtype_in(use::kMaskBits, kMask), is_scale(use::kNumber),
     max_rank(use::kSelf), max_rank(use::kOut), same_shape(use::kOut, use::kSelf),
     mask_is_of(use::kMaskBits, use::kSelf)}};

// ---- Both in one --------------------------------------------------------------------------------

namespace both {
enum : size_t { kInput, kProbability, kTrain, kSeed, kOffset, kOut, kMaskOut };
}  // namespace both

const OperatorSpec kDropout{
    "aclnnDropout",
    {input("input"), attribute("p"), attribute("train"), attribute("seed"), attribute("offset"),
     output("out"), output("maskOut")},
    {not_null({both::kInput, both::kOut, both::kMaskOut}), dtype_in(both::kInput, kFloats),
     dtype_in(both::kOut, kFloats), dtype_in(both::kMaskOut, kMask),
     is_probability(both::kProbability), max_rank(both::kInput), max_rank(both::kOut),
     same_shape(both::kOut, both::kInput), mask_is_of(both::kMaskOut, both::kInput)}};

Plan plan_both(const Arguments& arguments) {
  using namespace both;
  const double probability = arguments.flag(kTrain) ? arguments.real(kProbability) : 0;
  Plan use = plan_use(arguments, kInput, kMaskOut, kOut, probability);
  if (arguments.empty(kInput) || is_none(probability) || probability == 1) return use;
  const Plan mask =
      plan_dropout_mask(arguments, kMaskOut, probability, stream_of(arguments, kSeed, kOffset));
  return {[draw = mask.body, apply = use.body](const Run& run) -> aclError {
    draw(run);
    return apply(run);
  }};
}

}  // namespace

ACLGRAD_OPERATOR(aclnnDropoutGenMask, gen_mask::kSpec, [](const Arguments& arguments) {
  return gen_mask::plan(arguments, gen_mask::kOut);
})
ACLGRAD_OPERATOR(aclnnDropoutGenMaskV2, gen_mask::kV2Spec, [](const Arguments& arguments) {
  return gen_mask::plan(arguments, gen_mask::kOutOfV2);
})
ACLGRAD_OPERATOR(aclnnDropoutGenMaskV2Tensor, gen_mask::kTensorSpec, gen_mask::plan_with_tensors)
ACLGRAD_OPERATOR(aclnnDropoutDoMask, kDoMask, [](const Arguments& arguments) {
  if (arguments.empty(use::kMaskBits)) return Plan{};
  return plan_use(arguments, use::kSelf, use::kMaskBits, use::kOut, arguments.real(use::kNumber));
})
ACLGRAD_OPERATOR(aclnnDropout, kDropout, plan_both)
ACLGRAD_OPERATOR(aclnnDropoutBackward, kBackward, [](const Arguments& arguments) {
  const double factor = arguments.real(use::kNumber);
  return plan_use(arguments, use::kSelf, use::kMaskBits, use::kOut,
                  factor == 0 ? 1 : 1 - 1 / factor);
})

}  // namespace aclgrad::ops::dropout
