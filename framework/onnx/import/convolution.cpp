// SPDX-License-Identifier: Apache-2.0
// Convolutions, transposed ones, and images whose columns are added up.
#include <algorithm>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/windows.h"

namespace aclgrad::onnx {
namespace convolution_nodes {
namespace {

Items conv(const NodeCall& node) {
  Value x = node.value(0);
  const Value weight = node.value(1), bias = node.value_or_none(2);
  if (weight.shape().rank() < 3) {
    throw ShapeError(fmt::format("the weight must be [O, C, ...], got {}", weight.shape()));
  }
  Windows windows = windows_of(node, x.shape(), spatial(weight.shape()));
  if (!windows.is_symmetric()) {
    x = pad(x, pad_pairs(windows.begin, windows.end));
    std::ranges::fill(windows.begin, 0);
  }
  return {convolution(x, weight, bias,
                      {windows.stride, windows.begin, windows.dilation, Dims(windows.axes(), 0),
                       node.integer("group", 1), false})};
}

// What is cut at both ends of each axis of a transposed convolution, and how long it is then.
struct Cut {
  Dims begin, end;
};

Cut cut_of(const NodeCall& node, const Windows& windows, const Shape& x, const Dims& more) {
  Cut cut{windows.begin, windows.end};
  const Dims wanted = node.integers("output_shape");
  const std::string padding = node.text("auto_pad", "NOTSET");
  const bool same = padding == "SAME_UPPER" || padding == "SAME_LOWER";
  if (wanted.empty() && !same) return cut;
  for (std::size_t i = 0; i < windows.axes(); ++i) {
    const std::int64_t in = x.dims()[i + 2];
    // The last numbers are those of the spatial axes, whether the file gives the others or not.
    const std::int64_t out = wanted.size() >= windows.axes()
                                 ? wanted[wanted.size() - windows.axes() + i]
                                 : in * windows.stride[i];
    const std::int64_t all = windows.stride[i] * (in - 1) + more[i] + windows.reach(i) - out;
    const std::int64_t half = all >> 1;  // rounded down, where all is negative too
    cut.begin[i] = padding == "SAME_UPPER" ? half : all - half;
    cut.end[i] = all - cut.begin[i];
  }
  return cut;
}

Items conv_transpose(const NodeCall& node) {
  const Value x = node.value(0), weight = node.value(1), bias = node.value_or_none(2);
  if (weight.shape().rank() < 3) {
    throw ShapeError(fmt::format("the weight must be [C, O, ...], got {}", weight.shape()));
  }
  const Windows windows = windows_of(node, x.shape(), spatial(weight.shape()));
  const Dims none(windows.axes(), 0);
  const Dims more = node.integers("output_padding", none);
  if (more.size() != windows.axes()) throw ShapeError("output_padding has not a number an axis");
  const Cut cut = cut_of(node, windows, x.shape(), more);
  const std::int64_t groups = node.integer("group", 1);
  bool is_plain = cut.begin == cut.end;
  for (std::size_t i = 0; i < windows.axes(); ++i) {
    is_plain =
        is_plain && cut.begin[i] >= 0 && more[i] < std::max(windows.stride[i], windows.dilation[i]);
  }
  if (is_plain) {
    return {convolution(x, weight, bias,
                        {windows.stride, cut.begin, windows.dilation, more, groups, true})};
  }
  // All of it, then cut, or longer by what no element reaches.
  const Value whole =
      convolution(x, weight, {}, {windows.stride, none, windows.dilation, none, groups, true});
  Dims pairs;
  for (std::size_t i = windows.axes(); i-- > 0;) {
    pairs.push_back(-cut.begin[i]);
    pairs.push_back(more[i] - cut.end[i]);
  }
  const Value cut_out = pad(whole, pairs);
  if (!bias) return {cut_out};
  Dims channels(windows.axes() + 1, 1);
  channels[0] = bias.shape().numel();
  return {cut_out + reshape(bias, channels)};
}

// Columns [N, C kernel, L] added up to images, of a known size.
Items col2im(const NodeCall& node) {
  const Dims size = node.known_numbers(1, "the size of the images");
  const Dims kernel = node.known_numbers(2, "the kernel");
  node.require(size.size() == 2, "there is Col2Im for images of two axes only");
  const Dims pads = node.integers("pads", Dims(4, 0));
  node.require(pads.size() == 4 && pads[0] == pads[2] && pads[1] == pads[3],
               "pads must be the same at both ends");
  return {fold(node.value(0), size, kernel,
               {.dilation = node.integers("dilations", Dims(2, 1)),
                .padding = Dims{pads[0], pads[1]},
                .stride = node.integers("strides", Dims(2, 1))})};
}

constexpr Operator kOperators[] = {
    {"Col2Im", col2im, 0b110},
    {"Conv", conv},
    {"ConvTranspose", conv_transpose},
};

}  // namespace
}  // namespace convolution_nodes

std::span<const Operator> convolution_operators() { return convolution_nodes::kOperators; }

}  // namespace aclgrad::onnx
