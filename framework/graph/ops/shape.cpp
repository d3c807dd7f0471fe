// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/shape.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "aclgrad/error.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/tensor/to_float.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_repeat.h"
#include "aclnnop/aclnn_roll.h"
#include "aclnnop/aclnn_stack.h"
#include "aclnnop/aclnn_tril.h"
#include "aclnnop/aclnn_triu.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

DType common_dtype(const std::vector<Value>& values) {
  DType dtype = values.front().dtype();
  for (const Value& each : values) dtype = promote(dtype, each.dtype());
  return dtype;
}

// A dimension of x, which must have some.
std::int64_t dim_of(const Recorder& record, const Value& x, std::int64_t dim) {
  record.require_shape(x.shape().rank() != 0, "a scalar has no dimensions");
  return record.axis(dim, x.shape().rank());
}

template <class OpType>
Value record_triangle(Operand x, std::int64_t diagonal) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  record.require_shape(x.shape().rank() >= 2, "expected at least 2 dimensions, got {}", x.shape());
  return record.add<OpType>({diagonal}, record.like(0));
}

}  // namespace

Value cat(Operands values, std::int64_t dim) {
  detail::require_values("cat", values);
  Recorder record("cat", values, values.where);
  const Shape& first = values.front().shape();
  dim = dim_of(record, values.front(), dim);
  std::int64_t extent = 0;
  for (const Value& each : values) {
    const bool joins =
        each.shape().rank() == first.rank() &&
        detail::with_extent(each.shape(), dim, 0) == detail::with_extent(first, dim, 0);
    record.require_shape(joins, "{} with shape {} does not fit {} along dimension {}", each,
                         each.shape(), first, dim);
    record.require_shape(
        !__builtin_add_overflow(extent, each.shape()[dim], &extent),
        "dimension {} of {} values like {} has more elements than 63 bits can count", dim,
        values.size(), first);
  }
  return record.add<CatOp>({dim}, {detail::with_extent(first, dim, extent), common_dtype(values)});
}

Value stack(Operands values, std::int64_t dim) {
  detail::require_values("stack", values);
  Recorder record("stack", values, values.where);
  for (std::size_t i = 1; i < values.size(); ++i) record.require_same_shape(i, 0);
  dim = record.axis(dim, values.front().shape().rank() + 1);
  Dims dims = values.front().shape().dims();
  dims.insert(dims.begin() + dim, static_cast<std::int64_t>(values.size()));
  return record.add<StackOp>({dim}, {Shape(std::move(dims)), common_dtype(values)});
}

Value pad(Operand x, std::vector<std::int64_t> pads, double value) {
  Recorder record("pad", {x}, x.where);
  record.require_holds(x.dtype(), value, "the value");
  Dims dims = x.shape().dims();
  bool fits = pads.size() % 2 == 0 && pads.size() <= 2 * dims.size();
  for (std::size_t k = 0; fits && k < pads.size() / 2; ++k) {
    std::int64_t& extent = dims[dims.size() - 1 - k];
    const std::int64_t begin = pads[2 * k];
    const std::int64_t end = pads[2 * k + 1];
    std::int64_t sum = 0;
    fits = !__builtin_add_overflow(begin, end, &sum) && std::min({begin, end, sum}) >= -extent &&
           !__builtin_add_overflow(extent, sum, &extent);
  }
  record.require_shape(fits, "{} cannot be padded by {}", x.shape(), pads);
  return record.add<PadOp>({std::move(pads), value}, {Shape(std::move(dims)), x.dtype()});
}

Value repeat(Operand x, std::vector<std::int64_t> repeats) {
  Recorder record("repeat", {x}, x.where);
  const std::size_t rank = x.shape().rank();
  bool fits = repeats.size() >= rank;
  Dims dims = repeats;
  for (std::size_t i = 0; fits && i < repeats.size(); ++i) {
    const std::size_t added = repeats.size() - rank;
    const std::int64_t extent = i < added ? 1 : x.shape().dims()[i - added];
    fits = repeats[i] >= 0 && !__builtin_mul_overflow(repeats[i], extent, &dims[i]);
  }
  record.require_shape(fits, "{} cannot be repeated {} times", x.shape(), repeats);
  return record.add<RepeatOp>({std::move(repeats)}, {Shape(std::move(dims)), x.dtype()});
}

Value tril(Operand x, std::int64_t diagonal) { return record_triangle<TrilOp>(x, diagonal); }
Value triu(Operand x, std::int64_t diagonal) { return record_triangle<TriuOp>(x, diagonal); }

