// SPDX-License-Identifier: Apache-2.0
// Rows of channels: what normalization of channels sums and maps, in double, a row at a time or all
// at once, whatever the layout and dtype of the tensors.
#pragma once

#include <optional>

#include "ops/engine/elementwise.h"
#include "ops/engine/iterate.h"

namespace aclgrad::ops {

// Elements from an offset of the tensor on.
struct View {
  const Elements& elements;
  int64_t offset;
};

// Elements [begin, begin + count * length) in rows. Short rows are joined to one: how elements are
// added follows from the shape, not from how they lie in memory.
struct Rows {
  int64_t begin, count, length;

  static constexpr int64_t kMinLength = 16;
  static Rows of(int64_t begin, int64_t count, int64_t length) {
    if (length < kMinLength) return {begin, 1, count * length};
    return {begin, count, length};
  }
};

struct Moments {
  double mean, variance;
};
Moments moments_of(const Run& run, const Rows& rows, const View& x);

// y = (x - mean) scale + shift, or, with a factor, its swish y / (1 + e^(-factor y)).
struct Line {
  double scale, shift;
  std::optional<double> swish = {};
};
void normalize_rows(const Run& run, const Rows& rows, const View& x, const View& y, double mean,
                    const Line& line);

// Sums of gradients g, and of gradients times the distance of their elements from the mean. With a
// swish g arrived there, and what counts is what goes on from it to the line.
struct GradientSums {
  double plain, along;
};
GradientSums sums_of(const Run& run, const Rows& rows, const View& g, const View& x, double mean,
                     const Line& line = {});

// dx = scale (weight g - plain - (x - mean) along), or, without means of the batch, scale weight g.
struct GradientMap {
  double weight;
  bool depends_on_means;
  double plain, along;
  double scale;
  Line line = {};  // g as for sums_of()
};
void map_gradients(const Run& run, const Rows& rows, const View& g, const View& x, const View& dx,
                   double mean, const GradientMap& map);

}  // namespace aclgrad::ops
