// SPDX-License-Identifier: Apache-2.0
// aclnnFusedInferAttentionScoreV2.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "ops/attention/attention_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/parameters.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::inference_attention {
namespace {

enum : size_t {
  kQuery,
  kKeys,
  kValues,
  kShift,
  kAttenMask,
  kLengths,
  kKeyLengths,
  kDeqScale1,
  kQuantScale1,
  kDeqScale2,
  kQuantScale2,
  kQuantOffset2,
  kAntiquantScale,
  kAntiquantOffset,
  kBlockTable,
  kQueryPadding,
  kKeyPadding,
  kKeyScale,
  kKeyOffset,
  kValueScale,
  kValueOffset,
  kKeyPrefix,
  kValuePrefix,
  kPrefixLengths,
  kHeads,
  kScale,
  kPreTokens,
  kNextTokens,
  kLayout,
  kKeyHeads,
  kSparseMode,
  kInnerPrecise,
  kBlockSize,
  kAntiquantMode,
  kLseFlag,
  kKeyMode,
  kValueMode,
  kOut,
  kLse
};

// What quantization, pages and prefixes need, none of which is there.
const std::vector<size_t> kAbsentTensors = {
    kAttenMask,      kDeqScale1,       kQuantScale1, kDeqScale2,    kQuantScale2, kQuantOffset2,
    kAntiquantScale, kAntiquantOffset, kBlockTable,  kQueryPadding, kKeyPadding,  kKeyScale,
    kKeyOffset,      kValueScale,      kValueOffset, kKeyPrefix,    kValuePrefix, kLse};
const std::vector<size_t> kAbsentArrays = {kLengths, kKeyLengths, kPrefixLengths};

// The dimensions of BSND.
enum : size_t { kBatch, kPlace, kHead, kColumn };

size_t key_of(const Arguments& arguments) { return arguments.members(kKeys).first; }
size_t value_of(const Arguments& arguments) { return arguments.members(kValues).first; }

// ---- Checks -------------------------------------------------------------------------------------

using Complaint = std::optional<std::string>;

Rule one_member(size_t list) {
  return [=](const Arguments& arguments) -> CheckResult {
    const size_t count = arguments.members(list).count;
    if (count != 1) {
      return {kInvalidParameter,
              fmt::format("{} must have one tensor, but has {}.", arguments.name(list), count)};
    }
    return all_members(list, [](size_t i) { return not_null({i}); })(arguments);
  };
}

Complaint absence_complaint(const Arguments& arguments) {
  for (const size_t tensor : kAbsentTensors) {
    if (!arguments.given(tensor)) continue;
    return fmt::format(
        "the call must have no {}, but that is {} {}: attention with it is not supported.",
        arguments.name(tensor), dtype_name(arguments.dtype(tensor)),
        to_string(arguments.shape(tensor)));
  }
  for (const size_t array : kAbsentArrays) {
    if (!arguments.given(array) || arguments.int_array(array).empty()) continue;
    return fmt::format("{} must be null or empty: attention with it is not supported.",
                       arguments.name(array));
  }
  return std::nullopt;
}

Complaint layout_complaint(const Arguments& arguments) {
  if (std::string_view(arguments.text(kLayout)) == "BSND") return std::nullopt;
  return fmt::format("{} must be BSND, but is \"{}\".", arguments.name(kLayout),
                     arguments.text(kLayout));
}

Complaint lse_complaint(const Arguments& arguments) {
  if (!arguments.flag(kLseFlag)) return std::nullopt;
  return fmt::format("{} must be false, but is true.", arguments.name(kLseFlag));
}

Rule rank_is_four(size_t tensor) {
  return require([=](const Arguments& arguments) -> Complaint {
    const Dims& shape = arguments.shape(tensor);
    if (shape.size() == 4) return std::nullopt;
    return fmt::format("tensor {} must have rank 4, but is {}.", arguments.name(tensor),
                       to_string(shape));
  });
}

Complaint heads_complaint(const Arguments& arguments) {
  const Dims& shape = arguments.shape(kQuery);
  const int64_t heads = arguments.integer(kHeads);
  if (heads >= 1 && shape[kHead] == heads && shape[kColumn] > 0) return std::nullopt;
  return fmt::format("{} is {}, which must be the heads of {} {}.", arguments.name(kHeads), heads,
                     arguments.name(kQuery), to_string(shape));
}

Complaint key_heads_complaint(const Arguments& arguments) {
  const int64_t given = arguments.integer(kKeyHeads), heads = arguments.integer(kHeads);
  const int64_t wanted = given == 0 ? heads : given;
  const size_t key = key_of(arguments);
  const int64_t there = arguments.shape(key)[kHead];
  if (wanted >= 1 && there == wanted && heads % wanted == 0) return std::nullopt;
  return fmt::format("{} is {}, which must be the heads of {} {} (0: as many as {}) and divide {}.",
                     arguments.name(kKeyHeads), given, arguments.name(key),
                     to_string(arguments.shape(key)), arguments.name(kHeads), heads);
}

// Keys of any number of places, and values beside them.
Rule has_keys_shape(bool is_value) {
  return [=](const Arguments& arguments) {
    const size_t key = key_of(arguments);
    const Dims& query = arguments.shape(kQuery);
    const Dims& shape = arguments.shape(key);
    const size_t tensor = is_value ? value_of(arguments) : key;
    return has_shape(tensor,
                     {query[kBatch], shape[kPlace], shape[kHead], query[kColumn]})(arguments);
  };
}

Complaint shift_complaint(const Arguments& arguments) {
  const Dims& query = arguments.shape(kQuery);
  const Dims scores = {query[kBatch], query[kHead], query[kPlace],
                       arguments.shape(key_of(arguments))[kPlace]};
  const Dims& shape = arguments.shape(kShift);
  Dims for_all = scores;
  for_all[0] = 1;
  if (shape == scores || shape == for_all) return std::nullopt;
  return fmt::format("tensor {} must be {} or {}, but is {}.", arguments.name(kShift),
                     to_string(scores), to_string(for_all), to_string(shape));
}

Rules of_members(const std::function<Rule(size_t)>& rule) {
  return {all_members(kKeys, rule), all_members(kValues, rule)};
}

const OperatorSpec kSpec{
    "aclnnFusedInferAttentionScoreV2",
    parameters({"query",
                "key",
                "value",
                "pseShiftOptional",
                "attenMaskOptional",
                "actualSeqLengthsOptional",
                "actualSeqLengthsKvOptional",
                "deqScale1Optional",
                "quantScale1Optional",
                "deqScale2Optional",
                "quantScale2Optional",
                "quantOffset2Optional",
                "antiquantScaleOptional",
                "antiquantOffsetOptional",
                "blockTableOptional",
                "queryPaddingSizeOptional",
                "kvPaddingSizeOptional",
                "keyAntiquantScaleOptional",
                "keyAntiquantOffsetOptional",
                "valueAntiquantScaleOptional",
                "valueAntiquantOffsetOptional",
                "keySharedPrefixOptional",
                "valueSharedPrefixOptional",
                "actualSharedPrefixLenOptional"},
               {"numHeads", "scaleValue", "preTokens", "nextTokens", "inputLayout",
                "numKeyValueHeads", "sparseMode", "innerPrecise", "blockSize", "antiquantMode",
                "softmaxLseFlag", "keyAntiquantMode", "valueAntiquantMode"},
               {"attentionOut", "softmaxLseOptional"}),
    Rules{not_null({kQuery, kKeys, kValues, kLayout, kOut}),
          one_member(kKeys),
          one_member(kValues),
          live_if_given(kShift),
          live_if_given(kAbsentTensors),
          live_if_given(kAbsentArrays),
          dtype_in(kQuery, kFloats),
          of_members([](size_t each) { return same_dtype(each, kQuery); }),
          same_dtype({kShift, kOut}, kQuery),
          require(absence_complaint),
          require(layout_complaint),
          integer_between(kSparseMode, 0, 0),
          require(lse_complaint),
          rank_is_four(kQuery),
          of_members(rank_is_four),
          require(heads_complaint),
          require(key_heads_complaint),
          has_keys_shape(/*is_value=*/false),
          has_keys_shape(/*is_value=*/true),
          if_given(kShift, require(shift_complaint)),
          same_shape(kOut, kQuery)}};

// ---- The problem --------------------------------------------------------------------------------

HeadsView view_of(const Arguments& arguments, size_t tensor) {
  const Dims& strides = arguments.strides(tensor);
  return {tensor,         arguments.dtype(tensor), strides[kBatch],
          strides[kHead], strides[kPlace],         strides[kColumn]};
}

Plan plan(const Arguments& arguments) {
  const Dims& query = arguments.shape(kQuery);
  const Dims& key = arguments.shape(key_of(arguments));
  AttentionProblem problem{.batch = query[kBatch],
                           .heads = query[kHead],
                           .key_heads = key[kHead],
                           .queries = query[kPlace],
                           .keys = key[kPlace],
                           .size = query[kColumn],
                           .value_size = query[kColumn],
                           .dtype = arguments.dtype(kQuery),
                           .query = view_of(arguments, kQuery),
                           .key = view_of(arguments, key_of(arguments)),
                           .value = view_of(arguments, value_of(arguments)),
                           .output = view_of(arguments, kOut),
                           .shifts_scores = true,
                           .scale = arguments.real(kScale)};
  if (arguments.given(kShift)) {
    const Dims& strides = arguments.strides(kShift);
    const int64_t batch = arguments.shape(kShift)[0] == 1 ? 0 : strides[0];
    problem.shift =
        HeadsView{kShift, arguments.dtype(kShift), batch, strides[1], strides[2], strides[3]};
  }
  return plan_attention(problem);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnFusedInferAttentionScoreV2, kSpec, plan)

}  // namespace aclgrad::ops::inference_attention
