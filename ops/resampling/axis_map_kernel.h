// SPDX-License-Identifier: Apache-2.0
// Tensors made of others axis by axis: each element of an axis is a weighted sum of some elements
// of the same axis before. Resizing, averages of windows, the gradients of paddings and the
// gradients of all of these are such sums, so that each is only what its axes say. The same bits
// for every layout and number of threads.
#pragma once

#include <vector>

#include "ops/engine/iterate.h"

namespace aclgrad::ops {

// Of an axis of `in` elements. Element i of the result has taps [begins[i], begins[i + 1]); one
// without any is 0.
struct AxisMap {
  explicit AxisMap(int64_t size) : in(size) {}

  int64_t out() const { return static_cast<int64_t>(begins.size()) - 1; }
  // A tap of the element that is next.
  void add(int64_t place, double weight = 1) {
    places.push_back(place);
    weights.push_back(weight);
  }
  void end_element() { begins.push_back(static_cast<int64_t>(places.size())); }

  // From the result's elements back to these; taps in the result's order.
  AxisMap transposed() const;

  int64_t in;
  std::vector<int64_t> begins = {0};
  std::vector<int64_t> places = {};
  std::vector<double> weights = {};
};

// The last dimensions of `to`, as many as there are maps, from those of `from`. Sums are taken in
// double in the order of the taps, axis after axis, and rounded once.
Plan plan_axis_maps(const Arguments& arguments, size_t from, size_t to, std::vector<AxisMap> maps);

// The same with maps that lead from `to` to `from`: the adjoint.
Plan plan_axis_maps_backward(const Arguments& arguments, size_t from, size_t to,
                             const std::vector<AxisMap>& maps);

}  // namespace aclgrad::ops
