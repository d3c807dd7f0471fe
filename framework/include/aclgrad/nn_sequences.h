// SPDX-License-Identifier: Apache-2.0
// Layers for batches of sequences [N, T, width]. What nn.h says of layers holds for these.
#ifndef ACLGRAD_NN_SEQUENCES_H_
#define ACLGRAD_NN_SEQUENCES_H_

#include "aclgrad/nn.h"

namespace aclgrad {

/// embedding(): a row of name.weight [count, width] for every index. Initial weights are normal
/// with deviation 1 / sqrt(width).
class Embedding {
 public:
  Embedding(const std::string& name, std::int64_t count, std::int64_t width,
            std::optional<std::uint64_t> seed = std::nullopt);
  Value operator()(const Value& indices, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {weight_}; }

 private:
  std::string name_;
  Variable weight_;
};

struct SelfAttentionOptions {
  bool causal = false;  ///< A place sees itself and those before it only.
  std::optional<std::uint64_t> seed = std::nullopt;
};

/// Scaled dot-product attention of x [N, T, width] to itself (Vaswani et al. 2017): for each head
/// softmax(q k^T / sqrt(width / heads)) v, of the parts q, k, v of name.qkv, and name.projection of
/// the heads side by side. Throws ShapeError unless heads divides width.
class SelfAttention {
 public:
  SelfAttention(const std::string& name, std::int64_t width, std::int64_t heads,
                SelfAttentionOptions options = {});
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const;

 private:
  std::string name_;
  std::int64_t width_, heads_;
  SelfAttentionOptions options_;
  Linear qkv_, projection_;
};

/// x + attention(norm(x)), then x + feed_forward(norm(x)) with GEGLU in it (Shazeer 2020), both
/// norms layer norms: name.norm1, name.attention, name.norm2, name.feed_forward.
class TransformerBlock {
 public:
  TransformerBlock(const std::string& name, std::int64_t width, std::int64_t heads,
                   std::int64_t hidden, SelfAttentionOptions options = {});
  Value operator()(const Value& x, Here where = Here::current()) const;
  const std::vector<Variable>& variables() const { return all_.variables(); }

 private:
  Sequential all_;
};

}  // namespace aclgrad

#endif  // ACLGRAD_NN_SEQUENCES_H_
