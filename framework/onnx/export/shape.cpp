// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/shape.h"

#include <algorithm>
#include <limits>

#include "aclgrad/ops/index.h"
#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();

// ---- Constants ----------------------------------------------------------------------------------

bool is_uniform(const Tensor& tensor) {
  for (std::int64_t i = 1; i < tensor.numel(); ++i) {
    if (tensor.get(i) != tensor.get(0)) return false;
  }
  return tensor.numel() > 0;
}

// start, start + step, ... of whole numbers.
bool is_range(const Tensor& tensor, double start, double step) {
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (tensor.get(i) != start + static_cast<double>(i) * step) return false;
  }
  return true;
}

// One that follows from the batch: the same number everywhere, or numbers at equal distances.
Term constant_of_batch(const Call& call, const std::vector<const Tensor*>& all) {
  const Tensor& first = *all.front();
  const bool is_filled = std::ranges::all_of(
      all, [&](const Tensor* each) { return is_uniform(*each) && each->get(0) == first.get(0); });
  Term beside = call.anything();
  beside.dtype = first.dtype();
  if (is_filled) {
    return op("Expand", {number(beside, first.get(0)), call.list(call.output_extents())});
  }
  const double step = first.numel() < 2 ? 1 : first.get(1) - first.get(0);
  const bool counts = std::ranges::all_of(all, [&](const Tensor* each) {
    return each->rank() == 1 && is_range(*each, first.get(0), step);
  });
  if (!counts || first.dtype() == DType::boolean) {
    refuse("its numbers depend on the batch in more than their count");
  }
  Extent end = call.output_extents()[0];
  const auto distance = static_cast<std::int64_t>(step),
             start = static_cast<std::int64_t>(first.get(0));
  if (static_cast<double>(distance) != step || static_cast<double>(start) != first.get(0)) {
    refuse("its numbers depend on the batch, and are not whole");
  }
  end = {end.constant * distance + start, end.per_batch * distance};
  return op("Range",
            {number(beside, first.get(0)), call.scalar(end, first.dtype()), number(beside, step)});
}

Term constant_node(const Call& call) {
  const std::vector<const Tensor*> all = call.constants();
  const bool is_same = std::ranges::all_of(
      all, [&](const Tensor* each) { return bitwise_equal(*each, *all.front()); });
  return is_same ? constant(call.anything(), *all.front()) : constant_of_batch(call, all);
}

// So many of one number.
Term filled(const Call& call, double value) {
  Term beside = call.anything();
  beside.dtype = call.output_dtype();
  return op("Expand", {number(beside, value), call.list(call.output_extents())});
}

// ---- Views --------------------------------------------------------------------------------------

Term sliced(const SliceOp& s, const Call& call) {
  const Extent start = call.extent_of<SliceOp>([](const SliceOp& each) { return each.start; });
  Extent end = call.extent_of<SliceOp>([](const SliceOp& each) { return each.end; });
  const Extent extent = call.extents(0)[static_cast<std::size_t>(s.dim)];
  if (start == Extent{} && end == extent && s.step == 1) return call.input(0);
  if (end == extent) end = {kToTheEnd, 0};
  return op("Slice", {call.input(0), call.list({start}), call.list({end}),
                      ints(call.input(0), {s.dim}), ints(call.input(0), {s.step})});
}

// ONNX's Expand broadcasts both ways, so an extent that the input has need not be said.
Term expanded(const Call& call) {
  const Extents from = call.extents(0);
  Extents to = call.output_extents();
  const std::size_t added = to.size() - from.size();
  bool changes = added > 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[added + i]) {
      to[added + i] = {1, 0};
    } else {
      changes = true;
    }
  }
  return changes ? op("Expand", {call.input(0), call.list(to)}) : call.input(0);
}

// A dimension that only moves elements of extent 1 around is reshaped like any other.
Term reshaped(const Call& call) {
  if (call.extents(0) == call.output_extents()) return call.input(0);
  return call.reshape_to(call.input(0), call.output_extents());
}

// ---- Copies -------------------------------------------------------------------------------------

std::vector<Term> with_output_dtype(const Call& call) {
  std::vector<Term> all;
  for (const Term& each : call.inputs()) all.push_back(cast(each, call.output_dtype()));
  return all;
}

Term rolled(const RollOp& r, const Call& call) {
  const auto turned = [](const Term& x, std::int64_t dim, std::int64_t shift) {
    if (shift == 0) return x;
    return concat({slice(x, dim, -shift, kToTheEnd), slice(x, dim, 0, -shift)}, dim);
  };
  Term x = call.input(0);
  if (r.dims.empty()) {
    return call.reshape_to(turned(reshape(x, {-1}), 0, r.shifts[0]), call.extents(0));
  }
  for (std::size_t k = 0; k < r.dims.size(); ++k) {
    const std::int64_t size = call.fixed(call.extents(0)[static_cast<std::size_t>(r.dims[k])],
                                         "the axis that is rolled along");
    x = turned(x, r.dims[k], size == 0 ? 0 : (r.shifts[k] % size + size) % size);
  }
  return x;
}

}  // namespace