Value flip(Operand x, std::vector<std::int64_t> dims) {
  Recorder record("flip", {x}, x.where);
  for (std::int64_t& dim : dims) dim = record.axis(dim, x.shape().rank());
  Dims sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) record.shape_error(fmt::format("dimension {} is named twice", *twice));
  return record.add<FlipOp>({std::move(dims)}, record.like(0));
}

Value roll(Operand x, std::vector<std::int64_t> shifts, std::vector<std::int64_t> dims) {
  Recorder record("roll", {x}, x.where);
  for (std::int64_t& dim : dims) dim = record.axis(dim, x.shape().rank());
  record.require_value(shifts.size() == std::max<std::size_t>(dims.size(), 1),
                       "expected {} for dims {}, got shifts {}",
                       dims.empty() ? "one shift" : "a shift for each dimension", dims, shifts);
  for (std::size_t i = 0; i < shifts.size(); ++i) {  // so that the rule can negate them
    const std::int64_t turn =
        dims.empty() || x.shape().rank() == 0 ? x.shape().numel() : x.shape()[dims[i]];
    shifts[i] = turn > 0 ? shifts[i] % turn : 0;
  }
  return record.add<RollOp>({std::move(shifts), std::move(dims)}, record.like(0));
}

namespace calls {

const Declaration<DimAttributes> cat = {"cat", ACLGRAD_C(aclnnCat), separate};
const Declaration<DimAttributes> stack = {"stack", ACLGRAD_C(aclnnStack), separate};
const Declaration<PadAttributes> pad = {"pad", ACLGRAD_C(aclnnConstantPadNd), separate};
const Declaration<RepeatAttributes> repeat = {"repeat", ACLGRAD_C(aclnnRepeat), separate};
const Declaration<TriangleAttributes> tril = {"tril", ACLGRAD_C(aclnnTril), separate};
const Declaration<TriangleAttributes> triu = {"triu", ACLGRAD_C(aclnnTriu), separate};
const Declaration<FlipAttributes> flip = {"flip", ACLGRAD_C(aclnnFlip), separate};
const Declaration<RollAttributes> roll = {"roll", ACLGRAD_C(aclnnRoll), separate};

}  // namespace calls

namespace {

// The strides that describe x under another shape with as many elements, where there are some. Axes
// of x that lie behind each other as in a dense tensor are a run, which whole new axes must divide.
std::optional<Dims> strides_under(const Value& x, const Shape& shape) {
  if (x.is_contiguous()) return shape.strides();
  const Dims& from = x.shape().dims();
  const Dims& to = shape.dims();
  Dims strides(to.size());
  std::size_t next = to.size();  // the axes from this one on have strides
  std::int64_t run = 1;          // elements
  std::int64_t stride = x.strides().back();
  for (std::size_t axis = from.size(); axis-- > 0;) {
    run *= from[axis];
    const std::int64_t before = axis == 0 ? 0 : x.strides()[axis - 1];
    if (axis > 0 && (from[axis - 1] == 1 || before == run * stride)) continue;
    std::int64_t divided = 1;
    while (next > 0 && (divided < run || to[next - 1] == 1)) {
      strides[--next] = divided * stride;
      divided *= to[next];
    }
    if (divided != run) return std::nullopt;
    run = 1;
    stride = before;
  }
  return strides;
}

std::vector<Value> cut(Operand x, std::int64_t dim, const Dims& sizes) {
  std::vector<Value> parts;
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    parts.push_back(slice(x, dim, start, start + size));
    start += size;
  }
  return parts;
}

}  // namespace

Value slice(Operand x, std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step) {
  Recorder record("slice", {x}, x.where);
  dim = dim_of(record, x, dim);
  record.require_value(step >= 1, "the step must be at least 1, got {}", step);
  const std::int64_t extent = x.shape()[dim];
  const auto limited = [extent](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
  };
  start = limited(start);
  end = std::max(limited(end), start);
  const std::int64_t count = end == start ? 0 : (end - start - 1) / step + 1;
  Dims strides = x.strides();
  std::int64_t& stride = strides[static_cast<std::size_t>(dim)];
  const std::int64_t offset = count == 0 ? x.offset() : x.offset() + start * stride;
  if (count > 1) stride *= step;
  const Value view =
      record.add_view(std::make_shared<SliceOp>(dim, start, end, step),
                      detail::with_extent(x.shape(), dim, count), std::move(strides), offset);
  return view.root().variable() == nullptr ? view : copy({view, x.where});
}

