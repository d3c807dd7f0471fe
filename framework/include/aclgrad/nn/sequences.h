// SPDX-License-Identifier: Apache-2.0
// Layers for batches of sequences [N, T, width]: rows of indices, places; attention and recurrent
// layers have headers of their own. What nn.h says of layers holds for these.
#pragma once

#include "aclgrad/nn.h"
#include "aclgrad/nn/attention.h"
#include "aclgrad/nn/recurrent.h"

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

struct EmbeddingBagLayerOptions {
  BagMode mode = BagMode::mean;
  std::optional<std::uint64_t> seed = std::nullopt;        ///< as in LinearOptions
  std::optional<std::int64_t> padding_idx = std::nullopt;  ///< as in EmbeddingOptions
  DType dtype = DType::float32;
};

/// embedding_bag(): the mean, sum or largest elements of the rows of name.weight [count, width]
/// whose indices are in a bag, [bags, width]: words of a text, say. Weights begin as Embedding's.
/// Throws as Embedding.
class EmbeddingBag : public Module {
 public:
  EmbeddingBag(const Name& name, std::int64_t count, std::int64_t width,
               const EmbeddingBagLayerOptions& options = {});
  /// Of indices [bags, length], or of indices [n] and where bags begin in them.
  Value operator()(Operand indices) const { return (*this)(indices, Value()); }
  Value operator()(Operand indices, const Value& offsets,
                   const Value& per_sample_weights = {}) const;
  const Variable& weight() const { return weight_; }

 private:
  BagMode mode_;
  std::optional<std::int64_t> padding_idx_;
  Variable weight_;
};

/// The table of Vaswani et al. (2017): sin(t base^(-i / width)) in even columns i of row t, the
/// cosine of the same angle in the odd ones after them; [places, width]. Throws ShapeError unless
/// width is at least 1, ValueError for a negative `places` or a base that is not above 0 and
/// finite.
Tensor sinusoidal_positions(std::int64_t places, std::int64_t width, double base = 10000,
                            DType dtype = DType::float32);

/// Adds that table to x [..., T, width]. Places that are learnt are an Embedding of their numbers;
/// for rotary ones see rotary() and SelfAttentionOptions.
struct SinusoidalPositions {
  double base = 10000;
  Value operator()(Operand x) const;
};

}  // namespace aclgrad
