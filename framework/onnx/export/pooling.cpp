// SPDX-License-Identifier: Apache-2.0
// With ceil_mode the standard says since opset 22 only what becomes of windows that begin in the
// padding behind an axis, so the windows that there are are said by pads, and rounded down.
#include "aclgrad/ops/pooling.h"

#include <algorithm>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

// The last axes of an input or output, which no batch decides.
Ints last_extents(const Call& call, const Extents& extents, std::size_t axes) {
  Ints all;
  for (std::size_t k = extents.size() - axes; k < extents.size(); ++k) {
    all.push_back(call.fixed(extents[k], "a spatial axis"));
  }
  return all;
}

// With a batch where there is none.
Term images(const Term& x, const Call& call, std::size_t axes) {
  return call.shape(0).rank() == axes + 1 ? unsqueeze(x, {0}) : x;
}
Term without_batch(const Term& made, const Call& call, std::size_t axes) {
  return call.shape(0).rank() == axes + 1 ? squeeze(made, {0}) : made;
}

// How far the last window reaches behind each axis: padding, or more.
Ints ends_of(const Ints& in, const Ints& out, const Ints& kernel, const Ints& stride,
             const Ints& padding, const Ints& dilation) {
  Ints ends;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const std::int64_t reach = (out[k] - 1) * stride[k] + dilation[k] * (kernel[k] - 1) + 1;
    ends.push_back(std::max(padding[k], reach - in[k] - padding[k]));
  }
  return ends;
}

Ints joined(Ints begins, const Ints& ends) {
  begins.insert(begins.end(), ends.begin(), ends.end());
  return begins;
}

std::int64_t product(const Ints& extents) {
  std::int64_t all = 1;
  for (const std::int64_t extent : extents) all *= extent;
  return all;
}

// Maxima, and, if they are asked for, places in their plane.
std::vector<Term> maxima(const Call& call, const Attributes& attributes, const Ints& in) {
  const std::size_t axes = in.size();
  const Term x = images(call.usual(0), call, axes);
  if (!call.is_needed(1)) {
    return {call.narrowed(without_batch(op("MaxPool", {x}, attributes), call, axes))};
  }
  // ONNX counts through all planes.
  std::vector<Term> made = ops("MaxPool", {x}, attributes, 2);
  made[1].dtype = DType::int64;
  const Term size = constant(x, Tensor::scalar(static_cast<double>(product(in)), DType::int64));
  const Term place = cast(made[1] - made[1] / size * size, DType::int32);
  return {call.narrowed(without_batch(made[0], call, axes)), without_batch(place, call, axes)};
}

std::vector<Term> max_pool(const MaxPoolOp& a, const Call& call) {
  const std::size_t axes = a.kernel.size();
  const Ints in = last_extents(call, call.extents(0), axes);
  const Ints out = last_extents(call, call.output_extents(), axes);
  const Ints ends = ends_of(in, out, a.kernel, a.stride, a.padding, a.dilation);
  return maxima(call,
                {{"kernel_shape", a.kernel},
                 {"strides", a.stride},
                 {"pads", joined(a.padding, ends)},
                 {"dilations", a.dilation}},
                in);
}

Term avg_pool(const AvgPoolOp& a, const Call& call) {
  const std::size_t axes = a.kernel.size();
  const Ints in = last_extents(call, call.extents(0), axes);
  const Ints out = last_extents(call, call.output_extents(), axes);
  const Ints ends = ends_of(in, out, a.kernel, a.stride, a.padding, Ints(axes, 1));
  Term x = images(call.wide(0), call, axes);
  Attributes attributes{{"kernel_shape", a.kernel}, {"strides", a.stride}};
  const bool has_divisor = a.divisor_override != 0;
  if (!has_divisor && !a.count_include_pad) {
    attributes.emplace_back("pads", joined(a.padding, ends));
    return call.narrowed(without_batch(op("AveragePool", {x}, attributes), call, axes));
  }
  // What counts as padding is made of zeros first; what a last window reaches beyond that does not
  // count, but with a divisor of one's own, where all counts.
  Ints begins(axes + 2, 0), behind(axes + 2, 0), beyond(axes, 0);
  for (std::size_t k = 0; k < axes; ++k) {
    begins[k + 2] = a.padding[k];
    behind[k + 2] = has_divisor ? ends[k] : a.padding[k];
    beyond[k] = has_divisor ? 0 : ends[k] - a.padding[k];
  }
  const Ints pads = joined(begins, behind);
  if (std::ranges::any_of(pads, [](std::int64_t pad) { return pad != 0; })) {
    x = op("Pad", {x, ints(x, pads), number(x, 0)});
  }
  attributes.emplace_back("pads", joined(Ints(axes, 0), beyond));
  Term made = op("AveragePool", {x}, attributes);
  if (has_divisor) {
    made =
        made * (static_cast<double>(product(a.kernel)) / static_cast<double>(a.divisor_override));
  }
  return call.narrowed(without_batch(made, call, axes));
}

