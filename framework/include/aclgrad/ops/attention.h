// SPDX-License-Identifier: Apache-2.0
// Attention in tiles: scores are never stored, so that memory grows with the number of places, not
// with its square. And the rotary position embedding.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"
#include "aclgrad/ops/random.h"

namespace aclgrad {

struct AttentionOptions {
  double dropout_p = 0;    ///< The probability with which a weight is dropped: at least 0, below 1.
  bool is_causal = false;  ///< Place i of the queries sees places j <= i of the keys only.
  std::optional<double> scale = std::nullopt;         ///< Finite; 1 / sqrt(size) without one.
  std::optional<Generator> generator = std::nullopt;  ///< Of dropout, which needs one.
};

/// softmax(scale q k^T + mask) v of queries [..., heads, T, size], keys [..., key heads, S, size]
/// and values [..., key heads, S, value size], all floating, of one dtype and rank, 2 or more:
/// [..., heads, T, value size]. PyTorch's F.scaled_dot_product_attention, but for these points:
///
/// * In rank 4 there may be fewer key heads, which divide the heads: head h sees those of number
///   h / (heads / key heads), as with enable_gqa. In other ranks they are as many.
/// * The mask broadcasts to [..., heads, T, S]. One of bool is true where a place takes part (masks
///   of SelfAttention and its relatives are true where it does not); a floating one is added to the
///   scores, in at least float32, and has a gradient. A number that is added never hides a place,
///   be it the lowest there is: where all are equal, so are the weights; -infinity hides. A mask
///   may be given with `is_causal`: what is seen is what both let be seen.
/// * A place that sees nothing has 0, and gradients of 0, where PyTorch before 2.5 has NaN.
/// * What no mask lets be seen does not matter: keys and values there may be infinite or NaN, as
///   may queries of places that see nothing, or whose gradient is 0. Neither the result nor any
///   gradient shows it; PyTorch's do, where 0 NaN is NaN. That is not so of gradients of gradients,
///   but for what a mask of bool hides from all.
/// * Dropout draws from a Generator, which the options must have.
///
/// The weights are not there to look at, as those of SelfAttention are. Gradients have gradients.
/// Throws ShapeError; DTypeError, also for a mask of integers; ValueError for options out of their
/// ranges.
Value scaled_dot_product_attention(Operand query, const Value& key, const Value& value,
                                   const Value& attn_mask = {},
                                   const AttentionOptions& options = {});

struct AttentionAttributes {
  double scale = 1;
  double kept = 1;  // 1 - dropout_p
  bool is_causal = false;
  // Inputs behind query, key and value, in this order.
  bool has_shift = false, has_mask = false, has_bits = false;
  std::string text() const;
};
struct AttentionBackwardAttributes : AttentionAttributes {
  bool wants_shift = false;  // its gradient is an output
};

/// The gradients of query, key, value, and of the shift if it is wanted. `inputs` and `outputs` are
/// those of the forward node.
std::vector<Value> scaled_dot_product_attention_backward(
    Operand grad, const std::vector<Value>& inputs, const std::vector<Value>& outputs,
    const AttentionBackwardAttributes& attributes);

/// Which elements of a row are the coordinates of a point: i and i + size / 2, or 2 i and 2 i + 1.
enum class RotaryMode : std::uint8_t { half, interleave };
std::string to_string(RotaryMode mode);

/// x cos + rot(x) sin: every pair of elements of the last axis of x is a point (a, b), which rot
/// makes (-b, a); with the cosine and sine of an angle for both it is turned by that. x has rank 1
/// to 4 and an even last size; cos and sin are of one shape, which broadcasts to x's and has its
/// last size; all are floating, of one dtype. For the usual angles see rotary() (nn/attention.h).
/// Throws ShapeError and DTypeError.
Value rotary_position_embedding(Operand x, const Value& cos, const Value& sin,
                                RotaryMode mode = RotaryMode::half);

/// The gradient of x; those of cos and sin too if x is given, else empty Values. All of rank 3
/// or 4.
std::array<Value, 3> rotary_position_embedding_backward(Operand grad, const Value& cos,
                                                        const Value& sin, const Value& x,
                                                        RotaryMode mode);

struct RotaryAttributes {
  RotaryMode mode;
  auto arguments() const { return named({"mode"}, mode); }
};

namespace calls {
// Inputs query, key, value, and what there is of: a shift of the products (before the scale), a
// mask that is true where a place is hidden (with is_causal the operator's compressed mask, which
// it does not read), the bits of dropout. Outputs the result, largest scores and sums.
extern const Declaration<AttentionAttributes> scaled_dot_product_attention;
// Inputs of the forward, then the gradient, and the forward's outputs.
extern const Declaration<AttentionBackwardAttributes> scaled_dot_product_attention_backward;
// Inputs x, cos, sin; and of the backward grad, cos, sin, and x where the table's gradients are
// outputs.
extern const Declaration<RotaryAttributes> rotary_position_embedding,
    rotary_position_embedding_backward;
}  // namespace calls

using AttentionOp = DeclaredOp<calls::scaled_dot_product_attention>;
using AttentionBackwardOp = DeclaredOp<calls::scaled_dot_product_attention_backward>;
using RotaryOp = DeclaredOp<calls::rotary_position_embedding>;
using RotaryBackwardOp = DeclaredOp<calls::rotary_position_embedding_backward>;

}  // namespace aclgrad
