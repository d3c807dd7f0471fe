// SPDX-License-Identifier: Apache-2.0
// aclnnAffineGrid.
#include "aclnnop/aclnn_affine_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/iterate.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::affine_grid {
namespace {

enum : size_t { kTheta, kSize, kAlignCorners, kOut };

constexpr size_t kMostAxes = 3;

size_t axes(const Arguments& arguments) { return arguments.int_array(kSize).size() - 2; }

Rule is_size_of_images() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& size = arguments.int_array(kSize);
    if (size.size() == 4 || size.size() == 5) return std::nullopt;
    return fmt::format("{} must have 4 or 5 numbers, but is {}.", arguments.name(kSize),
                       to_string(size));
  });
}

Dims theta_shape(const Arguments& arguments) {
  const auto n = static_cast<int64_t>(axes(arguments));
  return {arguments.int_array(kSize)[0], n, n + 1};
}

Dims out_shape(const Arguments& arguments) {
  const std::vector<int64_t>& size = arguments.int_array(kSize);
  Dims shape{size[0]};
  for (size_t k = 2; k < size.size(); ++k) shape.push_back(size[k]);
  shape.push_back(static_cast<int64_t>(axes(arguments)));
  return shape;
}

const OperatorSpec kSpec{
    "aclnnAffineGrid",
    {input("theta"), attribute("size"), attribute("alignCorners"), output("out")},
    Rules{not_null({kTheta, kSize, kOut}), dtype_in(kTheta, kRealFloats), same_dtype(kOut, kTheta),
          is_size_of_images(), has_shape_of(kTheta, theta_shape, given({kSize})),
          has_shape_of(kOut, out_shape, given({kSize}))}};

// The coordinate of an element of an axis: -1 and 1 are the ends of the axis, or with corners the
// middles of its first and last element.
double coordinate(int64_t i, int64_t size, bool corners) {
  const int64_t steps = corners ? size - 1 : size;
  if (steps == 0) return 0;
  return static_cast<double>(2 * i + (corners ? 0 : 1) - steps) / static_cast<double>(steps);
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  // Points that a thread takes at a time, and whose coordinates are written together.
  constexpr int64_t kGrain = 4096;
  constexpr auto kTogether = static_cast<int64_t>(kBlock / kMostAxes);
  const size_t n = axes(arguments);
  std::array<int64_t, kMostAxes> sizes{};  // the last axis first, as its coordinate is
  for (size_t k = 0; k < n; ++k) sizes[k] = arguments.int_array(kSize)[n + 1 - k];
  const auto points =
      static_cast<int64_t>(count_elements(arguments.shape(kOut))) / static_cast<int64_t>(n);
  return {[=, corners = arguments.flag(kAlignCorners), theta = Elements(arguments, kTheta),
           out = Elements(arguments, kOut)](const Run& run) -> aclError {
    const auto count = static_cast<int64_t>(n), numbers = count * (count + 1);
    parallel_pieces(points, kGrain, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock];
      std::array<double, kMostAxes*(kMostAxes + 1)> map{};
      int64_t image = -1;
      for (int64_t first = begin; first < end; first += kTogether) {
        const int64_t stop = std::min(end, first + kTogether);
        double* next = block;
        for (int64_t point = first; point < stop; ++point) {
          std::array<double, kMostAxes> x{};
          int64_t rest = point;
          for (size_t k = 0; k < n; rest /= sizes[k], ++k) {
            x[k] = coordinate(rest % sizes[k], sizes[k], corners);
          }
          if (rest != image) {
            image = rest;
            theta.read(run, image * numbers, (image + 1) * numbers, map.data());
          }
          for (size_t row = 0; row < n; ++row) {
            const double* const factors = map.data() + row * (n + 1);
            double sum = 0;
            for (size_t k = 0; k < n; ++k) sum += factors[k] * x[k];
            *next++ = sum + factors[n];
          }
        }
        out.write(run, block, first * count, stop * count);
      }
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace

ACLGRAD_OPERATOR(aclnnAffineGrid, kSpec, plan)

}  // namespace aclgrad::ops::affine_grid