Ints onnx_pads(const Ints& pads, std::size_t rank) {
  Ints all(2 * rank, 0);
  for (std::size_t k = 0; k < pads.size() / 2; ++k) {
    all[rank - 1 - k] = pads[2 * k];
    all[2 * rank - 1 - k] = pads[2 * k + 1];
  }
  return all;
}

void add_shapes(Table& table) {
  table.add<ConstantOp>([](auto&, Call& call) { return constant_node(call); }).knows_batch = true;
  table.add<ZerosOp>([](auto&, Call& call) { return filled(call, 0); });
  table.add<FullOp>([](auto& a, Call& call) { return filled(call, a.value); });
  table.add<EyeOp>([](auto&, Call& call) { return op("EyeLike", {filled(call, 0)}); }).knows_batch =
      true;  // by its result's extents
  table.add<LinspaceOp>([](auto& a, Call& call) {
    std::vector<double> numbers(static_cast<std::size_t>(a.steps), a.start);
    for (std::size_t k = 1; k < numbers.size(); ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(numbers.size() - 1);
      numbers[k] = a.start + (a.end - a.start) * share;
    }
    const Tensor line = Tensor::from({a.steps}, numbers, DType::float64);
    return constant(call.anything(), line.to(call.output_dtype()));
  });
  table
      .add<ArangeOp>([](auto& a, Call& call) {
        Term beside = call.anything();
        beside.dtype = call.output_dtype();
        const Extent end = call.extent_of<ArangeOp>([](const ArangeOp& each) {
          const auto whole = static_cast<std::int64_t>(each.end);
          if (static_cast<double>(whole) != each.end) refuse("its end is not whole");
          return whole;
        });
        const Extent start = call.extent_of<ArangeOp>(
            [](const ArangeOp& each) { return static_cast<std::int64_t>(each.start); });
        if (!start.is_fixed()) refuse("its start depends on the batch");
        return op("Range", {number(beside, a.start), call.scalar(end, beside.dtype),
                            number(beside, a.step)});
      })
      .knows_batch = true;

  table.add<PermuteOp>([](auto& p, Call& call) { return transpose(call.input(0), p.order); });
  table.add<SliceOp>([](auto& s, Call& call) { return sliced(s, call); }).knows_batch = true;
  table.add<ReshapeOp>([](auto&, Call& call) { return reshaped(call); });
  table.add<ExpandOp>([](auto&, Call& call) { return expanded(call); });
  table.add<StopGradientOp>([](auto&, Call& call) { return call.input(0); });
  table.add<CopyOp>([](auto&, Call& call) { return call.input(0); });
  table.add<CastOp>([](auto&, Call& call) { return cast(call.input(0), call.output_dtype()); });

  table.add<CatOp>([](auto& a, Call& call) { return concat(with_output_dtype(call), a.dim); });
  table.add<StackOp>([](auto& a, Call& call) {
    std::vector<Term> rows;
    for (const Term& each : with_output_dtype(call)) rows.push_back(unsqueeze(each, {a.dim}));
    return concat(rows, a.dim);
  });
  table.add<PadOp>([](auto& a, Call& call) {
    const Term x = call.input(0);
    return op("Pad", {x, ints(x, onnx_pads(a.pads, call.shape(0).rank())), number(x, a.value)});
  });
  table
      .add<RepeatOp>([](auto& a, Call& call) {
        const std::size_t rank = call.shape(0).rank(), added = a.repeats.size() - rank;
        Term x = call.input(0);
        if (added > 0) {
          Ints axes;
          for (std::size_t k = 0; k < added; ++k) axes.push_back(static_cast<std::int64_t>(k));
          x = unsqueeze(x, axes);
        }
        Extents repeats;
        for (std::size_t k = 0; k < a.repeats.size(); ++k) {
          repeats.push_back(
              call.extent_of<RepeatOp>([k](const RepeatOp& each) { return each.repeats[k]; }));
        }
        return op("Tile", {x, call.list(repeats)});
      })
      .knows_batch = true;
  table.add<TrilOp>([](auto& a, Call& call) {
    const Term x = call.input(0);
    const Term k = constant(x, Tensor::scalar(static_cast<double>(a.diagonal), DType::int64));
    return op("Trilu", {x, k}, {{"upper", std::int64_t{0}}});
  });
  table.add<TriuOp>([](auto& a, Call& call) {
    const Term x = call.input(0);
    const Term k = constant(x, Tensor::scalar(static_cast<double>(a.diagonal), DType::int64));
    return op("Trilu", {x, k}, {{"upper", std::int64_t{1}}});
  });
  table.add<FlipOp>([](auto& a, Call& call) {
    Term x = call.input(0);
    for (const std::int64_t dim : a.dims) x = slice(x, dim, -1, -kToTheEnd, -1);
    return x;
  });
  table.add<RollOp>([](auto& a, Call& call) { return rolled(a, call); });
}

}  // namespace aclgrad::onnx::saving
