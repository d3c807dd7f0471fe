// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/nn_sequences.h"
#include "nn/seeds.h"

namespace aclgrad {

Embedding::Embedding(const std::string& name, std::int64_t count, std::int64_t width,
                     std::optional<std::uint64_t> seed)
    : name_(name),
      weight_(name + ".weight", init::normal({count, width}, seed.value_or(detail::seed_of(name)),
                                             1 / std::sqrt(static_cast<double>(width)))) {}

Value Embedding::operator()(const Value& indices, Here where) const {
  return embedding(indices.graph().parameter(weight_, where), indices, {}, where).named(name_);
}

SelfAttention::SelfAttention(const std::string& name, std::int64_t width, std::int64_t heads,
                             SelfAttentionOptions options)
    : name_(name),
      width_(width),
      heads_(heads),
      options_(options),
      qkv_(name + ".qkv", width, 3 * width, {.seed = options.seed}),
      projection_(name + ".projection", width, width, {.seed = detail::next_seed(options.seed)}) {
  if (heads < 1 || width % heads != 0) {
    throw ShapeError(fmt::format("{} heads do not divide a width of {}", heads, width));
  }
}

Value SelfAttention::operator()(const Value& x, Here where) const {
  if (x.shape().rank() != 3 || x.shape()[2] != width_) {
    throw ShapeError(fmt::format("`{}` attends over [N, T, {}], got {}", name_, width_, x.shape()));
  }
  const std::int64_t batch = x.shape()[0], places = x.shape()[1], size = width_ / heads_;
  // [3, N, heads, T, size]
  const Value parts = permute(reshape(qkv_(x, where), {batch, places, 3, heads_, size}, where),
                              {2, 0, 3, 1, 4}, where);
  const auto part = [&](std::int64_t i) {
    return reshape(slice(parts, 0, i, i + 1, 1, where), {batch, heads_, places, size}, where);
  };
  const Value query = part(0), key = part(1), value = part(2);
  Value scores = mul(matmul(query, transpose(key, -1, -2), where),
                     1 / std::sqrt(static_cast<double>(size)), where);
  if (options_.causal) {
    Tensor later = Tensor::zeros({places, places}, DType::boolean);
    for (std::int64_t i = 0; i < places; ++i) {
      for (std::int64_t j = i + 1; j < places; ++j) later.set(i * places + j, 1);
    }
    scores = masked_fill(scores, x.graph().constant(later, where),
                         -std::numeric_limits<double>::infinity(), where);
  }
  const Value mixed = matmul(softmax(scores, -1, where).named(name_ + ".attention"), value, where);
  const Value joined = reshape(permute(mixed, {0, 2, 1, 3}, where), {batch, places, width_}, where);
  return projection_(joined, where).named(name_);
}

std::vector<Variable> SelfAttention::variables() const {
  std::vector<Variable> all = qkv_.variables();
  for (const Variable& variable : projection_.variables()) all.push_back(variable);
  return all;
}

TransformerBlock::TransformerBlock(const std::string& name, std::int64_t width, std::int64_t heads,
                                   std::int64_t hidden, SelfAttentionOptions options)
    : all_(Residual(LayerNorm(name + ".norm1", width),
                    SelfAttention(name + ".attention", width, heads, options)),
           Residual(LayerNorm(name + ".norm2", width),
                    GegluFeedForward(name + ".feed_forward", width, hidden, width,
                                     detail::next_seed(options.seed)))) {}

Value TransformerBlock::operator()(const Value& x, Here where) const { return all_(x, where); }

}  // namespace aclgrad
