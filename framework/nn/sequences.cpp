// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/nn/sequences.h"
#include "nn/support.h"
#include "tensor/option.h"

namespace aclgrad {

namespace {

Module::Name with_rows(const Module::Name& name, std::string_view layer, std::int64_t count,
                       std::int64_t width) {
  detail::require_size(layer, "count", count);
  detail::require_size(layer, "width", width);
  return name;
}

std::optional<std::int64_t> row_of(std::optional<std::int64_t> padding_idx, std::string_view layer,
                                   std::int64_t count) {
  if (!padding_idx) return padding_idx;
  if (*padding_idx < -count || *padding_idx >= count) {
    throw ValueError(fmt::format("{}: padding_idx must be in [-{}, {}), got {}", layer, count,
                                 count, *padding_idx));
  }
  return *padding_idx < 0 ? *padding_idx + count : *padding_idx;
}

// Rows of standard deviation 1 / sqrt(width), that of the padding 0.
std::function<Tensor(std::uint64_t)> rows(std::int64_t count, std::int64_t width,
                                          std::optional<std::int64_t> padding, DType dtype) {
  return [=](std::uint64_t seed) {
    Tensor drawn =
        init::normal({count, width}, seed, 1 / std::sqrt(static_cast<double>(width)), dtype);
    for (std::int64_t i = 0; padding && i < width; ++i) drawn.set(*padding * width + i, 0);
    return drawn;
  };
}

}  // namespace

Embedding::Embedding(const Name& name, std::int64_t count, std::int64_t width,
                     const EmbeddingOptions& options)
    : Module(with_rows(name, "Embedding", count, width),
             fmt::format("Embedding {} of {}", count, width)),
      padding_idx_(row_of(options.padding_idx, "Embedding", count)),
      weight_(parameter("weight", rows(count, width, padding_idx_, options.dtype), options.seed)) {}

Value Embedding::operator()(Operand indices) const {
  const RecordScope scope(indices);
  return embedding(indices.graph().parameter(weight_), indices, padding_idx_).named(path());
}

EmbeddingBag::EmbeddingBag(const Name& name, std::int64_t count, std::int64_t width,
                           const EmbeddingBagLayerOptions& options)
    : Module(with_rows(name, "EmbeddingBag", count, width),
             fmt::format("EmbeddingBag {} of {}, {}", count, width, to_string(options.mode))),
      mode_(options.mode),
      padding_idx_(row_of(options.padding_idx, "EmbeddingBag", count)),
      weight_(parameter("weight", rows(count, width, padding_idx_, options.dtype), options.seed)) {}

Value EmbeddingBag::operator()(Operand indices, const Value& offsets,
                               const Value& per_sample_weights) const {
  const RecordScope scope(indices);
  const EmbeddingBagOptions options{
      .mode = mode_, .per_sample_weights = per_sample_weights, .padding_idx = padding_idx_};
  return embedding_bag(indices.graph().parameter(weight_), indices, offsets, options).named(path());
}

Tensor sinusoidal_positions(std::int64_t places, std::int64_t width, double base, DType dtype) {
  detail::require_size("sinusoidal_positions", "width", width);
  detail::require_at_least("sinusoidal_positions", "places", places, 0);
  detail::require_option("sinusoidal_positions", "base", base, detail::kPositive);
  Tensor table = Tensor::zeros({places, width}, dtype);
  for (std::int64_t t = 0; t < places; ++t) {
    for (std::int64_t i = 0; i < width; ++i) {
      const double angle = static_cast<double>(t) * std::pow(base, -static_cast<double>(i - i % 2) /
                                                                       static_cast<double>(width));
      table.set(t * width + i, i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

Value SinusoidalPositions::operator()(Operand x) const {
  const RecordScope scope(x);
  const Shape shape = x.shape();
  if (shape.rank() < 2 || !is_floating(x.dtype())) {
    throw ShapeError(fmt::format(
        "SinusoidalPositions adds to a floating [..., T, width], got {} {}", x.dtype(), shape));
  }
  return add(x, x.graph().constant(sinusoidal_positions(shape[-2], shape[-1], base, x.dtype())));
}

}  // namespace aclgrad
