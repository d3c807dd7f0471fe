// SPDX-License-Identifier: Apache-2.0
// Attention in tiles.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

// ---- Layouts ------------------------------------------------------------------------------------

const WordSpec kHeadLayouts{{"BNSD", "BSND", "BSH", "SBH"}};
enum class HeadLayout { kBnsd, kBsnd, kBsh, kSbh };

HeadLayout head_layout(const Arguments& a) {
  return static_cast<HeadLayout>(static_cast<int>(a.number("inputLayout")));
}

// Batch, heads, places, columns.
using Sizes = std::array<int64_t, 4>;
Sizes head_sizes(const Arguments& a, const Shape& shape, int64_t heads) {
  switch (head_layout(a)) {
    case HeadLayout::kBnsd:
      return {shape[0], shape[1], shape[2], shape[3]};
    case HeadLayout::kBsnd:
      return {shape[0], shape[2], shape[1], shape[3]};
    case HeadLayout::kBsh:
      return {shape[0], heads, shape[1], shape[2] / heads};
    default:
      return {shape[1], heads, shape[0], shape[2] / heads};
  }
}
Shape head_shape(const Arguments& a, const Sizes& s) {
  switch (head_layout(a)) {
    case HeadLayout::kBnsd:
      return {s[0], s[1], s[2], s[3]};
    case HeadLayout::kBsnd:
      return {s[0], s[2], s[1], s[3]};
    case HeadLayout::kBsh:
      return {s[0], s[2], s[1] * s[3]};
    default:
      return {s[2], s[0], s[1] * s[3]};
  }
}

struct AttentionSizes {
  HeadLayout layout;
  Sizes query, key, value;

  int64_t group() const { return query[1] / key[1]; }
  Shape scores() const { return {query[0], query[1], query[2], key[2]}; }
};
AttentionSizes attention_of(const Arguments& a) {
  AttentionSizes p{};
  p.layout = head_layout(a);
  p.query = head_sizes(a, a.shape("query"), static_cast<int64_t>(a.number("headNum")));
  const Shape& key = a.shape("key");
  const int64_t heads = key.size() == 3 ? key[2] / p.query[3] : 0;
  p.key = head_sizes(a, key, heads);
  p.value = head_sizes(a, a.shape("value"), heads);
  return p;
}

// The place of an element by batch, head, place and column.
size_t head_place(HeadLayout layout, const Sizes& s, int64_t b, int64_t n, int64_t i, int64_t d) {
  switch (layout) {
    case HeadLayout::kBnsd:
      return static_cast<size_t>(((b * s[1] + n) * s[2] + i) * s[3] + d);
    case HeadLayout::kBsnd:
    case HeadLayout::kBsh:
      return static_cast<size_t>(((b * s[2] + i) * s[1] + n) * s[3] + d);
    default:
      return static_cast<size_t>(((i * s[0] + b) * s[1] + n) * s[3] + d);
  }
}

// Keys are two places more than queries, unless a sample says otherwise; values are as keys.
void arrange_attention(Arguments& a) {
  const Shape& shape = a.shape("query");
  if (shape.size() !=
          (head_layout(a) == HeadLayout::kBnsd || head_layout(a) == HeadLayout::kBsnd ? 4U : 3U) ||
      count_of(shape) == 0) {
    throw std::invalid_argument("the query must have the rank of the layout, and elements");
  }
  Sizes sizes = head_sizes(a, shape, static_cast<int64_t>(a.number("headNum")));
  sizes[2] += 2;
  if (!a.is_set("key")) a.shape("key") = head_shape(a, sizes);
  if (!a.is_set("value")) a.shape("value") = a.shape("key");
  const AttentionSizes p = attention_of(a);
  Sizes out = p.query;
  out[3] = p.value[3];
  a.reshape({"attentionOut", "attentionIn", "dy"}, head_shape(a, out));
  a.reshape({"softmaxMaxOut", "softmaxSumOut", "softmaxMax", "softmaxSum"},
            {p.query[0], p.query[1], p.query[2], 8});
  a.reshape({"dqOut"}, a.shape("query"));
  a.reshape({"dkOut"}, a.shape("key"));
  a.reshape({"dvOut"}, a.shape("value"));
  a.reshape({"dropMaskOptional"}, {(count_of(p.scores()) + 127) / 128 * 16});
  if (a.has("dpseOptional") && a.is_set("pseShiftOptional")) {
    a.tensor("dpseOptional").optional = false;
    a.reshape({"dpseOptional"}, a.shape("pseShiftOptional"));
  }
}

