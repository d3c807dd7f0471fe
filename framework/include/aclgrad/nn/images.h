// SPDX-License-Identifier: Apache-2.0
// Layers for batches of images [N, C, H, W]. What nn.h says of layers holds for these.
#pragma once

#include <string_view>

#include "aclgrad/nn.h"
#include "aclgrad/nn/convolution.h"

namespace aclgrad {

struct BatchNorm2dOptions {
  double momentum = 0.1;         ///< in [0, 1]
  double eps = 1e-5;             ///< at least 0, finite
  DType dtype = DType::float32;  ///< The running statistics are at least float32.
};

/// batch_norm(): by the batch in training, where it updates the running statistics, and by those in
/// evaluation and when frozen. Throws ShapeError unless channels is at least 1, ValueError for
/// options out of their range. The variables are called name.weight, name.bias, its buffers
/// name.running_mean and name.running_var.
class BatchNorm2d : public Module {
 public:
  BatchNorm2d(const Name& name, std::int64_t channels, BatchNorm2dOptions options = {});

  Value operator()(Operand x) const;

 protected:
  /// For a layer that computes the statistics in another way; `layer` is what messages and
  /// summary() call it.
  BatchNorm2d(const Name& name, std::int64_t channels, BatchNorm2dOptions options,
              std::string_view layer);

  BatchNorm2dOptions options_;
  Variable weight_, bias_, running_mean_, running_var_;
};

/// Pooling as layers: max_pool2d(), avg_pool2d(), and below adaptive_avg_pool2d().
struct MaxPool2d {
  PerAxis kernel;
  MaxPoolOptions options = {};
  Value operator()(Operand x) const;
};

/// avg_pool2d() as a layer.
struct AvgPool2d {
  PerAxis kernel;
  AvgPoolOptions options = {};
  Value operator()(Operand x) const;
};

/// group_norm() with name.weight and name.bias of the channels. Throws ShapeError unless groups, at
/// least 1, divides channels, ValueError unless eps is above 0 and finite.
class GroupNorm : public Module {
 public:
  GroupNorm(const Name& name, std::int64_t groups, std::int64_t channels, double eps = 1e-5,
            DType dtype = DType::float32);
  Value operator()(Operand x) const;

 private:
  Variable weight_, bias_;
  std::int64_t groups_;
  double eps_;
};

struct InstanceNormOptions {
  bool affine = false;           ///< Whether the channels have name.weight and name.bias.
  double eps = 1e-5;             ///< above 0, finite
  DType dtype = DType::float32;  ///< of the variables
};

/// Normalizes every channel of every example of x [N, channels, places...] by its own mean and
/// variance (Ulyanov et al. 2016). Throws ShapeError unless channels is at least 1, ValueError for
/// options out of their range.
class InstanceNorm : public Module {
 public:
  InstanceNorm(const Name& name, std::int64_t channels, InstanceNormOptions options = {});
  Value operator()(Operand x) const;

 private:
  std::int64_t channels_;
  double eps_;
  std::optional<Variable> weight_, bias_;
};

/// Every element of x [N, C, ...] `factor` times along each spatial axis, of which there are one to
/// three: the nearest element's value. factor is at least 1.
struct Upsample {
  PerAxis factor = 2;
  Value operator()(Operand x) const;
};

/// adaptive_avg_pool2d() as a layer.
struct AdaptiveAvgPool2d {
  PerAxis size;  ///< of the result
  Value operator()(Operand x) const;
};

/// The average of each channel: [N, C].
struct GlobalAvgPool2d {
  Value operator()(Operand x) const;
};

/// All axes but the first as one.
struct Flatten {
  Value operator()(Operand x) const;
};

}  // namespace aclgrad
