// SPDX-License-Identifier: Apache-2.0
// aclnnFlashAttentionScore, aclnnFlashAttentionScoreGrad.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "ops/attention/attention_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/parameters.h"
#include "ops/meta/rules.h"
#include "ops/random/dropout_kernel.h"

namespace aclgrad::ops::attention {
namespace {

// Where the two have what both have.
struct Parameters {
  size_t query, key, value, shift, drop_mask, padding_mask, mask, prefix;
  size_t scale, keep, heads, layout, sparse_mode;
  size_t largest, sum, softmax, output;
};

// ---- Layouts ------------------------------------------------------------------------------------

struct Layout {
  std::string_view name;
  size_t rank, batch, place, head, column;  // of rank 3, heads lie side by side in the columns
};
constexpr std::array kLayouts{Layout{"BSH", 3, 0, 1, 2, 2}, Layout{"SBH", 3, 1, 0, 2, 2},
                              Layout{"BNSD", 4, 0, 2, 1, 3}, Layout{"BSND", 4, 0, 1, 2, 3}};

const Layout* find_layout(const Arguments& arguments, const Parameters& p) {
  const std::string_view text = arguments.text(p.layout);
  const auto* const found = std::ranges::find(kLayouts, text, &Layout::name);
  return found == kLayouts.end() ? nullptr : found;
}

struct Sizes {
  int64_t batch, heads, places, columns;
};

// Of a tensor with so many heads.
Sizes sizes_of(const Dims& shape, const Layout& layout, int64_t heads) {
  const bool is_joined = layout.rank == 3;
  const int64_t last = shape[layout.column];
  return {shape[layout.batch], is_joined ? heads : shape[layout.head], shape[layout.place],
          is_joined ? last / std::max<int64_t>(1, heads) : last};
}

Sizes query_sizes(const Arguments& arguments, const Parameters& p) {
  return sizes_of(arguments.shape(p.query), *find_layout(arguments, p), arguments.integer(p.heads));
}
// Of keys or values. Their heads are those of the keys, each as wide as a query's.
Sizes key_sizes(const Arguments& arguments, const Parameters& p, size_t tensor) {
  const Layout& layout = *find_layout(arguments, p);
  const int64_t width = std::max<int64_t>(1, query_sizes(arguments, p).columns);
  const int64_t heads = layout.rank == 3 ? arguments.shape(p.key)[2] / width : 0;
  return sizes_of(arguments.shape(tensor), layout, heads);
}

Dims scores_shape(const Arguments& arguments, const Parameters& p) {
  const Sizes query = query_sizes(arguments, p);
  return {query.batch, query.heads, query.places, key_sizes(arguments, p, p.key).places};
}

// The query's shape with the values' columns.
Dims output_shape(const Arguments& arguments, const Parameters& p) {
  const Layout& layout = *find_layout(arguments, p);
  const Sizes query = query_sizes(arguments, p);
  Dims shape = arguments.shape(p.query);
  shape[layout.column] =
      key_sizes(arguments, p, p.value).columns * (layout.rank == 3 ? query.heads : 1);
  return shape;
}

// ---- Checks -------------------------------------------------------------------------------------

using Complaint = std::optional<std::string>;

// A mask of its own is read; sparse modes 2 and 3 have a triangle, whatever the mask holds.
bool reads_mask(const Arguments& arguments, const Parameters& p) {
  return arguments.given(p.mask) && arguments.integer(p.sparse_mode) < 2;
}
bool has_triangle(const Arguments& arguments, const Parameters& p) {
  return arguments.given(p.mask) && arguments.integer(p.sparse_mode) >= 2;
}

Complaint heads_complaint(const Arguments& arguments, const Parameters& p) {
  const Layout& layout = *find_layout(arguments, p);
  const int64_t heads = arguments.integer(p.heads);
  const Dims& shape = arguments.shape(p.query);
  const int64_t there = shape[layout.head];
  if (heads >= 1 && there > 0 && shape[layout.column] > 0 &&
      (layout.rank == 3 ? there % heads == 0 : there == heads)) {
    return std::nullopt;
  }
  return fmt::format("{} is {}, which must be the heads of {} {} in the layout {}.",
                     arguments.name(p.heads), heads, arguments.name(p.query), to_string(shape),
                     layout.name);
}

Complaint keys_complaint(const Arguments& arguments, const Parameters& p) {
  const Layout& layout = *find_layout(arguments, p);
  const Sizes query = query_sizes(arguments, p);
  const Sizes key = key_sizes(arguments, p, p.key), value = key_sizes(arguments, p, p.value);
  const auto is_whole = [&](size_t tensor, const Sizes& sizes) {
    return layout.rank == 4 || arguments.shape(tensor)[2] == sizes.heads * sizes.columns;
  };
  if (key.batch == query.batch && value.batch == query.batch && key.heads >= 1 &&
      query.heads % key.heads == 0 && key.columns == query.columns && value.heads == key.heads &&
      value.places == key.places && value.columns >= 1 && value.columns <= key.columns &&
      is_whole(p.key, key) && is_whole(p.value, value)) {
    return std::nullopt;
  }
  const auto complaint = [&](size_t tensor, std::string expected) {
    return fmt::format("tensor {} must have {} in the layout {} beside {} {}, but is {}.",
                       arguments.name(tensor), std::move(expected), layout.name,
                       arguments.name(p.query), to_string(arguments.shape(p.query)),
                       to_string(arguments.shape(tensor)));
  };
  for (const auto& [tensor, sizes] : {std::pair{p.key, key}, {p.value, value}}) {
    if (sizes.batch != query.batch) return complaint(tensor, fmt::format("batch {}", query.batch));
  }
  if (key.columns != query.columns || !is_whole(p.key, key)) {
    return complaint(p.key, fmt::format("heads of {} columns", query.columns));
  }
  if (key.heads < 1 || query.heads % key.heads != 0) {
    return complaint(p.key, fmt::format("a number of heads that divides {}", query.heads));
  }
  if (value.heads != key.heads || value.places != key.places) {
    return complaint(p.value, fmt::format("the {} heads and {} places of {}", key.heads, key.places,
                                          arguments.name(p.key)));
  }
  return complaint(p.value, fmt::format("heads of 1 to {} columns", key.columns));
}

// Of rank 4, or 2 where that is allowed, and broadcast to the scores; of a shift, only in the batch
// and the queries.
Rule broadcasts_to_scores(size_t tensor, const Parameters& p, bool is_mask) {
  return require([=](const Arguments& arguments) -> Complaint {
    const Dims& shape = arguments.shape(tensor);
    const Dims scores = scores_shape(arguments, p);
    const bool has_rank = shape.size() == 4 || (is_mask && shape.size() == 2);
    if (has_rank && broadcasts_to(shape, scores) &&
        (is_mask || (shape[1] == scores[1] && shape[3] == scores[3]))) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must be of rank {} and broadcast to the scores {}{}, but is {}.",
                       arguments.name(tensor), is_mask ? "2 or 4" : "4", to_string(scores),
                       is_mask ? "" : " in the first and third dimension", to_string(shape));
  });
}

// The mask of sparse modes 2 and 3 stands for one of any sizes.
Rule is_compressed(size_t mask) {
  return require([=](const Arguments& arguments) -> Complaint {
    const Dims& shape = arguments.shape(mask);
    const Dims compressed = {2048, 2048}, in_ranks = {1, 1, 2048, 2048};
    if (shape == compressed || shape == in_ranks) return std::nullopt;
    return fmt::format("tensor {} must be [2048, 2048] in sparse modes 2 and 3, but is {}.",
                       arguments.name(mask), to_string(shape));
  });
}

Rule rank_of_layout(size_t tensor, const Parameters& p) {
  return require([=](const Arguments& arguments) -> Complaint {
    const Layout& layout = *find_layout(arguments, p);
    if (arguments.shape(tensor).size() == layout.rank) return std::nullopt;
    return fmt::format("tensor {} must have rank {} in the layout {}, but is {}.",
                       arguments.name(tensor), layout.rank, layout.name,
                       to_string(arguments.shape(tensor)));
  });
}

// Of the statistics of rows.
Rule is_statistic(size_t tensor, const Parameters& p) {
  return [=](const Arguments& arguments) {
    Dims shape = scores_shape(arguments, p);
    shape[3] = 8;
    return has_shape(tensor, shape)(arguments);
  };
}
Rule has_output_shape(size_t tensor, const Parameters& p) {
  return [=](const Arguments& arguments) {
    return has_shape(tensor, output_shape(arguments, p))(arguments);
  };
}

Rules attribute_rules(const Parameters& p) {
  const auto layout = [=](const Arguments& arguments) -> Complaint {
    if (find_layout(arguments, p) != nullptr) return std::nullopt;
    return fmt::format("{} must be BSH, SBH, BNSD or BSND, but is \"{}\".",
                       arguments.name(p.layout), arguments.text(p.layout));
  };
  const auto prefix = [=](const Arguments& arguments) -> Complaint {
    if (arguments.int_array(p.prefix).empty()) return std::nullopt;
    return fmt::format(
        "{} must be null or empty: sparse modes with one are 5 and 6, which are not supported.",
        arguments.name(p.prefix));
  };
  const auto keep = [=](const Arguments& arguments) -> Complaint {
    const double share = arguments.real(p.keep);
    if (share > 0 && share <= 1) return std::nullopt;
    return fmt::format("{} must be above 0 and at most 1, but is {}.", arguments.name(p.keep),
                       share);
  };
  return {require(layout), integer_between(p.sparse_mode, 0, 3),
          if_given(p.prefix, require(prefix)), require(keep)};
}

Complaint drop_mask_complaint(const Arguments& arguments, const Parameters& p) {
  if (arguments.real(p.keep) == 1) return std::nullopt;
  const int64_t bytes = mask_bytes(count_elements(scores_shape(arguments, p)));
  const bool is_given = arguments.given(p.drop_mask);
  if (is_given && count_elements(arguments.shape(p.drop_mask)) >= bytes) return std::nullopt;
  return fmt::format("{} must have {} bytes, one bit for each score, for {} of {}, but {}.",
                     arguments.name(p.drop_mask), bytes, arguments.name(p.keep),
                     arguments.real(p.keep),
                     is_given ? "is " + to_string(arguments.shape(p.drop_mask)) : "is null");
}

// `more` are tensors of the output's shape and dtype besides.
Rules rules(const Parameters& p, Rule given, std::vector<size_t> more) {
  more.push_back(p.output);
  const auto with = [p](auto function) {
    return [=](const Arguments& arguments) { return function(arguments, p); };
  };
  const auto of_statistics = [p](const Arguments& arguments) {
    return arguments.dtype(p.query) == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
  };
  return {
      std::move(given),
      live_if_given({p.shift, p.drop_mask, p.padding_mask, p.mask, p.prefix, p.softmax}),
      dtype_in(p.query, kRealFloats),
      same_dtype({p.key, p.value, p.shift, p.padding_mask, p.softmax}, p.query),
      same_dtype(more, p.query),
      dtype_in(p.drop_mask, {ACL_UINT8}),
      dtype_in(p.mask, {ACL_BOOL, ACL_UINT8}),
      has_dtype(p.largest, of_statistics),
      has_dtype(p.sum, of_statistics),
      attribute_rules(p),
      of_each({p.query, p.key, p.value}, [&](size_t tensor) { return rank_of_layout(tensor, p); }),
      require(with(heads_complaint)),
      require(with(keys_complaint)),
      if_given(p.shift, broadcasts_to_scores(p.shift, p, false)),
      when(with(reads_mask), broadcasts_to_scores(p.mask, p, true)),
      when(with(has_triangle), is_compressed(p.mask)),
      require(with(drop_mask_complaint)),
      is_statistic(p.largest, p),
      is_statistic(p.sum, p),
      of_each(more, [&](size_t tensor) { return has_output_shape(tensor, p); })};
}

// ---- The problem --------------------------------------------------------------------------------

HeadsView view_of(const Arguments& arguments, const Parameters& p, size_t tensor,
                  int64_t head_size) {
  const Layout& layout = *find_layout(arguments, p);
  const Dims& strides = arguments.strides(tensor);
  const int64_t head = layout.rank == 3 ? head_size * strides[2] : strides[layout.head];
  return {tensor, arguments.dtype(tensor), strides[layout.batch],
          head,   strides[layout.place],   strides[layout.column]};
}

// A tensor that is broadcast to the scores, or has the numbers of rows.
HeadsView view_by_rows(const Arguments& arguments, size_t tensor) {
  const Dims& shape = arguments.shape(tensor);
  const Dims& strides = arguments.strides(tensor);
  const auto from_last = [&](size_t i) -> int64_t {
    if (i >= shape.size() || shape[shape.size() - 1 - i] == 1) return 0;
    return strides[shape.size() - 1 - i];
  };
  return {tensor, arguments.dtype(tensor), from_last(3), from_last(2), from_last(1), from_last(0)};
}

AttentionProblem problem_of(const Arguments& arguments, const Parameters& p) {
  const Sizes query = query_sizes(arguments, p);
  const Sizes key = key_sizes(arguments, p, p.key), value = key_sizes(arguments, p, p.value);
  AttentionProblem problem{.batch = query.batch,
                           .heads = query.heads,
                           .key_heads = key.heads,
                           .queries = query.places,
                           .keys = key.places,
                           .size = query.columns,
                           .value_size = value.columns,
                           .dtype = arguments.dtype(p.query),
                           .query = view_of(arguments, p, p.query, query.columns),
                           .key = view_of(arguments, p, p.key, query.columns),
                           .value = view_of(arguments, p, p.value, value.columns),
                           .output = view_of(arguments, p, p.output, value.columns),
                           .largest = view_by_rows(arguments, p.largest),
                           .sum = view_by_rows(arguments, p.sum),
                           .scale = arguments.real(p.scale),
                           .kept = arguments.real(p.keep)};
  if (arguments.given(p.shift)) problem.shift = view_by_rows(arguments, p.shift);
  if (reads_mask(arguments, p)) problem.hidden = view_by_rows(arguments, p.mask);
  if (problem.kept < 1) {
    problem.dropped = p.drop_mask;
    problem.bytes = StridedIndex(arguments.shape(p.drop_mask), arguments.strides(p.drop_mask));
  }
  if (has_triangle(arguments, p)) {
    problem.diagonal = arguments.integer(p.sparse_mode) == 2 ? 0 : key.places - query.places;
  }
  return problem;
}

// ---- Both functions -----------------------------------------------------------------------------

namespace score {

enum : size_t {
  kQuery,
  kKey,
  kValue,
  kRealShift,
  kDropMask,
  kPaddingMask,
  kAttenMask,
  kPrefix,
  kScale,
  kKeep,
  kPreTokens,
  kNextTokens,
  kHeads,
  kLayout,
  kInnerPrecise,
  kSparseMode,
  kMax,
  kSum,
  kSoftmax,
  kOut
};
constexpr Parameters kParameters{kQuery,      kKey,    kValue, kRealShift, kDropMask, kPaddingMask,
                                 kAttenMask,  kPrefix, kScale, kKeep,      kHeads,    kLayout,
                                 kSparseMode, kMax,    kSum,   kSoftmax,   kOut};

const OperatorSpec kSpec{
    "aclnnFlashAttentionScore",
    parameters({"query", "key", "value", "realShiftOptional", "dropMaskOptional",
                "paddingMaskOptional", "attenMaskOptional"},
               {"prefixOptional", "scaleValue", "keepProb", "preTokens", "nextTokens", "headNum",
                "inputLayout", "innerPrecise", "sparseMode"},
               {"softmaxMaxOut", "softmaxSumOut", "softmaxOutOptional", "attentionOut"}),
    rules(kParameters, not_null({kQuery, kKey, kValue, kLayout, kMax, kSum, kOut}), {})};

}  // namespace score

namespace grad {

enum : size_t {
  kQuery,
  kKey,
  kValue,
  kDy,
  kPseShift,
  kDropMask,
  kPaddingMask,
  kAttenMask,
  kMax,
  kSum,
  kSoftmax,
  kAttention,
  kPrefix,
  kScale,
  kKeep,
  kPreTokens,
  kNextTokens,
  kHeads,
  kLayout,
  kInnerPrecise,
  kSparseMode,
  kDq,
  kDk,
  kDv,
  kDpse
};
constexpr Parameters kParameters{kQuery,      kKey,    kValue, kPseShift, kDropMask, kPaddingMask,
                                 kAttenMask,  kPrefix, kScale, kKeep,     kHeads,    kLayout,
                                 kSparseMode, kMax,    kSum,   kSoftmax,  kAttention};

// The gradient of the shift is written where both are given and it has elements.
bool has_shift_gradient(const Arguments& arguments) {
  return arguments.given(kPseShift) && arguments.given(kDpse) && !arguments.empty(kDpse);
}

Rules all_rules() {
  return {
      rules(kParameters,
            not_null({kQuery, kKey, kValue, kDy, kLayout, kMax, kSum, kAttention, kDq, kDk, kDv}),
            {kDy}),
      same_dtype(kDq, kQuery),
      same_shape(kDq, kQuery),
      same_dtype(kDk, kKey),
      same_shape(kDk, kKey),
      same_dtype(kDv, kValue),
      same_shape(kDv, kValue),
      live_if_given(kDpse),
      same_dtype(kDpse, kQuery),
      when(has_shift_gradient, same_shape(kDpse, kPseShift))};
}

const OperatorSpec kSpec{
    "aclnnFlashAttentionScoreGrad",
    parameters({"query", "key", "value", "dy", "pseShiftOptional", "dropMaskOptional",
                "paddingMaskOptional", "attenMaskOptional", "softmaxMax", "softmaxSum",
                "softmaxInOptional", "attentionIn"},
               {"prefixOptional", "scaleValue", "keepProb", "preTokens", "nextTokens", "headNum",
                "inputLayout", "innerPrecise", "sparseMode"},
               {"dqOut", "dkOut", "dvOut", "dpseOptional"}),
    all_rules()};

Plan plan(const Arguments& arguments) {
  const AttentionProblem problem = problem_of(arguments, kParameters);
  const auto view = [&](size_t tensor, int64_t columns) {
    return view_of(arguments, kParameters, tensor, columns);
  };
  AttentionGradients gradients{.of_output = view(kDy, problem.value_size),
                               .query = view(kDq, problem.size),
                               .key = view(kDk, problem.size),
                               .value = view(kDv, problem.value_size)};
  if (has_shift_gradient(arguments)) gradients.shift = view_by_rows(arguments, kDpse);
  return plan_attention_backward(problem, gradients);
}

}  // namespace grad
}  // namespace

ACLGRAD_OPERATOR(aclnnFlashAttentionScore, score::kSpec, [](const Arguments& arguments) {
  return plan_attention(problem_of(arguments, score::kParameters));
})
ACLGRAD_OPERATOR(aclnnFlashAttentionScoreGrad, grad::kSpec, grad::plan)

}  // namespace aclgrad::ops::attention
