// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/nn_sequences.h"
#include "nn/support.h"
#include "tensor/option.h"

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
