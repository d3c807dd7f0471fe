// SPDX-License-Identifier: Apache-2.0
// Attention over sequences [N, T, width]. What nn.h says of layers holds for these.
#ifndef ACLGRAD_NN_ATTENTION_H_
#define ACLGRAD_NN_ATTENTION_H_

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

/// Keys and values of the places that attention has seen, in a graph of one token: what a model
/// that writes keeps from one to the next (cached_model.h).
class AttentionCache {
 public:
  /// What stands before the run, an input of the graph, and what after it.
  struct Entry {
    Value before, after;
  };

  /// For tokens at `place`, int64 [1], below `places`.
  AttentionCache(const Value& place, std::int64_t places);

  const Value& place() const { return place_; }
  std::int64_t places() const { return places_; }

  /// Rows of the token, [..., 1, size], among those of all places, [..., places, size]; zeros
  /// behind the token's. For an attention of one's own.
  Value extended(const std::string& name, const Value& rows);

  /// Which places are behind the token's: bool [places], a mask.
  const Value& later() const { return later_; }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  Value place_, later_, here_;  // the latter [places, 1]
  std::int64_t places_;
  std::vector<Entry> entries_;
};

struct SelfAttentionOptions {
  bool causal = false;  ///< A place sees itself and those before it only.
  std::optional<std::uint64_t> seed = std::nullopt;
  DType dtype = DType::float32;
  bool rotary = false;  ///< Queries and keys go through rotary(); width / heads is even.
};

/// Scaled dot-product attention of x [N, T, width] to itself (Vaswani et al. 2017): for each head
/// softmax(q k^T / sqrt(width / heads)) v, of the parts q, k, v of name.qkv, and name.projection of
/// the heads side by side. From 256 places on (128 if causal) it is made in tiles, whose memory
/// grows with the number of places; the weights, called name.attention, are computed where they are
/// fetched. Throws ShapeError unless heads, at least 1, divides width.
class SelfAttention : public Module {
 public:
  SelfAttention(const Name& name, std::int64_t width, std::int64_t heads,
                SelfAttentionOptions options = {});
  Value operator()(Operand x) const;

  /// With a mask of its own, bool or uint8, that broadcasts to [N, heads, T, T]: true where a place
  /// (of the third axis) does not see another one (of the fourth). A place that sees none at all,
  /// as padding on the left with `causal`, has weights of 0: the projection's bias comes out, and
  /// all gradients are finite.
  Value operator()(Operand x, const Value& mask) const;

  /// Of one token [N, 1, width], which sees those before it in the cache. Throws ValueError where
  /// this is not `causal`.
  Value operator()(Operand x, AttentionCache& cache) const;

 private:
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

  /// [N, T, width]. The mask broadcasts to [N, heads, T, S], as that of SelfAttention; padding of
  /// the memory is one of [N, 1, 1, S]. Throws ShapeError where the widths or the lengths of keys
  /// and values do not fit.
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
  Value operator()(Operand x, const Value& mask) const;      ///< A mask as SelfAttention's.
  Value operator()(Operand x, AttentionCache& cache) const;  ///< Of one token, as SelfAttention.

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
  /// cross-attention: it says which places of the memory are not seen.
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

#endif  // ACLGRAD_NN_ATTENTION_H_
