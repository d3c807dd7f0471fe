// SPDX-License-Identifier: Apache-2.0
// Attention as the products, masks and softmax that it is made of.
#include "aclgrad/ops/attention.h"

#include <limits>
#include <numeric>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

constexpr double kUnseen = -std::numeric_limits<double>::infinity();

// Which places [1, S] are behind each query's [T, 1].
Term later(const Call& call, std::int64_t queries, std::int64_t keys) {
  Term made = call.shared("later " + std::to_string(queries) + " " + std::to_string(keys), [&] {
    const Term beside = call.anything();
    const Term columns = constant(beside, Tensor::arange(keys, 0, 1, DType::int64));
    const Term rows =
        constant(beside, Tensor::arange(queries, 0, 1, DType::int64).reshape({queries, 1}));
    return op("Greater", {columns, rows});
  });
  made.dtype = DType::boolean;
  return made;
}

// Which places hide from which queries, or nothing: of a floating mask, -infinity does.
Term hidden_of(const AttentionOp& a, const Call& call, const Term& shift) {
  Term hidden;
  const auto add = [&](const Term& more) {
    hidden = hidden.is_given() ? op("Or", {hidden, more}) : more;
  };
  if (shift.is_given()) {
    add(op("Equal", {shift, number(shift, kUnseen)}, {}, DType::boolean));
  }
  if (a.has_mask) add(cast(call.input(3 + (a.has_shift ? 1 : 0)), DType::boolean));
  if (a.is_causal) {
    const Extents queries = call.extents(0), keys = call.extents(1);
    add(later(call, call.fixed(queries[2], "the number of places"),
              call.fixed(keys[2], "the number of places")));
  }
  return hidden;
}

// Fewer heads of keys and values stand beside several of the queries: [N, heads, 1, S, size].
struct Heads {
  std::int64_t all, of_keys;
  bool are_grouped() const { return all != of_keys; }
};

Term in_groups(const Call& call, const Term& x, const Extents& extents, const Heads& heads) {
  if (!heads.are_grouped() || !x.is_given()) return x;
  if (extents[1] == Extent{1, 0}) return unsqueeze(x, {1});
  Extents grouped = extents;
  grouped[1] = {heads.of_keys, 0};
  grouped.insert(grouped.begin() + 2, Extent{heads.all / heads.of_keys, 0});
  return call.reshape_to(x, grouped);
}

Term attention(const AttentionOp& a, const Call& call) {
  if (call.is_needed(1) || call.is_needed(2)) refuse("what it keeps of a row is no output there");
  const Extents of_queries = call.extents(0);
  const Heads heads{call.fixed(of_queries[1], "the number of heads"),
                    call.fixed(call.extents(1)[1], "the number of heads")};
  const Term query = in_groups(call, call.wide(0), of_queries, heads);
  Term key = call.wide(1), value = call.wide(2);
  if (heads.are_grouped()) {
    key = unsqueeze(key, {2});
    value = unsqueeze(value, {2});
  }
  Ints order(heads.are_grouped() ? 5 : 4);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  Term scores = op("MatMul", {query, transpose(key, order)});
  Term shift = a.has_shift ? cast(call.input(3), scores.dtype) : Term{};
  Term hidden = hidden_of(a, call, shift);
  if (a.has_shift) {
    shift = in_groups(call, shift, call.extents(3), heads);
    scores = scores + shift;
  }
  scores = scores * a.scale;
  if (heads.are_grouped() && (a.has_shift || a.has_mask)) {
    const std::size_t mask = a.has_mask && !a.has_shift ? 3 : (a.has_mask ? 4 : 3);
    hidden = in_groups(call, hidden, call.extents(mask), heads);
  }
  if (hidden.is_given()) scores = where(hidden, number(scores, kUnseen), scores);
  Term weights = op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  // A query that sees nothing has weights of 0; their softmax is NaN.
  if (a.has_mask || a.has_shift) weights = where(hidden, number(weights, 0), weights);
  if (a.has_bits) {
    weights = dropped(weights, 1 - a.kept);
  }
  const Term mixed = op("MatMul", {weights, value});
  return call.narrowed(heads.are_grouped() ? call.reshape_to(mixed, call.output_extents()) : mixed);
}

// x cos + rot(x) sin, where rot exchanges the coordinates of each point and negates the first.
Term rotated(const RotaryOp& a, const Call& call) {
  const std::int64_t size = call.shape(0)[-1];
  Ints from(static_cast<std::size_t>(size));
  Tensor signs = Tensor::full({size}, 1);
  for (std::int64_t i = 0; i < size; ++i) {
    const bool is_first = a.mode == RotaryMode::half ? i < size / 2 : i % 2 == 0;
    const std::int64_t distance = a.mode == RotaryMode::half ? size / 2 : 1;
    from[static_cast<std::size_t>(i)] = is_first ? i + distance : i - distance;
    if (is_first) signs.set(i, -1);
  }
  const Term x = call.wide(0);
  const Term exchanged = op("Gather", {x, ints(x, from)}, {{"axis", std::int64_t{-1}}}) *
                         constant(x, signs.to(x.dtype));
  return call.narrowed(x * call.wide(1) + exchanged * call.wide(2));
}

}  // namespace

void add_attention(Table& table) {
  table.add<AttentionOp>([](auto& a, Call& call) { return attention(a, call); });
  table.add<RotaryOp>([](auto& a, Call& call) { return rotated(a, call); });
}

}  // namespace aclgrad::onnx::saving
