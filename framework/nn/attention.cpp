// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "nn/support.h"
#include "tensor/at_least_float.h"

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
  record.require_shape(shape.rank() >= 2 && shape[-1] % 2 == 0,
                       "turns pairs of [..., T, size] with an even size, got {}", shape);
  record.require_value(options.base > 0 && std::isfinite(options.base),
                       "base must be above 0 and finite, got {}", options.base);
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

// ---- Masks of layers ----------------------------------------------------------------------------

constexpr double kUnseen = -std::numeric_limits<double>::infinity();

// A mask of scores [N, heads, T, S]: bool, true where a place is hidden, or floating, to be added.
void check_mask(const std::string& path, const Value& mask, const Shape& scores) {
  if (mask.dtype() != DType::boolean && !is_floating(mask.dtype())) {
    throw DTypeError(
        fmt::format("`{}` takes a mask of bool, true where a place is hidden, or a floating one, "
                    "which is added to the scores, got {}: ne(mask, 0) or cast() make it one of "
                    "these",
                    path, mask.dtype()));
  }
  if (!expands_to(mask.shape(), scores)) {
    throw ShapeError(fmt::format("`{}` takes a mask that broadcasts to the scores {}, got {}", path,
                                 scores, mask.shape()));
  }
}

Value hidden_by(const Value& mask) {
  return mask.dtype() == DType::boolean ? mask : eq(mask, kUnseen);
}

// Of [N, S, ...], which places no head hides from no query: bool [N or 1, S or 1, 1].
Value hidden_from_all(const Value& mask) {
  Value hidden = hidden_by(mask);
  std::vector<std::int64_t> dims = hidden.shape().dims();
  dims.insert(dims.begin(), 4 - dims.size(), 1);
  hidden = reshape(hidden, Shape(dims));
  if (dims[1] != 1 || dims[2] != 1) hidden = amin(hidden, {1, 2}, /*keepdim=*/true);  // and
  return reshape(hidden, {dims[0], dims[3], 1});
}

// Without places, or queries of them, there is nothing to hide.
bool hides_any(const Value& x, const Value& mask) {
  return x.shape().numel() > 0 && mask.shape().numel() > 0;
}

// Keys or values [N, S, width], which are of no use where nothing sees them: what stands there
// must not reach the gradients of the layers that they go through either, and 0 NaN is NaN.
Value where_seen(const Value& x, const Value& mask) {
  return mask && hides_any(x, mask) ? masked_fill(x, hidden_from_all(mask), 0) : x;
}

// x [N, T, width] of a layer that attends to itself: a place that is hidden is still a query, and
// has a result, so only what is not finite is taken for 0.
Value finite_where_hidden(const Value& x, const Value& mask) {
  if (!hides_any(x, mask)) return x;
  const Value lost = ne(mul(x, 0), 0);
  return masked_fill(x, minimum(lost, hidden_from_all(mask)), 0);  // of bool: and
}

// ---- Scores and weights -------------------------------------------------------------------------

// Places behind their own, of [T, S], made in the run of memory that grows with T + S.
Value later_places(Operand scores) {
  const std::int64_t rows = scores.shape()[-2], places = scores.shape()[-1];
  const Graph graph = scores.graph();
  const auto numbers = [&](std::int64_t count) {
    return graph.constant(Tensor::arange(count, 0, 1, DType::int64), scores.where);
  };
  return gt(numbers(places), reshape(numbers(rows), {rows, 1}));
}

// softmax of the scores of what is seen, 0 elsewhere. A row whose places are all hidden would be
// NaN: there the softmax is that of zeros, and its result is replaced by 0.
Value attention_weights(Operand scores, const Value& mask, const Value& later) {
  const RecordScope scope(scores);
  if (!mask) {  // a place sees itself at least
    return softmax(later ? masked_fill(scores, later, kUnseen) : scores, -1);
  }
  Value hidden = hidden_by(mask);
  if (later) hidden = maximum(hidden, later);  // of bool: or
  if (hidden.shape().numel() == 0) return softmax(scores, -1);
  const Value added = is_floating(mask.dtype()) ? add(scores, cast(mask, scores.dtype())) : scores;
  const Value nothing = amin(hidden, {-1}, /*keepdim=*/true);  // and
  const Value seen = masked_fill(masked_fill(added, hidden, kUnseen), nothing, 0);
  return masked_fill(softmax(seen, -1), nothing, 0);
}

