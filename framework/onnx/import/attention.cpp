// SPDX-License-Identifier: Apache-2.0
// Attention, and the rotary position embedding, as opset 23 has them.
#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace attention_nodes {
namespace {

// [N, S, heads size] as [N, heads, S, size], where an attribute says how many heads there are; what
// has four dimensions is so already.
Value by_head(const NodeCall& node, const Value& x, std::string_view heads) {
  const Shape& shape = x.shape();
  if (shape.rank() == 4) return x;
  const std::int64_t count = node.integer(heads, 0);
  if (shape.rank() != 3 || count < 1 || shape[2] % count != 0) {
    node.unsupported("{} is no number of heads of {}: `{}` must divide the last of three axes",
                     count, shape, heads);
  }
  const Dims dims{shape[0], shape[1], count, shape[2] / count};
  return contiguous(transpose(reshape(x, dims), 1, 2));
}

// Back to as many dimensions as the input has.
Value as_given(const Value& x, const Shape& given) {
  if (given.rank() == 4) return x;
  const Shape& shape = x.shape();
  return reshape(contiguous(transpose(x, 1, 2)), Dims{shape[0], shape[2], shape[1] * shape[3]});
}

Value behind(const NodeCall& node, std::size_t past, const Value& present) {
  return node.has(past) ? cat({node.value(past), present}, 2) : present;
}

Items attention(const NodeCall& node) {
  node.require(node.number("softcap", 0) == 0, "there is no softcap here");
  node.require(!node.wants(3), "there is no output 3, the scores, here");
  const bool is_causal = node.integer("is_causal", 0) != 0;
  node.require(!is_causal || !node.has(4),
               "there is no is_causal beside past keys here: give a mask");
  const Value query = by_head(node, node.value(0), "q_num_heads");
  const Value key = behind(node, 4, by_head(node, node.value(1), "kv_num_heads"));
  const Value value = behind(node, 5, by_head(node, node.value(2), "kv_num_heads"));
  AttentionOptions options{.is_causal = is_causal};
  if (node.has_attribute("scale")) options.scale = node.number("scale", 1);
  const Value mixed =
      scaled_dot_product_attention(query, key, value, node.value_or_none(3), options);
  return {as_given(mixed, node.shape(0)), key, value};
}

// Cosines or sines [N, 1, S, size] of angles that stand beside every element.
Value angles(const NodeCall& node, std::size_t input, bool interleaves) {
  Value half = node.value(input);
  if (node.has(3)) half = embedding(half, node.value(3));
  const Shape& shape = half.shape();
  if (shape.rank() != 3) {
    node.unsupported("the cosines and sines of every place have three axes, got {}", shape);
  }
  half = reshape(half, Dims{shape[0], 1, shape[1], shape[2]});
  return interleaves ? repeat_interleave(half, 2, 3) : cat({half, half}, 3);
}

// Of the first `rotary_embedding_dim` elements, where there is that attribute; others stay.
Items rotary(const NodeCall& node) {
  const Value x = by_head(node, node.value(0), "num_heads");
  const bool interleaves = node.integer("interleaved", 0) != 0;
  const std::int64_t all = x.shape()[3], given = node.integer("rotary_embedding_dim", 0);
  const std::int64_t turned = given == 0 ? all : given;
  const Value turning = turned == all ? x : contiguous(slice(x, 3, 0, turned));
  Value y =
      rotary_position_embedding(turning, angles(node, 1, interleaves), angles(node, 2, interleaves),
                                interleaves ? RotaryMode::interleave : RotaryMode::half);
  if (turned != all) y = cat({y, slice(x, 3, turned)}, 3);
  return {as_given(y, node.shape(0))};
}

constexpr Operator kOperators[] = {
    {"Attention", attention},
    {"RotaryEmbedding", rotary},
};

}  // namespace
}  // namespace attention_nodes

std::span<const Operator> attention_operators() { return attention_nodes::kOperators; }

}  // namespace aclgrad::onnx
