// SPDX-License-Identifier: Apache-2.0
// Elements by their order, all made of TopK: of equal elements the first one comes first there,
// too. Where NaN stands ONNX leaves open.
#include "aclgrad/ops/ordering.h"

#include <limits>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

struct Sorted {
  Term values, places;
};

// The first `count`, int64 [1], along an axis.
Sorted first_of(const Term& x, const Term& count, std::int64_t axis, bool descending) {
  const std::vector<Term> made =
      ops("TopK", {x, count}, {{"axis", axis}, {"largest", std::int64_t{descending}}}, 2);
  return {made[0], {made[1].builder, made[1].name, DType::int64}};
}

Sorted sorted_of(const Call& call, std::int64_t dim, bool descending) {
  const Term count = call.list({call.extents(0)[static_cast<std::size_t>(dim)]});
  return first_of(call.input(0), count, dim, descending);
}

// Of one that was kept, the axis.
Term without(const Term& x, std::int64_t axis, bool keepdim) {
  return keepdim ? x : squeeze(x, {axis});
}

// The element in the middle of `count` along an axis, which stays; NaN where there is one.
Term middle_of(const Term& x, const Term& count, std::int64_t axis) {
  const Term ordered = first_of(x, count, axis, false).values;
  const Term place = (count - ints(x, {1})) / ints(x, {2});
  const Term middle = op("Gather", {ordered, place}, {{"axis", axis}});
  if (!is_floating(x.dtype)) return middle;
  const Term counted = cast(test("IsNaN", {x}), DType::int32);
  const Term found = op("ReduceMax", {counted}, {{"axes", Ints{axis}}});
  return where(cast(found, DType::boolean), number(x, std::numeric_limits<double>::quiet_NaN()),
               middle);
}

Term median_of_all(const Call& call) {
  Extent count{1, 0};
  for (const Extent& extent : call.extents(0)) {
    if (!extent.is_fixed() && !count.is_fixed()) refuse("two of its axes are of the batch");
    count = {count.constant * extent.constant,
             count.constant * extent.per_batch + count.per_batch * extent.constant};
  }
  const Term line = reshape(call.usual(0), {-1});
  return squeeze(middle_of(line, call.list({count}), 0), {0});
}

// The median, and the first element that is it.
std::vector<Term> medians(const SearchAttributes& a, const Call& call) {
  const Term x = call.usual(0);
  const Term count = call.list({call.extents(0)[static_cast<std::size_t>(a.dim)]});
  const Term median = middle_of(x, count, a.dim);
  std::vector<Term> made{call.narrowed(without(median, a.dim, a.keepdim))};
  if (!call.is_needed(1)) return made;
  Term is_it = test("Equal", {x, median});
  if (is_floating(x.dtype)) is_it = test("Or", {is_it, test("IsNaN", {x})});
  made.push_back(op("ArgMax", {cast(is_it, DType::int32)},
                    {{"axis", a.dim}, {"keepdims", std::int64_t{a.keepdim}}}, DType::int64));
  return made;
}

// How many of the sequence's elements, along its last axis, are below each number, with `right`
// not above it. NaN stands behind all.
Term place_of(const Term& sequence, const Term& numbers, bool right) {
  const Term is_behind =
      op("Not", {test(right ? "Greater" : "GreaterOrEqual", {sequence, numbers})});
  const Term counted = cast(is_behind, DType::int64);
  return op("ReduceSum", {counted, ints(counted, {-1})}, {{"keepdims", std::int64_t{0}}});
}

}  // namespace

void add_ordering(Table& table) {
  table.add<SortOp>([](auto& a, Call& call) {
    const Sorted sorted = sorted_of(call, a.dim, a.descending);
    return std::vector<Term>{sorted.values, sorted.places};
  });
  table.add<ArgsortOp>(
      [](auto& a, Call& call) { return sorted_of(call, a.dim, a.descending).places; });
  table.add<KthvalueOp>([](auto& a, Call& call) {
    const Term x = call.input(0);
    const Sorted sorted = first_of(x, ints(x, {a.k}), a.dim, false);
    const auto last = [&](const Term& all) {
      return without(slice(all, a.dim, a.k - 1, a.k), a.dim, a.keepdim);
    };
    return std::vector<Term>{last(sorted.values), last(sorted.places)};
  });
  table.add<MedianOp>([](auto&, Call& call) { return call.narrowed(median_of_all(call)); });
  table.add<MedianDimOp>([](auto& a, Call& call) { return medians(a, call); });
  table.refused<NanmedianOp, NanmedianDimOp>("ONNX does not say where NaN stands in an order");

  table.add<SearchsortedOp>([](auto& a, Call& call) {
    Term sequence = call.input(0);
    if (call.input_count() > 2) {
      sequence = op("GatherElements", {sequence, call.input(2)}, {{"axis", std::int64_t{-1}}});
    }
    const DType common = promote(call.dtype(0), call.dtype(1));
    if (call.rank(0) > 1) sequence = unsqueeze(sequence, {-2});
    return place_of(cast(sequence, common), unsqueeze(cast(call.input(1), common), {-1}), a.right);
  });
  table.add<BucketizeOp>([](auto& a, Call& call) {
    const std::vector<Term> both = call.promoted();
    return place_of(both[1], unsqueeze(both[0], {-1}), a.right);
  });
  // A row for each number, which has its weight at its place, or nothing where it is too large.
  table.add<BincountOp>([](auto& a, Call& call) {
    const Term x = call.input(0);
    Term rows = op("OneHot", {x, ints(x, {a.bins}), ints(x, {0, 1})}, {}, DType::int64);
    if (call.input_count() > 1) {
      rows = cast(rows, call.output_dtype()) *
             unsqueeze(cast(call.input(1), call.output_dtype()), {1});
    }
    return op("ReduceSum", {rows, ints(x, {0})}, {{"keepdims", std::int64_t{0}}});
  });
  table.refused<HistcOp>("ONNX counts no elements in intervals");
}

}  // namespace aclgrad::onnx::saving