// ---- Rows of scores -----------------------------------------------------------------------------

// What stands beside the products of one query with all keys.
class ScoreRows {
 public:
  ScoreRows(const Arguments& a, const Arrays& in)
      : p_(attention_of(a)),
        scale_(a.number("scaleValue")),
        keep_(a.number("keepProb")),
        mode_(a.number("sparseMode")),
        query_(*find_given(a, in, "query")),
        key_(*find_given(a, in, "key")),
        shift_(find_given(a, in, "realShiftOptional", "pseShiftOptional")),
        dropped_(find_given(a, in, "dropMaskOptional")),
        mask_(find_given(a, in, "attenMaskOptional")) {}

  const AttentionSizes& problem() const { return p_; }

  bool is_hidden(int64_t b, int64_t n, int64_t i, int64_t j) const {
    constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
    if (shift_ != nullptr && scale_ > 0 && at(*shift_, b, n, i, j) == -kInfinity) {
      return true;
    }
    if (mask_ == nullptr) return false;
    if (mode_ == 2) return j > i;
    if (mode_ == 3) return j > i + p_.key[2] - p_.query[2];
    return at(*mask_, b, n, i, j) != 0;
  }
  // The scaled score, or the scale of its error.
  Number score(int64_t b, int64_t n, int64_t i, int64_t j, bool magnitude = false) const {
    Number sum = shift_ == nullptr ? 0 : at(*shift_, b, n, i, j);
    if (magnitude) sum = std::abs(sum);
    for (int64_t d = 0; d < p_.query[3]; ++d) {
      const Number product = query_.values[head_place(p_.layout, p_.query, b, n, i, d)] *
                             key_.values[head_place(p_.layout, p_.key, b, n / p_.group(), j, d)];
      sum += magnitude ? std::abs(product) : product;
    }
    return sum * (magnitude ? std::abs(scale_) : scale_);
  }
  // What dropout multiplies a share by.
  Number factor(int64_t b, int64_t n, int64_t i, int64_t j) const {
    if (keep_ == 1) return 1;
    const int64_t bit = ((b * p_.query[1] + n) * p_.query[2] + i) * p_.key[2] + j;
    const auto byte = static_cast<uint64_t>(dropped_->values[static_cast<size_t>(bit / 8)]);
    return (byte >> (bit % 8) & 1) != 0 ? 1 / keep_ : 0;
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (int64_t b = 0; b < p_.query[0]; ++b) {
      for (int64_t n = 0; n < p_.query[1]; ++n) {
        for (int64_t i = 0; i < p_.query[2]; ++i) visit(b, n, i);
      }
    }
  }

  // Adds to what is broadcast to the scores.
  size_t place(const Shape& shape, int64_t b, int64_t n, int64_t i, int64_t j) const {
    const Shape scores = p_.scores();
    return dense::source(
        shape, scores, static_cast<size_t>(((b * scores[1] + n) * scores[2] + i) * scores[3] + j));
  }

 private:
  Number at(const Array& of, int64_t b, int64_t n, int64_t i, int64_t j) const {
    return of.values[place(of.shape, b, n, i, j)];
  }

  AttentionSizes p_;
  Number scale_, keep_, mode_;
  const Array& query_;
  const Array& key_;
  const Array* shift_;
  const Array* dropped_;
  const Array* mask_;
};

