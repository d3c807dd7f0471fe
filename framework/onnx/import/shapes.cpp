// SPDX-License-Identifier: Apache-2.0
// The same elements under other shapes, in other orders, joined and cut.
#include <algorithm>
#include <limits>
#include <numeric>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace shapes_nodes {
namespace {

Items identity(const NodeCall& node) { return {node.has(0) ? node.item(0) : Item()}; }

// 0 stands for the extent of x, unless allowzero says that it is 0.
Items reshape_node(const NodeCall& node) {
  const Value x = node.value(0);
  Dims dims =
      node.has_attribute("shape") ? node.integers("shape") : node.known_numbers(1, "the shape");
  if (node.integer("allowzero", 0) == 0) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == 0) dims[i] = x.shape()[static_cast<std::int64_t>(i)];
    }
  }
  return {reshape(x, dims)};
}

Items flatten(const NodeCall& node) {
  const Value x = node.value(0);
  std::int64_t axis = node.integer("axis", 1);
  const auto rank = static_cast<std::int64_t>(x.shape().rank());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) throw ShapeError(fmt::format("axis {} of {}", axis, x.shape()));
  std::int64_t rows = 1, columns = 1;
  for (std::int64_t i = 0; i < rank; ++i) (i < axis ? rows : columns) *= x.shape()[i];
  return {reshape(x, Dims{rows, columns})};
}

Items transpose_node(const NodeCall& node) {
  const Value x = node.value(0);
  Dims order(x.shape().rank());
  std::iota(order.rbegin(), order.rend(), 0);
  return {permute(x, node.integers("perm", order))};
}

Items squeeze(const NodeCall& node) {
  const Value x = node.value(0);
  const std::optional<Dims> axes = node.numbers_of("axes", 1);
  std::vector<bool> gone(x.shape().rank(), false);
  if (axes) {
    for (const std::int64_t axis : *axes) gone[x.shape().normalize_axis(axis)] = true;
  }
  Dims dims;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    const std::int64_t extent = x.shape().dims()[i];
    if (axes ? gone[i] : extent == 1) {
      if (extent != 1) throw ShapeError(fmt::format("axis {} of {} is not 1", i, x.shape()));
    } else {
      dims.push_back(extent);
    }
  }
  return {reshape(x, dims)};
}

Items unsqueeze(const NodeCall& node) {
  const Value x = node.value(0);
  const std::optional<Dims> axes = node.numbers_of("axes", 1);
  if (!axes) throw ValueError("axes are missing");
  const std::size_t rank = x.shape().rank() + axes->size();
  std::vector<bool> is_new(rank, false);
  for (const std::int64_t axis : *axes) {
    const std::int64_t at = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    if (at < 0 || at >= static_cast<std::int64_t>(rank) || is_new[static_cast<std::size_t>(at)]) {
      throw ShapeError(fmt::format("axis {} of a result of {} dimensions", axis, rank));
    }
    is_new[static_cast<std::size_t>(at)] = true;
  }
  Dims dims;
  auto next = x.shape().begin();
  for (std::size_t i = 0; i < rank; ++i) dims.push_back(is_new[i] ? 1 : *next++);
  return {reshape(x, dims)};
}

Items concat(const NodeCall& node) {
  return {cat(node.values(), axis_of(node.integer("axis", 1), node.shape(0)))};
}

Items split_node(const NodeCall& node) {
  const Value x = node.value(0);
  const std::int64_t axis = axis_of(node.integer("axis", 0), x.shape());
  std::optional<Dims> sizes = node.numbers_of("split", 1);
  if (!sizes) {
    const std::int64_t parts =
        node.integer("num_outputs", static_cast<std::int64_t>(node.outputs()));
    if (parts < 1) throw ValueError("Split has no outputs");
    const std::int64_t each = (x.shape()[axis] + parts - 1) / parts;
    sizes.emplace(static_cast<std::size_t>(parts), each);
    sizes->back() = x.shape()[axis] - each * (parts - 1);
  }
  if (std::ranges::any_of(*sizes, [](std::int64_t size) { return size < 0; })) {
    throw ShapeError(fmt::format("{} is not split in {} parts", x.shape(), sizes->size()));
  }
  Items outputs;
  for (const Value& part : split(x, *sizes, axis)) outputs.emplace_back(part);
  return outputs;
}

