// SPDX-License-Identifier: Apache-2.0
// Attention of inference.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "ops/attention/fused_infer_contract.h"
#include "ops/contract/dense.h"

namespace aclgrad::contract {
namespace {
namespace fused_infer {

// For each head and query the shares of the values, from the scores.
template <bool kMagnitudes>
Arrays attention(const Arguments& a, const Arrays& in) {
  const Array &query = in[0], &key = in[1], &value = in[2];
  const Array* const shift = find_given(a, in, "pseShiftOptional");
  const int64_t batch = query.shape[0], heads = query.shape[2], group = heads / key.shape[2];
  const int64_t keys = key.shape[1], columns = query.shape[3];
  const Array added =
      shift == nullptr ? Array{} : dense::expand(*shift, {batch, heads, query.shape[1], keys});
  // The scores of a query's keys, e to the power of what they are below the largest.
  const auto shares_of = [&](int64_t b, int64_t i, int64_t n) {
    std::vector<Number> shares;
    for (int64_t j = 0; j < keys; ++j) {
      Number product = 0;
      for (int64_t d = 0; d < columns; ++d) {
        product += dense::at(query, {b, i, n, d}) * dense::at(key, {b, j, n / group, d});
      }
      const Number more = shift == nullptr ? 0 : dense::at(added, {b, n, i, j});
      shares.push_back(a.number("scaleValue") * product + more);
    }
    const Number most = shares.empty() ? 0 : *std::ranges::max_element(shares);
    Number sum = 0;
    for (Number& each : shares) sum += each = std::exp(each - most);
    for (Number& each : shares) each /= sum;
    return shares;
  };
  return {dense::generate(query.shape, [&](const Shape& at) {
    const std::vector<Number> shares = shares_of(at[0], at[1], at[2]);
    Number sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      sum += shares[static_cast<size_t>(j)] *
             dense::term<kMagnitudes>(dense::at(value, {at[0], j, at[2] / group, at[3]}));
    }
    return sum;
  })};
}

void arrange(Arguments& a) {
  const Shape& query = a.shape("query");
  if (query.size() != 4) throw std::invalid_argument("queries are [batch, places, heads, columns]");
  if (!a.is_set("key[0]")) a.shape("key[0]") = {query[0], 5, query[2], query[3]};
  a.shape("value[0]") = a.shape("key[0]");
  a.shape("attentionOut") = query;
  a.set("numHeads", static_cast<double>(query[2]));
  a.set("numKeyValueHeads", static_cast<double>(a.shape("key[0]")[2]));
}

Parameter absent(const char* name) { return any_shape(optional(shaped(in(name), {1}))); }
Parameter no_array(const char* name) {
  return {name, ValuesSpec{.values = {}, .optional = true, .given = false}};
}
Parameter zero(const char* name) { return no_option(integer(name, 0)); }

std::vector<Parameter> all_parameters() {
  const Shape query = {1, 2, 2, 4}, key = {1, 5, 2, 4};
  return {shaped(in("query", -1, 1), query),
          member(shaped(in("key[0]", -1, 1), key), "key"),
          member(shaped(in("value[0]"), key), "value"),
          optional(shaped(in("pseShiftOptional"), {1, 2, 2, 5})),
          absent("attenMaskOptional"),
          no_array("actualSeqLengthsOptional"),
          no_array("actualSeqLengthsKvOptional"),
          absent("deqScale1Optional"),
          absent("quantScale1Optional"),
          absent("deqScale2Optional"),
          absent("quantScale2Optional"),
          absent("quantOffset2Optional"),
          absent("antiquantScaleOptional"),
          absent("antiquantOffsetOptional"),
          absent("blockTableOptional"),
          absent("queryPaddingSizeOptional"),
          absent("kvPaddingSizeOptional"),
          absent("keyAntiquantScaleOptional"),
          absent("keyAntiquantOffsetOptional"),
          absent("valueAntiquantScaleOptional"),
          absent("valueAntiquantOffsetOptional"),
          absent("keySharedPrefixOptional"),
          absent("valueSharedPrefixOptional"),
          no_array("actualSharedPrefixLenOptional"),
          integer("numHeads", 2),
          {"scaleValue", 0.5},
          no_option(integer("preTokens", 65535)),
          no_option(integer("nextTokens", 65535)),
          no_option({"inputLayout", WordSpec{{"BSND"}}}),
          integer("numKeyValueHeads", 2),
          zero("sparseMode"),
          zero("innerPrecise"),
          zero("blockSize"),
          zero("antiquantMode"),
          no_option(flag("softmaxLseFlag")),
          zero("keyAntiquantMode"),
          zero("valueAntiquantMode"),
          shaped(out("attentionOut"), query),
          any_shape(optional(shaped(out("softmaxLse"), {1})))};
}

}  // namespace fused_infer
}  // namespace

void add_fused_infer(std::vector<Operator>& all) {
  const auto of = [](Shape query, Shape key, std::optional<Shape> shift = std::nullopt) {
    Sample sample{{{"query", std::move(query)}, {"key[0]", std::move(key)}}};
    if (shift) sample.settings.emplace_back("pseShiftOptional", *shift);
    return sample;
  };
  all.push_back({
      .call = signature_of<decltype(aclnnFusedInferAttentionScoreV2GetWorkspaceSize)>(
          "aclnnFusedInferAttentionScoreV2", fused_infer::all_parameters()),
      .domain = {.everywhere = kFloats,
                 .max_rank = 4,
                 .grows = false,
                 .base_shape = {2, kN, 2, 4},
                 .arrange = fused_infer::arrange,
                 .samples = {{}, of({2, 3, 4, 4}, {2, 5, 2, 4}, Shape{2, 4, 3, 5})},
                 .value_samples = {of({1, 1, 2, 16}, {1, 300, 1, 16}, Shape{1, 1, 1, 300}),
                                   of({2, 70, 2, 8}, {2, 90, 2, 8}, Shape{2, 1, 70, 90})}},
      .results = {.reference = fused_infer::attention<false>,
                  .bound = {.of_float = 64, .of_16_bits = 0.55},
                  .magnitude = fused_infer::attention<true>},
      .error_inputs = {refused("inputLayout", "that there is not", WordSpec{{"BNSD"}}, "BNSD"),
                       wrong_number("numHeads", 3, "numHeads 3"),
                       wrong_number("sparseMode", 2, "is 2"),
                       wrong_number("innerPrecise", 4, "is 4"),
                       wrong_number("preTokens", 1, "bands"),
                       refused("softmaxLseFlag", "set", true, "must not be set"),
                       refused("attenMaskOptional", "given", of_shape({2, 5}), "must have no"),
                       refused("query", "of rank 3", of_shape({2, 2, 4}), "rank 4")},
      .words = {"attention of inference, for the layout BSND, with or without a shift",
                "推理注意力，BSND 布局，可带 pseShift"},
  });
}

}  // namespace aclgrad::contract