// Results: largest scores, sums, outputs; of the scale of their errors if so wished.
template <bool kMagnitude>
Arrays attention(const Arguments& a, const Arrays& in) {
  const ScoreRows rows(a, in);
  const AttentionSizes& p = rows.problem();
  const Array& value = *find_given(a, in, "value");
  Array largest{a.shape("softmaxMaxOut"), {}}, sums{a.shape("softmaxSumOut"), {}};
  Array out{a.shape("attentionOut"), {}};
  out.values.resize(static_cast<size_t>(count_of(out.shape)));
  Sizes out_sizes = p.query;
  out_sizes[3] = p.value[3];
  rows.for_each([&](int64_t b, int64_t n, int64_t i) {
    std::vector<Number> scores;
    Number most = -std::numeric_limits<Number>::infinity(), size = 0;
    for (int64_t j = 0; j < p.key[2]; ++j) {
      const bool is_hidden = rows.is_hidden(b, n, i, j);
      scores.push_back(is_hidden ? -std::numeric_limits<Number>::infinity()
                                 : rows.score(b, n, i, j));
      most = std::max(most, scores.back());
      if (kMagnitude && !is_hidden) size = std::max(size, rows.score(b, n, i, j, true));
    }
    if (std::isinf(most))
      most = std::numeric_limits<float>::lowest();  // of a row that sees nothing
    Number sum = 0;
    for (Number& each : scores) sum += each = std::exp(each - most);
    for (int64_t d = 0; d < p.value[3]; ++d) {
      Number mixed = 0;
      for (int64_t j = 0; j < p.key[2] && sum > 0; ++j) {
        if (rows.is_hidden(b, n, i, j)) continue;
        const Number x = value.values[head_place(p.layout, p.value, b, n / p.group(), j, d)];
        mixed += scores[static_cast<size_t>(j)] / sum * rows.factor(b, n, i, j) *
                 dense::term<kMagnitude>(x);
      }
      out.values[head_place(p.layout, out_sizes, b, n, i, d)] = mixed * (kMagnitude ? 1 + size : 1);
    }
    largest.values.insert(largest.values.end(), 8, kMagnitude ? size : most);
    sums.values.insert(sums.values.end(), 8, sum * (kMagnitude ? 1 + 2 * size : 1));
  });
  return {largest, sums, out};
}

// Results: dq, dk, dv, and dpse where it is given.
template <bool kMagnitude>
Arrays attention_grad(const Arguments& a, const Arrays& in) {
  const ScoreRows rows(a, in);
  const AttentionSizes& p = rows.problem();
  const Array &query = *find_given(a, in, "query"), &key = *find_given(a, in, "key"),
              &value = *find_given(a, in, "value"), &dy = *find_given(a, in, "dy"),
              &out = *find_given(a, in, "attentionIn"), &largest = *find_given(a, in, "softmaxMax"),
              &sums = *find_given(a, in, "softmaxSum");
  const auto zeros = [](const Array& like) {
    return Array{like.shape, std::vector<Number>(like.values.size())};
  };
  Array dq = zeros(query), dk = zeros(key), dv = zeros(value), dpse;
  const Array* const shift = find_given(a, in, "pseShiftOptional");
  if (shift != nullptr) dpse = zeros(*shift);
  Sizes out_sizes = p.query;
  out_sizes[3] = p.value[3];
  const Number scale = dense::term<kMagnitude>(a.number("scaleValue"));
  rows.for_each([&](int64_t b, int64_t n, int64_t i) {
    const auto row = static_cast<size_t>(((b * p.query[1] + n) * p.query[2] + i) * 8);
    Number along = 0;
    for (int64_t d = 0; d < p.value[3]; ++d) {
      const size_t at = head_place(p.layout, out_sizes, b, n, i, d);
      along += dense::term<kMagnitude>(dy.values[at] * out.values[at]);
    }
    for (int64_t j = 0; j < p.key[2]; ++j) {
      if (rows.is_hidden(b, n, i, j) || sums.values[row] == 0) continue;
      const int64_t h = n / p.group();
      Number share = std::exp(rows.score(b, n, i, j) - largest.values[row]) / sums.values[row];
      if (kMagnitude) share *= 1 + rows.score(b, n, i, j, true) + std::abs(largest.values[row]);
      Number slope = 0;
      const Number factor = rows.factor(b, n, i, j);
      for (int64_t d = 0; d < p.value[3]; ++d) {
        const Number g = dy.values[head_place(p.layout, out_sizes, b, n, i, d)];
        const size_t at = head_place(p.layout, p.value, b, h, j, d);
        slope += dense::term<kMagnitude>(g * value.values[at]);
        dv.values[at] += dense::term<kMagnitude>(share * factor * g);
      }
      slope = scale * share * (slope * factor + (kMagnitude ? along : -along));
      if (shift != nullptr) dpse.values[rows.place(dpse.shape, b, n, i, j)] += slope;
      for (int64_t d = 0; d < p.query[3]; ++d) {
        const size_t of_query = head_place(p.layout, p.query, b, n, i, d);
        const size_t of_key = head_place(p.layout, p.key, b, h, j, d);
        dq.values[of_query] += dense::term<kMagnitude>(slope * key.values[of_key]);
        dk.values[of_key] += dense::term<kMagnitude>(slope * query.values[of_query]);
      }
    }
  });
  if (shift == nullptr) return {dq, dk, dv};
  return {dq, dk, dv, dpse};
}

