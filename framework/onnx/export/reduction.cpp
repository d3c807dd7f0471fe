// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/reduction.h"

#include <cmath>
#include <numeric>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

// ReduceSum takes its axes as an input; the others get that with opset 18.
Term reduce(const char* name, const Term& x, const Ints& axes, bool keepdim) {
  if (axes.empty()) return x;  // of a scalar; without axes ONNX would reduce all
  const Attributes keeps{{"keepdims", std::int64_t{keepdim}}};
  if (std::string_view(name) == "ReduceSum") return op(name, {x, ints(x, axes)}, keeps);
  return op(name, {x}, {{"axes", axes}, keeps[0]});
}

// ONNX sums no small integers, and orders no bool.
Term reduce_any(const char* name, const Term& x, const Ints& axes, bool keepdim) {
  const bool is_small = x.dtype == DType::boolean || x.dtype == DType::uint8 ||
                        x.dtype == DType::int8 || x.dtype == DType::int16;
  if (!is_small) return reduce(name, x, axes, keepdim);
  return cast(reduce(name, cast(x, DType::int32), axes, keepdim), x.dtype);
}

template <class OpType>
void add_reduction(Table& table, const char* name) {
  table.add<OpType>([name](const OpType& a, Call& call) {
    return call.narrowed(reduce_any(name, call.usual(0), a.axes, a.keepdim));
  });
}

// How many elements are reduced, less some, as a number of x's dtype.
Term count_of(const Call& call, const Ints& axes, std::int64_t less, DType dtype) {
  Extent count{1, 0};
  for (const std::int64_t axis : axes) {
    const Extent extent = call.extents(0)[static_cast<std::size_t>(axis)];
    if (!extent.is_fixed() && !count.is_fixed()) refuse("it reduces two axes of the batch");
    count = {count.constant * extent.constant,
             count.constant * extent.per_batch + count.per_batch * extent.constant};
  }
  count.constant -= less;
  return call.scalar(count, dtype);
}

Term variance(const Call& call, const Ints& axes, std::int64_t correction, bool keepdim) {
  const Term x = call.wide(0);
  const Term centered = x - reduce("ReduceMean", x, axes, true);
  const Term squares = centered * centered;
  if (correction == 0) return reduce("ReduceMean", squares, axes, keepdim);
  return reduce("ReduceSum", squares, axes, keepdim) / count_of(call, axes, correction, x.dtype);
}

Term norm(const Term& x, const NormAttributes& a) {
  if (a.p == 1) return reduce("ReduceL1", x, a.axes, a.keepdim);
  if (a.p == 2) return reduce("ReduceL2", x, a.axes, a.keepdim);
  const Term size = op("Abs", {x});
  if (std::isinf(a.p)) return reduce(a.p > 0 ? "ReduceMax" : "ReduceMin", size, a.axes, a.keepdim);
  if (a.p == 0) {
    const Term is_zero = op("Equal", {x, number(x, 0)}, {}, DType::boolean);
    return reduce("ReduceSum", cast(op("Not", {is_zero}), x.dtype), a.axes, a.keepdim);
  }
  const Term sum = reduce("ReduceSum", op("Pow", {size, number(x, a.p)}), a.axes, a.keepdim);
  return op("Pow", {sum, number(x, 1 / a.p)});
}

// "ArgMax" or "ArgMin".
Term place_of_extremum(const char* name, const Term& x, std::int64_t dim, bool keepdim) {
  return op(name, {x}, {{"axis", dim}, {"keepdims", std::int64_t{keepdim}}}, DType::int64);
}

template <class OpType>
void add_search(Table& table, const char* of_values, const char* of_places) {
  table.add<OpType>([of_values, of_places](auto& a, Call& call) {
    const Term x = call.input(0);
    std::vector<Term> made{reduce_any(of_values, x, {a.dim}, a.keepdim)};
    if (call.is_needed(1)) made.push_back(place_of_extremum(of_places, x, a.dim, a.keepdim));
    return made;
  });
}