// Whether attention is one operator. It knows what is hidden, which products of weights and values
// do not (0 NaN is NaN), and rounds no scores to 16 bits. Of long rows it is also the faster one
// (bench_attention); of others the parts are there to look at.
bool is_one_operator(const Value& query, std::int64_t places, bool can_hide) {
  return can_hide || query.dtype() != detail::at_least_float(query.dtype()) ||
         std::min(query.shape()[2], places) >= 256;
}

// What heads [N, heads, T, size] of queries see in those of keys and values, side by side:
// [N, T, width]. The weights are called by `name`; where attention is one operator they are
// recorded for those who fetch them, and not computed otherwise.
Value attend(const Value& query, const Value& key, const Value& value, const Value& mask,
             bool causal, const std::string& path) {
  const Shape& shape = query.shape();
  const std::int64_t places = key.shape()[2];
  const bool is_wide = mask && mask.dtype() == DType::float64;
  const DType dtype = is_wide ? DType::float64 : detail::at_least_float(query.dtype());
  const double scale = 1 / std::sqrt(static_cast<double>(shape[3]));
  const Value scores = matmul(mul(cast(query, dtype), scale), transpose(cast(key, dtype), -1, -2));
  const Value later = causal ? later_places(scores) : Value();
  const Value weights =
      cast(attention_weights(scores, mask, later), query.dtype()).named(path + ".attention");
  Value mixed;
  if (is_one_operator(query, places, mask || causal)) {
    const bool hides = mask && !is_floating(mask.dtype());
    mixed = scaled_dot_product_attention(query, key, value, hides ? eq(mask, 0) : mask,
                                         {.is_causal = causal});
  } else {
    mixed = matmul(weights, value);
  }
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

void SelfAttention::check(const Value& x) const {
  if (x.shape().rank() == 3 && x.shape()[2] == width_) return;
  throw ShapeError(fmt::format("`{}` attends over [N, T, {}], got {}", path(), width_, x.shape()));
}

// Queries, keys and values [N, heads, T, size].
std::array<Value, 3> SelfAttention::parts_of(Operand x) const {
  check(x);
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
  return of_finite(finite(x, mask), mask);
}

Value SelfAttention::finite(const Value& x, const Value& mask) const {
  if (!mask) return x;
  check(x);
  const std::int64_t places = x.shape()[1];
  check_mask(path(), mask, {x.shape()[0], heads_, places, places});
  return finite_where_hidden(x, mask);
}

Value SelfAttention::of_finite(const Value& x, const Value& mask) const {
  auto [query, key, value] = parts_of(x);
  if (options_.rotary) {
    query = rotary(query);
    key = rotary(key);
  }
  return projection_(attend(query, key, value, mask, options_.causal, path()));
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
  return projection_(attend(query, key, value, cache.later(), /*causal=*/false, path()));
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
  const auto check = [&](const char* what, const Value& given, std::int64_t width) {
    if (given.shape().rank() == 3 && given.shape() == Shape{batch, places, width}) return;
    throw ShapeError(fmt::format("`{}` takes {} [N, S, {}], got {} beside queries {} and keys {}",
                                 path(), what, width, given.shape(), query.shape(), key.shape()));
  };
  check("keys", key, options_.key_width.value_or(width_));
  check("values", value, options_.value_width.value_or(width_));
  const auto in_heads = [&](const Value& x) {
    const Shape& shape = x.shape();
    return permute(reshape(x, {shape[0], shape[1], heads_, width_ / heads_}), {0, 2, 1, 3});
  };
  if (mask) check_mask(path(), mask, {batch, heads_, query.shape()[1], places});
  const Value q = in_heads(query_(query)), k = in_heads(key_(where_seen(key, mask))),
              v = in_heads(value_(where_seen(value, mask)));
  return projection_(attend(q, k, v, mask, options_.causal, path()));
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
  const Value finite = attention_.finite(x, mask);
  const Value attended = add(finite, attention_.of_finite(norm1_(finite), mask));
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
