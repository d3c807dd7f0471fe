// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/attention.h"

#include <cmath>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/tensor.h"
#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_rotary_position_embedding_grad.h"
#include "graph/ops/record_helpers.h"
#include "tensor/at_least_float.h"

namespace aclgrad {
namespace {

constexpr std::int64_t kRepeats = 8;  // of the numbers that are kept of a row

// ---- Scaled dot-product attention ---------------------------------------------------------------

void check_heads(const Recorder& record, const Shape& query, const Shape& key, const Shape& value) {
  const auto rank = static_cast<std::int64_t>(query.rank());
  bool fits = rank >= 2 && key.rank() == query.rank() && value.rank() == query.rank() &&
              query[-1] >= 1 && key[-1] == query[-1] && value[-1] >= 1 && value[-2] == key[-2];
  for (std::int64_t i = 0; fits && i + 2 < rank; ++i) {
    const bool is_grouped = rank == 4 && i == 1;
    fits =
        value[i] == key[i] &&
        (is_grouped ? query[i] >= 1 && key[i] >= 1 && query[i] % key[i] == 0 : query[i] == key[i]);
  }
  record.require_shape(
      fits,
      "expected queries [..., heads, T, size], keys [..., heads, S, size] and values [..., heads, "
      "S, value size] of one batch (in rank 4 the heads of keys and values may be fewer, and "
      "divide those of queries), got {}, {} and {}",
      query, key, value);
}

void check_options(const Recorder& record, const AttentionOptions& options, double scale) {
  record.require_value(std::isfinite(scale), "scale must be finite, got {}", scale);
  record.require_value(options.dropout_p >= 0 && options.dropout_p < 1,
                       "dropout_p must be within [0, 1), got {}", options.dropout_p);
  record.require_value(
      options.dropout_p == 0 || options.generator,
      "dropout needs a generator: {.dropout_p = 0.1, .generator = Generator(seed)}");
}

// What stands before the places becomes one batch, of one head each.
Value in_rank_4(const Value& x) {
  const Shape& shape = x.shape();
  if (shape.rank() == 4) return x;
  std::int64_t batch = 1;
  for (std::size_t i = 0; i + 2 < shape.rank(); ++i) batch *= shape.dims()[i];
  return reshape(x, {batch, 1, shape[-2], shape[-1]});
}

// A mask of the scores as one of rank 4.
Value mask_in_rank_4(const Value& mask, const Shape& scores) {
  if (scores.rank() != 4) return in_rank_4(expand(mask, scores));
  return detail::with_rank(mask, 4);
}

// What is seen of what a mask lets be seen, as a mask with both dimensions of the scores.
Value seen_before(const Value& mask, const Shape& scores) {
  std::vector<std::int64_t> dims = mask.shape().dims();
  if (dims.size() < 2) dims.insert(dims.begin(), 2 - dims.size(), 1);
  dims[dims.size() - 2] = scores[-2];
  dims[dims.size() - 1] = scores[-1];
  return tril(expand(mask, Shape(std::move(dims))));
}

// The operator takes what is added whole in the heads and the keys.
Value shift_of(const Value& mask, const Shape& scores) {
  const Value in_ranks = mask_in_rank_4(mask, scores);
  std::vector<std::int64_t> dims = in_ranks.shape().dims();
  if (scores.rank() == 4) dims[1] = scores[1];
  dims[3] = scores[-1];
  return expand(in_ranks, Shape(std::move(dims)));
}

// Scores with a mask are not rounded to 16 bits before the softmax, and no finite mask is infinite
// in them.
DType dtype_with(const Value& mask, DType of_queries) {
  if (mask.dtype() == DType::float64) return DType::float64;
  return detail::at_least_float(of_queries);
}

// The operator's causal mode asks for its compressed mask, and does not read it.
Value compressed_mask(const Graph& graph) {
  return expand(graph.constant(Tensor::zeros({1, 1}, DType::boolean)), Shape{2048, 2048});
}

}  // namespace

Value scaled_dot_product_attention(Operand query, const Value& key, const Value& value,
                                   const Value& attn_mask, const AttentionOptions& options) {
  const RecordScope scope(query);
  std::vector<Value> inputs = {query, key, value};
  if (attn_mask) inputs.push_back(attn_mask);
  const Recorder check("scaled_dot_product_attention", inputs, query.where);
  check.require_floating(0);
  check.require_same_dtype(1, 0);
  check.require_same_dtype(2, 0);
  check_heads(check, query.shape(), key.shape(), value.shape());
  const Shape shape = query.shape();
  const auto last = static_cast<std::int64_t>(shape.rank()) - 1;
  const Shape scores = detail::with_extent(shape, last, key.shape()[-2]);
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(shape[-1])));
  check_options(check, options, scale);

  const Graph graph = query.graph();
  AttentionAttributes attributes{.scale = scale, .kept = 1 - options.dropout_p};
  if (attn_mask) {
    check.require_shape(expands_to(attn_mask.shape(), scores),
                        "the mask {} does not broadcast to the scores {}", attn_mask.shape(),
                        scores);
    attributes.has_shift = is_floating(attn_mask.dtype());
    attributes.has_mask = attn_mask.dtype() == DType::boolean;
    check.require_dtype(attributes.has_shift || attributes.has_mask,
                        "the mask must be bool, true where a place takes part, or floating, to be "
                        "added to the scores, got {}: ne(mask, 0) or cast() make it one of these",
                        attn_mask.dtype());
  }
  inputs = {in_rank_4(query), in_rank_4(key), in_rank_4(value)};
  // The operator scales what is added too: the queries are scaled in its place.
  if (attributes.has_shift) {
    const DType dtype = dtype_with(attn_mask, query.dtype());
    for (Value& each : inputs) each = cast(each, dtype);
    inputs[0] = mul(inputs[0], scale);
    attributes.scale = 1;
  }
  // The operator takes values that are at most as wide as keys: columns of 0 change no score.
  if (const std::int64_t more = value.shape()[-1] - shape[-1]; more > 0) {
    for (const std::size_t k : {0, 1}) inputs[k] = pad(inputs[k], {0, more});
  }
  if (attributes.has_shift) {
    inputs.push_back(shift_of(cast(attn_mask, inputs[0].dtype()), scores));
  } else if (attributes.has_mask) {
    const Value seen = options.is_causal ? seen_before(attn_mask, scores) : attn_mask;
    inputs.push_back(mask_in_rank_4(eq(seen, 0), scores));
  }
  attributes.is_causal = options.is_causal && !attributes.has_mask;
  if (attributes.is_causal) inputs.push_back(compressed_mask(graph));
  const Shape heads = inputs[0].shape();
  if (options.dropout_p > 0) {
    attributes.has_bits = true;
    inputs.push_back(next_mask(query, detail::with_extent(heads, 3, scores[-1]), options.dropout_p,
                               *options.generator));
  }
  const DType dtype = inputs[0].dtype();
  const TensorSpec number{detail::with_extent(heads, 3, kRepeats), detail::at_least_float(dtype)};
  const TensorSpec result{detail::with_extent(heads, 3, value.shape()[-1]), dtype};
  Recorder record("scaled_dot_product_attention", std::move(inputs), query.where);
  const Value mixed =
      cast(record.add<AttentionOp>(attributes, {result, number, number}).front(), query.dtype());
  return last == 3 ? mixed : reshape(mixed, detail::with_extent(shape, last, value.shape()[-1]));
}

