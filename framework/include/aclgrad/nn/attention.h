// SPDX-License-Identifier: Apache-2.0
// Attention over sequences [N, T, width]. What nn.h says of layers holds for these.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/nn.h"

namespace aclgrad {

/// Places turned by their numbers (Su et al. 2021): of x [..., T, size], size even, elements i and
/// i + size / 2 are the coordinates of a point, which is turned by the angle
/// (first + t) base^(-2 i / size), so that a product of two such rows goes by their distance.
struct RotaryOptions {
  double base = 10000;     ///< above 0, finite
  std::int64_t first = 0;  ///< the number of the first place
};
/// In x's shape and dtype. Throws ShapeError for an odd size, ValueError for a base out of its
/// range.
Value rotary(Operand x, const RotaryOptions& options = {});

/// Keys and values of the places that attention has seen: what a model that writes keeps from one
/// token to the next (cached_model.h), in variables that a run writes its tokens' rows into.
class AttentionCache {
 public:
  /// For tokens at `place`, int64 [T], numbers in a row below `places`. Of `kept` there is a
  /// variable for each call of extended(), in their order; what lacks is made, of zeros. Throws
  /// ValueError, ShapeError.
  AttentionCache(const Value& place, std::int64_t places, std::vector<Variable>& kept);

  const Value& place() const { return place_; }
  std::int64_t places() const { return places_; }

  /// Rows of the tokens, [..., T, size], among those of all places, [..., places, size], which they
  /// are written into; what stands behind them is of no text. For an attention of one's own.
  Value extended(const std::string& name, const Value& rows);

  /// Which places are behind each token's: bool [T, places], a mask.
  const Value& later() const { return later_; }

  /// The variables as the run leaves them, to be fetched as an Update.
  const std::vector<Value>& updates() const { return updates_; }

 private:
  Value place_, later_;
  std::int64_t places_;
  std::vector<Variable>* kept_;
  std::vector<Value> updates_;
};

struct SelfAttentionOptions {
  bool causal = false;  ///< A place sees itself and those before it only.
  std::optional<std::uint64_t> seed = std::nullopt;
  DType dtype = DType::float32;
  bool rotary = false;  ///< Queries and keys go through rotary(); width / heads is even.
};

/// Scaled dot-product attention of x [N, T, width] to itself (Vaswani et al. 2017): for each head
/// softmax(q k^T / sqrt(width / heads)) v, of the parts q, k, v of name.qkv, and name.projection of
/// the heads side by side. Where something can be hidden, in 16 bits, and from 256 places on it is
/// one operator (scaled_dot_product_attention()), whose memory grows with the number of places; the
/// weights, called name.attention, are computed where they are fetched. Scores and softmax are in
/// at least float32. Throws ShapeError unless heads, at least 1, divides width.
class SelfAttention : public Module {
 public:
  SelfAttention(const Name& name, std::int64_t width, std::int64_t heads,
                SelfAttentionOptions options = {});
  Value operator()(Operand x) const;

  /// With a mask of its own that broadcasts to [N, heads, T, T], of places (the third axis) that
  /// look at others (the fourth). One of bool hides: it is true where a place is not seen. A
  /// floating one is added to the scores, in at least float32, and has a gradient: no finite number
  /// hides a place, not the lowest, -infinity does. With `causal`, later places are hidden too. A
  /// place that sees none at all, as padding on the left with `causal`, has weights of 0: the
  /// projection's bias comes out, and all gradients are finite. Where a place is hidden from all,
  /// what is infinite or NaN in x is taken for 0, so that padding may hold anything. Throws
  /// ShapeError, and DTypeError for a mask of integers.
  Value operator()(Operand x, const Value& mask) const;

  /// Of the tokens [N, T, width] that are at cache.place(): each sees itself and those before it,
  /// also those of earlier runs. Throws ValueError where this is not `causal`.
  Value operator()(Operand x, AttentionCache& cache) const;

 private:
  friend class TransformerBlock;
  void check(const Value& x) const;
  Value finite(const Value& x, const Value& mask) const;
  Value of_finite(const Value& x, const Value& mask) const;
  std::array<Value, 3> parts_of(Operand x) const;
  std::int64_t width_, heads_;
  SelfAttentionOptions options_;
  Linear qkv_, projection_;
};

struct MultiheadAttentionOptions {
  std::optional<std::int64_t> key_width = std::nullopt;    ///< without one, width
  std::optional<std::int64_t> value_width = std::nullopt;  ///< without one, width
  bool causal = false;                                     ///< As in SelfAttentionOptions.
  bool bias = true;
  std::optional<std::uint64_t> seed = std::nullopt;
  DType dtype = DType::float32;
};

/// Attention of queries [N, T, width] to keys [N, S, key_width], whose values are
/// [N, S, value_width]: as SelfAttention, with Linear layers name.query, name.key and name.value to
/// `width`, and name.projection. Cross-attention is attention(x, memory, memory).
class MultiheadAttention : public Module {
 public:
  MultiheadAttention(const Name& name, std::int64_t width, std::int64_t heads,
                     MultiheadAttentionOptions options = {});

  /// [N, T, width]. The mask broadcasts to [N, heads, T, S], and is as that of SelfAttention: bool
  /// hides, a floating one is added; padding of the memory is one of [N, 1, 1, S]. Keys and values
  /// that are hidden from all queries may hold anything: it reaches neither the result nor a
  /// gradient. Throws ShapeError where the widths or the lengths of keys and values do not fit.
  Value operator()(Operand query, const Value& key, const Value& value,
                   const Value& mask = {}) const;

 private:
  std::int64_t width_, heads_;
  MultiheadAttentionOptions options_;
  Linear query_, key_, value_, projection_;
};

/// x + attention(norm(x)), then x + feed_forward(norm(x)) with GEGLU in it (Shazeer 2020), both
/// norms layer norms: name.norm1, name.attention, name.norm2, name.feed_forward.
class TransformerBlock : public Module {
 public:
  TransformerBlock(const Name& name, std::int64_t width, std::int64_t heads, std::int64_t hidden,
                   SelfAttentionOptions options = {});
  Value operator()(Operand x) const;
  Value operator()(Operand x, const Value& mask) const;      ///< A mask and padding as there.
  Value operator()(Operand x, AttentionCache& cache) const;  ///< Of tokens, as SelfAttention.

 private:
  LayerNorm norm1_;
  SelfAttention attention_;
  LayerNorm norm2_;
  GegluFeedForward feed_forward_;
};

/// A block of a decoder that reads what an encoder made: x + attention(norm(x)), which is causal
/// unless told otherwise, then x + cross_attention(norm(x), memory, memory), then
/// x + feed_forward(norm(x)): name.norm1, name.attention, name.norm2, name.cross_attention,
/// name.norm3, name.feed_forward.
class TransformerDecoderBlock : public Module {
 public:
  TransformerDecoderBlock(const Name& name, std::int64_t width, std::int64_t heads,
                          std::int64_t hidden, SelfAttentionOptions options = {.causal = true});

  /// [N, T, width] of x [N, T, width] and memory [N, S, width]. The mask is that of the
  /// cross-attention, as MultiheadAttention's: bool is true where a place of the memory is hidden,
  /// a floating one is added.
  Value operator()(Operand x, const Value& memory, const Value& mask = {}) const;

 private:
  LayerNorm norm1_;
  SelfAttention attention_;
  LayerNorm norm2_;
  MultiheadAttention cross_attention_;
  LayerNorm norm3_;
  GegluFeedForward feed_forward_;
};

}  // namespace aclgrad