// ---- Calls --------------------------------------------------------------------------------------

Sample in_layout(Sample sample, double layout, double heads) {
  sample.settings.emplace_back("inputLayout", layout);
  sample.settings.emplace_back("headNum", heads);
  return sample;
}

// A shift or a mask, by its name in either function.
Sample with_shift(Sample sample, Shape shape) {
  sample.settings.emplace_back("realShiftOptional", shape);
  sample.settings.emplace_back("pseShiftOptional", std::move(shape));
  return sample;
}
Sample masked_by(Sample sample, Shape shape, double mode) {
  sample.settings.emplace_back("attenMaskOptional", std::move(shape));
  sample.settings.emplace_back("sparseMode", mode);
  return sample;
}

// Of queries [n, 2, 3, 6] and keys of 5 places, unless they say otherwise.
std::vector<Sample> attention_samples() {
  const Sample plain{{{"scaleValue", 0.375}}};
  Sample dropped = plain;
  dropped.settings.insert(dropped.settings.end(),
                          {{"keepProb", 0.75}, {"dropMaskOptional", Shape{16}}});
  return {plain,
          masked_by(plain, {3, 5}, 0),
          masked_by(plain, {1, 2, 3, 5}, 1),
          masked_by(with_shift(plain, {1, 2, 3, 5}), {3, 5}, 0),
          with_shift(plain, {kN, 2, 1, 5}),
          dropped,
          in_layout({{{"query", Shape{kN, 3, 4, 5}},
                      {"key", Shape{kN, 4, 2, 5}},
                      {"value", Shape{kN, 4, 2, 3}},
                      {"scaleValue", 0.5}}},
                    1, 4),
          in_layout({{{"query", Shape{kN, 3, 8}}, {"key", Shape{kN, 4, 4}}, {"scaleValue", 0.5}}},
                    2, 2),
          in_layout({{{"query", Shape{3, kN, 8}}, {"scaleValue", -0.5}}}, 3, 2)};
}

// Across blocks of queries and of keys, whole and in part. One of them is below a diagonal: there
// the mask is large, which makes it slow to compare.
std::vector<Sample> large_attentions() {
  const auto of = [](Shape query, Shape key) {
    return Sample{{{"query", std::move(query)}, {"key", std::move(key)}, {"scaleValue", 0.25}}};
  };
  Sample dropped = masked_by(of({1, 2, 65, 16}, {1, 2, 140, 16}), {65, 140}, 0);
  dropped.settings.insert(dropped.settings.end(),
                          {{"keepProb", 0.5}, {"dropMaskOptional", Shape{16}}});
  return {of({1, 2, 67, 33}, {1, 2, 300, 33}),
          masked_by(of({1, 2, 140, 20}, {1, 1, 150, 20}), {2048, 2048}, 3),
          masked_by(of({1, 2, 150, 4}, {1, 2, 130, 4}), {1, 1, 1, 130}, 0), dropped};
}