std::vector<Value> scaled_dot_product_attention_backward(
    Operand grad, const std::vector<Value>& inputs, const std::vector<Value>& outputs,
    const AttentionBackwardAttributes& attributes) {
  std::vector<Value> all = inputs;
  all.push_back(grad);
  all.insert(all.end(), outputs.begin(), outputs.end());
  Recorder record("scaled_dot_product_attention_backward", std::move(all), grad.where);
  std::vector<TensorSpec> gradients;
  for (std::size_t k = 0; k < (attributes.wants_shift ? 4U : 3U); ++k) {
    gradients.push_back(record.like(k));
  }
  return record.add<AttentionBackwardOp>(attributes, std::move(gradients));
}

std::string AttentionAttributes::text() const {
  return fmt::format("scale={}{}{}", scale, is_causal ? ", is_causal" : "",
                     kept < 1 ? fmt::format(", dropout_p={}", 1 - kept) : "");
}

// ---- Rotary position embedding ------------------------------------------------------------------

std::string to_string(RotaryMode mode) { return mode == RotaryMode::half ? "half" : "interleave"; }

Value rotary_position_embedding(Operand x, const Value& cos, const Value& sin, RotaryMode mode) {
  const RecordScope scope(x);
  const Recorder check("rotary_position_embedding", {x, cos, sin}, x.where);
  check.require_floating(0);
  check.require_same_dtype(1, 0);
  check.require_same_dtype(2, 0);
  check.require_same_shape(2, 1);
  const Shape& shape = x.shape();
  check.require_shape(
      shape.rank() >= 1 && shape.rank() <= 4 && shape[-1] % 2 == 0,
      "turns pairs of the last axis of rank 1 to 4, which must be even, got {}: reshape() it",
      shape);
  check.require_shape(
      expands_to(cos.shape(), shape) && cos.shape().rank() >= 1 && cos.shape()[-1] == shape[-1],
      "the cosines {} must broadcast to {}, and have its last size", cos.shape(), shape);
  const std::size_t rank = shape.rank() == 3 ? 3 : 4;  // the operator's
  const auto with_rank = [&](const Value& given) { return detail::with_rank(given, rank); };
  Recorder record("rotary_position_embedding", {with_rank(x), with_rank(cos), with_rank(sin)},
                  x.where);
  const Value turned = record.add<RotaryOp>({mode}, record.like(0));
  return rank == shape.rank() ? turned : reshape(turned, shape);
}