// ---- To a size ----------------------------------------------------------------------------------

struct Range {
  std::int64_t begin, end;
};
Range range_of(std::int64_t element, std::int64_t in, std::int64_t out) {
  return {element * in / out, ((element + 1) * in + out - 1) / out};
}

// Averages along an axis as a matrix [out, in].
Tensor averaging(std::int64_t in, std::int64_t out, DType dtype) {
  Tensor made = Tensor::zeros({out, in}, dtype);
  for (std::int64_t i = 0; i < out; ++i) {
    const auto [begin, end] = range_of(i, in, out);
    for (std::int64_t k = begin; k < end; ++k) {
      made.set({i, k}, 1 / static_cast<double>(end - begin));
    }
  }
  return made;
}

// The order of axes with one and the last exchanged.
Ints exchanged(std::int64_t rank, std::int64_t axis) {
  Ints order;
  for (std::int64_t k = 0; k < rank; ++k) order.push_back(k);
  std::swap(order[static_cast<std::size_t>(axis)], order.back());
  return order;
}

// Windows of equal size at equal distances, where the sizes divide.
bool divides(const Ints& in, const Ints& out) {
  for (std::size_t k = 0; k < in.size(); ++k) {
    if (in[k] % out[k] != 0) return false;
  }
  return true;
}
Attributes dividing(const Ints& in, const Ints& out) {
  Ints kernel;
  for (std::size_t k = 0; k < in.size(); ++k) kernel.push_back(in[k] / out[k]);
  return {{"kernel_shape", kernel}, {"strides", kernel}};
}

Term adaptive_avg_pool(const AdaptiveAvgPoolOp& a, const Call& call) {
  const std::size_t axes = a.sizes.size();
  const Ints in = last_extents(call, call.extents(0), axes);
  if (divides(in, a.sizes)) {
    const Term x = images(call.wide(0), call, axes);
    const bool is_all = product(a.sizes) == 1;
    const Term made =
        is_all ? op("GlobalAveragePool", {x}) : op("AveragePool", {x}, dividing(in, a.sizes));
    return call.narrowed(without_batch(made, call, axes));
  }
  Term x = call.wide(0);
  for (std::size_t k = 0; k < axes; ++k) {
    const std::int64_t rank = call.rank(0);
    const Ints order = exchanged(rank, rank - static_cast<std::int64_t>(axes - k));
    const Tensor matrix = averaging(in[k], a.sizes[k], x.dtype).transpose(0, 1);
    x = transpose(op("MatMul", {transpose(x, order), constant(x, matrix)}), order);
  }
  return call.narrowed(x);
}

std::vector<Term> adaptive_max_pool(const AdaptiveMaxPoolOp& a, const Call& call) {
  const std::size_t axes = a.sizes.size();
  const Ints in = last_extents(call, call.extents(0), axes);
  if (divides(in, a.sizes)) return maxima(call, dividing(in, a.sizes), in);
  if (call.is_needed(1)) refuse("its indices are of windows of several sizes");
  Term x = call.usual(0);
  for (std::size_t k = 0; k < axes; ++k) {
    const std::int64_t axis = call.rank(0) - static_cast<std::int64_t>(axes - k);
    std::vector<Term> parts;
    for (std::int64_t i = 0; i < a.sizes[k]; ++i) {
      const auto [begin, end] = range_of(i, in[k], a.sizes[k]);
      parts.push_back(op("ReduceMax", {slice(x, axis, begin, end)}, {{"axes", Ints{axis}}}));
    }
    x = concat(parts, axis);
  }
  return {call.narrowed(x)};
}

}  // namespace

void add_pooling(Table& table) {
  table.add<MaxPoolOp>([](auto& a, Call& call) { return max_pool(a, call); });
  table.add<AvgPoolOp>([](auto& a, Call& call) { return avg_pool(a, call); });
  table.add<AdaptiveAvgPoolOp>([](auto& a, Call& call) { return adaptive_avg_pool(a, call); });
  table.add<AdaptiveMaxPoolOp>([](auto& a, Call& call) { return adaptive_max_pool(a, call); });
  // Planes as lines, into which elements are put by their places.
  table.add<MaxUnpool2dOp>([](auto& a, Call& call) {
    const Term x = call.input(0);
    Extents lines = call.extents(0);
    const std::int64_t places = product(last_extents(call, lines, 2)),
                       plane = a.sizes[0] * a.sizes[1];
    lines.resize(lines.size() - 1);
    lines.back() = {plane, 0};
    const Term empty = op("Expand", {number(x, 0), call.list(lines)});
    lines.back() = {places, 0};
    const Term made = op("ScatterElements",
                         {empty, call.reshape_to(cast(call.input(1), DType::int64), lines),
                          call.reshape_to(x, lines)},
                         {{"axis", std::int64_t{-1}}});
    return call.reshape_to(made, call.output_extents());
  });
}

}  // namespace aclgrad::onnx::saving
