// SPDX-License-Identifier: Apache-2.0
// Layers for batches of sequences [N, T, width]. What nn.h says of layers holds for these.
#ifndef ACLGRAD_NN_SEQUENCES_H_
#define ACLGRAD_NN_SEQUENCES_H_

#include "aclgrad/nn.h"

namespace aclgrad {

struct EmbeddingOptions {
  std::optional<std::uint64_t> seed = std::nullopt;  ///< as in LinearOptions
  /// A row that is 0 at first and gets no gradient, in [-count, count); a negative one counts from
  /// the end.
  std::optional<std::int64_t> padding_idx = std::nullopt;
  DType dtype = DType::float32;
};

/// embedding(): a row of name.weight [count, width] for every index. Initial weights are normal
/// with standard deviation 1 / sqrt(width). Throws ShapeError unless count and width are at least
/// 1, ValueError for a padding_idx out of its range.
class Embedding : public Module {
 public:
  Embedding(const Name& name, std::int64_t count, std::int64_t width,
            const EmbeddingOptions& options = {});
  Embedding(const Name& name, std::int64_t count, std::int64_t width, std::uint64_t seed)
      : Embedding(name, count, width, EmbeddingOptions{.seed = seed}) {}
  Value operator()(Operand indices) const;
  const Variable& weight() const { return weight_; }

 private:
  std::optional<std::int64_t> padding_idx_;
  Variable weight_;
};

struct SelfAttentionOptions {
  bool causal = false;  ///< A place sees itself and those before it only.
  std::optional<std::uint64_t> seed = std::nullopt;
  DType dtype = DType::float32;
};

/// Scaled dot-product attention of x [N, T, width] to itself (Vaswani et al. 2017): for each head
/// softmax(q k^T / sqrt(width / heads)) v, of the parts q, k, v of name.qkv, and name.projection of
/// the heads side by side. Throws ShapeError unless heads, at least 1, divides width.
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

 private:
  std::int64_t width_, heads_;
  SelfAttentionOptions options_;
  Linear qkv_, projection_;
};

/// x + attention(norm(x)), then x + feed_forward(norm(x)) with GEGLU in it (Shazeer 2020), both
/// norms layer norms: name.norm1, name.attention, name.norm2, name.feed_forward.
class TransformerBlock : public Module {
 public:
  TransformerBlock(const Name& name, std::int64_t width, std::int64_t heads, std::int64_t hidden,
                   SelfAttentionOptions options = {});
  Value operator()(Operand x) const;

 private:
  LayerNorm norm1_;
  SelfAttention attention_;
  LayerNorm norm2_;
  GegluFeedForward feed_forward_;
};

/// A step of a gated recurrent unit (Cho et al. 2014), in the form that PyTorch has:
/// r = sigmoid(x W_r + b_r + h U_r + c_r), z likewise, n = tanh(x W_n + b_n + r (h U_n + c_n)),
/// h' = (1 - z) n + z h. W [in, 3 hidden] is name.weight_ih, U [hidden, 3 hidden] name.weight_hh,
/// b name.bias_ih, c name.bias_hh, with r, z, n side by side. Initial weights are uniform in
/// +-1 / sqrt(hidden), the biases 0. Throws ShapeError unless in and hidden are at least 1.
class GruCell : public Module {
 public:
  GruCell(const Name& name, std::int64_t in, std::int64_t hidden,
          std::optional<std::uint64_t> seed = std::nullopt, DType dtype = DType::float32);

  /// h' [N, hidden] of x [N, in] and h [N, hidden].
  Value operator()(Operand x, const Value& h) const;

  /// x W + b, [..., 3 hidden], for every step at once; and h' of a step's part of it.
  Value project(Operand x) const;
  Value step(Operand projected, const Value& h) const;

  std::int64_t hidden() const { return hidden_; }

 private:
  std::int64_t hidden_;
  Variable weight_ih_, weight_hh_, bias_ih_, bias_hh_;
};

/// A GruCell over x [N, T, in] from h = 0: all h, [N, T, hidden]. Throws ShapeError for T = 0.
class Gru : public Module {
 public:
  Gru(const Name& name, std::int64_t in, std::int64_t hidden,
      std::optional<std::uint64_t> seed = std::nullopt, DType dtype = DType::float32);
  Value operator()(Operand x) const;

 private:
  GruCell cell_;
};

}  // namespace aclgrad

#endif  // ACLGRAD_NN_SEQUENCES_H_
