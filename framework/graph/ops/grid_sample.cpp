// SPDX-License-Identifier: Apache-2.0

#include "aclgrad/ops/resampling.h"
#include "aclnnop/aclnn_grid_sampler2d.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

template <auto kPhaseOne>
aclnnStatus call_gradients(const GridSampleAttributes& values, AclnnCall& call, std::uint64_t* size,
                           aclOpExecutor** executor) {
  const auto [of_x, of_grid] = detail::wanted_outputs(values.wanted, call);
  return kPhaseOne(call.input(0), call.input(1), call.input(2), values.mode, values.padding,
                   values.align_corners, call.bool_array(values.wanted), of_x, of_grid, size,
                   executor);
}

std::int64_t mode_of(const Recorder& record, Interpolation mode) {
  if (mode == Interpolation::linear) return 0;
  if (mode == Interpolation::nearest) return 1;
  if (mode == Interpolation::cubic && record.input(0).shape().rank() == 4) return 2;
  record.value_error(
      fmt::format("the mode must be linear, nearest, or cubic of [N, C, H, W], got {} of {}",
                  to_string(mode), record.input(0).shape()));
}

}  // namespace

Value grid_sample(Operand x, const Value& grid, const GridSampleOptions& options) {
  Recorder record("grid_sample", {x, grid}, x.where);
  record.require_floating(0);
  record.require_same_dtype(0, 1);
  const auto& dims = x.shape().dims();
  const auto& places = grid.shape().dims();
  const std::size_t axes = dims.size() < 2 ? 0 : dims.size() - 2;
  bool fits = (axes == 2 || axes == 3) && places.size() == dims.size() && places[0] == dims[0] &&
              places.back() == static_cast<std::int64_t>(axes);
  for (std::size_t i = 1; fits && i < dims.size(); ++i) fits = dims[i] > 0 && places[i] > 0;
  record.require_shape(fits,
                       "expected x [N, C, H, W] and a grid [N, h, w, 2], or x [N, C, D, H, W] and "
                       "[N, d, h, w, 3], got {} and {}",
                       x.shape(), grid.shape());
  std::vector<std::int64_t> result = dims;
  for (std::size_t i = 0; i < axes; ++i) result[2 + i] = places[1 + i];
  const GridSampleAttributes attributes{.mode = mode_of(record, options.mode),
                                        .padding = static_cast<std::int64_t>(options.padding),
                                        .align_corners = options.align_corners,
                                        .axes = axes};
  return record.add<GridSampleOp>(attributes, {Shape(std::move(result)), x.dtype()});
}

std::array<Value, 2> grid_sample_backward(Operand grad, const Value& x, const Value& grid,
                                          const GridSampleAttributes& attributes) {
  Recorder record("grid_sample_backward", {grad, x, grid}, grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(2, 1);
  return detail::record_wanted<GridSampleBackwardOp>(record, attributes, attributes.wanted,
                                                     {record.like(1), record.like(2)});
}

namespace calls {

const Declaration<GridSampleAttributes> grid_sample[] = {
    {"grid_sampler2d", ACLGRAD_C(aclnnGridSampler2D), separate},
    {"grid_sampler3d", ACLGRAD_C(aclnnGridSampler3D), separate}};
const Declaration<GridSampleAttributes> grid_sample_backward[] = {
    {"grid_sampler2d_backward", ACLGRAD_C(aclnnGridSampler2DBackward), separate,
     call_gradients<aclnnGridSampler2DBackwardGetWorkspaceSize>},
    {"grid_sampler3d_backward", ACLGRAD_C(aclnnGridSampler3DBackward), separate,
     call_gradients<aclnnGridSampler3DBackwardGetWorkspaceSize>}};

}  // namespace calls

std::string_view to_string(GridPadding padding) {
  constexpr std::string_view kNames[] = {"zeros", "border", "reflection"};
  return kNames[static_cast<std::size_t>(padding)];
}

}  // namespace aclgrad