Parameter attention_tensor(std::string name, Shape shape, double fill = 1) {
  return filled(shaped(in(std::move(name), -2, 2), std::move(shape)), fill);
}
Parameter attention_result(std::string name, Shape shape) {
  return shaped(out(std::move(name)), std::move(shape));
}

const Parameter kAttentionQuery = attention_tensor("query", {1, 2, 3, 4}),
                kAttentionKey = option(attention_tensor("key", {1, 2, 5, 4}), "key", Sets::kShape),
                kAttentionValue =
                    option(attention_tensor("value", {1, 2, 5, 4}, 3), "value", Sets::kShape);
const Parameter kDropMask = any_shape(
    optional(typed(filled(shaped(in("dropMaskOptional", 0, 255), {16}), 255), ACL_UINT8)));
const Parameter kPaddingMask = any_shape(optional(attention_tensor("paddingMaskOptional", {1})));
const Parameter kAttenMask =
    optional(typed(filled(shaped(in("attenMaskOptional", 0, 1), {3, 5}), 0), ACL_BOOL));
const Parameter kPrefix = no_option(values("prefixOptional", {}, true));
const Parameter kScale{"scaleValue", 0.5}, kKeep{"keepProb", 1.0},
    kPre = no_option(integer("preTokens", 65536)), kNext = no_option(integer("nextTokens", 0)),
    kHeads = integer("headNum", 2), kPrecise = no_option(integer("innerPrecise", 0)),
    kSparse = integer("sparseMode", 0);
const Parameter kLayout{"inputLayout", kHeadLayouts};

std::vector<ErrorInput> attention_errors(const char* shift) {
  return {refused("inputLayout", "that there is not", WordSpec{{"TND"}}, "TND"),
          refused("sparseMode", "= 4", int64_t{4}, "[0, 3]"),
          refused("prefixOptional", "of a sparse mode", ValuesSpec{{3}}, "null or empty"),
          refused("keepProb", "= 0", 0.0, "is 0"),
          refused("keepProb", "above 1", 1.5, "is 1.5"),
          refused("headNum", "= 0", int64_t{0}, "is 0"),
          refused("headNum", "of other queries", int64_t{3}, "is 3"),
          refused("key", "of another width", of_shape({1, 2, 5, 3}), "[1, 2, 5, 3]"),
          refused("key", "of heads that do not divide", of_shape({1, 3, 5, 4}), "[1, 3, 5, 4]"),
          refused("value", "of other places", of_shape({1, 2, 6, 4}), "[1, 2, 6, 4]"),
          refused("value", "wider than keys", of_shape({1, 2, 5, 5}), "[1, 2, 5, 5]"),
          refused(shift, "of other heads", of_shape({1, 1, 3, 5}), "[1, 2, 3, 5]"),
          refused("attenMaskOptional", "of other places",
                  TensorSpec{.shape = {3, 4}, .dtype = ACL_BOOL}, "[1, 2, 3, 5]"),
          {.what = "of a sparse mode, of the scores' sizes",
           .changes = {{"attenMaskOptional", TensorSpec{.shape = {3, 5}, .dtype = ACL_BOOL}},
                       {"sparseMode", int64_t{2}}},
           .words = {"[2048, 2048]", "[3, 5]"}},
          {.what = "of too few bits",
           .changes = {{"dropMaskOptional", TensorSpec{.shape = {15}, .dtype = ACL_UINT8}},
                       {"keepProb", 0.5}},
           .words = {"16 bytes"}}};
}

double attention_roundings(const Arguments& a) {
  const AttentionSizes p = attention_of(a);
  return static_cast<double>(p.query[3] + p.value[3] + p.query[1] * p.query[2] + p.key[2]);
}

}  // namespace

