// SPDX-License-Identifier: Apache-2.0
// aclnnFusedInferAttentionScoreV2, without masks, quantized keys, pages and prefixes.
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <type_traits>

#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "ops/attention/attention_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::fused_infer {
namespace {

enum : size_t {
  kQuery,
  kKey,
  kValue,
  kShift,
  kFirstAbsent,                     // attenMaskOptional
  kLastAbsent = kFirstAbsent + 19,  // actualSharedPrefixLenOptional
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
  kKeyAntiquantMode,
  kValueAntiquantMode,
  kOut,
  kLse
};

using Complaint = std::optional<std::string>;

size_t only_member(const Arguments& arguments, size_t list) {
  return arguments.members(list).first;
}

// [batch, places, heads, columns]
enum : size_t { kBatch, kPlaces, kHead, kColumn };

Rule has_one_tensor(size_t list) {
  return require([=](const Arguments& arguments) -> Complaint {
    const size_t count = arguments.members(list).count;
    if (count == 1) return std::nullopt;
    return fmt::format("{} must have 1 tensor, but has {}.", arguments.name(list), count);
  });
}

Rule has_rank_of_layout(size_t tensor) {
  return require([=](const Arguments& arguments) -> Complaint {
    const Dims& shape = arguments.shape(tensor);
    if (shape.size() == 4) return std::nullopt;
    return fmt::format("tensor {} must have rank 4 in the layout BSND, but is {}.",
                       arguments.name(tensor), to_string(shape));
  });
}

// Null, or an array without entries.
Rules absent_rules() {
  Rules all = {live_if_given(kShift), live_if_given(kLse)};
  for (size_t i = kFirstAbsent; i <= kLastAbsent; ++i) {
    all = {std::move(all), live_if_given(i)};
  }
  for (size_t i = kFirstAbsent; i <= kLastAbsent; ++i) {
    all = {std::move(all), require([=](const Arguments& arguments) -> Complaint {
             const aclIntArray* const array = arguments[i].int_array();
             if (!arguments.given(i) || (array != nullptr && array->values.empty())) {
               return std::nullopt;
             }
             if (array != nullptr) {
               return fmt::format("{} must be null or empty: it is not supported.",
                                  arguments.name(i));
             }
             return fmt::format("the call must have no {}, but that is {} {}: it is not supported.",
                                arguments.name(i), dtype_name(arguments.dtype(i)),
                                to_string(arguments.shape(i)));
           })};
  }
  return all;
}

Complaint layout_complaint(const Arguments& arguments) {
  if (std::string_view(arguments.text(kLayout)) == "BSND") return std::nullopt;
  return fmt::format("{} must be BSND, others are not supported, but is \"{}\".",
                     arguments.name(kLayout), arguments.text(kLayout));
}

Complaint lse_complaint(const Arguments& arguments) {
  if (!arguments.flag(kLseFlag)) return std::nullopt;
  return fmt::format("{} must not be set: it is not supported.", arguments.name(kLseFlag));
}

Complaint heads_complaint(const Arguments& arguments) {
  const Dims& query = arguments.shape(kQuery);
  const int64_t there = arguments.shape(only_member(arguments, kKey))[kHead];
  const int64_t heads = arguments.integer(kHeads), keys = arguments.integer(kKeyHeads);
  if (heads >= 1 && query[kHead] == heads && there >= 1 && heads % there == 0 &&
      (keys == there || (keys == 0 && there == heads))) {
    return std::nullopt;
  }
  return fmt::format(
      "{} {} and {} {} must be the heads of {} {}, and of the keys, which have {}, a divisor.",
      arguments.name(kHeads), heads, arguments.name(kKeyHeads), keys, arguments.name(kQuery),
      to_string(query), there);
}

Complaint keys_complaint(const Arguments& arguments) {
  const Dims& query = arguments.shape(kQuery);
  const Dims& key = arguments.shape(only_member(arguments, kKey));
  const Dims& value = arguments.shape(only_member(arguments, kValue));
  if (key == value && key[kBatch] == query[kBatch] && key[kColumn] == query[kColumn]) {
    return std::nullopt;
  }
  return fmt::format(
      "keys {} and values {} must have one size, and the batch and the columns of {} {}.",
      to_string(key), to_string(value), arguments.name(kQuery), to_string(query));
}

Dims scores_shape(const Arguments& arguments) {
  const Dims& query = arguments.shape(kQuery);
  return {query[kBatch], query[kHead], query[kPlaces],
          arguments.shape(only_member(arguments, kKey))[kPlaces]};
}

Complaint shift_complaint(const Arguments& arguments) {
  if (!arguments.given(kShift)) return std::nullopt;
  const Dims& shape = arguments.shape(kShift);
  if (shape.size() == 4 && broadcasts_to(shape, scores_shape(arguments))) return std::nullopt;
  return fmt::format("tensor {} must be of rank 4 and broadcast to the scores {}, but is {}.",
                     arguments.name(kShift), to_string(scores_shape(arguments)), to_string(shape));
}

Complaint tokens_complaint(const Arguments& arguments) {
  const Dims scores = scores_shape(arguments);
  const int64_t before = arguments.integer(kPreTokens), after = arguments.integer(kNextTokens);
  if (before >= scores[2] && after >= scores[3]) return std::nullopt;
  return fmt::format("{} {} and {} {} must be at least {} and {}: bands are not supported.",
                     arguments.name(kPreTokens), before, arguments.name(kNextTokens), after,
                     scores[2], scores[3]);
}

Rules rules() {
  const auto of_member = [](auto rule) {
    return std::function<Rule(size_t)>([=](size_t i) { return rule(i); });
  };
  const auto each_member = [&](size_t list) -> Rules {
    return {all_members(list, of_member([](size_t i) { return not_null({i}); })),
            has_one_tensor(list)};
  };
  const auto typed_member = [&](size_t list) -> Rules {
    return {all_members(list, of_member([](size_t i) { return same_dtype(i, kQuery); })),
            all_members(list, of_member([](size_t i) { return has_rank_of_layout(i); }))};
  };
  return {not_null({kQuery, kKey, kValue, kLayout, kOut}),
          each_member(kKey),
          each_member(kValue),
          absent_rules(),
          dtype_in(kQuery, kFloats),
          same_dtype({kShift, kOut}, kQuery),
          dtype_in(kLse, {ACL_FLOAT}),
          require(layout_complaint),
          has_rank_of_layout(kQuery),
          typed_member(kKey),
          typed_member(kValue),
          integer_between(kSparseMode, 0, 0),
          integer_between(kInnerPrecise, 0, 3),
          integer_between(kBlockSize, 0, 0),
          integer_between(kAntiquantMode, 0, 0),
          integer_between(kKeyAntiquantMode, 0, 0),
          integer_between(kValueAntiquantMode, 0, 0),
          require(lse_complaint),
          require(heads_complaint),
          require(keys_complaint),
          require(shift_complaint),
          require(tokens_complaint),
          same_shape(kOut, kQuery)};
}

const OperatorSpec kSpec{"aclnnFusedInferAttentionScoreV2",
                         {input("query"),
                          input("key"),
                          input("value"),
                          input("pseShiftOptional"),
                          input("attenMaskOptional"),
                          attribute("actualSeqLengthsOptional"),
                          attribute("actualSeqLengthsKvOptional"),
                          input("deqScale1Optional"),
                          input("quantScale1Optional"),
                          input("deqScale2Optional"),
                          input("quantScale2Optional"),
                          input("quantOffset2Optional"),
                          input("antiquantScaleOptional"),
                          input("antiquantOffsetOptional"),
                          input("blockTableOptional"),
                          input("queryPaddingSizeOptional"),
                          input("kvPaddingSizeOptional"),
                          input("keyAntiquantScaleOptional"),
                          input("keyAntiquantOffsetOptional"),
                          input("valueAntiquantScaleOptional"),
                          input("valueAntiquantOffsetOptional"),
                          input("keySharedPrefixOptional"),
                          input("valueSharedPrefixOptional"),
                          attribute("actualSharedPrefixLenOptional"),
                          attribute("numHeads"),
                          attribute("scaleValue"),
                          attribute("preTokens"),
                          attribute("nextTokens"),
                          attribute("inputLayout"),
                          attribute("numKeyValueHeads"),
                          attribute("sparseMode"),
                          attribute("innerPrecise"),
                          attribute("blockSize"),
                          attribute("antiquantMode"),
                          attribute("softmaxLseFlag"),
                          attribute("keyAntiquantMode"),
                          attribute("valueAntiquantMode"),
                          output("attentionOut"),
                          attribute("softmaxLse")},
                         rules()};

// Addresses of the kernel's tensors.
enum : size_t { kScaledQuery, kKeys, kValues, kScores, kResult, kLargest, kSum, kAddresses };

// Queries are scaled before they are multiplied: what the kernel adds to products it scales too.
struct ScaledQueries {
  Elements elements;
  double scale;

