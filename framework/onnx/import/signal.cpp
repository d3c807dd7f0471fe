// SPDX-License-Identifier: Apache-2.0
// Spectra: the discrete Fourier transform as a product with the matrices of its cosines and sines,
// which has a gradient like any other; and the weights of the mel scale.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace signal_nodes {
namespace {

// The matrices of a transform grow with the square of its length.
constexpr std::int64_t kLongest = 4096;

std::int64_t whole_of(const NodeCall& node, std::size_t input, std::string_view what,
                      std::int64_t least, std::int64_t most) {
  const Dims numbers = node.known_numbers(input, what);
  if (numbers.size() != 1 || numbers[0] < least || numbers[0] > most) {
    node.unsupported("{} must be one number from {} to {}, got {}", what, least, most,
                     fmt::join(numbers, ", "));
  }
  return numbers[0];
}

// Real and imaginary parts, of which the latter may be missing. What is transformed is the last
// axis.
struct Signal {
  Value real, imaginary;
};

// [..., 1] or [..., 2], which are parts; what has no such axis is real.
Signal parts_of(const NodeCall& node, const Value& x) {
  const std::int64_t parts = x.shape().rank() == 0 ? 0 : x.shape()[-1];
  if (parts != 1 && parts != 2) {
    node.unsupported("the last axis of {} must be one or two parts of numbers", x.shape());
  }
  Dims dims = x.shape().dims();
  dims.pop_back();
  const auto part = [&](std::int64_t k) {
    return reshape(contiguous(slice(x, -1, k, k + 1)), dims);
  };
  return {part(0), parts == 2 ? part(1) : Value{}};
}

// cos and sin of 2 pi j k / length [length, bins].
Tensor turns(std::int64_t length, std::int64_t bins, double (*function)(double), DType dtype) {
  Tensor made = Tensor::zeros({length, bins}, dtype);
  for (std::int64_t j = 0; j < length; ++j) {
    for (std::int64_t k = 0; k < bins; ++k) {
      const double turn = static_cast<double>(j * k % length) / static_cast<double>(length);
      made.set({j, k}, function(2 * std::numbers::pi * turn));
    }
  }
  return made;
}

struct Transform {
  std::int64_t length;
  bool is_inverse = false, is_onesided = false;
};

// [..., bins, 2]: x e^(-2 pi i j k / length), of the inverse with a plus and over the length.
Value transformed(const NodeCall& node, const Signal& x, const Transform& t) {
  const std::int64_t bins = t.is_onesided ? t.length / 2 + 1 : t.length;
  const DType dtype = x.real.dtype();
  const Value cosine = node.constant(turns(t.length, bins, std::cos, dtype));
  const Value sine = node.constant(turns(t.length, bins, std::sin, dtype));
  const double sign = t.is_inverse ? 1 : -1;
  Value real = matmul(x.real, cosine), imaginary = matmul(x.real, sine) * sign;
  if (x.imaginary) {
    real = real - matmul(x.imaginary, sine) * sign;
    imaginary = imaginary + matmul(x.imaginary, cosine);
  }
  const Value both = stack({real, imaginary}, static_cast<std::int64_t>(real.shape().rank()));
  return t.is_inverse ? both / static_cast<double>(t.length) : both;
}

// So many elements of the last axis: with zeros behind it, or without its end.
Value of_length(const Value& x, std::int64_t length) {
  const std::int64_t given = x.shape()[-1];
  if (given > length) return contiguous(slice(x, -1, 0, length));
  return given < length ? pad(x, {0, length - given}) : x;
}

// The axis is an attribute, from opset 20 on an input.
std::int64_t dft_axis(const NodeCall& node, const Shape& shape) {
  std::int64_t axis = node.opset() < 20 ? node.integer("axis", 1) : -2;
  if (node.has(2)) axis = static_cast<std::int64_t>(node.known_number(2, "the axis"));
  axis = axis_of(axis, shape);
  if (axis + 1 == static_cast<std::int64_t>(shape.rank())) {
    node.unsupported("axis {} of {} is that of the parts", axis, shape);
  }
  return axis;
}

Items dft(const NodeCall& node) {
  const Value x = node.value(0);
  const std::int64_t axis = dft_axis(node, x.shape());
  Transform t{.length = x.shape()[axis],
              .is_inverse = node.integer("inverse", 0) != 0,
              .is_onesided = node.integer("onesided", 0) != 0};
  if (node.has(1)) t.length = whole_of(node, 1, "dft_length", 1, kLongest);
  if (t.length < 1 || t.length > kLongest) {
    node.unsupported("the length of a transform must be from 1 to {}, got {}", kLongest, t.length);
  }
  node.require(!t.is_inverse || !t.is_onesided, "there is no inverse of one side here");
  Signal signal = parts_of(node, x);
  const auto last = static_cast<std::int64_t>(x.shape().rank()) - 2;
  for (Value* part : {&signal.real, &signal.imaginary}) {
    if (*part) *part = of_length(contiguous(transpose(*part, axis, last)), t.length);
  }
  return {contiguous(transpose(transformed(node, signal, t), axis, last))};
}

// Of pieces that begin `frame_step` apart, each times the window: [N, pieces, bins, 2].
Items stft(const NodeCall& node) {
  const Value x = node.value(0);
  Signal signal = x.shape().rank() == 2 ? Signal{x, {}} : parts_of(node, x);
  node.require(signal.real.shape().rank() == 2, "the signal must be [N, length, parts]");
  const std::int64_t size = signal.real.shape()[1];
  const std::int64_t step = whole_of(node, 1, "frame_step", 1, std::max<std::int64_t>(size, 1));
  std::int64_t length = node.has(2) ? node.shape(2).numel() : size;
  if (node.has(3)) length = whole_of(node, 3, "frame_length", 1, kLongest);
  if (length < 1 || length > std::min(size, kLongest)) {
    node.unsupported("a frame must be from 1 to {} long, got {}", std::min(size, kLongest), length);
  }
  node.require(!node.has(2) || node.shape(2) == Shape{length}, "a window is as long as a frame");
  const std::int64_t frames = (size - length) / step + 1;
  Tensor places = Tensor::zeros({frames * length}, DType::int64);
  for (std::int64_t k = 0; k < places.numel(); ++k) {
    places.set(k, static_cast<double>(k / length * step + k % length));
  }
  const Value index = node.constant(places);
  for (Value* part : {&signal.real, &signal.imaginary}) {
    if (!*part) continue;
    *part = reshape(index_select(*part, 1, index), Dims{part->shape()[0], frames, length});
    if (node.has(2)) *part = *part * node.value(2);
  }
  return {transformed(node, signal,
                      {.length = length, .is_onesided = node.integer("onesided", 1) != 0})};
}

// Triangles over the bins of a spectrum, [bins, mels], at equal distances of the mel scale.
Items mel_weights(const NodeCall& node) {
  constexpr std::int64_t kMost = 1 << 16;
  const std::int64_t mels = whole_of(node, 0, "num_mel_bins", 1, kLongest);
  const std::int64_t length = whole_of(node, 1, "dft_length", 1, 2 * kLongest);
  const auto rate = static_cast<double>(whole_of(node, 2, "sample_rate", 1, kMost * kMost));
  const auto mel_of = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = mel_of(node.known_number(3, "lower_edge_hertz"));
  const double high = mel_of(node.known_number(4, "upper_edge_hertz"));
  const std::int64_t bins = length / 2 + 1;
  Dims ends;
  for (std::int64_t k = 0; k < mels + 2; ++k) {
    const double mel = low + static_cast<double>(k) * (high - low) / static_cast<double>(mels + 2);
    const double hertz = 700 * (std::pow(10, mel / 2595) - 1);
    const double bin = std::floor(static_cast<double>(length + 1) * hertz / rate);
    if (!(bin >= 0 && bin < static_cast<double>(bins))) {
      node.unsupported("{} Hz is beyond what a rate of {} has", hertz, rate);
    }
    ends.push_back(static_cast<std::int64_t>(bin));
  }
  Tensor weights = Tensor::zeros({bins, mels}, DType::float64);
  for (std::int64_t k = 0; k < mels; ++k) {
    const auto at = ends.begin() + static_cast<std::ptrdiff_t>(k);
    const std::int64_t lower = at[0], center = at[1], higher = at[2];
    const auto share = [](std::int64_t part, std::int64_t all) {
      return static_cast<double>(part) / static_cast<double>(all);
    };
    if (lower == center) weights.set({center, k}, 1);
    for (std::int64_t j = lower; j <= center && lower < center; ++j) {
      weights.set({j, k}, share(j - lower, center - lower));
    }
    for (std::int64_t j = center; j < higher; ++j) {
      weights.set({j, k}, share(higher - j, higher - center));
    }
  }
  const auto type = static_cast<std::int32_t>(node.integer("output_datatype", 1));
  const std::optional<DType> dtype = dtype_of(type);
  if (!dtype) node.unsupported("there is no tensor of {} here", type_name(type));
  return {weights.to(*dtype)};
}

constexpr Operator kOperators[] = {
    {"DFT", dft, 0b110},
    {"MelWeightMatrix", mel_weights, 0b11111},
    {"STFT", stft, 0b1010},
};

}  // namespace
}  // namespace signal_nodes

std::span<const Operator> signal_operators() { return signal_nodes::kOperators; }

}  // namespace aclgrad::onnx
