// SPDX-License-Identifier: Apache-2.0
// Convolutions as layers, over one, two or three spatial axes. What nn.h says of layers holds for
// these.
#pragma once

#include <cstddef>

#include "aclgrad/nn.h"

namespace aclgrad {

struct ConvLayerOptions {
  PerAxis stride = 1;       ///< at least 1
  PerAxis padding = 0;      ///< at least 0
  PerAxis dilation = 1;     ///< at least 1
  std::int64_t groups = 1;  ///< divides in and out
  bool bias = true;
  /// As in LinearOptions.
  Activation init_for = Activation::none;
  std::optional<std::uint64_t> seed = std::nullopt;
  DType dtype = DType::float32;
  /// Of transposed convolutions: at least 0, less than the stride or the dilation.
  PerAxis output_padding = 0;
};
using Conv2dOptions = ConvLayerOptions;

/// What all of them are: x [N, in, ...] to [N, out, ...] by convolution.h's functions. Initial
/// weights are normal with standard deviation gain(init_for) / sqrt(in / groups kernel...), the
/// bias is 0. The variables are called name.weight and name.bias, as PyTorch's, and laid out as
/// they are. Throws ShapeError for a size below 1, and options out of their range.
class Convolution : public Module {
 public:
  Value operator()(Operand x) const;

 protected:
  enum class Direction : std::uint8_t { forward, transposed };
  Convolution(const Name& name, std::size_t axes, Direction direction, std::int64_t in,
              std::int64_t out, const PerAxis& kernel, ConvLayerOptions options);

 private:
  std::size_t axes_;
  Direction direction_;
  ConvLayerOptions options_;
  Variable weight_;
  std::optional<Variable> bias_;
};

/// The weight is [out, in / groups, kernel...].
template <std::size_t kAxes>
class ConvOver : public Convolution {
 public:
  ConvOver(const Name& name, std::int64_t in, std::int64_t out, const PerAxis& kernel,
           ConvLayerOptions options = {})
      : Convolution(name, kAxes, Direction::forward, in, out, kernel, std::move(options)) {}
};
using Conv1d = ConvOver<1>;
using Conv2d = ConvOver<2>;
using Conv3d = ConvOver<3>;

/// The weight is [in, out / groups, kernel...]; the result is stride times as large as x, but for
/// the rims.
template <std::size_t kAxes>
class ConvTransposeOver : public Convolution {
 public:
  ConvTransposeOver(const Name& name, std::int64_t in, std::int64_t out, const PerAxis& kernel,
                    ConvLayerOptions options = {})
      : Convolution(name, kAxes, Direction::transposed, in, out, kernel, std::move(options)) {}
};
using ConvTranspose1d = ConvTransposeOver<1>;
using ConvTranspose2d = ConvTransposeOver<2>;
using ConvTranspose3d = ConvTransposeOver<3>;

}  // namespace aclgrad
