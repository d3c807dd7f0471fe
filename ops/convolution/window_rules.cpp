// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/window_rules.h"

#include <fmt/format.h>

#include <limits>

namespace aclgrad::ops {
namespace {

__extension__ using Int128 = __int128;  // sizes come from programs unchecked

std::optional<int64_t> narrow(Int128 value) {
  using Limits = std::numeric_limits<int64_t>;
  if (value < Limits::min() || value > Limits::max()) return std::nullopt;
  return static_cast<int64_t>(value);
}

// What is left behind the first window.
Int128 room(const WindowAxis& axis) {
  return Int128{axis.in} + axis.begin + axis.end -
         Int128{axis.dilation} * (Int128{axis.kernel} - 1) - 1;
}

struct ImageFormat {
  aclFormat format;
  const char* name;
};
constexpr ImageFormat kImageFormats[] = {
    {ACL_FORMAT_NCL, "NCL"}, {ACL_FORMAT_NCHW, "NCHW"}, {ACL_FORMAT_NCDHW, "NCDHW"}};

}  // namespace

bool fits_padded(const WindowAxis& axis) { return room(axis) >= 0; }

std::optional<int64_t> window_count(const WindowAxis& axis, bool ceil_mode) {
  const Int128 left = room(axis) + (ceil_mode ? axis.stride - 1 : 0);
  if (left < 0) return 0;
  Int128 count = left / axis.stride + 1;
  if (ceil_mode && (count - 1) * axis.stride >= Int128{axis.in} + axis.begin) --count;
  return narrow(count);
}

std::optional<int64_t> transposed_size(const WindowAxis& axis, int64_t output_padding) {
  return narrow((Int128{axis.in} - 1) * axis.stride - axis.begin - axis.end +
                Int128{axis.dilation} * (Int128{axis.kernel} - 1) + output_padding + 1);
}

Rule has_image_format(size_t tensor, bool allows_nd) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = arguments.shape(tensor).size();
    const aclFormat format = arguments.tensor(tensor).format;
    if (rank < 3 || rank > 5) return std::nullopt;
    const ImageFormat& expected = kImageFormats[rank - 3];
    if (format == expected.format || (allows_nd && rank == 3 && format == ACL_FORMAT_ND)) {
      return std::nullopt;
    }
    return fmt::format("tensor {} of rank {} must have the format {} ({}), but its format is {}.",
                       arguments.name(tensor), rank, expected.name,
                       static_cast<int>(expected.format), static_cast<int>(format));
  });
}

}  // namespace aclgrad::ops
