// SPDX-License-Identifier: Apache-2.0
// aclnnMaxPool3dWithArgmax, aclnnMaxPool2dWithMask, their gradients, and aclnnMaxPool.
#include <fmt/format.h>

#include "aclnnop/aclnn_max_pool.h"
#include "aclnnop/aclnn_max_pool2d_with_mask.h"
#include "aclnnop/aclnn_max_pool2d_with_mask_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "ops/pooling/pooling_rules.h"
#include "ops/resampling/resampling_rules.h"

namespace aclgrad::ops::max_pool {
namespace {

// ---- Indices and masks, which both have the same parameters -------------------------------------

namespace forward {
enum : size_t { kSelf, kKernelSize, kStride, kPadding, kDilation, kCeilMode, kOut, kPlaces };
}
namespace backward {
enum : size_t {
  kGradOutput,
  kSelf,
  kPlaces,
  kKernelSize,
  kStride,
  kPadding,
  kDilation,
  kCeilMode,
  kGradInput
};
}

constexpr PoolParameters forward_windows(size_t axes) {
  return {forward::kSelf,
          forward::kKernelSize,
          forward::kStride,
          forward::kPadding,
          forward::kDilation,
          forward::kCeilMode,
          axes,
          true};
}
constexpr PoolParameters backward_windows(size_t axes) {
  return {backward::kSelf,
          backward::kKernelSize,
          backward::kStride,
          backward::kPadding,
          backward::kDilation,
          backward::kCeilMode,
          axes,
          true};
}

// Where the maxima stood, and how it is checked.
struct Places {
  const char* name;
  DtypeSet dtypes;
  size_t axes;
  bool is_mask;
};
const Places kArgmax{"indices", kPlaceDtypes, 3, false};
const Places kMask{"mask", {ACL_INT8}, 2, true};

// A row of bits, in blocks of 32 bytes, for each element of a window.
Rule has_mask_shape(size_t mask, size_t result, const PoolParameters& p) {
  return has_shape_of(mask, [=](const Arguments& arguments) {
    __extension__ using Int128 = __int128;
    const auto clamped = [](Int128 size) {
      return static_cast<int64_t>(std::min<Int128>(size, INT64_MAX));
    };
    Dims shape = arguments.shape(result);
    const std::vector<int64_t>& kernel = arguments.int_array(p.kernel);
    const size_t last = shape.size() - 1;
    const Int128 windows = Int128{shape[last - 1]} * shape[last];
    shape[last - 1] = clamped(Int128{kernel.front()} * kernel.back());
    shape[last] = clamped(((windows + 15) / 16 + 1) * 32);
    return shape;
  });
}

std::vector<Rule> places_rules(const Places& places, const PoolParameters& p, size_t tensor,
                               size_t result) {
  std::vector<Rule> rules = {is_spatial(tensor, places.axes)};
  rules.push_back(places.is_mask ? has_mask_shape(tensor, result, p)
                                 : pool_result_shape(tensor, p));
  return rules;
}

OperatorSpec forward_spec(const char* name, const Places& places) {
  using namespace forward;
  const PoolParameters p = forward_windows(places.axes);
  std::vector<Rule> rules = {
      not_null({kSelf, kKernelSize, kStride, kPadding, kDilation, kOut, kPlaces}),
      dtype_in(kSelf, kRealFloats),
      same_dtype(kOut, kSelf),
      dtype_in(kPlaces, places.dtypes),
      is_spatial(kSelf, places.axes),
      is_spatial(kOut, places.axes),
      pool_arrays(p),
      pool_window_fits(p),
      pool_result_shape(kOut, p)};
  for (Rule& rule : places_rules(places, p, kPlaces, kOut)) rules.push_back(std::move(rule));
  return {name,
          {input("self"), attribute("kernelSize"), attribute("stride"), attribute("padding"),
           attribute("dilation"), attribute("ceilMode"), output("out"), output(places.name)},
          rules};
}

OperatorSpec backward_spec(const char* name, const Places& places) {
  using namespace backward;
  const PoolParameters p = backward_windows(places.axes);
  std::vector<Rule> rules = {not_null({kGradOutput, kSelf, kPlaces, kKernelSize, kStride, kPadding,
                                       kDilation, kGradInput}),
                             dtype_in(kGradOutput, kRealFloats),
                             same_dtype(kSelf, kGradOutput),
                             dtype_in(kPlaces, places.dtypes),
                             same_dtype(kGradInput, kGradOutput),
                             is_spatial(kSelf, places.axes),
                             is_spatial(kGradOutput, places.axes),
                             is_spatial(kGradInput, places.axes),
                             pool_arrays(p),
                             pool_window_fits(p),
                             pool_result_shape(kGradOutput, p)};
  for (Rule& rule : places_rules(places, p, kPlaces, kGradOutput)) rules.push_back(std::move(rule));
  rules.push_back(same_shape(kGradInput, kSelf));
  return {name,
          {input("gradOutput"), input("self"), input(places.name), attribute("kernelSize"),
           attribute("stride"), attribute("padding"), attribute("dilation"), attribute("ceilMode"),
           output("gradInput")},
          rules};
}

Plan plan_forward(const Arguments& arguments, const Places& places) {
  using namespace forward;
  if (arguments.empty(kOut)) return {};
  const Planes to(arguments, kPlaces, places.axes);
  return plan_max_pool(Planes(arguments, kSelf, places.axes), Planes(arguments, kOut, places.axes),
                       places.is_mask ? MaxPlaces{.mask = to} : MaxPlaces{.indices = to},
                       pool_windows(arguments, forward_windows(places.axes)));
}

Plan plan_backward(const Arguments& arguments, const Places& places) {
  using namespace backward;
  if (arguments.empty(kGradInput)) return {};
  const Planes from(arguments, kGradOutput, places.axes), at(arguments, kPlaces, places.axes);
  const Planes to(arguments, kGradInput, places.axes);
  if (!places.is_mask) return plan_max_pool_backward(from, at, to);
  return plan_max_pool_mask_backward(from, at, to,
                                     pool_windows(arguments, backward_windows(places.axes)));
}

// ---- Maxima alone -------------------------------------------------------------------------------

namespace plain {

enum : size_t { kSelf, kKernelShape, kStrides, kAutoPad, kPads, kDilations, kCeilMode, kOut };
constexpr PoolParameters kWindows{kSelf, kKernelShape, kStrides, kPads, kDilations, kCeilMode,
                                  2,     true,         true};

// Programs hand it over as an int, of which only the lower half of a register is defined.
Rule pads_are_given() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const auto mode = static_cast<int32_t>(arguments.integer(kAutoPad));
    if (mode == 0) return std::nullopt;
    return fmt::format("{} must be 0, as pads say how much, but is {}.", arguments.name(kAutoPad),
                       mode);
  });
}

