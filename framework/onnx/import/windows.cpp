// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/windows.h"

#include <algorithm>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"

namespace aclgrad::onnx {
namespace {

void require_each(const Dims& numbers, std::size_t axes, std::int64_t least, const char* what) {
  if (numbers.size() != axes) {
    throw ShapeError(fmt::format("{} has {} numbers, expected {}", what, numbers.size(), axes));
  }
  for (const std::int64_t number : numbers) {
    if (number < least || number > (std::int64_t{1} << 31) - 1) {
      throw ShapeError(fmt::format("{} has the number {}", what, number));
    }
  }
}

}  // namespace

Dims spatial(const Shape& shape) {
  if (shape.rank() < 2) throw ShapeError(fmt::format("{} has no spatial axes", shape));
  return {shape.begin() + 2, shape.end()};
}

std::int64_t Windows::count(std::size_t axis, std::int64_t in) const {
  const std::int64_t room = in + begin[axis] + end[axis] - reach(axis);
  if (room < 0) return 0;
  std::int64_t windows = (room + (ceil_mode ? stride[axis] - 1 : 0)) / stride[axis] + 1;
  // A last window that would begin behind the elements is none.
  if (ceil_mode && (windows - 1) * stride[axis] >= in + begin[axis]) --windows;
  return windows;
}

Windows windows_of(const NodeCall& node, const Shape& x, Dims kernel) {
  if (x.rank() < 3) throw ShapeError(fmt::format("x must be [N, C, ...], got {}", x));
  const std::size_t axes = x.rank() - 2;
  Windows windows{std::move(kernel),
                  node.integers("strides", Dims(axes, 1)),
                  node.integers("dilations", Dims(axes, 1)),
                  Dims(axes, 0),
                  Dims(axes, 0),
                  node.integer("ceil_mode", 0) != 0};
  require_each(windows.kernel, axes, 1, "the kernel");
  require_each(windows.stride, axes, 1, "strides");
  require_each(windows.dilation, axes, 1, "dilations");
  const std::string padding = node.text("auto_pad", "NOTSET");
  if (padding == "SAME_UPPER" || padding == "SAME_LOWER") {
    for (std::size_t i = 0; i < axes; ++i) {
      const std::int64_t in = x.dims()[i + 2], stride = windows.stride[i];
      const std::int64_t out = (in + stride - 1) / stride;
      const std::int64_t all =
          std::max<std::int64_t>((out - 1) * stride + windows.reach(i) - in, 0);
      windows.begin[i] = padding == "SAME_UPPER" ? all / 2 : all - all / 2;
      windows.end[i] = all - windows.begin[i];
    }
  } else if (padding == "NOTSET") {
    const Dims pads = node.integers("pads", Dims(2 * axes, 0));
    require_each(pads, 2 * axes, 0, "pads");
    std::copy_n(pads.begin(), axes, windows.begin.begin());
    std::copy_n(pads.begin() + static_cast<std::ptrdiff_t>(axes), axes, windows.end.begin());
  } else if (padding != "VALID") {
    node.unsupported("auto_pad is `{}`", padding);
  }
  return windows;
}

Dims pad_pairs(const Dims& begin, const Dims& end) {
  Dims pairs;
  for (std::size_t i = begin.size(); i-- > 0;) {
    pairs.push_back(begin[i]);
    pairs.push_back(end[i]);
  }
  return pairs;
}

Value with_two_axes(Operand x) {
  const Dims& dims = x.shape().dims();
  return reshape(x, Dims{dims[0], dims[1], 1, dims[2]});
}

Value without_first_axis(Operand x) {
  const Dims& dims = x.shape().dims();
  return reshape(x, Dims{dims[0], dims[1], dims[3]});
}

}  // namespace aclgrad::onnx
