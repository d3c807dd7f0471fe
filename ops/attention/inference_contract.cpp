// SPDX-License-Identifier: Apache-2.0
// Attention of inference.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

void arrange_inference(Arguments& a) {
  const Shape& query = a.shape("query");
  if (query.size() != 4 || count_of(query) == 0) {
    throw std::invalid_argument("the query must be of rank 4, and have elements");
  }
  if (!a.is_set("key[0]")) a.shape("key[0]") = {query[0], query[1] + 2, query[2], query[3]};
  a.shape("value[0]") = a.shape("key[0]");
  a.shape("attentionOut") = query;
}

constexpr Number kInfinity = std::numeric_limits<Number>::infinity();

// softmax(scale q k^T + shift) v of BSND, or the scale of its errors.
template <bool kMagnitude>
Arrays inferred_attention(const Arguments& a, const Arrays& in) {
  const Array &query = in[0], &key = in[1], &value = in[2];
  const Array* const shift = find_given(a, in, "pseShiftOptional");
  const Number scale = a.number("scaleValue");
  const int64_t keys = key.shape[1], group = query.shape[2] / key.shape[2];
  Array out{query.shape, std::vector<Number>(query.values.size())};
  dense::generate({query.shape[0], query.shape[1], query.shape[2]}, [&](const Shape& at) {
    const int64_t b = at[0], i = at[1], n = at[2];
    std::vector<Number> scores;
    Number most = -kInfinity, size = 0;
    for (int64_t j = 0; j < keys; ++j) {
      Number z = 0, magnitude = 0;
      for (int64_t d = 0; d < query.shape[3]; ++d) {
        const Number product =
            dense::at(query, {b, i, n, d}) * dense::at(key, {b, j, n / group, d});
        z += product;
        magnitude += std::abs(product);
      }
      const Number added =
          shift == nullptr ? 0 : dense::at(*shift, {shift->shape[0] == 1 ? 0 : b, n, i, j});
      scores.push_back(added == -kInfinity ? -kInfinity : scale * z + added);
      most = std::max(most, scores.back());
      if (added != -kInfinity) {
        size = std::max(size, std::abs(scale) * magnitude + std::abs(added));
      }
    }
    Number sum = 0;
    for (Number& each : scores) sum += each = each == -kInfinity ? 0 : std::exp(each - most);
    for (int64_t d = 0; d < query.shape[3] && sum > 0; ++d) {
      Number mixed = 0;
      for (int64_t j = 0; j < keys; ++j) {
        const Number share = scores[static_cast<size_t>(j)] / sum;
        if (share == 0) continue;
        mixed += share * dense::term<kMagnitude>(dense::at(value, {b, j, n / group, d}));
      }
      const Shape& s = out.shape;
      out.values[static_cast<size_t>(((b * s[1] + i) * s[2] + n) * s[3] + d)] =
          mixed * (kMagnitude ? 1 + size : 1);
    }
    return Number{0};
  });
  return {out};
}

Sample of(Shape query, Shape key, double heads, double key_heads) {
  return {{{"query", std::move(query)},
           {"key[0]", std::move(key)},
           {"numHeads", heads},
           {"numKeyValueHeads", key_heads},
           {"scaleValue", 0.25}}};
}
Sample shifted(Sample sample, Shape shape) {
  sample.settings.emplace_back("pseShiftOptional", std::move(shape));
  return sample;
}

Parameter tensor(std::string name, Shape shape, double fill = 1) {
  return filled(shaped(in(std::move(name), -2, 2), std::move(shape)), fill);
}
Parameter key_or_value(const std::string& name, double fill) {
  return member(tensor(name + "[0]", {1, 5, 2, 4}, fill), name);
}
Parameter absent(std::string name) { return any_shape(optional(tensor(std::move(name), {1}))); }
Parameter absent_array(std::string name) {
  return no_option(values(std::move(name), {}, /*is_optional=*/true));
}
Parameter unused(std::string name) { return no_option(integer(std::move(name), 0)); }

}  // namespace

