// SPDX-License-Identifier: Apache-2.0
// Exact results that are weighted sums axis by axis, for the contracts of resampling and pooling.
#pragma once

#include <functional>

#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {

struct Tap {
  int64_t place;
  Number weight;
};
// What each element of an axis of the result is made of, in an axis of `in` elements.
struct Axis {
  int64_t in;
  std::vector<std::vector<Tap>> taps = {};
};
using Axes = std::vector<Axis>;

// Calls visit(place in the result, place in the tensor, weight) for the last axes of a tensor.
using VisitTap = std::function<void(size_t to, size_t from, Number weight)>;
void for_each_tap(const Shape& tensor, const Axes& axes, const VisitTap& visit);

// The shape with these last sizes of the result.
Shape resized(Shape tensor, const Axes& axes);

// The sums of a tensor's elements, and the adjoint for a tensor of this shape.
Array sums_of(const Axes& axes, const Array& tensor, bool magnitudes);
Array adjoint_of(const Axes& axes, const Array& gradient, const Shape& tensor, bool magnitudes);

// The results of a contract whose first input is made into its result like that.
using AxesOf = std::function<Axes(const Arguments&)>;
Results axes_results(AxesOf axes);
// Of the gradient with respect to the tensor called `name`.
Results adjoint_results(AxesOf axes, std::string name);

// The sizes of the last `axes` dimensions; throws where the tensor has neither one nor two more.
Shape last_sizes(const Shape& tensor, size_t axes);

// "[1, 2, 4]" in another layout, and without channels.
std::vector<ErrorInput> wrong_spatial(const std::string& tensor, Shape shape);

inline constexpr Bound kSumOfAxes{.of_float = 0.51, .of_16_bits = 0.5001, .of_double = 8};

void add_upsampling(std::vector<Operator>& all);
void add_im2col(std::vector<Operator>& all);
void add_grid_samplers(std::vector<Operator>& all);
void add_affine_grid(std::vector<Operator>& all);

}  // namespace aclgrad::contract