  template <class T>
  void run(const Run& run, T* to) const {
    parallel_pieces(elements.index.count(), int64_t{1} << 14, [&](int64_t from, int64_t end) {
      for_blocks(from, end, [&](int64_t begin, int64_t stop) {
        double block[kBlock];
        elements.read(run, begin, stop, block);
        for (int64_t i = begin; i < stop; ++i) {
          to[i] = static_cast<T>(block[i - begin] * scale);
        }
      });
    });
  }
};

HeadsView heads_of(const Arguments& arguments, size_t tensor, size_t address) {
  const Dims& strides = arguments.strides(tensor);
  return {address,        arguments.dtype(tensor), strides[kBatch],
          strides[kHead], strides[kPlaces],        strides[kColumn]};
}

// In type T.
template <class T>
Plan plan_in(const Arguments& arguments) {
  constexpr aclDataType kDtype = std::is_same_v<T, double> ? ACL_DOUBLE : ACL_FLOAT;
  const Dims& query = arguments.shape(kQuery);
  const Dims scores = scores_shape(arguments);
  const size_t key = only_member(arguments, kKey), value = only_member(arguments, kValue);
  const int64_t columns = query[kColumn], heads = query[kHead], places = query[kPlaces];
  const auto statistic = [&](size_t address) {
    return HeadsView{address, kDtype, heads * places, places, 1, 0};
  };
  AttentionProblem problem{
      .batch = query[kBatch],
      .heads = heads,
      .key_heads = arguments.shape(key)[kHead],
      .queries = places,
      .keys = scores[3],
      .size = columns,
      .value_size = columns,
      .dtype = kDtype,
      .query = {kScaledQuery, kDtype, places * heads * columns, columns, heads * columns, 1},
      .key = heads_of(arguments, key, kKeys),
      .value = heads_of(arguments, value, kValues),
      .output = heads_of(arguments, kOut, kResult),
      .largest = statistic(kLargest),
      .sum = statistic(kSum)};
  const bool is_shifted = arguments.given(kShift);
  if (is_shifted) {
    const Operand shift = operand(arguments, kShift, scores);
    problem.shift = HeadsView{kScores,          shift.dtype,      shift.strides[0],
                              shift.strides[1], shift.strides[2], shift.strides[3]};
  }
  const Plan attention = plan_attention(problem);
  const ScaledQueries queries{Elements(arguments, kQuery), arguments.real(kScale)};
  const int64_t count = queries.elements.index.count(), rows = count / columns;
  const int64_t bytes = saturating_product({count + 2 * rows + 1, int64_t{sizeof(T)}});
  return {[=, body = attention.body](const Run& run) -> aclError {
            auto* const scaled = aligned<T>(run.workspace());
            queries.run(run, scaled);
            std::array<void*, kAddresses> addresses{};
            addresses[kScaledQuery] = scaled;
            addresses[kKeys] = run.data(key);
            addresses[kValues] = run.data(value);
            if (is_shifted) addresses[kScores] = run.data(kShift);
            addresses[kResult] = run.data(kOut);
            addresses[kLargest] = scaled + count;
            addresses[kSum] = scaled + count + rows;
            return body(Run(addresses, scaled + count + 2 * rows));
          },
          static_cast<uint64_t>(bytes) + attention.workspace_size};
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  return arguments.dtype(kQuery) == ACL_DOUBLE ? plan_in<double>(arguments)
                                               : plan_in<float>(arguments);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnFusedInferAttentionScoreV2, kSpec, plan)

}  // namespace aclgrad::ops::fused_infer
