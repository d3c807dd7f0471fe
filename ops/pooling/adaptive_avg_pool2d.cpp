// SPDX-License-Identifier: Apache-2.0
// aclnnAdaptiveAvgPool2d, aclnnAdaptiveAvgPool2dBackward.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "ops/pooling/pooling_rules.h"

namespace aclgrad::ops {
namespace {

// a b / c, rounded down, of numbers that are not negative with b <= c.
int64_t scaled(int64_t a, int64_t b, int64_t c) {
  __extension__ using Int128 = __int128;
  return static_cast<int64_t>(Int128{a} * b / c);
}

// Window i covers [floor(i in / out), ceil((i + 1) in / out)).
AxisWindows windows_of(int64_t in, int64_t out) {
  AxisWindows all;
  for (int64_t i = 0; i < out; ++i) {
    all.begin.push_back(scaled(in, i, out));
    all.end.push_back(in - scaled(in, out - i - 1, out));
    all.counted.push_back(all.end.back() - all.begin.back());
  }
  return all;
}

// Equal batch and channels.
Rule same_planes(size_t tensor, size_t reference) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    Dims expected = arguments.shape(reference);
    const Dims& shape = arguments.shape(tensor);
    const auto sizes = image_sizes(arguments, reference);
    const size_t row = expected.size() - (has_channels_last(arguments, reference) ? 3 : 2);
    if (shape.size() == expected.size()) {
      for (const size_t axis : {size_t{0}, size_t{1}}) expected[row + axis] = shape[row + axis];
      if (shape == expected && shape[row] >= 0 && shape[row + 1] >= 0) return std::nullopt;
    }
    return fmt::format(
        "tensor {} must have the sizes of tensor {} {} but for height {} and width "
        "{}, but is {}.",
        arguments.name(tensor), arguments.name(reference), to_string(arguments.shape(reference)),
        sizes[0], sizes[1], to_string(shape));
  });
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kSelf, kOutputSize, kOut };

Rule output_size_is_outs() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& sizes = arguments.int_array(kOutputSize);
    const auto expected = image_sizes(arguments, kOut);
    if (sizes == std::vector(expected.begin(), expected.end()) && sizes[0] > 0 && sizes[1] > 0) {
      return std::nullopt;
    }
    return fmt::format("{} must be the height and width of tensor {} {}, above 0, but is [{}].",
                       arguments.name(kOutputSize), arguments.name(kOut),
                       to_string(arguments.shape(kOut)), fmt::join(sizes, ", "));
  });
}

const OperatorSpec kSpec{
    "aclnnAdaptiveAvgPool2d",
    {input("self"), attribute("outputSize"), output("out")},
    {not_null({kSelf, kOutputSize, kOut}), image_rank(kSelf), same_planes(kOut, kSelf),
     dtype_in(kSelf, kFloats), dtype_in(kOut, kFloats), same_dtype(kOut, kSelf),
     has_image_format(kSelf), has_image_format(kOut), output_size_is_outs()}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf) || arguments.empty(kOut)) return {};
  const Planes self(arguments, kSelf), out(arguments, kOut);
  return plan_average_pool(self, out, windows_of(self.height, out.height),
                           windows_of(self.width, out.width), std::nullopt);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kGradOutput, kSelf, kOut };

// The gradient of a single average for each plane may be converted.
Rule out_dtype() {
  return when(
      [](const Arguments& arguments) {
        return image_sizes(arguments, kGradOutput) != std::array<int64_t, 2>{1, 1};
      },
      same_dtype(kOut, kSelf));
}

const OperatorSpec kSpec{
    "aclnnAdaptiveAvgPool2dBackward",
    {input("gradOutput"), input("self"), output("out")},
    {not_null({kGradOutput, kSelf, kOut}), image_rank(kSelf), same_shape(kOut, kSelf),
     same_planes(kGradOutput, kSelf), dtype_in(kGradOutput, kFloats), dtype_in(kSelf, kFloats),
     dtype_in(kOut, kFloats), same_dtype(kGradOutput, kSelf), out_dtype(),
     one_format({kSelf, kGradOutput, kOut})}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut) || arguments.empty(kGradOutput)) return {};
  const bool last = has_channels_last(arguments, kSelf);
  const Planes from(arguments, kGradOutput, last), to(arguments, kOut, last);
  return plan_average_pool_backward(from, to, windows_of(to.height, from.height),
                                    windows_of(to.width, from.width), std::nullopt);
}

}  // namespace backward
}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnAdaptiveAvgPool2d, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnAdaptiveAvgPool2dBackward, backward::kSpec, backward::plan)