// One axis of a Slice: backwards it is a slice of what is turned over.
Value sliced(Operand x, std::int64_t axis, std::int64_t start, std::int64_t end,
             std::int64_t step) {
  const std::int64_t size = x.shape()[axis];
  if (step > 0) {
    // slice() counts negative ones from the end, too, and bounds both.
    start = std::clamp<std::int64_t>(
        start < 0 ? std::max<std::int64_t>(start, -size) + size : start, 0, size);
    end = std::clamp<std::int64_t>(end < 0 ? std::max<std::int64_t>(end, -size - 1) + size : end, 0,
                                   size);
    return slice(x, axis, start, std::max(start, end), step);
  }
  if (step == 0) throw ValueError("a step is 0");
  if (size == 0) return x;
  if (start < 0) start = std::max<std::int64_t>(start, -size - 1) + size;
  start = std::clamp<std::int64_t>(start, -1, size - 1);
  if (end < 0) end = std::max<std::int64_t>(end, -size - 1) + size;
  end = std::clamp<std::int64_t>(end, -1, size - 1);
  const std::int64_t from = size - 1 - start, to = size - 1 - end;
  const std::int64_t stride =
      step == std::numeric_limits<std::int64_t>::min() ? size : std::min(-step, size);
  return slice(flip(x, {axis}), axis, from, std::max(from, to), stride);
}

Items slice_node(const NodeCall& node) {
  Value x = node.value(0);
  const Dims starts = node.numbers_of("starts", 1).value_or(Dims{});
  const Dims ends = node.numbers_of("ends", 2).value_or(Dims{});
  Dims axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = node.numbers_of("axes", 3).value_or(axes);
  const Dims steps = node.has(4) ? node.known_numbers(4, "the steps") : Dims(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    throw ValueError("starts, ends, axes and steps must be as many");
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    x = sliced(x, axis_of(axes[i], x.shape()), starts[i], ends[i], steps[i]);
  }
  return {x};
}

// Pads are all begins, then all ends, of all axes or of those that are named.
Items pad_node(const NodeCall& node) {
  Value x = node.value(0);
  const std::size_t rank = x.shape().rank();
  Dims pads;
  if (node.has_attribute("paddings")) {
    pads = node.integers("paddings");
  } else {
    pads = node.numbers_of("pads", 1).value_or(Dims{});
  }
  Dims axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has(3)) axes = node.known_numbers(3, "the axes");
  if (pads.size() != 2 * axes.size()) {
    throw ValueError(fmt::format("there are {} pads, expected {}", pads.size(), 2 * axes.size()));
  }
  Dims pairs(2 * rank, 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t from_end = rank - 1 - x.shape().normalize_axis(axes[i]);
    pairs[2 * from_end] = pads[i];
    pairs[2 * from_end + 1] = pads[i + axes.size()];
  }
  while (pairs.size() > 2 && pairs[pairs.size() - 1] == 0 && pairs[pairs.size() - 2] == 0) {
    pairs.resize(pairs.size() - 2);
  }
  const std::string mode = node.text("mode", "constant");
  if (mode == "constant") {
    const double value = node.has(2) ? node.known_number(2, "the value") : node.number("value", 0);
    return {pad(x, pairs, value)};
  }
  if (mode == "reflect") return {pad(x, pairs, PadMode::reflect)};
  if (mode == "edge") return {pad(x, pairs, PadMode::replicate)};
  if (mode == "wrap") return {pad(x, pairs, PadMode::circular)};
  node.unsupported("there is no mode `{}`", mode);
}

Items expand_node(const NodeCall& node) {
  const Value x = node.value(0);
  return {expand(x, broadcast(x.shape(), Shape(node.known_numbers(1, "the shape"))))};
}

Items tile(const NodeCall& node) {
  return {repeat(node.value(0), node.known_numbers(1, "the repeats"))};
}

std::int64_t block_of(const NodeCall& node) {
  const std::int64_t block = node.integer("blocksize");
  if (block < 1 || block > (1 << 15)) throw ValueError("blocksize is out of range");
  return block;
}

