// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/nn_sequences.h"
#include "nn/support.h"

namespace aclgrad {

namespace {

Module::Name with_rows(const Module::Name& name, std::int64_t count, std::int64_t width) {
  detail::require_size("Embedding", "count", count);
  detail::require_size("Embedding", "width", width);
  return name;
}

std::optional<std::int64_t> row_of(std::optional<std::int64_t> padding_idx, std::int64_t count) {
  if (!padding_idx) return padding_idx;
  if (*padding_idx < -count || *padding_idx >= count) {
    throw ValueError(fmt::format("Embedding: padding_idx must be in [-{}, {}), got {}", count,
                                 count, *padding_idx));
  }
  return *padding_idx < 0 ? *padding_idx + count : *padding_idx;
}

}  // namespace

Embedding::Embedding(const Name& name, std::int64_t count, std::int64_t width,
                     const EmbeddingOptions& options)
    : Module(with_rows(name, count, width), fmt::format("Embedding {} of {}", count, width)),
      padding_idx_(row_of(options.padding_idx, count)),
      weight_(parameter(
          "weight",
          [=, padding = padding_idx_, dtype = options.dtype](std::uint64_t seed) {
            Tensor drawn = init::normal({count, width}, seed,
                                        1 / std::sqrt(static_cast<double>(width)), dtype);
            for (std::int64_t i = 0; padding && i < width; ++i) drawn.set(*padding * width + i, 0);
            return drawn;
          },
          options.seed)) {}

Value Embedding::operator()(Operand indices) const {
  const RecordScope scope(indices);
  return embedding(indices.graph().parameter(weight_), indices, padding_idx_).named(path());
}

namespace {

Module::Name with_heads(const Module::Name& name, std::int64_t width, std::int64_t heads) {
  if (width >= 1 && heads >= 1 && width % heads == 0) return name;
  throw ShapeError(fmt::format("SelfAttention `{}`: {} heads do not divide a width of {}",
                               name.path(), heads, width));
}

}  // namespace

SelfAttention::SelfAttention(const Name& name, std::int64_t width, std::int64_t heads,
                             SelfAttentionOptions options)
    : Module(with_heads(name, width, heads)),
      width_(width),
      heads_(heads),
      options_(options),
      qkv_(child("qkv"), width, 3 * width, {.seed = options.seed, .dtype = options.dtype}),
      projection_(child("projection"), width, width,
                  {.seed = detail::next_seed(options.seed), .dtype = options.dtype}) {}

Value SelfAttention::operator()(Operand x) const { return (*this)(x, Value()); }

namespace {

// Places behind their own, of [T, T].
Value later_places(Operand scores) {
  const std::int64_t places = scores.shape()[-1];
  Tensor later = Tensor::zeros({places, places}, DType::boolean);
  for (std::int64_t i = 0; i < places; ++i) {
    for (std::int64_t j = i + 1; j < places; ++j) later.set(i * places + j, 1);
  }
  return scores.graph().constant(std::move(later), scores.where);
}

// softmax of the scores of what is seen, 0 elsewhere. A row whose places are all hidden would be
// NaN, as would its gradient: there the softmax is that of the scores as they are, and its result
// is replaced by 0, which stops the gradient.
Value attention_weights(Operand scores, const Value& mask, bool causal) {
  const RecordScope scope(scores);
  constexpr double kUnseen = -std::numeric_limits<double>::infinity();
  const Value later = causal ? later_places(scores) : Value();
  if (!mask) {  // a place sees itself at least
    return softmax(causal ? masked_fill(scores, later, kUnseen) : scores, -1);
  }
  Value hidden = mask;
  if (hidden.dtype() != DType::boolean) hidden = ne(hidden, 0);
  if (causal) hidden = maximum(hidden, later);  // of bool: or
  if (hidden.shape().numel() == 0) return softmax(scores, -1);
  const Value nothing = amin(hidden, {-1}, /*keepdim=*/true);  // of bool: and
  hidden = masked_fill(hidden, nothing, 0);
  const Value weights = softmax(masked_fill(scores, hidden, kUnseen), -1);
  return masked_fill(weights, nothing, 0);
}

}  // namespace

Value SelfAttention::operator()(Operand x, const Value& mask) const {
  const RecordScope scope(x);
  if (x.shape().rank() != 3 || x.shape()[2] != width_) {
    throw ShapeError(
        fmt::format("`{}` attends over [N, T, {}], got {}", path(), width_, x.shape()));
  }
  const std::int64_t batch = x.shape()[0], places = x.shape()[1], size = width_ / heads_;
  // [3, N, heads, T, size]
  const Value parts = permute(reshape(qkv_(x), {batch, places, 3, heads_, size}), {2, 0, 3, 1, 4});
  const auto part = [&](std::int64_t i) {
    return reshape(slice(parts, 0, i, i + 1), {batch, heads_, places, size});
  };
  const Value query = part(0), key = part(1), value = part(2);
  const Value scores =
      mul(matmul(query, transpose(key, -1, -2)), 1 / std::sqrt(static_cast<double>(size)));
  const Value weights =
      attention_weights(scores, mask, options_.causal).named(path() + ".attention");
  const Value mixed = matmul(weights, value);
  const Value joined = reshape(permute(mixed, {0, 2, 1, 3}), {batch, places, width_});
  return projection_(joined);
}

namespace {
constexpr double kEps = 1e-5;  // of the layer norms
}  // namespace

TransformerBlock::TransformerBlock(const Name& name, std::int64_t width, std::int64_t heads,
                                   std::int64_t hidden, SelfAttentionOptions options)
    : Module(name),
      norm1_(child("norm1"), width, kEps, options.dtype),
      attention_(child("attention"), width, heads, options),
      norm2_(child("norm2"), width, kEps, options.dtype),
      feed_forward_(child("feed_forward"), width, hidden, width, detail::next_seed(options.seed),
                    Geglu{}, options.dtype) {}

Value TransformerBlock::operator()(Operand x) const {
  const RecordScope scope(x);
  const Value attended = add(x, attention_(norm1_(x)));
  return add(attended, feed_forward_(norm2_(attended)));
}

namespace {

Module::Name with_units(const Module::Name& name, std::int64_t in, std::int64_t hidden) {
  detail::require_size("GruCell", "in", in);
  detail::require_size("GruCell", "hidden", hidden);
  return name;
}

auto recurrent_weight(std::int64_t in, std::int64_t hidden, DType dtype) {
  return [=](std::uint64_t seed) {
    const double limit = 1 / std::sqrt(static_cast<double>(hidden));
    return init::uniform({in, 3 * hidden}, seed, -limit, limit, dtype);
  };
}

}  // namespace

GruCell::GruCell(const Name& name, std::int64_t in, std::int64_t hidden,
                 std::optional<std::uint64_t> seed, DType dtype)
    : Module(with_units(name, in, hidden), fmt::format("GruCell {} to {}", in, hidden)),
      hidden_(hidden),
      weight_ih_(parameter("weight_ih", recurrent_weight(in, hidden, dtype), seed)),
      weight_hh_(parameter("weight_hh", recurrent_weight(hidden, hidden, dtype), seed)),
      bias_ih_(parameter("bias_ih", Tensor::zeros({3 * hidden}, dtype))),
      bias_hh_(parameter("bias_hh", Tensor::zeros({3 * hidden}, dtype))) {
  mark_transposed_in_pytorch(weight_ih_);
  mark_transposed_in_pytorch(weight_hh_);
}

Value GruCell::project(Operand x) const {
  return linear(x, detail::value_for(x, weight_ih_), detail::value_for(x, bias_ih_));
}

Value GruCell::step(Operand projected, const Value& h) const {
  const RecordScope scope(projected);
  const Value recurrent =
      linear(h, detail::value_for(h, weight_hh_), detail::value_for(h, bias_hh_));
  const auto part = [&](const Value& all, std::int64_t first, std::int64_t last) {
    return slice(all, 1, first * hidden_, last * hidden_);
  };
  const Value gates = sigmoid(add(part(projected, 0, 2), part(recurrent, 0, 2)));
  const Value reset = part(gates, 0, 1), update = part(gates, 1, 2);
  const Value fresh = tanh(add(part(projected, 2, 3), mul(reset, part(recurrent, 2, 3))));
  // (1 - z) n + z h = n + z (h - n)
  return add(fresh, mul(update, sub(h, fresh)));
}

Value GruCell::operator()(Operand x, const Value& h) const {
  const RecordScope scope(x);
  return step(project(x), h).named(path());
}

Gru::Gru(const Name& name, std::int64_t in, std::int64_t hidden, std::optional<std::uint64_t> seed,
         DType dtype)
    : Module(name), cell_(child("cell"), in, hidden, seed, dtype) {}

Value Gru::operator()(Operand x) const {
  const RecordScope scope(x);
  if (x.shape().rank() != 3) {
    throw ShapeError(fmt::format("`{}` runs over [N, T, in], got {}", path(), x.shape()));
  }
  if (x.shape()[1] == 0) {
    throw ShapeError(
        fmt::format("`{}` runs over at least one step, got none: {}", path(), x.shape()));
  }
  const std::int64_t batch = x.shape()[0], steps = x.shape()[1], width = 3 * cell_.hidden();
  // [T, N, 3 hidden]: the part of a step lies dense
  const Value projected = cell_.project(permute(x, {1, 0, 2}));
  Graph graph = x.graph();
  Value h = graph.constant(Tensor::zeros({batch, cell_.hidden()}, x.dtype()), x.where);
  std::vector<Value> all;
  for (std::int64_t t = 0; t < steps; ++t) {
    const Value part = reshape(slice(projected, 0, t, t + 1), {batch, width});
    h = cell_.step(part, h);
    all.push_back(h);
  }
  return stack(all, 1).named(path());
}

}  // namespace aclgrad
