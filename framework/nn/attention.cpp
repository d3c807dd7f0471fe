// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "nn/support.h"

namespace aclgrad {

namespace {

// Of the angles of `half` pairs at each of the places: [places, half].
struct RotaryTable {
  Tensor cosines, sines;
};
RotaryTable rotary_table(const RotaryOptions& options, std::int64_t places, std::int64_t half,
                         DType dtype) {
  RotaryTable table{Tensor::zeros({places, half}, dtype), Tensor::zeros({places, half}, dtype)};
  for (std::int64_t t = 0; t < places; ++t) {
    for (std::int64_t i = 0; i < half; ++i) {
      const double step =
          std::pow(options.base, -static_cast<double>(i) / static_cast<double>(half));
      const double angle = static_cast<double>(options.first + t) * step;
      table.cosines.set(t * half + i, std::cos(angle));
      table.sines.set(t * half + i, std::sin(angle));
    }
  }
  return table;
}

Value turned(const Value& x, const Value& cosines, const Value& sines) {
  const std::int64_t half = x.shape()[-1] / 2;
  const Value a = slice(x, -1, 0, half), b = slice(x, -1, half);
  return cat({a * cosines - b * sines, b * cosines + a * sines}, -1);
}

}  // namespace

Value rotary(Operand x, const RotaryOptions& options) {
  const RecordScope scope(x);
  const Recorder record("rotary", {x}, x.where);
  record.require_floating(0);
  const Shape shape = x.shape();
  if (shape.rank() < 2 || shape[-1] % 2 != 0) {
    record.shape_error(
        fmt::format("turns pairs of [..., T, size] with an even size, got {}", shape));
  }
  if (!(options.base > 0 && std::isfinite(options.base))) {
    record.value_error(fmt::format("base must be above 0 and finite, got {}", options.base));
  }
  const std::int64_t places = shape[-2];
  const RotaryTable table = rotary_table(options, places, shape[-1] / 2, x.dtype());
  const Graph graph = x.graph();
  return turned(x, graph.constant(table.cosines), graph.constant(table.sines));
}

namespace {

Module::Name with_heads(const Module::Name& name, std::string_view layer, std::int64_t width,
                        std::int64_t heads, bool rotary = false) {
  if (width < 1 || heads < 1 || width % heads != 0) {
    throw ShapeError(fmt::format("{} `{}`: {} heads do not divide a width of {}", layer,
                                 name.path(), heads, width));
  }
  if (rotary && width / heads % 2 != 0) {
    throw ShapeError(fmt::format("{} `{}`: rotary() turns pairs, {} heads of a width of {} have {}",
                                 layer, name.path(), heads, width, width / heads));
  }
  return name;
}

// Seeds of further parts.
std::optional<std::uint64_t> shifted(std::optional<std::uint64_t> seed, std::uint64_t part) {
  if (seed) *seed += part * 0xD1B54A32D192ED03;
  return seed;
}

// Whether tiles are faster than products and softmax apart (bench_attention), for which rows must
// be long; with blocks that none of their queries sees, less long ones do.
bool is_faster_in_tiles(std::int64_t queries, std::int64_t places, bool causal) {
  return std::min(queries, places) >= (causal ? 128 : 256);
}

// Places behind their own, of [T, S]: a constant, which costs nothing in a run, or made in the run
// of memory that grows with T + S.
Value later_places(Operand scores, bool in_run) {
  const std::int64_t rows = scores.shape()[-2], places = scores.shape()[-1];
  const Graph graph = scores.graph();
  if (in_run) {
    const auto numbers = [&](std::int64_t count) {
      return graph.constant(Tensor::arange(count, 0, 1, DType::int64), scores.where);
    };
    return gt(numbers(places), reshape(numbers(rows), {rows, 1}));
  }
  Tensor later = Tensor::zeros({rows, places}, DType::boolean);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = i + 1; j < places; ++j) later.set(i * places + j, 1);
  }
  return graph.constant(std::move(later), scores.where);
}

// softmax of the scores of what is seen, 0 elsewhere. A row whose places are all hidden would be
// NaN, as would its gradient: there the softmax is that of the scores as they are, and its result
// is replaced by 0, which stops the gradient.
Value attention_weights(Operand scores, const Value& mask, const Value& later) {
  const RecordScope scope(scores);
  constexpr double kUnseen = -std::numeric_limits<double>::infinity();
  if (!mask) {  // a place sees itself at least
    return softmax(later ? masked_fill(scores, later, kUnseen) : scores, -1);
  }
  Value hidden = mask;
  if (hidden.dtype() != DType::boolean) hidden = ne(hidden, 0);
  if (later) hidden = maximum(hidden, later);  // of bool: or
  if (hidden.shape().numel() == 0) return softmax(scores, -1);
  const Value nothing = amin(hidden, {-1}, /*keepdim=*/true);  // of bool: and
  hidden = masked_fill(hidden, nothing, 0);
  const Value weights = softmax(masked_fill(scores, hidden, kUnseen), -1);
  return masked_fill(weights, nothing, 0);
}

