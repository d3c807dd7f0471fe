// SPDX-License-Identifier: Apache-2.0
// Of aclgrad/ops/index.h: what adds, puts, picks or repeats elements and slices by their numbers.

#include <algorithm>
#include <numeric>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/index.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/tensor/math.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_add.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_repeat_interleave_grad.h"
#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "graph/ops/index_helpers.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

using detail::require_fits;
using detail::require_index;
using detail::slices_dim;
using detail::with_extent;

// Of slices_dim(), where input 2 has a slice for each number.
std::int64_t checked_slices(const Recorder& record, std::int64_t dim) {
  dim = slices_dim(record, dim);
  record.require_same_dtype(0, 2);
  const Value& source = record.input(2);
  const Shape expected = with_extent(record.input(0).shape(), dim, record.input(1).shape().numel());
  record.require_shape(source.shape() == expected, "{} must have shape {}, got {}", source,
                       expected, source.shape());
  return dim;
}

// The dim counted from the front, where input 2 has an element for each number of the index.
std::int64_t checked_elements(const Recorder& record, std::int64_t dim) {
  const Shape &x = record.input(0).shape(), &index = record.input(1).shape();
  require_index(record, 1);
  record.require_same_dtype(0, 2);
  dim = record.axis(dim, x.rank());
  require_fits(record, index, x, dim);
  require_fits(record, index, record.input(2).shape(), std::nullopt);
  return dim;
}

// One number for all elements of a shape, of x's dtype.
Value filling(std::string_view op, const Operand& x, double value, const Shape& shape) {
  Recorder(op, {x}, x.where).require_holds(x.dtype(), value, "the value");
  return expand(x.graph().constant(Tensor::scalar(value, x.dtype()), x.where), shape);
}

}  // namespace

Value index_add(Operand x, std::int64_t dim, const Value& index, const Value& source,
                double alpha) {
  Recorder record("index_add", {x, index, source}, x.where);
  dim = checked_slices(record, dim);
  record.require_holds_as_float(x.dtype(), alpha, "alpha");
  return record.add<IndexAddOp>({dim, alpha}, record.like(0));
}

Value index_copy(Operand x, std::int64_t dim, const Value& index, const Value& source) {
  Recorder record("index_copy", {x, index, source}, x.where);
  dim = checked_slices(record, dim);
  return record.add<IndexCopyOp>({dim}, record.like(0));
}

Value inplace_index_copy(Operand variable, std::int64_t dim, const Value& index,
                         const Value& source) {
  Recorder record("inplace_index_copy", {variable, index, source}, variable.where);
  dim = checked_slices(record, dim);
  return record.add<InplaceIndexCopyOp>({dim}, record.like(0));
}

Value index_fill(Operand x, std::int64_t dim, const Value& index, double value) {
  const RecordScope scope(x);
  dim = slices_dim(Recorder("index_fill", {x, index}, x.where), dim);
  const Shape slices = with_extent(x.shape(), dim, index.shape().numel());
  return index_copy(x, dim, index, filling("index_fill", x, value, slices));
}

Value scatter_add(Operand x, std::int64_t dim, const Value& index, const Value& source) {
  Recorder record("scatter_add", {x, index, source}, x.where);
  dim = checked_elements(record, dim);
  return record.add<ScatterAddOp>({dim}, record.like(0));
}

Value scatter(Operand x, std::int64_t dim, const Value& index, const Value& source) {
  Recorder record("scatter", {x, index, source}, x.where);
  dim = checked_elements(record, dim);
  return record.add<ScatterOp>({dim}, record.like(0));
}

Value scatter(Operand x, std::int64_t dim, const Value& index, double value) {
  const RecordScope scope(x);
  return scatter(x, dim, index, filling("scatter", x, value, index.shape()));
}