void add_inference_attention(std::vector<Operator>& all) {
  all.push_back(
      {.call = ACLGRAD_CALL(
           aclnnFusedInferAttentionScoreV2, tensor("query", {1, 3, 2, 4}), key_or_value("key", 1),
           key_or_value("value", 3), optional(tensor("pseShiftOptional", {1, 2, 3, 5})),
           absent("attenMaskOptional"), absent_array("actualSeqLengthsOptional"),
           absent_array("actualSeqLengthsKvOptional"), absent("deqScale1Optional"),
           absent("quantScale1Optional"), absent("deqScale2Optional"),
           absent("quantScale2Optional"), absent("quantOffset2Optional"),
           absent("antiquantScaleOptional"), absent("antiquantOffsetOptional"),
           absent("blockTableOptional"), absent("queryPaddingSizeOptional"),
           absent("kvPaddingSizeOptional"), absent("keyAntiquantScaleOptional"),
           absent("keyAntiquantOffsetOptional"), absent("valueAntiquantScaleOptional"),
           absent("valueAntiquantOffsetOptional"), absent("keySharedPrefixOptional"),
           absent("valueSharedPrefixOptional"), absent_array("actualSharedPrefixLenOptional"),
           integer("numHeads", 2), Parameter{"scaleValue", 0.5}, unused("preTokens"),
           unused("nextTokens"), no_option(Parameter{"inputLayout", WordSpec{{"BSND"}}}),
           integer("numKeyValueHeads", 0), unused("sparseMode"), unused("innerPrecise"),
           unused("blockSize"), unused("antiquantMode"), no_option(flag("softmaxLseFlag")),
           unused("keyAntiquantMode"), unused("valueAntiquantMode"),
           shaped(out("attentionOut"), {1, 3, 2, 4}),
           any_shape(optional(shaped(out("softmaxLseOptional"), {1})))),
       .domain = {.everywhere = kFloats,
                  .grows = false,
                  .base_shape = {kN, 3, 2, 6},
                  .arrange = arrange_inference,
                  .samples = {{},
                              shifted({}, {kN, 2, 3, 5}),
                              shifted({}, {1, 2, 3, 5}),
                              of({kN, 3, 4, 5}, {kN, 4, 2, 5}, 4, 2)},
                  .value_samples = {of({1, 67, 2, 33}, {1, 300, 2, 33}, 2, 0),
                                    shifted(of({1, 70, 2, 16}, {1, 140, 1, 16}, 2, 1),
                                            {1, 2, 70, 140})}},
       .results = {.reference = inferred_attention<false>,
                   .bound = {.of_float = 8, .of_16_bits = 0.52},
                   .roundings =
                       [](const Arguments& a) {
                         const Shape &query = a.shape("query"), &key = a.shape("key[0]");
                         return static_cast<double>(2 * query[3] + key[1]);
                       },
                   .magnitude = inferred_attention<true>,
                   .nan_goes_through = false},
       .error_inputs =
           {refused("inputLayout", "that there is not", WordSpec{{"BNSD"}}, "BNSD"),
            wrong_number("sparseMode", 1, "is 1"),
            refused("softmaxLseFlag", "true", true, "must be false"),
            refused("attenMaskOptional", "given", of_shape({3, 5}), "must have no"),
            wrong_values("actualSeqLengthsOptional", "given", {3}, "null or empty"),
            wrong_number("numHeads", 0, "is 0"), wrong_number("numHeads", 4, "is 4"),
            wrong_number("numKeyValueHeads", 1, "is 1"),
            refused("key[0]", "of another width", of_shape({1, 5, 2, 3}), "[1, 5, 2, 3]"),
            refused("value[0]", "of other places", of_shape({1, 6, 2, 4}), "[1, 6, 2, 4]"),
            refused("pseShiftOptional", "of one head", of_shape({1, 1, 3, 5}), "[1, 2, 3, 5]")},
       .words = {"softmax(scaleValue·(query·keyᵀ) + pseShift)·value, in tiles",
                 "分块计算 softmax(scaleValue·(query·keyᵀ) + pseShift)·value"}});
}

}  // namespace aclgrad::contract
