// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/resampling.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_im2col.h"
#include "aclnnop/aclnn_im2col_backward.h"
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
#include "aclnnop/aclnn_upsample_bicubic_2d.h"
#include "aclnnop/aclnn_upsample_bicubic_2d_backward.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_linear_1d.h"
#include "aclnnop/aclnn_upsample_linear_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_1d.h"
#include "aclnnop/aclnn_upsample_nearest_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact_1d.h"
#include "aclnnop/aclnn_upsample_nearest_exact_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact_2d.h"
#include "aclnnop/aclnn_upsample_nearest_exact_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact_3d.h"
#include "aclnnop/aclnn_upsample_nearest_exact_3d_backward.h"
#include "aclnnop/aclnn_upsample_trilinear_3d.h"
#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

constexpr std::size_t kMostAxes = 3;
using detail::kMostSize;

// ---- The C functions ----------------------------------------------------------------------------

// Sizes, then alignCorners and the scales where the function takes them.
template <auto kPhaseOne, bool kIsBackward, bool kCorners, std::size_t kScales>
aclnnStatus call_resize(const InterpolateAttributes& values, AclnnCall& call, std::uint64_t* size,
                        aclOpExecutor** executor) {
  const auto with_scales = [&](auto... front) {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return kPhaseOne(front..., values.scales[k]..., call.output(0), size, executor);
    }
    (std::make_index_sequence<kScales>());
  };
  const auto with_corners = [&](auto... front) {
    if constexpr (kCorners)
      return with_scales(front..., values.align_corners);
    else
      return with_scales(front...);
  };
  const aclIntArray* const out = call.int_array(values.sizes);
  if constexpr (kIsBackward) {
    return with_corners(call.input(0), out, call.int_array(call.output_spec(0).shape.dims()));
  } else {
    return with_corners(call.input(0), out);
  }
}

// By mode, then by the number of axes; cubic has no other than two. The scales are those that the
// function takes, and that of the gradient.
#define ACLGRAD_RESIZES(RESIZE)                                                     \
  RESIZE("upsample_nearest1d", aclnnUpsampleNearest1d, false, 0, 1),                \
      RESIZE("upsample_nearest2d", aclnnUpsampleNearest2d, false, 0, 2),            \
      RESIZE("upsample_nearest3d", aclnnUpsampleNearest3d, false, 3, 3),            \
      RESIZE("upsample_nearest_exact1d", aclnnUpsampleNearestExact1d, false, 1, 1), \
      RESIZE("upsample_nearest_exact2d", aclnnUpsampleNearestExact2d, false, 2, 2), \
      RESIZE("upsample_nearest_exact3d", aclnnUpsampleNearestExact3d, false, 3, 3), \
      RESIZE("upsample_linear1d", aclnnUpsampleLinear1d, true, 1, 1),               \
      RESIZE("upsample_bilinear2d", aclnnUpsampleBilinear2d, true, 2, 2),           \
      RESIZE("upsample_trilinear3d", aclnnUpsampleTrilinear3d, true, 3, 3),         \
      RESIZE("upsample_bicubic2d", aclnnUpsampleBicubic2d, true, 2, 2),             \
      RESIZE("upsample_bicubic2d", aclnnUpsampleBicubic2d, true, 2, 2),             \
      RESIZE("upsample_bicubic2d", aclnnUpsampleBicubic2d, true, 2, 2)
#define ACLGRAD_RESIZE(name, function, corners, scales, backward_scales) \
  {                                                                      \
    name, ACLGRAD_C(function), separate,                                 \
        call_resize<function##GetWorkspaceSize, false, corners, scales>  \
  }
#define ACLGRAD_RESIZE_BACKWARD(name, function, corners, scales, backward_scales)       \
  {                                                                                     \
    name "_backward", ACLGRAD_C(function##Backward), separate,                          \
        call_resize<function##BackwardGetWorkspaceSize, true, corners, backward_scales> \
  }

}  // namespace