Value masked_scatter(Operand x, const Value& mask, const Value& source) {
  const RecordScope scope(x);
  const Recorder record("masked_scatter", {x, mask, source}, x.where);
  record.require_dtype(mask.dtype() == DType::boolean || mask.dtype() == DType::uint8,
                       "the mask {} must be bool or uint8, but is {}", mask, mask.dtype());
  record.require_same_dtype(0, 2);
  record.require_shape(record.broadcast(mask.shape(), x.shape()) == x.shape(),
                       "{} of shape {} does not broadcast to {}, that of x", mask, mask.shape(),
                       x.shape());
  // Elements of source are numbered from 1: 0 is what stands where the mask is not true.
  const Value line = reshape(expand(ne(mask, 0.0), x.shape()), {x.shape().numel()});
  const Value counts = cast(line, DType::int64);
  const Value numbers = mul(cumsum(counts, 0), counts);
  const Value numbered = pad(reshape(source, {source.shape().numel()}), {1, 0});
  return where(reshape(line, x.shape().dims()),
               reshape(index_select(numbered, 0, numbers), x.shape().dims()), x);
}

// ---- Several indices ----------------------------------------------------------------------------

namespace {

// Which dimensions of x are indexed, and where the indices' own stand in the result.
struct Indexing {
  Dims dims = {};
  std::vector<Value> indices = {};
  Shape positions = {};  // what they broadcast to
  std::size_t first = 0;
  Shape result = {};

  Indexing(Recorder& record, const Shape& x, const std::vector<Value>& all) {
    record.require_shape(all.size() <= x.rank(), "{} indices are too many for {}", all.size(), x);
    for (std::size_t d = 0; d < all.size(); ++d) {
      if (!all[d].valid()) continue;
      indices.push_back(all[d]);
      dims.push_back(static_cast<std::int64_t>(d));
      positions = record.broadcast(positions, all[d].shape());
    }
    record.require_value(!dims.empty(), "expected an index for some dimension, got none");
    const bool are_neighbours =
        dims.back() - dims.front() + 1 == static_cast<std::int64_t>(dims.size());
    first = are_neighbours ? static_cast<std::size_t>(dims.front()) : 0;
    Dims rest = x.dims();
    for (std::size_t k = dims.size(); k-- > 0;) rest.erase(rest.begin() + dims[k]);
    rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(first), positions.begin(),
                positions.end());
    result = Shape(std::move(rest));
  }
};

std::vector<Value> given(const Value& x, const std::vector<Value>& indices) {
  std::vector<Value> inputs = {x};
  std::ranges::copy_if(indices, std::back_inserter(inputs),
                       [](const Value& v) { return v.valid(); });
  return inputs;
}

void require_numbers(const Recorder& record, std::size_t count) {
  for (std::size_t i = 1; i <= count; ++i) {
    record.require_dtype(
        record.input(i).dtype() != DType::boolean,
        "{} is a mask, whose number of true elements is known only when the graph runs; use "
        "where(mask, x, 0), or masked_select(x, mask) of a mask that is a Tensor",
        record.input(i));
    require_index(record, i);
  }
}

// The order of dimensions with some in front of the others.
Dims in_front(std::size_t rank, const Dims& some) {
  Dims order = some;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank); ++d) {
    if (std::ranges::find(some, d) == some.end()) order.push_back(d);
  }
  return order;
}

Dims inverse(const Dims& order) {
  Dims back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  return back;
}

// x as rows: those dimensions as one, and all others as another.
Value rows_of(const Value& x, const Dims& order, std::size_t count) {
  const Value sorted = permute(x, order);
  const auto& dims = sorted.shape().dims();
  const auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
  };
  const auto middle = dims.begin() + static_cast<std::ptrdiff_t>(count);
  return reshape(sorted, {product(dims.begin(), middle), product(middle, dims.end())});
}

}  // namespace

