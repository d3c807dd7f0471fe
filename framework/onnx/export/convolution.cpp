// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/convolution.h"

#include "aclgrad/ops/resampling.h"
#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

// Beginnings and ends.
Ints both_ends(const Ints& padding) {
  Ints all = padding;
  all.insert(all.end(), padding.begin(), padding.end());
  return all;
}

Attributes windows(const Ints& stride, const Ints& padding, const Ints& dilation,
                   std::int64_t groups) {
  return {{"strides", stride},
          {"pads", both_ends(padding)},
          {"dilations", dilation},
          {"group", groups}};
}

// A kernel for each element of a window, which is 1 there: [C kH kW, 1, kH, kW].
Tensor each_element(std::int64_t channels, const Ints& kernel, DType dtype) {
  const std::int64_t elements = kernel[0] * kernel[1];
  Tensor made = Tensor::zeros({channels * elements, 1, kernel[0], kernel[1]}, dtype);
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t e = 0; e < elements; ++e) made.set((c * elements + e) * elements + e, 1);
  }
  return made;
}

// Images [C, H, W] as a batch of one.
Term as_batch(const Call& call) {
  const Term x = call.wide(0);
  return call.rank(0) == 3 ? unsqueeze(x, {0}) : x;
}

std::int64_t channels_of(const Extents& extents, std::size_t axes) {
  return extents[extents.size() - axes - 1].constant;
}

Term unfolded(const UnfoldOp& a, const Call& call) {
  const std::int64_t channels = channels_of(call.extents(0), 2);
  Attributes attributes = windows(a.stride, a.padding, a.dilation, channels);
  const Term x = as_batch(call);
  const Term columns =
      op("Conv", {x, constant(x, each_element(channels, a.kernel, x.dtype))}, attributes);
  return call.narrowed(call.reshape_to(columns, call.output_extents()));
}

Term folded(const FoldOp& a, const Call& call) {
  const std::int64_t channels = channels_of(call.output_extents(), 2);
  const UnfoldAttributes& w = a.windows;
  Ints counts, left;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t room = a.sizes[k] + 2 * w.padding[k] - w.dilation[k] * (w.kernel[k] - 1) - 1;
    counts.push_back(room / w.stride[k] + 1);
    left.push_back(room % w.stride[k]);
  }
  const Term x = call.wide(0);
  const Term windowed =
      reshape(x, {-1, channels * w.kernel[0] * w.kernel[1], counts[0], counts[1]});
  Attributes attributes = windows(w.stride, w.padding, w.dilation, channels);
  attributes.emplace_back("output_padding", left);
  const Term images =
      op("ConvTranspose", {windowed, constant(x, each_element(channels, w.kernel, x.dtype))},
         attributes);
  return call.narrowed(call.reshape_to(images, call.output_extents()));
}

}  // namespace

void add_convolutions(Table& table) {
  table.add<ConvolutionOp>([](auto& a, Call& call) {
    std::vector<Term> inputs;
    for (std::size_t k = 0; k < call.input_count(); ++k) inputs.push_back(call.usual(k));
    Attributes attributes = windows(a.stride, a.padding, a.dilation, a.groups);
    if (!a.transposed) return call.narrowed(op("Conv", inputs, attributes));
    attributes.emplace_back("output_padding", a.output_padding);
    return call.narrowed(op("ConvTranspose", inputs, attributes));
  });
  // Columns of windows are convolutions with kernels of a single 1.
  table.add<UnfoldOp>([](auto& a, Call& call) { return unfolded(a, call); });
  table.add<FoldOp>([](auto& a, Call& call) { return folded(a, call); });
}

}  // namespace aclgrad::onnx::saving