namespace calls {

const Declaration<InterpolateAttributes> interpolate[] = {ACLGRAD_RESIZES(ACLGRAD_RESIZE)};
const Declaration<InterpolateAttributes> interpolate_backward[] = {
    ACLGRAD_RESIZES(ACLGRAD_RESIZE_BACKWARD)};
const Declaration<PadModeAttributes> pad_by_mode[] = {
    {"reflection_pad1d", ACLGRAD_C(aclnnReflectionPad1d), separate},
    {"reflection_pad2d", ACLGRAD_C(aclnnReflectionPad2d), separate},
    {"reflection_pad3d", ACLGRAD_C(aclnnReflectionPad3d), separate},
    {"replication_pad1d", ACLGRAD_C(aclnnReplicationPad1d), separate},
    {"replication_pad2d", ACLGRAD_C(aclnnReplicationPad2d), separate},
    {"replication_pad3d", ACLGRAD_C(aclnnReplicationPad3d), separate}};
const Declaration<PadModeAttributes> pad_backward[] = {
    {"reflection_pad1d_backward", ACLGRAD_C(aclnnReflectionPad1dBackward), separate},
    {"reflection_pad2d_backward", ACLGRAD_C(aclnnReflectionPad2dBackward), separate},
    {"reflection_pad3d_backward", ACLGRAD_C(aclnnReflectionPad3dBackward), separate},
    {"replication_pad1d_backward", ACLGRAD_C(aclnnReplicationPad1dBackward), separate},
    {"replication_pad2d_backward", ACLGRAD_C(aclnnReplicationPad2dBackward), separate},
    {"replication_pad3d_backward", ACLGRAD_C(aclnnReplicationPad3dBackward), separate}};
const Declaration<UnfoldAttributes> unfold = {"unfold", ACLGRAD_C(aclnnIm2col), separate};
const Declaration<FoldAttributes> fold = {"fold", ACLGRAD_C(aclnnIm2colBackward), separate};

}  // namespace calls

std::size_t PadModeAttributes::which() const {
  return static_cast<std::size_t>(mode) * kMostAxes + pads.size() / 2 - 1;
}
std::size_t InterpolateAttributes::which() const {
  return static_cast<std::size_t>(mode) * kMostAxes + sizes.size() - 1;
}