Value index(Operand x, const std::vector<Value>& indices) {
  Recorder record("index", given(x, indices), x.where);
  Indexing of(record, x.shape(), indices);
  require_numbers(record, of.indices.size());
  if (of.positions.numel() == 0) {
    // The C function takes an index of shape [0] for all of the dimension.
    const auto none =
        std::ranges::find_if(of.indices, [](const Value& v) { return v.shape().numel() == 0; });
    const std::int64_t dim = of.dims[static_cast<std::size_t>(none - of.indices.begin())];
    const RecordScope scope(x);
    return reshape(index_select(x, dim, reshape(*none, {0})), of.result.dims());
  }
  return record.add<IndexOp>({of.dims}, {of.result, x.dtype()});
}

Value index_put(Operand x, const std::vector<Value>& indices, const Value& values,
                bool accumulate) {
  const RecordScope scope(x);
  std::vector<Value> inputs = given(x, indices);
  inputs.push_back(values);
  Recorder record("index_put", inputs, x.where);
  record.require_same_dtype(0, inputs.size() - 1);
  const Indexing of(record, x.shape(), indices);
  require_numbers(record, of.indices.size());
  record.require_shape(record.broadcast(values.shape(), of.result) == of.result,
                       "{} of shape {} does not broadcast to {}, that of the indexed", values,
                       values.shape(), of.result);
  // The numbers of the indexed places: indexing itself checks each index against its dimension.
  Dims indexed;
  for (const std::int64_t dim : of.dims) indexed.push_back(x.shape()[dim]);
  const std::int64_t count = Shape(indexed).numel();
  const Value numbers =
      reshape(arange(x.graph(), 0, static_cast<double>(count), 1, DType::int64), indexed);
  const Value places = reshape(index(numbers, of.indices), {of.positions.numel()});

  Dims positions(of.positions.rank());
  std::iota(positions.begin(), positions.end(), static_cast<std::int64_t>(of.first));
  const Value spread = expand(values, of.result);
  const Value updates = rows_of(spread, in_front(of.result.rank(), positions), positions.size());
  const Dims order = in_front(x.shape().rank(), of.dims);
  const Value rows = rows_of(x, order, of.dims.size());
  const Value changed =
      accumulate ? index_add(rows, 0, places, updates) : index_copy(rows, 0, places, updates);
  Dims sorted;
  for (const std::int64_t dim : order) sorted.push_back(x.shape()[dim]);
  return permute(reshape(changed, sorted), inverse(order));
}

Value masked_select(Operand x, const Tensor& mask) {
  const RecordScope scope(x);
  const Recorder record("masked_select", {x}, x.where);
  record.require_shape(mask.shape() == x.shape(), "the mask must have the shape of x, {}, got {}",
                       x.shape(), mask.shape());
  const Tensor places = nonzero(mask.reshape({mask.numel()}));
  return index_select(reshape(x, {x.shape().numel()}), 0,
                      x.graph().constant(places.reshape({places.shape()[0]})));
}

// ---- Repeats ------------------------------------------------------------------------------------

namespace {

// x, or x as one line where there is no dim.
Value repeated_along(const Value& x, const std::optional<std::int64_t>& dim) {
  return dim && x.shape().rank() > 0 ? x : reshape(x, {x.shape().numel()});
}

void require_repeats(const Recorder& record, std::int64_t extent) {
  require_index(record, 1);
  const Shape& repeats = record.input(1).shape();
  record.require_shape(repeats.rank() <= 1 && (repeats.numel() == 1 || repeats.numel() == extent),
                       "{} must have one element or {}, got {}", record.input(1), extent, repeats);
}

}  // namespace

