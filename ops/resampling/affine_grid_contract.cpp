// SPDX-License-Identifier: Apache-2.0
// The grid of an affine map.
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_affine_grid.h"
#include "ops/resampling/axes_contract.h"

namespace aclgrad::contract {
namespace {

template <bool kMagnitude>
Arrays affine_grid(const Arguments& a, const Arrays& in) {
  const bool corners = a.number("alignCorners") != 0;
  return {dense::generate(a.shape("out"), [&](const Shape& at) {
    const size_t axes = at.size() - 2;
    Number sum = dense::at(in[0], {at[0], at.back(), static_cast<int64_t>(axes)});
    if (kMagnitude) sum = std::abs(sum);
    for (size_t k = 0; k < axes; ++k) {
      // The first of the coordinates is that of the last dimension.
      const auto size = static_cast<Number>(a.shape("out")[axes - k]);
      const auto i = static_cast<Number>(at[axes - k]);
      Number x = (2 * i + 1) / size - 1;
      if (corners) x = size == 1 ? 0 : 2 * i / (size - 1) - 1;
      sum += dense::term<kMagnitude>(x *
                                     dense::at(in[0], {at[0], at.back(), static_cast<int64_t>(k)}));
    }
    return sum;
  })};
}

}  // namespace

void add_affine_grid(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape& size = a.array("size");
    if (size.size() != 4 && size.size() != 5) throw std::invalid_argument("size is no image's");
    const auto axes = static_cast<int64_t>(size.size() - 2);
    a.shape("theta") = {size[0], axes, axes + 1};
    Shape out(size.begin() + 2, size.end());
    out.insert(out.begin(), size[0]);
    out.push_back(axes);
    a.shape("out") = out;
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAffineGrid, shaped(in("theta"), {2, 2, 3}),
                           option({"size", SizesSpec{{2, 1, 2, 4}}}, "size", Sets::kList),
                           flag("alignCorners"), shaped(out("out"), {2, 2, 4, 2})),
      .domain = {.everywhere = kFloatsAndDouble,
                 .max_rank = 3,
                 .grows = false,
                 .base_shape = {kN, 2, 3},
                 .arrange = arrange,
                 .samples = {{{{"size", Shape{2, 3, 5, 7}}}},
                             {{{"size", Shape{1, 3, 4, 1}}, {"alignCorners", 1.0}}},
                             {{{"size", Shape{1, 1, 3, 2, 4}}}},
                             {{{"size", Shape{1, 1, 3, 2, 4}}, {"alignCorners", 1.0}}}},
                 .value_samples = {{{{"size", Shape{3, 1, 90, 70}}, {"alignCorners", 1.0}}},
                                   {{{"size", Shape{1, 1, 20, 21, 22}}}}}},
      .results = {.reference = affine_grid<false>,
                  .bound = {.of_float = 0.501, .of_double = 4},
                  .magnitude = affine_grid<true>,
                  .nan_goes_through = false},
      .error_inputs = {refused("size", "of three numbers", SizesSpec{{2, 1, 2}}, "[2, 1, 2]"),
                       refused("theta", "of another size", of_shape({2, 3, 4}), "[2, 2, 3]"),
                       refused("out", "of another size", of_shape({2, 4, 2, 2}), "[2, 2, 4, 2]")},
      .words = {"the places of an affine map, for grid samplers", "仿射变换的采样网格", "",
                "affine_grid"},
  });
}

}  // namespace aclgrad::contract