// What heads [N, heads, T, size] of queries see in those of keys and values, side by side:
// [N, T, width]. The weights are called by `name`; where the result is made in tiles they are
// recorded for those who fetch them, and not computed otherwise.
Value attend(const Value& query, const Value& key, const Value& value, const Value& mask,
             bool causal, std::string name) {
  const Shape& shape = query.shape();
  const Value scores =
      mul(matmul(query, transpose(key, -1, -2)), 1 / std::sqrt(static_cast<double>(shape[3])));
  const bool in_tiles = is_faster_in_tiles(shape[2], key.shape()[2], causal);
  const Value later = causal ? later_places(scores, in_tiles) : Value();
  const Value weights = attention_weights(scores, mask, later).named(std::move(name));
  const Value mixed =
      in_tiles ? scaled_dot_product_attention(query, key, value, mask ? eq(mask, 0) : Value(),
                                              {.is_causal = causal})
               : matmul(weights, value);
  return reshape(permute(mixed, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

}  // namespace

SelfAttention::SelfAttention(const Name& name, std::int64_t width, std::int64_t heads,
                             SelfAttentionOptions options)
    : Module(with_heads(name, "SelfAttention", width, heads, options.rotary)),
      width_(width),
      heads_(heads),
      options_(options),
      qkv_(child("qkv"), width, 3 * width, {.seed = options.seed, .dtype = options.dtype}),
      projection_(child("projection"), width, width,
                  {.seed = detail::next_seed(options.seed), .dtype = options.dtype}) {}

Value SelfAttention::operator()(Operand x) const { return (*this)(x, Value()); }

// Queries, keys and values [N, heads, T, size].
std::array<Value, 3> SelfAttention::parts_of(Operand x) const {
  if (x.shape().rank() != 3 || x.shape()[2] != width_) {
    throw ShapeError(
        fmt::format("`{}` attends over [N, T, {}], got {}", path(), width_, x.shape()));
  }
  const std::int64_t batch = x.shape()[0], places = x.shape()[1], size = width_ / heads_;
  const Value parts = reshape(qkv_(x), {batch, places, 3, heads_, size});
  const auto part = [&](std::int64_t i) {  // [N, heads, T, size]
    return permute(reshape(slice(parts, 2, i, i + 1), {batch, places, heads_, size}), {0, 2, 1, 3});
  };
  const Value query = part(0), key = part(1), value = part(2);
  return {query, key, value};
}

Value SelfAttention::operator()(Operand x, const Value& mask) const {
  const RecordScope scope(x);
  auto [query, key, value] = parts_of(x);
  if (options_.rotary) {
    query = rotary(query);
    key = rotary(key);
  }
  return projection_(attend(query, key, value, mask, options_.causal, path() + ".attention"));
}

Value SelfAttention::operator()(Operand x, AttentionCache& cache) const {
  const RecordScope scope(x);
  if (!options_.causal) {
    throw ValueError(
        fmt::format("`{}` is not causal: earlier places would see the token, so what "
                    "they were cannot be kept",
                    path()));
  }
  auto [query, key, value] = parts_of(x);
  if (options_.rotary) {
    const RotaryTable table = rotary_table({}, cache.places(), width_ / heads_ / 2, x.dtype());
    const Graph graph = x.graph();
    const Value cosines = embedding(graph.constant(table.cosines), cache.place());
    const Value sines = embedding(graph.constant(table.sines), cache.place());
    query = turned(query, cosines, sines);
    key = turned(key, cosines, sines);
  }
  key = cache.extended(path() + ".key", key);
  value = cache.extended(path() + ".value", value);
  return projection_(
      attend(query, key, value, cache.later(), /*causal=*/false, path() + ".attention"));
}

AttentionCache::AttentionCache(const Value& place, std::int64_t places)
    : place_(place), places_(places) {
  if (places < 1) throw ValueError(fmt::format("a cache has at least one place, not {}", places));
  if (!place || place.shape() != Shape{1} || place.dtype() != DType::int64) {
    throw ShapeError("the place of a token in a cache is an int64 [1]");
  }
  const Value all = place.graph().constant(Tensor::arange(places, 0, 1, DType::int64));
  later_ = gt(all, place);
  here_ = reshape(eq(all, place), {places, 1});
}

Value AttentionCache::extended(const std::string& name, const Value& rows) {
  std::vector<std::int64_t> dims = rows.shape().dims();
  if (dims.size() < 2 || dims[dims.size() - 2] != 1) {
    throw ShapeError(fmt::format("a cache takes rows [..., 1, size] of one token as `{}`, got {}",
                                 name, rows.shape()));
  }
  dims[dims.size() - 2] = places_;
  const Value before = rows.graph().input(fmt::format("{} {}", name, entries_.size()),
                                          Shape(std::move(dims)), rows.dtype());
  const Value earlier = masked_fill(before, reshape(later_, {places_, 1}), 0);
  const Value after = where(here_, rows, earlier);
  entries_.push_back({before, after});
  return after;
}

MultiheadAttention::MultiheadAttention(const Name& name, std::int64_t width, std::int64_t heads,
                                       MultiheadAttentionOptions options)
    : Module(with_heads(name, "MultiheadAttention", width, heads)),
      width_(width),
      heads_(heads),
      options_(options),
      query_(child("query"), width, width,
             {.seed = options.seed, .bias = options.bias, .dtype = options.dtype}),
      key_(child("key"), options.key_width.value_or(width), width,
           {.seed = detail::next_seed(options.seed), .bias = options.bias, .dtype = options.dtype}),
      value_(child("value"), options.value_width.value_or(width), width,
             {.seed = shifted(options.seed, 2), .bias = options.bias, .dtype = options.dtype}),
      projection_(
          child("projection"), width, width,
          {.seed = shifted(options.seed, 3), .bias = options.bias, .dtype = options.dtype}) {}

Value MultiheadAttention::operator()(Operand query, const Value& key, const Value& value,
                                     const Value& mask) const {
  const RecordScope scope(query);
  if (query.shape().rank() != 3 || query.shape()[2] != width_) {
    throw ShapeError(
        fmt::format("`{}` takes queries [N, T, {}], got {}", path(), width_, query.shape()));
  }
  const std::int64_t batch = query.shape()[0];
  const std::int64_t places = key.shape().rank() == 3 ? key.shape()[1] : -1;
  const auto check = [&](const char* what, const Value& of, std::int64_t width) {
    if (of.shape().rank() == 3 && of.shape() == Shape{batch, places, width}) return;
    throw ShapeError(fmt::format("`{}` takes {} [N, S, {}], got {} beside queries {} and keys {}",
                                 path(), what, width, of.shape(), query.shape(), key.shape()));
  };
  check("keys", key, options_.key_width.value_or(width_));
  check("values", value, options_.value_width.value_or(width_));
  const auto heads_of = [&](const Value& of) {
    const Shape& shape = of.shape();
    return permute(reshape(of, {shape[0], shape[1], heads_, width_ / heads_}), {0, 2, 1, 3});
  };
  const Value q = heads_of(query_(query)), k = heads_of(key_(key)), v = heads_of(value_(value));
  return projection_(attend(q, k, v, mask, options_.causal, path() + ".attention"));
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

Value TransformerBlock::operator()(Operand x) const { return (*this)(x, Value()); }

Value TransformerBlock::operator()(Operand x, const Value& mask) const {
  const RecordScope scope(x);
  const Value attended = add(x, attention_(norm1_(x), mask));
  return add(attended, feed_forward_(norm2_(attended)));
}

Value TransformerBlock::operator()(Operand x, AttentionCache& cache) const {
  const RecordScope scope(x);
  const Value attended = add(x, attention_(norm1_(x), cache));
  return add(attended, feed_forward_(norm2_(attended)));
}

TransformerDecoderBlock::TransformerDecoderBlock(const Name& name, std::int64_t width,
                                                 std::int64_t heads, std::int64_t hidden,
                                                 SelfAttentionOptions options)
    : Module(name),
      norm1_(child("norm1"), width, kEps, options.dtype),
      attention_(child("attention"), width, heads, options),
      norm2_(child("norm2"), width, kEps, options.dtype),
      cross_attention_(child("cross_attention"), width, heads,
                       {.seed = shifted(options.seed, 4), .dtype = options.dtype}),
      norm3_(child("norm3"), width, kEps, options.dtype),
      feed_forward_(child("feed_forward"), width, hidden, width, detail::next_seed(options.seed),
                    Geglu{}, options.dtype) {}

Value TransformerDecoderBlock::operator()(Operand x, const Value& memory, const Value& mask) const {
  const RecordScope scope(x);
  const Value seen = add(x, attention_(norm1_(x)));
  const Value read = add(seen, cross_attention_(norm2_(seen), memory, memory, mask));
  return add(read, feed_forward_(norm3_(read)));
}

}  // namespace aclgrad
