// SPDX-License-Identifier: Apache-2.0
// Paddings by elements, and the list of the family's contracts.
#include <algorithm>
#include <stdexcept>

#include "aclnnop/aclnn_reflection_pad1d.h"
#include "aclnnop/aclnn_reflection_pad1d_backward.h"
#include "aclnnop/aclnn_reflection_pad2d.h"
#include "aclnnop/aclnn_reflection_pad2d_backward.h"
#include "aclnnop/aclnn_reflection_pad3d.h"
#include "aclnnop/aclnn_reflection_pad3d_backward.h"
#include "aclnnop/aclnn_replication_pad1d.h"
#include "aclnnop/aclnn_replication_pad1d_backward.h"
#include "aclnnop/aclnn_replication_pad2d.h"
#include "aclnnop/aclnn_replication_pad2d_backward.h"
#include "aclnnop/aclnn_replication_pad3d.h"
#include "aclnnop/aclnn_replication_pad3d_backward.h"
#include "ops/resampling/axes_contract.h"

namespace aclgrad::contract {
namespace {

// Files are compiled together.
namespace paddings {

// ---- Paddings -----------------------------------------------------------------------------------

// Walks out of the tensor step by step: back at its ends, or staying there.
int64_t padded_place(int64_t at, int64_t size, bool reflects) {
  while (at < 0 || at >= size) {
    const int64_t end = at < 0 ? 0 : size - 1;
    at = reflects ? 2 * end - at : end;
  }
  return at;
}

Axes padding_axes(const Arguments& a, size_t axes, bool reflects) {
  const Shape sizes = last_sizes(a.shape("self"), axes);
  const Shape& padding = a.array("padding");
  if (padding.size() != 2 * axes) throw std::invalid_argument("there are not two for each axis");
  Axes all;
  for (size_t i = 0; i < axes; ++i) {
    const int64_t begin = padding[2 * (axes - 1 - i)], end = padding[2 * (axes - 1 - i) + 1];
    Axis& axis = all.emplace_back(Axis{sizes[i]});
    if (reflects && std::max(begin, end) >= sizes[i]) throw std::invalid_argument("too far");
    for (int64_t at = -begin; at < sizes[i] + end; ++at) {
      axis.taps.push_back({{padded_place(at, sizes[i], reflects), 1}});
    }
    if (axis.taps.empty()) throw std::invalid_argument("nothing is left");
  }
  return all;
}

struct Padding {
  const char* name;
  size_t axes;
  bool reflects;
};

void add_padding(std::vector<Operator>& all, Signature forward, Signature backward,
                 const Padding& p) {
  const std::vector<Shape> shapes = {{2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 3, 4}};
  const std::vector<Shape> bases = {{kN, 3, 4}, {kN, 2, 3, 4}, {kN, 1, 3, 3, 4}};
  const std::vector<Shape> large = {{2, 3, 300}, {2, 3, 20, 70}, {1, 2, 5, 6, 70}};
  const Shape& shape = shapes[p.axes - 1];
  const Shape whole = {2, 1, 0, 2, 1, 1}, cutting = {-1, 2, 1, -2, 0, 1};
  const auto of_axes = [&](const Shape& numbers) {
    return Shape(numbers.begin(), numbers.begin() + 2 * static_cast<std::ptrdiff_t>(p.axes));
  };
  const AxesOf axes = [p](const Arguments& a) { return padding_axes(a, p.axes, p.reflects); };
  const auto arrange = [axes](Arguments& a) {
    const Shape self = a.shape("self");
    a.reshape({"out", "gradOutput"}, resized(self, axes(a)));
    a.reshape({"gradInput"}, self);
  };
  Shape padded = shape;
  for (size_t i = 0; i < p.axes; ++i)
    padded[padded.size() - 1 - i] += whole[2 * i] + whole[2 * i + 1];

  Operator op{.call = std::move(forward)};
  op.call.parameters = {shaped(in("self"), shape), values("padding", of_axes(whole)),
                        shaped(out("out"), padded)};
  op.domain = {.everywhere = kNumbers,
               .max_rank = p.axes + 2,
               .grows = false,
               .base = "self",
               .base_shape = bases[p.axes - 1],
               .arrange = arrange,
               .samples = {{{{"padding", of_axes(whole)}}}, {{{"padding", of_axes(cutting)}}}},
               .value_samples = {{{{"self", large[p.axes - 1]}, {"padding", of_axes(whole)}}}}};
  op.results = axes_results(axes);
  op.results.complex = Complex::kParts;
  op.results.bound = {.of_float = 0.5001};
  op.results.magnitude = nullptr;
  op.error_inputs = wrong_spatial("self", shape);
  op.error_inputs.push_back(wrong_values("padding", "of one number", {1}, "is [1]"));
  Shape none = of_axes(whole);
  none[0] = -5;
  op.error_inputs.push_back(wrong_values("padding", "that leaves nothing", none, "[-5"));
  if (p.reflects) {
    none[0] = 4;
    op.error_inputs.push_back(wrong_values("padding", "as large as the tensor", none, "[4"));
  }
  const std::string mode = p.reflects ? "PadMode::reflect" : "PadMode::replicate";
  op.words = {p.reflects ? "extended by elements reflected at the ends"
                         : "extended by the first and the last elements",
              p.reflects ? "镜像填充" : "边缘复制填充", "pad(x, pads, " + mode + ")"};
  all.push_back(op);

  op.call = std::move(backward);
  op.call.parameters = {shaped(in("gradOutput"), padded), shaped(in("self"), shape),
                        values("padding", of_axes(whole)), shaped(out("gradInput"), shape)};
  op.domain.everywhere = kFloatsAndDouble;
  op.results = adjoint_results(axes, "self");
  op.gradient = from_input(all.back().name());
  op.words = {p.reflects ? "the gradient of a padding by reflection"
                         : "the gradient of a padding by "
                           "replication",
              p.reflects ? "镜像填充的梯度" : "边缘复制填充的梯度",
              "pad_backward(g, x, pads, " + mode + ")", p.name};
  all.push_back(std::move(op));
}

#define ACLGRAD_PADDING(function, ...) \
  add_padding(all, ACLGRAD_CALL(function), ACLGRAD_CALL(function##Backward), {__VA_ARGS__})

void add_paddings(std::vector<Operator>& all) {
  ACLGRAD_PADDING(aclnnReflectionPad1d, "reflection_pad1d", 1, true);
  ACLGRAD_PADDING(aclnnReflectionPad2d, "reflection_pad2d", 2, true);
  ACLGRAD_PADDING(aclnnReflectionPad3d, "reflection_pad3d", 3, true);
  ACLGRAD_PADDING(aclnnReplicationPad1d, "replication_pad1d", 1, false);
  ACLGRAD_PADDING(aclnnReplicationPad2d, "replication_pad2d", 2, false);
  ACLGRAD_PADDING(aclnnReplicationPad3d, "replication_pad3d", 3, false);
}

}  // namespace paddings
}  // namespace

FamilyContracts resampling_contracts() {
  std::vector<Operator> all;
  paddings::add_paddings(all);
  add_upsampling(all);
  add_im2col(all);
  add_grid_samplers(all);
  add_affine_grid(all);
  return {{"Resampling", "重采样"}, std::move(all)};
}

}  // namespace aclgrad::contract