std::vector<Value> split(Operand x, std::int64_t size, std::int64_t dim) {
  Recorder record("split", {x}, x.where);
  dim = dim_of(record, x, dim);
  record.require_value(size >= 1, "chunks must have a size above 0, got {}", size);
  Dims sizes;
  for (std::int64_t left = x.shape()[dim]; left > 0; left -= sizes.back()) {
    sizes.push_back(std::min(left, size));
  }
  return cut(x, dim, sizes.empty() ? Dims{0} : sizes);
}

std::vector<Value> split(Operand x, std::vector<std::int64_t> sizes, std::int64_t dim) {
  Recorder record("split", {x}, x.where);
  dim = dim_of(record, x, dim);
  std::int64_t left = x.shape()[dim];
  for (const std::int64_t size : sizes) left = size < 0 || size > left ? -1 : left - size;
  record.require_shape(left == 0 && !sizes.empty(),
                       "chunks of {} do not add up to dimension {} of {}", sizes, dim, x.shape());
  return cut(x, dim, sizes);
}

Value permute(Operand x, std::vector<std::int64_t> order) {
  Recorder record("permute", {x}, x.where);
  const std::size_t rank = x.shape().rank();
  Dims sorted;
  for (std::int64_t& axis : order) {
    axis = record.axis(axis, rank);
    sorted.push_back(axis);
  }
  std::sort(sorted.begin(), sorted.end());
  Dims all(rank);
  std::iota(all.begin(), all.end(), 0);
  record.require_shape(sorted == all, "{} does not name every axis of {} once", order, x.shape());
  Dims dims;
  Dims strides;
  for (const std::int64_t axis : order) {
    dims.push_back(x.shape()[axis]);
    strides.push_back(x.strides()[static_cast<std::size_t>(axis)]);
  }
  return record.add_view(std::make_shared<PermuteOp>(std::move(order)), Shape(std::move(dims)),
                         std::move(strides), x.offset());
}

Value transpose(Operand x, std::int64_t axis0, std::int64_t axis1) {
  Recorder record("permute", {x}, x.where);
  const std::size_t rank = x.shape().rank();
  record.require_shape(rank != 0, "a scalar has no axes to exchange");
  Dims order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<std::size_t>(record.axis(axis0, rank))],
            order[static_cast<std::size_t>(record.axis(axis1, rank))]);
  return permute(x, std::move(order));
}

Value reshape(Operand x, std::vector<std::int64_t> dims) {
  Shape shape;
  try {
    shape = reshaped(x.shape(), std::move(dims));
  } catch (const ShapeError& problem) {
    Recorder("reshape", {x}, x.where).shape_error(problem.what());
  }
  std::optional<Dims> strides = strides_under(x, shape);
  const Value source = strides ? Value(x) : copy(x);
  if (!strides) strides = shape.strides();
  return Recorder("reshape", {source}, x.where)
      .add_view(std::make_shared<ReshapeOp>(), std::move(shape), std::move(*strides),
                source.offset());
}

Value expand(Operand x, const Shape& shape) {
  Recorder record("expand", {x}, x.where);
  record.require_shape(expands_to(x.shape(), shape), "{} does not expand to {}", x.shape(), shape);
  const std::size_t added = shape.rank() - x.shape().rank();
  Dims strides(shape.rank(), 0);
  for (std::size_t i = 0; i < x.shape().rank(); ++i) {
    const bool repeated = x.shape().dims()[i] != shape.dims()[added + i];
    strides[added + i] = repeated ? 0 : x.strides()[i];
  }
  return record.add_view(std::make_shared<ExpandOp>(), shape, std::move(strides), x.offset());
}

Value stop_gradient(Operand x) {
  Recorder record("stop_gradient", {x}, x.where);
  return record.add_view(std::make_shared<StopGradientOp>(), x.shape(), x.strides(), x.offset());
}

std::string PermuteOp::attributes() const { return fmt::format("[{}]", fmt::join(order, ", ")); }
std::string SliceOp::attributes() const {
  return fmt::format("dim={}, start={}, end={}, step={}", dim, start, end, step);
}

Value cast(Operand x, DType dtype) {
  Recorder record("cast", {x}, x.where);
  if (x.dtype() == dtype) return x;
  return record.add<CastOp>({}, {x.shape(), dtype});
}

Value copy(Operand x) {
  Recorder record("copy", {x}, x.where);
  return record.add<CopyOp>({}, record.like(0));
}

Value contiguous(Operand x) { return x.is_contiguous() ? x : copy(x); }

namespace calls {

const Declaration<> cast = {"cast", ACLGRAD_C(aclnnCast), separate};
const Declaration<> copy = {"copy", ACLGRAD_C(aclnnInplaceCopy), separate};

}  // namespace calls
}  // namespace aclgrad
