// SPDX-License-Identifier: Apache-2.0
#include "ops/resampling/axes_contract.h"

#include <stdexcept>

namespace aclgrad::contract {
namespace {

// Axes [axis, ...) of one plane.
void visit_plane(const Axes& axes, size_t axis, size_t to, size_t from, Number weight,
                 const VisitTap& visit) {
  if (axis == axes.size()) return visit(to, from, weight);
  const Axis& along = axes[axis];
  for (size_t i = 0; i < along.taps.size(); ++i) {
    for (const Tap& tap : along.taps[i]) {
      visit_plane(axes, axis + 1, to * along.taps.size() + i,
                  from * static_cast<size_t>(along.in) + static_cast<size_t>(tap.place),
                  weight * tap.weight, visit);
    }
  }
}

}  // namespace

void for_each_tap(const Shape& tensor, const Axes& axes, const VisitTap& visit) {
  int64_t elements = 1;
  for (const Axis& axis : axes) elements *= axis.in;
  for (int64_t plane = 0; plane < count_of(tensor) / elements; ++plane) {
    visit_plane(axes, 0, static_cast<size_t>(plane), static_cast<size_t>(plane), 1, visit);
  }
}

Shape resized(Shape tensor, const Axes& axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    tensor[tensor.size() - axes.size() + i] = static_cast<int64_t>(axes[i].taps.size());
  }
  return tensor;
}

Array sums_of(const Axes& axes, const Array& tensor, bool magnitudes) {
  Array out = dense::full(resized(tensor.shape, axes));
  for_each_tap(tensor.shape, axes, [&](size_t to, size_t from, Number weight) {
    const Number term = weight * tensor.values[from];
    out.values[to] += magnitudes ? std::abs(term) : term;
  });
  return out;
}

Array adjoint_of(const Axes& axes, const Array& gradient, const Shape& tensor, bool magnitudes) {
  Array out = dense::full(tensor);
  for_each_tap(tensor, axes, [&](size_t to, size_t from, Number weight) {
    const Number term = weight * gradient.values[to];
    out.values[from] += magnitudes ? std::abs(term) : term;
  });
  return out;
}

Results axes_results(AxesOf axes) {
  const auto reference = [axes](bool magnitudes) {
    return [=](const Arguments& a, const Arrays& in) {
      return Arrays{sums_of(axes(a), in[0], magnitudes)};
    };
  };
  return {.reference = reference(false), .bound = kSumOfAxes, .magnitude = reference(true)};
}

Results adjoint_results(AxesOf axes, std::string name) {
  const auto reference = [=](bool magnitudes) {
    return [=](const Arguments& a, const Arrays& in) {
      return Arrays{adjoint_of(axes(a), in[0], a.shape(name), magnitudes)};
    };
  };
  return {.reference = reference(false),
          .bound = kSumOfAxes,
          .magnitude = reference(true),
          .nan_goes_through = false};
}

Shape last_sizes(const Shape& tensor, size_t axes) {
  if (tensor.size() != axes + 1 && tensor.size() != axes + 2) {
    throw std::invalid_argument("the tensor has not the rank that the operator takes");
  }
  return {tensor.end() - static_cast<std::ptrdiff_t>(axes), tensor.end()};
}

std::vector<ErrorInput> wrong_spatial(const std::string& tensor, Shape shape) {
  std::vector<ErrorInput> wrong = {
      refused(tensor, "in NHWC", TensorSpec{.shape = shape, .format = ACL_FORMAT_NHWC}, "NCDHW")};
  shape[1] = 0;
  wrong.push_back(refused(tensor, "without channels", of_shape(shape), "above 0"));
  return wrong;
}

}  // namespace aclgrad::contract