FamilyContracts attention_contracts() {
  const auto statistic = [](Parameter of) { return typed(std::move(of), ACL_FLOAT); };
  const Operator forward{
      .call = ACLGRAD_CALL(
          aclnnFlashAttentionScore, kAttentionQuery, kAttentionKey, kAttentionValue,
          optional(attention_tensor("realShiftOptional", {1, 2, 3, 5})), kDropMask, kPaddingMask,
          kAttenMask, kPrefix, kScale, kKeep, kPre, kNext, kHeads, kLayout, kPrecise, kSparse,
          statistic(attention_result("softmaxMaxOut", {1, 2, 3, 8})),
          statistic(attention_result("softmaxSumOut", {1, 2, 3, 8})),
          any_shape(optional(attention_result("softmaxOutOptional", {1}))),
          attention_result("attentionOut", {1, 2, 3, 4})),
      .domain = {.everywhere = kFloats,
                 .grows = false,
                 .base_shape = {kN, 2, 3, 6},
                 .arrange = arrange_attention,
                 .samples = attention_samples(),
                 .value_samples = large_attentions()},
      .results = {.reference = attention<false>,
                  .bound = {.of_float = 8, .of_16_bits = 0.52},
                  .roundings = attention_roundings,
                  .magnitude = attention<true>,
                  .nan_goes_through = false},
      .error_inputs = attention_errors("realShiftOptional"),
      .words = {"dropout(softmax(scaleValue·(query·keyᵀ + realShift)))·value, in tiles",
                "分块计算 dropout(softmax(scaleValue·(query·keyᵀ + realShift)))·value",
                "scaled_dot_product_attention(query, key, value, mask, options)"}};
  const auto given = [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
    Arrays inputs(x.begin(), x.begin() + 3);
    inputs.push_back(g);
    inputs.insert(inputs.end(), x.begin() + 3, x.end());
    inputs.insert(inputs.end(), {y[0], y[1], y[2]});
    return inputs;
  };
  const Operator backward{
      .call = ACLGRAD_CALL(
          aclnnFlashAttentionScoreGrad, kAttentionQuery, kAttentionKey, kAttentionValue,
          attention_tensor("dy", {1, 2, 3, 4}),
          optional(attention_tensor("pseShiftOptional", {1, 2, 3, 5})), kDropMask, kPaddingMask,
          kAttenMask, statistic(filled(shaped(in("softmaxMax", 0, 4), {1, 2, 3, 8}), 2)),
          statistic(filled(shaped(in("softmaxSum", 1, 4), {1, 2, 3, 8}), 5)),
          any_shape(optional(attention_tensor("softmaxInOptional", {1}))),
          attention_tensor("attentionIn", {1, 2, 3, 4}, 3), kPrefix, kScale, kKeep, kPre, kNext,
          kHeads, kLayout, kPrecise, kSparse, attention_result("dqOut", {1, 2, 3, 4}),
          attention_result("dkOut", {1, 2, 5, 4}), attention_result("dvOut", {1, 2, 5, 4}),
          optional(attention_result("dpseOptional", {1, 2, 3, 5}))),
      .domain = {.everywhere = kFloats,
                 .grows = false,
                 .base_shape = forward.domain.base_shape,
                 .arrange = arrange_attention,
                 .samples = attention_samples(),
                 .value_samples = large_attentions()},
      .results = {.reference = attention_grad<false>,
                  .bound = {.of_float = 8, .of_16_bits = 0.52, .inner = 16},
                  .roundings = attention_roundings,
                  .magnitude = attention_grad<true>,
                  .nan_goes_through = false},
      .gradient = Gradient{.of = "aclnnFlashAttentionScore", .inputs = given, .count = 4},
      .error_inputs =
          attention_errors("pseShiftOptional") +
          std::vector{ErrorInput{.what = "of another shape than the shift's",
                                 .changes = {{"dpseOptional", of_shape({1, 2, 3, 4})},
                                             {"pseShiftOptional", of_shape({1, 2, 3, 5})}},
                                 .words = {"[1, 2, 3, 5]"}}},
      .words = {"the gradients of query, key, value and the shift, of shares made again from "
                "softmaxMax and softmaxSum",
                "由 softmaxMax 与 softmaxSum 重算权重，求 query、key、value 与 pseShift 的梯度", "",
                "flash_attention"}};
  FamilyContracts family{{"Attention", "注意力"}, {forward, backward}};
  add_inference_attention(family.operators);
  add_rotary(family.operators);
  return family;
}

}  // namespace aclgrad::contract
