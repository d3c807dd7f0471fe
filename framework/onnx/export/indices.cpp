// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/index.h"

#include <algorithm>
#include <numeric>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

// Indices of slices along an axis, as ScatterElements takes them: one for each element.
Term for_elements(const Call& call, std::int64_t dim) {
  Ints dims(call.shape(0).rank(), 1);
  dims[static_cast<std::size_t>(dim)] = -1;
  return op("Expand", {reshape(call.input(1), dims), call.list(call.extents(2))});
}

// Elements put, or added, at places along an axis.
Term scattered(const Term& x, const Term& index, const Term& source, std::int64_t dim,
               bool is_added) {
  Attributes attributes{{"axis", dim}};
  if (is_added) attributes.emplace_back("reduction", "add");
  return op("ScatterElements", {x, index, source}, attributes);
}

// The part of source that an index of fewer elements names.
Term named_part(const Call& call) {
  Term source = call.input(2);
  const Extents index = call.extents(1), whole = call.extents(2);
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (index[axis] == whole[axis]) continue;
    source = op("Slice", {source, ints(source, {0}), call.list({index[axis]}),
                          ints(source, {static_cast<std::int64_t>(axis)})});
  }
  return source;
}

// x[i, :, j]: the indexed axes go to the front, where GatherND reads them; the indices' own axes
// then stand there, and go to where they belong.
Term indexed(const IndexOp& a, const Call& call) {
  const std::int64_t rank = call.rank(0);
  if (a.dims.size() == 1) {
    return op("Gather", {call.input(0), call.input(1)}, {{"axis", a.dims[0]}});
  }
  Ints order = a.dims;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (std::ranges::find(a.dims, d) == a.dims.end()) order.push_back(d);
  }
  const auto count = static_cast<std::int64_t>(a.dims.size());
  const bool are_neighbours = a.dims.back() - a.dims.front() + 1 == count;
  const std::int64_t first = are_neighbours ? a.dims.front() : 0;
  const std::int64_t positions =
      static_cast<std::int64_t>(call.output_shape().rank()) - (rank - count);
  const Extents out = call.output_extents();
  const Extents broadcast(out.begin() + first, out.begin() + first + positions);
  std::vector<Term> numbers;
  for (std::size_t k = 1; k < call.input_count(); ++k) {
    const Term index = cast(call.input(k), DType::int64);
    numbers.push_back(unsqueeze(op("Expand", {index, call.list(broadcast)}), {-1}));
  }
  const Term made = op("GatherND", {transpose(call.input(0), order), concat(numbers, -1)});
  if (first == 0) return made;
  // From [positions, before, behind] to [before, positions, behind].
  Ints back(out.size());
  std::iota(back.begin(), back.end(), 0);
  std::rotate(back.begin(), back.begin() + positions, back.begin() + positions + first);
  return transpose(made, back);
}

// Bags of equal length: where each begins is a constant, at equal distances.
Term bags(const EmbeddingBagOp& a, const Call& call) {
  const Extents indices = call.extents(1), rows = call.output_extents();
  const std::int64_t count = rows[0].is_fixed() ? rows[0].constant : rows[0].per_batch;
  const std::int64_t all = indices[0].is_fixed() ? indices[0].constant : indices[0].per_batch;
  const bool are_equal = rows[0].is_fixed() == indices[0].is_fixed() && count > 0 &&
                         all % count == 0 && !a.include_last_offset && a.padding_idx < 0;
  const Node& maker = call.maker_of(2);
  if (!are_equal || maker.op->kind() != OpKind::constant) {
    refuse("its bags are not all of one length that is known, of which padding is no part");
  }
  const Tensor& starts = static_cast<const ConstantOp&>(*maker.op).tensor;
  const std::int64_t length = all / count;
  for (std::int64_t b = 0; b < starts.numel(); ++b) {
    if (static_cast<std::int64_t>(starts.get(b)) != b * length) refuse("its bags differ in length");
  }
  const Term weight = call.wide(0);
  Term read =
      op("Gather", {weight, reshape(call.input(1), {-1, length})}, {{"axis", std::int64_t{0}}});
  if (a.has_weights) {
    read = read * cast(reshape(call.input(3), {-1, length, 1}), read.dtype);
  }
  const Attributes keeps{{"keepdims", std::int64_t{0}}};
  if (a.mode == BagMode::sum) return call.narrowed(op("ReduceSum", {read, ints(read, {1})}, keeps));
  return call.narrowed(op(a.mode == BagMode::mean ? "ReduceMean" : "ReduceMax", {read},
                          {{"axes", Ints{1}}, keeps[0]}));
}

