// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn/init.h"

#include <fmt/format.h>

#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/random.h"
#include "tensor/nearest_rounding.h"
#include "tensor/option.h"

namespace aclgrad::init {
namespace {

template <class Draw>
Tensor filled(const Shape& shape, DType dtype, const Draw& draw) {
  const detail::NearestRounding rounding;
  Tensor result = Tensor::zeros(shape, dtype);
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    result.set(i, draw(static_cast<std::uint64_t>(i)));
  }
  return result;
}

struct Fans {
  double in;
  double out;
};

void require_floating(const char* what, DType dtype) {
  if (is_floating(dtype)) return;
  throw DTypeError(fmt::format("init::{} draws floating numbers, not {}", what, dtype));
}

Fans fans(const Shape& shape) {
  if (shape.rank() != 2 || shape[0] == 0) {
    throw ShapeError(fmt::format("weights must have shape [fan_in, fan_out], got {}", shape));
  }
  return {static_cast<double>(shape[0]), static_cast<double>(shape[1])};
}

}  // namespace

Tensor normal(const Shape& shape, std::uint64_t seed, double stddev, DType dtype) {
  return normal(shape, Random(seed), stddev, dtype);
}

Tensor normal(const Shape& shape, const Random& random, double stddev, DType dtype) {
  require_floating("normal", dtype);
  detail::require_option("normal", "stddev", stddev, detail::kNotNegative);
  return filled(shape, dtype, [&](std::uint64_t i) { return stddev * random.normal(i); });
}

Tensor uniform(const Shape& shape, std::uint64_t seed, double low, double high, DType dtype) {
  return uniform(shape, Random(seed), low, high, dtype);
}

Tensor uniform(const Shape& shape, const Random& random, double low, double high, DType dtype) {
  require_floating("uniform", dtype);
  detail::require_option("uniform", "low", low, detail::kFinite);
  detail::require_option("uniform", "high", high, {low, detail::kLargestOption});
  return filled(shape, dtype,
                [&](std::uint64_t i) { return low + (high - low) * random.uniform(i); });
}

Tensor lecun_normal(const Shape& shape, std::uint64_t seed, DType dtype) {
  return normal(shape, seed, 1 / std::sqrt(fans(shape).in), dtype);
}

Tensor he_normal(const Shape& shape, std::uint64_t seed, Activation activation, DType dtype) {
  return normal(shape, seed, gain(activation) / std::sqrt(fans(shape).in), dtype);
}

Tensor xavier_normal(const Shape& shape, std::uint64_t seed, double gain, DType dtype) {
  const Fans fan = fans(shape);
  detail::require_option("xavier_normal", "gain", gain, detail::kNotNegative);
  return normal(shape, seed, gain * std::sqrt(2 / (fan.in + fan.out)), dtype);
}

Tensor xavier_uniform(const Shape& shape, std::uint64_t seed, double gain, DType dtype) {
  const Fans fan = fans(shape);
  detail::require_option("xavier_uniform", "gain", gain, detail::kNotNegative);
  const double bound = gain * std::sqrt(6 / (fan.in + fan.out));
  return uniform(shape, seed, -bound, bound, dtype);
}

}  // namespace aclgrad::init