Value repeat_interleave(Operand x, std::int64_t repeats, std::optional<std::int64_t> dim) {
  const RecordScope scope(x);
  const Value whole = repeated_along(x, dim);
  Recorder record("repeat_interleave", {whole}, x.where);
  record.require_value(repeats >= 0, "repeats must not be negative, got {}", repeats);
  const std::int64_t along = record.axis(dim.value_or(0), whole.shape().rank());
  std::int64_t size = 0;
  record.require_value(!__builtin_mul_overflow(repeats, whole.shape()[along], &size),
                       "{} repeats are too many", repeats);
  return record.add<RepeatInterleaveIntOp>({repeats, along, size},
                                           {with_extent(whole.shape(), along, size), x.dtype()});
}

Value repeat_interleave(Operand x, const Value& repeats, std::int64_t output_size,
                        std::optional<std::int64_t> dim) {
  const RecordScope scope(x);
  const Value whole = repeated_along(x, dim);
  Recorder record("repeat_interleave", {whole, repeats}, x.where);
  const std::int64_t along = record.axis(dim.value_or(0), whole.shape().rank());
  require_repeats(record, whole.shape()[along]);
  record.require_value(output_size >= 0, "output_size must not be negative, got {}", output_size);
  return record.add<RepeatInterleaveOp>(
      {along, output_size}, {with_extent(whole.shape(), along, output_size), x.dtype()});
}

Value repeat_interleave_grad(Operand grad, const Value& repeats, std::int64_t extent,
                             std::int64_t dim) {
  Recorder record("repeat_interleave_grad", {grad, repeats}, grad.where);
  record.require_floating(0);
  record.require_value(extent >= 0, "extent must not be negative, got {}", extent);
  dim = record.axis(dim, grad.shape().rank());
  require_repeats(record, extent);
  return record.add<RepeatInterleaveGradOp>({dim},
                                            {with_extent(grad.shape(), dim, extent), grad.dtype()});
}

namespace calls {

const Declaration<IndexAddAttributes> index_add = {"index_add", ACLGRAD_C(aclnnIndexAdd), separate};
const Declaration<DimAttributes> index_copy = {"index_copy", ACLGRAD_C(aclnnIndexCopy), separate};
const Declaration<DimAttributes> inplace_index_copy = {"inplace_index_copy",
                                                       ACLGRAD_C(aclnnInplaceIndexCopy), updating};
const Declaration<DimAttributes> scatter_add = {"scatter_add", ACLGRAD_C(aclnnScatterAdd),
                                                separate};
const Declaration<DimAttributes> scatter = {"scatter", ACLGRAD_C(aclnnScatter), separate,
                                            [](const auto& values, AclnnCall& call, auto... end) {
                                              constexpr std::int64_t kReplace = 0;
                                              return aclnnScatterGetWorkspaceSize(
                                                  call.input(0), values.dim, call.input(1),
                                                  call.input(2), kReplace, call.output(0), end...);
                                            }};
const Declaration<IndexAttributes> index = {
    "index", ACLGRAD_C(aclnnIndex), separate, [](const auto& values, AclnnCall& call, auto... end) {
      std::vector<aclTensor*> tensors(static_cast<std::size_t>(values.dims.back()) + 1, nullptr);
      for (std::size_t k = 0; k < values.dims.size(); ++k) {
        tensors[static_cast<std::size_t>(values.dims[k])] = call.input(k + 1);
      }
      // Phase one takes the tensors from the list, which is not looked at later.
      const TensorListHandle list(tensors);
      return aclnnIndexGetWorkspaceSize(call.input(0), list.get(), call.output(0), end...);
    }};
const Declaration<RepeatInterleaveAttributes> repeat_interleave = {
    "repeat_interleave", ACLGRAD_C(aclnnRepeatInterleaveWithDim), separate};
const Declaration<RepeatInterleaveIntAttributes> repeat_interleave_int = {
    "repeat_interleave", ACLGRAD_C(aclnnRepeatInterleaveIntWithDim), separate};
const Declaration<DimAttributes> repeat_interleave_grad = {
    "repeat_interleave_grad", ACLGRAD_C(aclnnRepeatInterleaveGrad), separate};

}  // namespace calls
}  // namespace aclgrad
