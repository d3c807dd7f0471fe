// SPDX-License-Identifier: Apache-2.0
// Initial values of parameters. Every tensor is a function of its arguments alone: element i is
// drawn from (seed, i), the same on every machine up to the last bit of the C library's log and
// cos.
//
// For weights of shape [fan_in, fan_out] (the convention of linear()), a layer keeps the second
// moment of its activations when the weights' standard deviation is gain / sqrt(fan_in), where gain
// makes up for what the activation takes away: gain(f) = 1 / sqrt(E f(z)^2) for standard normal z.
#pragma once

#include <cstdint>

#include "aclgrad/random.h"
#include "aclgrad/tensor.h"

namespace aclgrad {

/// Activations that have a gain of their own, for initial weights.
enum class Activation : std::uint8_t {
  none,
  relu,
  selu,
  elu,
  hardswish,
  gelu,
  geglu,
  silu,
  mish,
  leaky_relu,
  tanh,
  sigmoid
};

namespace init {

/// Normal with mean 0. stddev is at least 0 and finite; ValueError otherwise. This and the
/// following throw DTypeError for a dtype that is not floating.
Tensor normal(const Shape& shape, std::uint64_t seed, double stddev = 1,
              DType dtype = DType::float32);
/// By the numbers of a sequence, as a transform of batches is given one.
Tensor normal(const Shape& shape, const Random& random, double stddev = 1,
              DType dtype = DType::float32);

/// Uniform in [low, high). Throws ValueError unless both are finite and low is at most high.
Tensor uniform(const Shape& shape, std::uint64_t seed, double low = -1, double high = 1,
               DType dtype = DType::float32);
Tensor uniform(const Shape& shape, const Random& random, double low = -1, double high = 1,
               DType dtype = DType::float32);

/// 1 / sqrt(E f(z)^2) for the activation f with its default parameters and z standard normal:
/// none 1, relu sqrt(2), selu 1 (its constants were chosen so), elu 1.245198300700750,
/// hardswish 1.736657212723726, gelu 1.533530441195571 (the erf form; the tanh form differs in the
/// fifth digit). geglu multiplies two independent halves, one of them through gelu: as gelu.
/// silu 1.676532470331091, mish 1.486847581273208, leaky_relu 1.414142856997835,
/// tanh 1.592537419722831, sigmoid 1.846228545338605.
double gain(Activation activation);

/// Normal with standard deviation 1 / sqrt(fan_in) (LeCun et al. 1998): what SELU networks want.
/// The shape of this and the following must have rank 2, [fan_in, fan_out]; they throw ShapeError
/// otherwise.
Tensor lecun_normal(const Shape& shape, std::uint64_t seed, DType dtype = DType::float32);

/// Normal with standard deviation gain / sqrt(fan_in) (He et al. 2015, there with the gain of
/// relu).
Tensor he_normal(const Shape& shape, std::uint64_t seed, Activation activation = Activation::relu,
                 DType dtype = DType::float32);

/// Normal with standard deviation gain sqrt(2 / (fan_in + fan_out)) (Glorot, Bengio 2010). Throws
/// ValueError, as the next one, unless gain is at least 0 and finite.
Tensor xavier_normal(const Shape& shape, std::uint64_t seed, double gain = 1,
                     DType dtype = DType::float32);

/// Uniform in +-gain sqrt(6 / (fan_in + fan_out)): the same standard deviation.
Tensor xavier_uniform(const Shape& shape, std::uint64_t seed, double gain = 1,
                      DType dtype = DType::float32);

}  // namespace init
}  // namespace aclgrad