namespace {

// ---- Paddings -----------------------------------------------------------------------------------

// The extents with pads for the last dimensions.
Shape padded(const Recorder& record, const std::vector<std::int64_t>& pads, PadMode mode) {
  Dims dims = record.input(0).shape().dims();
  const std::size_t axes = pads.size() / 2;
  bool fits = pads.size() % 2 == 0 && axes <= dims.size();
  if (mode != PadMode::circular) fits = fits && axes >= 1 && axes <= kMostAxes;
  for (std::size_t k = 0; fits && k < axes; ++k) {
    std::int64_t& extent = dims[dims.size() - 1 - k];
    const std::int64_t begin = pads[2 * k], end = pads[2 * k + 1], before = extent;
    fits = extent > 0 && !__builtin_add_overflow(extent, begin, &extent) &&
           !__builtin_add_overflow(extent, end, &extent) && extent >= 1;
    if (mode == PadMode::reflect) fits = fits && std::max(begin, end) < before;
    if (mode == PadMode::circular) {
      const std::int64_t left =
          before + std::min<std::int64_t>(begin, 0) + std::min<std::int64_t>(end, 0);
      fits = fits && std::max(begin, end) <= left;
    }
  }
  if (!fits) {
    constexpr const char* kNames[] = {"reflected", "replicated", "circular"};
    record.shape_error(fmt::format("{} cannot have {} pads {}", record.input(0).shape(),
                                   kNames[static_cast<std::size_t>(mode)], detail::text(pads)));
  }
  return Shape(std::move(dims));
}

Value pad_round(Value x, const std::vector<std::int64_t>& pads) {
  for (std::size_t k = 0; k < pads.size() / 2; ++k) {
    const auto dim = static_cast<std::int64_t>(x.shape().rank() - 1 - k);
    const std::int64_t begin = pads[2 * k], end = pads[2 * k + 1];
    x = slice(x, dim, std::max<std::int64_t>(-begin, 0),
              x.shape()[dim] - std::max<std::int64_t>(-end, 0));
    const std::int64_t size = x.shape()[dim];
    std::vector<Value> parts;
    if (begin > 0) parts.push_back(slice(x, dim, size - begin, size));
    parts.push_back(x);
    if (end > 0) parts.push_back(slice(x, dim, 0, end));
    if (parts.size() > 1) x = cat(parts, dim);
  }
  return x;
}

// ---- Resizing -----------------------------------------------------------------------------------

void check_resized(const Recorder& record, Interpolation mode) {
  record.require_floating(0);
  const Shape& shape = record.input(0).shape();
  const bool fits = shape.rank() >= 3 && shape.rank() <= kMostAxes + 2 &&
                    std::all_of(shape.dims().begin() + 1, shape.dims().end(),
                                [](std::int64_t extent) { return extent > 0; });
  record.require_shape(fits,
                       "{} must be [N, C, ...] with one to three spatial axes and elements, got {}",
                       record.input(0), shape);
  record.require_shape(mode != Interpolation::cubic || shape.rank() == 4,
                       "cubic takes [N, C, H, W], got {}; linear takes others", shape);
}

// What the options say of x.
InterpolateAttributes attributes_of(const Recorder& record, const InterpolateOptions& options) {
  const std::size_t axes = record.input(0).shape().rank() - 2;
  InterpolateAttributes all{options.mode, options.align_corners, options.size.over(axes),
                            options.scale_factor};
  record.require_value(all.sizes.empty() != all.scales.empty(),
                       "one of size and scale_factor must be given, and not both");
  if (all.scales.size() == 1) all.scales.assign(axes, all.scales.front());
  record.require_value(std::max(all.sizes.size(), all.scales.size()) == axes,
                       "expected one number for all axes or {}, got {}", axes,
                       std::max(all.sizes.size(), all.scales.size()));
  for (std::size_t k = 0; k < all.scales.size(); ++k) {
    const auto extent = static_cast<double>(record.input(0).shape().dims()[k + 2]);
    const double size = std::floor(extent * all.scales[k]);
    record.require_value(size >= 1 && size <= static_cast<double>(kMostSize),
                         "scale_factor must make at least 1 and below 2^31 of {}, got {}", extent,
                         all.scales[k]);
    all.sizes.push_back(static_cast<std::int64_t>(size));
  }
  for (const std::int64_t size : all.sizes) {
    record.require_value(size >= 1 && size <= kMostSize,
                         "sizes must be at least 1 and below 2^31, got {}", size);
  }
  const bool takes_corners =
      options.mode == Interpolation::linear || options.mode == Interpolation::cubic;
  record.require_value(!options.align_corners || takes_corners,
                       "align_corners is of linear and cubic; leave it false");
  all.scales.resize(axes, 0.0);
  return all;
}

// ---- Columns ------------------------------------------------------------------------------------

constexpr std::size_t kPatchAxes = 2;

UnfoldAttributes windows_of(const PerAxis& kernel, const UnfoldOptions& options) {
  return {kernel.over(kPatchAxes), options.dilation.over(kPatchAxes),
          options.padding.over(kPatchAxes), options.stride.over(kPatchAxes)};
}

// The shape of the columns of images [.., C, H, W].
Shape columns_of(const Recorder& record, const Dims& image, const UnfoldAttributes& windows) {
  detail::require_per_axis(record, "kernel", windows.kernel, 1, kPatchAxes);
  detail::require_per_axis(record, "dilation", windows.dilation, 1, kPatchAxes);
  detail::require_per_axis(record, "padding", windows.padding, 0, kPatchAxes);
  detail::require_per_axis(record, "stride", windows.stride, 1, kPatchAxes);
  std::int64_t counts[kPatchAxes];
  for (std::size_t k = 0; k < kPatchAxes; ++k) {
    const std::int64_t room = image[image.size() - kPatchAxes + k] + 2 * windows.padding[k] - 1;
    const std::int64_t reach = windows.dilation[k] * (windows.kernel[k] - 1);
    if (reach > room || image[image.size() - 3] == 0) {
      record.shape_error(fmt::format("no window of {} has room in {}",
                                     detail::text(windows.arguments()), Shape(image)));
    }
    counts[k] = (room - reach) / windows.stride[k] + 1;
  }
  Dims dims(image.begin(), image.end() - 1);
  dims[dims.size() - 2] *= windows.kernel[0] * windows.kernel[1];
  dims.back() = counts[0] * counts[1];
  return Shape(std::move(dims));
}

}  // namespace

Value pad(Operand x, std::vector<std::int64_t> pads, PadMode mode) {
  const Shape shape = padded(Recorder("pad", {x}, x.where), pads, mode);
  const RecordScope scope(x);
  if (mode == PadMode::circular) return pad_round(x, pads);
  const std::size_t axes = pads.size() / 2;
  const Dims& dims = x.shape().dims();
  const std::size_t others = dims.size() - axes;
  const PadModeAttributes attributes{mode, std::move(pads)};
  // The operator takes channels, which are not empty, and a batch.
  if ((others == 1 || others == 2) && dims[others - 1] > 0) return pad_by_mode(x, attributes);
  Dims planes{1, 1};
  for (std::size_t i = 0; i < others; ++i) planes[0] *= dims[i];
  planes.insert(planes.end(), dims.end() - static_cast<std::ptrdiff_t>(axes), dims.end());
  return reshape(pad_by_mode({reshape(x, std::move(planes)), x.where}, attributes), shape.dims());
}

Value pad_by_mode(Operand x, const PadModeAttributes& attributes) {
  Recorder record("pad", {x}, x.where);
  return record.add<PadModeOp>(attributes,
                               {padded(record, attributes.pads, attributes.mode), x.dtype()});
}