std::array<Value, 3> rotary_position_embedding_backward(Operand grad, const Value& cos,
                                                        const Value& sin, const Value& x,
                                                        RotaryMode mode) {
  std::vector<Value> inputs = {grad, cos, sin};
  if (x) inputs.push_back(x);
  Recorder record("rotary_position_embedding_backward", std::move(inputs), grad.where);
  record.require_floating(0);
  std::vector<TensorSpec> gradients = {record.like(0)};
  if (x) {
    record.require_like(3, 0);
    gradients.insert(gradients.end(), {record.like(1), record.like(2)});
  }
  std::vector<Value> all = record.add<RotaryBackwardOp>({mode}, std::move(gradients));
  all.resize(3);
  return {all[0], all[1], all[2]};
}

namespace calls {
namespace {

// What both functions of attention take besides queries, keys and values.
struct AttentionCall {
  aclTensor* shift = nullptr;
  aclTensor* mask = nullptr;
  aclTensor* bits = nullptr;
  std::size_t next = 3;  // the first input behind them
  std::int64_t heads, sparse_mode;

  AttentionCall(const AttentionAttributes& values, AclnnCall& call)
      : heads(call.input_spec(0).shape[1]), sparse_mode(values.is_causal ? 2 : 0) {
    if (values.has_shift) shift = call.input(next++);
    if (values.has_mask || values.is_causal) mask = call.input(next++);
    if (values.has_bits) bits = call.input(next++);
  }
};

constexpr std::int64_t kAllTokens = 2147483647;  // preTokens and nextTokens: no limit
char layout[] = "BNSD";                          // C functions take it without const

}  // namespace

const Declaration<AttentionAttributes> scaled_dot_product_attention = {
    "scaled_dot_product_attention", ACLGRAD_C(aclnnFlashAttentionScore), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const AttentionCall given(values, call);
      return aclnnFlashAttentionScoreGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2), given.shift, given.bits, nullptr, given.mask,
          nullptr, values.scale, values.kept, kAllTokens, kAllTokens, given.heads, layout, 0,
          given.sparse_mode, call.output(1), call.output(2), nullptr, call.output(0), end...);
    }};
const Declaration<AttentionBackwardAttributes> scaled_dot_product_attention_backward = {
    "scaled_dot_product_attention_backward", ACLGRAD_C(aclnnFlashAttentionScoreGrad), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const AttentionCall given(values, call);
      const std::size_t grad = given.next;
      return aclnnFlashAttentionScoreGradGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2), call.input(grad), given.shift, given.bits,
          nullptr, given.mask, call.input(grad + 2), call.input(grad + 3), nullptr,
          call.input(grad + 1), nullptr, values.scale, values.kept, kAllTokens, kAllTokens,
          given.heads, layout, 0, given.sparse_mode, call.output(0), call.output(1), call.output(2),
          values.wants_shift ? call.output(3) : nullptr, end...);
    }};

const Declaration<RotaryAttributes> rotary_position_embedding = {
    "rotary_position_embedding", ACLGRAD_C(aclnnRotaryPositionEmbedding), separate};
const Declaration<RotaryAttributes> rotary_position_embedding_backward = {
    "rotary_position_embedding_backward", ACLGRAD_C(aclnnRotaryPositionEmbeddingGrad), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const bool has_x = call.input_count() == 4;
      return aclnnRotaryPositionEmbeddingGradGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2), has_x ? call.input(3) : nullptr,
          static_cast<std::int64_t>(values.mode), call.output(0), has_x ? call.output(1) : nullptr,
          has_x ? call.output(2) : nullptr, end...);
    }};

}  // namespace calls
}  // namespace aclgrad