// Blocks of channels as blocks of places, in the order of depth and columns and rows, or the other.
Items depth_to_space(const NodeCall& node) {
  const Value x = node.value(0);
  const Shape& shape = x.shape();
  const std::int64_t block = block_of(node), n = shape[0], h = shape[2], w = shape[3];
  const std::int64_t c = shape[1] / (block * block);
  const Value places =
      node.text("mode", "DCR") == "CRD"
          ? permute(reshape(x, Dims{n, c, block, block, h, w}), {0, 1, 4, 2, 5, 3})
          : permute(reshape(x, Dims{n, block, block, c, h, w}), {0, 3, 4, 1, 5, 2});
  return {reshape(places, Dims{n, c, h * block, w * block})};
}

Items space_to_depth(const NodeCall& node) {
  const Value x = node.value(0);
  const Shape& shape = x.shape();
  const std::int64_t block = block_of(node), n = shape[0], c = shape[1];
  const std::int64_t h = shape[2] / block, w = shape[3] / block;
  const Value places = permute(reshape(x, Dims{n, c, h, block, w, block}), {0, 3, 5, 1, 2, 4});
  return {reshape(places, Dims{n, c * block * block, h, w})};
}

Items triangle(const NodeCall& node) {
  const std::int64_t diagonal =
      node.has(1) ? static_cast<std::int64_t>(node.known_number(1, "the diagonal")) : 0;
  const Value x = node.value(0);
  return {node.integer("upper", 1) != 0 ? triu(x, diagonal) : tril(x, diagonal)};
}

// The first lengths[b] elements of each row turned over.
Items reverse_sequence(const NodeCall& node) {
  const Value x = node.value(0);
  const std::int64_t batch = axis_of(node.integer("batch_axis", 1), x.shape());
  const std::int64_t time = axis_of(node.integer("time_axis", 0), x.shape());
  const Dims lengths = node.known_numbers(1, "the lengths");
  if (static_cast<std::int64_t>(lengths.size()) != x.shape()[batch]) {
    throw ShapeError("there must be a length for each row");
  }
  std::vector<Value> rows;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const Value row = slice(x, batch, at, at + 1);
    if (lengths[i] < 0 || lengths[i] > x.shape()[time])
      throw ValueError("a length is out of range");
    const Value turned = flip(slice(row, time, 0, lengths[i]), {time});
    rows.push_back(cat({turned, slice(row, time, lengths[i])}, time));
  }
  return {cat(rows, batch)};
}

Items center_crop_pad(const NodeCall& node) {
  Value x = node.value(0);
  const Dims sizes = node.known_numbers(1, "the shape");
  Dims axes(sizes.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = node.integers("axes", axes);
  if (axes.size() != sizes.size()) throw ValueError("there must be a size for each axis");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axis_of(axes[i], x.shape());
    if (sizes[i] < 0) throw ShapeError("a size is negative");
    const std::int64_t more = sizes[i] - x.shape()[axis];
    if (more < 0) {
      x = slice(x, axis, -more / 2, -more / 2 + sizes[i]);
    } else if (more > 0) {
      Dims pairs(2 * (x.shape().rank() - static_cast<std::size_t>(axis)), 0);
      pairs[pairs.size() - 2] = more / 2;
      pairs[pairs.size() - 1] = more - more / 2;
      x = pad(x, pairs);
    }
  }
  return {x};
}

constexpr Operator kOperators[] = {
    {"CenterCropPad", center_crop_pad, 0b10},
    {"Concat", concat},
    {"DepthToSpace", depth_to_space},
    {"Expand", expand_node, 0b10},
    {"Flatten", flatten},
    {"Identity", identity},
    {"Pad", pad_node, 0b1110},
    {"Reshape", reshape_node, 0b10},
    {"ReverseSequence", reverse_sequence, 0b10},
    {"Slice", slice_node, 0b11110},
    {"SpaceToDepth", space_to_depth},
    {"Split", split_node, 0b10},
    {"Squeeze", squeeze, 0b10},
    {"Tile", tile, 0b10},
    {"Transpose", transpose_node},
    {"Trilu", triangle, 0b10},
    {"Unsqueeze", unsqueeze, 0b10},
};

}  // namespace
}  // namespace shapes_nodes

std::span<const Operator> shape_operators() { return shapes_nodes::kOperators; }

}  // namespace aclgrad::onnx