Value pad_backward(Operand grad, const Value& x, const PadModeAttributes& attributes) {
  Recorder record("pad_backward", {grad, x}, grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  return record.add<PadModeBackwardOp>(attributes, record.like(1));
}

Value interpolate(Operand x, const InterpolateOptions& options) {
  Recorder record("interpolate", {x}, x.where);
  check_resized(record, options.mode);
  InterpolateAttributes attributes = attributes_of(record, options);
  // Along one and two axes the operator of the nearest element takes no scales.
  const std::size_t missing = kMostAxes - attributes.sizes.size();
  if (options.mode != Interpolation::nearest || options.scale_factor.empty() || missing == 0) {
    return interpolate_to(x, attributes);
  }
  Dims deep = x.shape().dims(), result = deep;
  std::copy(attributes.sizes.begin(), attributes.sizes.end(), result.begin() + 2);
  deep.insert(deep.begin() + 2, missing, 1);
  attributes.sizes.insert(attributes.sizes.begin(), missing, 1);
  attributes.scales.insert(attributes.scales.begin(), missing, 1.0);
  const RecordScope scope(x);
  return reshape(interpolate_to({reshape(x, std::move(deep)), x.where}, attributes),
                 std::move(result));
}

Value interpolate_to(Operand x, const InterpolateAttributes& attributes) {
  Recorder record("interpolate", {x}, x.where);
  check_resized(record, attributes.mode);
  Dims dims = x.shape().dims();
  std::copy(attributes.sizes.begin(), attributes.sizes.end(), dims.begin() + 2);
  return record.add<InterpolateOp>(attributes, {Shape(std::move(dims)), x.dtype()});
}

Value interpolate_backward(Operand grad, const Shape& shape,
                           const InterpolateAttributes& attributes) {
  Recorder record("interpolate_backward", {grad}, grad.where);
  check_resized(record, attributes.mode);
  return record.add<InterpolateBackwardOp>(attributes, {shape, grad.dtype()});
}

Value unfold(Operand x, const PerAxis& kernel, const UnfoldOptions& options) {
  return unfold(x, windows_of(kernel, options));
}

Value unfold(Operand x, const UnfoldAttributes& attributes) {
  Recorder record("unfold", {x}, x.where);
  const Shape& shape = x.shape();
  record.require_shape(shape.rank() == 3 || shape.rank() == 4,
                       "{} must be [C, H, W] or [N, C, H, W], got {}", x, shape);
  return record.add<UnfoldOp>(attributes,
                              {columns_of(record, shape.dims(), attributes), x.dtype()});
}

Value fold(Operand x, const PerAxis& size, const PerAxis& kernel, const UnfoldOptions& options) {
  return fold(x, {size.over(kPatchAxes), windows_of(kernel, options)});
}

Value fold(Operand x, const FoldAttributes& attributes) {
  Recorder record("fold", {x}, x.where);
  record.require_floating(0);
  const Shape& shape = x.shape();
  record.require_shape(shape.rank() == 2 || shape.rank() == 3,
                       "{} must be columns [C kH kW, L] or [N, C kH kW, L], got {}", x, shape);
  detail::require_per_axis(record, "size", attributes.sizes, 1, kPatchAxes);
  Dims image(shape.dims().begin(), shape.dims().end() - 1);
  image.insert(image.end(), attributes.sizes.begin(), attributes.sizes.end());
  std::int64_t& channels = image[image.size() - 3];
  const Dims& kernel = attributes.windows.kernel;
  const bool divides = kernel.size() == kPatchAxes && kernel[0] > 0 && kernel[1] > 0 &&
                       channels / kernel[0] / kernel[1] * kernel[0] * kernel[1] == channels;
  if (divides) channels = channels / kernel[0] / kernel[1];
  const Shape expected = columns_of(record, image, attributes.windows);
  if (!divides || expected != shape) {
    record.shape_error(
        fmt::format("{} are not the columns of {} for {}, which are [.., C kH kW, {}]", shape,
                    detail::text(attributes.sizes), detail::text(attributes.windows.arguments()),
                    expected.dims().back()));
  }
  return record.add<FoldOp>(attributes, {Shape(std::move(image)), x.dtype()});
}

std::string_view to_string(Interpolation mode) {
  constexpr std::string_view kNames[] = {"nearest", "nearest_exact", "linear", "cubic"};
  return kNames[static_cast<std::size_t>(mode)];
}

std::string InterpolateAttributes::text() const {
  std::string all = "size=" + detail::text(sizes);
  if (scales.front() != 0) all += fmt::format(", scale_factor=[{}]", fmt::join(scales, ", "));
  return align_corners ? all + ", align_corners" : all;
}

}  // namespace aclgrad