Ints all_axes(const Call& call) {
  Ints axes(call.shape(0).rank());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// Over all elements, which leaves no axis.
template <class OpType>
void add_of_all(Table& table, const char* name) {
  table.add<OpType>([name](auto&, Call& call) {
    return call.narrowed(reduce_any(name, call.usual(0), all_axes(call), false));
  });
}

// Whether all, or any, elements are true: the smallest, or largest, of 0 and 1.
template <class OpType>
void add_of_truths(Table& table, const char* name) {
  table.add<OpType>([name](auto& a, Call& call) {
    return reduce_any(name, cast(call.input(0), DType::boolean), a.axes, a.keepdim);
  });
}

// Products as the result's dtype has them.
Term product(const Call& call, const Ints& axes, bool keepdim) {
  return call.narrowed(
      reduce_any("ReduceProd", widened(cast(call.input(0), call.output_dtype())), axes, keepdim));
}

}  // namespace

void add_reductions(Table& table) {
  add_reduction<ReduceSumOp>(table, "ReduceSum");
  add_reduction<MeanOp>(table, "ReduceMean");
  add_reduction<AmaxOp>(table, "ReduceMax");
  add_reduction<AminOp>(table, "ReduceMin");
  add_reduction<LogsumexpOp>(table, "ReduceLogSumExp");
  table.add<VarOp>([](auto& a, Call& call) {
    return call.narrowed(variance(call, a.axes, a.unbiased ? 1 : 0, a.keepdim));
  });
  table.add<StddevOp>([](auto& a, Call& call) {
    return call.narrowed(op("Sqrt", {variance(call, a.axes, a.correction, a.keepdim)}));
  });
  table.add<NormOp>([](auto& a, Call& call) { return call.narrowed(norm(call.wide(0), a)); });
  table.add<CumsumOp>([](auto& a, Call& call) {
    const Term x = call.usual(0);
    const Term axis = constant(x, Tensor::scalar(static_cast<double>(a.dim), DType::int64));
    return call.narrowed(
        op("CumSum", {x, axis},
           {{"exclusive", std::int64_t{a.exclusive}}, {"reverse", std::int64_t{a.reverse}}}));
  });
  table.add<ArgmaxOp>([](auto& a, Call& call) {
    return place_of_extremum("ArgMax", call.input(0), a.dim, a.keepdim);
  });
  table.add<ArgminOp>([](auto& a, Call& call) {
    return place_of_extremum("ArgMin", call.input(0), a.dim, a.keepdim);
  });
  add_search<MaxOp>(table, "ReduceMax", "ArgMax");
  add_search<MinOp>(table, "ReduceMin", "ArgMin");
  add_of_all<MaxOfAllOp>(table, "ReduceMax");
  add_of_all<MinOfAllOp>(table, "ReduceMin");
  table.add<AminmaxOp>([](auto& a, Call& call) {
    const Term x = call.usual(0);
    return std::vector<Term>{call.narrowed(reduce_any("ReduceMin", x, a.axes, a.keepdim)),
                             call.narrowed(reduce_any("ReduceMax", x, a.axes, a.keepdim))};
  });
  add_of_truths<AllOp>(table, "ReduceMin");
  add_of_truths<AnyOp>(table, "ReduceMax");
  table.add<ProdOp>([](auto&, Call& call) { return product(call, all_axes(call), false); });
  table.add<ProdDimOp>([](auto& a, Call& call) { return product(call, {a.dim}, a.keepdim); });
  table.add<NansumOp>([](auto& a, Call& call) {
    const Term x = call.wide(0);
    const Term numbers = is_floating(x.dtype) ? where(test("IsNaN", {x}), number(x, 0), x) : x;
    return call.narrowed(reduce_any("ReduceSum", numbers, a.axes, a.keepdim));
  });
  table.refused<CumprodOp>("ONNX has running sums, but no running products");
  table.refused<CummaxOp, CumminOp>("ONNX has running sums, but no running extremes");
  table.add<TopkOp>([](auto& a, Call& call) {
    const Term x = call.input(0);
    std::vector<Term> made = ops(
        "TopK", {x, ints(x, {a.k})},
        {{"axis", a.dim}, {"largest", std::int64_t{a.largest}}, {"sorted", std::int64_t{a.sorted}}},
        2);
    made[1].dtype = DType::int64;
    return made;
  });
  // sum over M of |a - b|^p, to the power of 1 / p.
  table.add<CdistOp>([](auto& a, Call& call) {
    const Term rows = unsqueeze(call.wide(0), {-2}), others = unsqueeze(call.wide(1), {-3});
    return call.narrowed(norm(rows - others, {a.p, {-1}, false}));
  });
}

}  // namespace aclgrad::onnx::saving
