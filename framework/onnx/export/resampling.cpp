// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/resampling.h"

#include <algorithm>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

Attributes resize_attributes(const InterpolateOp& a) {
  if (a.mode == Interpolation::nearest) {
    return {{"mode", "nearest"},
            {"coordinate_transformation_mode", "asymmetric"},
            {"nearest_mode", "floor"}};
  }
  if (a.mode == Interpolation::nearest_exact) {
    return {{"mode", "nearest"},
            {"coordinate_transformation_mode", "half_pixel"},
            {"nearest_mode", "round_prefer_ceil"}};
  }
  return {{"mode", a.mode == Interpolation::cubic ? "cubic" : "linear"},
          {"coordinate_transformation_mode", a.align_corners ? "align_corners" : "half_pixel"},
          {"cubic_coeff_a", -0.75}};
}

// By sizes, or by scales where the coordinates follow from these.
Term resized(const InterpolateOp& a, const Call& call) {
  const Term x = call.wide(0);
  const bool has_scales =
      !a.align_corners && std::ranges::none_of(a.scales, [](double s) { return s == 0; });
  const Term none{x.builder, ""};
  if (!has_scales) {
    return call.narrowed(
        op("Resize", {x, none, none, call.list(call.output_extents())}, resize_attributes(a)));
  }
  std::vector<float> scales{1, 1};
  for (const double scale : a.scales) scales.push_back(static_cast<float>(scale));
  const Tensor numbers = Tensor::from({static_cast<std::int64_t>(scales.size())}, scales);
  return call.narrowed(op("Resize", {x, none, constant(x, numbers)}, resize_attributes(a)));
}

Term sampled(const GridSampleOp& a, const Call& call) {
  if (a.axes != 2) refuse("it reads volumes, which opset 17 does not");
  constexpr const char* kModes[] = {"bilinear", "nearest", "bicubic"};
  constexpr const char* kPaddings[] = {"zeros", "border", "reflection"};
  return call.narrowed(op("GridSample", {call.wide(0), call.wide(1)},
                          {{"mode", kModes[a.mode]},
                           {"padding_mode", kPaddings[a.padding]},
                           {"align_corners", std::int64_t{a.align_corners}}}));
}

}  // namespace

void add_resampling(Table& table) {
  table.add<PadModeOp>([](auto& a, Call& call) {
    const Term x = call.input(0);
    return op("Pad", {x, ints(x, onnx_pads(a.pads, call.shape(0).rank()))},
              {{"mode", a.mode == PadMode::reflect ? "reflect" : "edge"}});
  });
  table.add<InterpolateOp>([](auto& a, Call& call) { return resized(a, call); });
  table.add<GridSampleOp>([](auto& a, Call& call) { return sampled(a, call); });
}

}  // namespace aclgrad::onnx::saving