const OperatorSpec kSpec{
    "aclnnMaxPool",
    {input("self"), attribute("kernelShape"), attribute("strides"), attribute("autoPad"),
     attribute("pads"), attribute("dilations"), attribute("ceilMode"), output("out")},
    {not_null({kSelf, kKernelShape, kStrides, kPads, kDilations, kOut}),
     dtype_in(kSelf, kRealFloats), same_dtype(kOut, kSelf), is_spatial(kSelf, 2),
     is_spatial(kOut, 2), pads_are_given(), pool_arrays(kWindows), pool_window_fits(kWindows),
     pool_result_shape(kOut, kWindows)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  return plan_max_pool(Planes(arguments, kSelf), Planes(arguments, kOut), {},
                       pool_windows(arguments, kWindows));
}

}  // namespace plain
}  // namespace

// Maxima with their places, and the gradient.
#define ACLGRAD_MAX_POOL(name, places)                                                         \
  static const OperatorSpec name##Spec = forward_spec(#name, places);                          \
  static const OperatorSpec name##BackwardSpec = backward_spec(#name "Backward", places);      \
  ACLGRAD_OPERATOR(name, name##Spec,                                                           \
                   [](const Arguments& arguments) { return plan_forward(arguments, places); }) \
  ACLGRAD_OPERATOR(name##Backward, name##BackwardSpec,                                         \
                   [](const Arguments& arguments) { return plan_backward(arguments, places); })

ACLGRAD_MAX_POOL(aclnnMaxPool3dWithArgmax, kArgmax)
ACLGRAD_MAX_POOL(aclnnMaxPool2dWithMask, kMask)
ACLGRAD_OPERATOR(aclnnMaxPool, plain::kSpec, plain::plan)

}  // namespace aclgrad::ops::max_pool