// So many copies of each slice as a constant says: the slices by their numbers.
Term repeated(const RepeatInterleaveAttributes& a, const Call& call) {
  const Node& maker = call.maker_of(1);
  if (maker.op->kind() != OpKind::constant) refuse("how often it repeats follows from a run");
  const Tensor& repeats = static_cast<const ConstantOp&>(*maker.op).tensor;
  const std::int64_t slices =
      call.fixed(call.extents(0)[static_cast<std::size_t>(a.dim)], "the number of its slices");
  Ints places;
  for (std::int64_t k = 0; k < slices; ++k) {
    const double times = repeats.get(repeats.numel() == 1 ? 0 : k);
    places.insert(places.end(), static_cast<std::size_t>(times), k);
  }
  return op("Gather", {call.input(0), ints(call.input(0), places)}, {{"axis", a.dim}});
}

}  // namespace

void add_indices(Table& table) {
  table.add<IndexSelectOp>([](auto& a, Call& call) {
    Term index = call.input(1);
    if (call.rank(1) == 0) index = reshape(index, {1});
    return op("Gather", {call.input(0), index}, {{"axis", a.dim}});
  });
  table.add<EmbeddingOp>([](auto&, Call& call) {
    return op("Gather", {call.input(0), call.input(1)}, {{"axis", std::int64_t{0}}});
  });
  table.add<IndexOp>([](auto& a, Call& call) { return indexed(a, call); });
  // An index may be smaller than x beside the axis.
  table.add<GatherOp>([](auto& a, Call& call) {
    Term x = call.input(0);
    const Extents index = call.extents(1), whole = call.extents(0);
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      if (static_cast<std::int64_t>(axis) == a.dim || index[axis] == whole[axis]) continue;
      x = op("Slice", {x, ints(x, {0}), call.list({index[axis]}),
                       ints(x, {static_cast<std::int64_t>(axis)})});
    }
    return op("GatherElements", {x, call.input(1)}, {{"axis", a.dim}});
  });
  table.add<IndexAddOp>([](auto& a, Call& call) {
    return scattered(call.input(0), for_elements(call, a.dim), call.input(2) * a.alpha, a.dim,
                     true);
  });
  table.add<IndexCopyOp>([](auto& a, Call& call) {
    return scattered(call.input(0), for_elements(call, a.dim), call.input(2), a.dim, false);
  });
  table.add<ScatterAddOp>([](auto& a, Call& call) {
    return scattered(call.input(0), call.input(1), named_part(call), a.dim, true);
  });
  table.add<ScatterOp>([](auto& a, Call& call) {
    return scattered(call.input(0), call.input(1), named_part(call), a.dim, false);
  });
  table
      .add<RepeatInterleaveIntOp>([](auto& a, Call& call) {
        // Each slice becomes several behind each other along an axis of their own.
        const Term x = unsqueeze(call.input(0), {a.dim + 1});
        call.fixed(call.extent_of<RepeatInterleaveIntOp>([](auto& each) { return each.repeats; }),
                   "how often it repeats");
        Ints repeats(call.shape(0).rank() + 1, 1);
        repeats[static_cast<std::size_t>(a.dim) + 1] = a.repeats;
        return call.reshape_to(op("Tile", {x, ints(x, repeats)}), call.output_extents());
      })
      .knows_batch = true;
  table.add<RepeatInterleaveOp>([](auto& a, Call& call) { return repeated(a, call); });
  // Inputs 1 and 2 are the numbers in and beside the place.
  table.add<OneHotOp>([](auto& a, Call& call) {
    const auto one = [&](std::size_t input) { return reshape(call.input(input), {1}); };
    const Term index = call.input(0);
    return op("OneHot", {index, ints(index, {a.classes}), concat({one(2), one(1)}, 0)}, {},
              call.output_dtype());
  });
  table.add<EmbeddingBagOp>([](auto& a, Call& call) {
    for (std::size_t k = 1; k < call.node().outputs.size(); ++k) {
      if (call.is_needed(k)) refuse("only its bags are an output there");
    }
    return bags(a, call);
  });
}

}  // namespace aclgrad::onnx::saving
