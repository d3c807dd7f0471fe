// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/attention.h"

#include "aclgrad/ops.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// ---- Gradients of the gradients of attention ----------------------------------------------------
// These are rare, and made of products of whole scores. Of a row with shares P, dropout's factors M
// and the gradient g of the output, with A = M (g v^T) and D = sum(P A), the backward is
//
//   B_q = scale S k,  B_k = scale S^T q,  B_v = (M P)^T g,  B_shift = scale S,  S = P (A - D).
//
// With C_q, C_k, C_v, C_shift that arrive there, W = scale (C_q k^T + q C_k^T + C_shift) and
// a = sum(P W), the gradients are, of the shares U = W (A - D) - a A + M (g C_v^T), of the scores
// T = scale P (U - sum(P U)), and
//
//   by q: T k + scale S C_k,  by k: T^T q + scale S^T C_q,  by v: (M P (W - a))^T g,
//   by g: M P (W - a) v + M P C_v,  by the shift: T.
//
// Those by the output and the numbers of rows are in them: these follow from q, k and v.

struct AttentionParts {
  const AttentionBackwardOp& op;
  const RuleCall& call;
  std::size_t grad;  // the input behind which the forward's outputs stand
  std::int64_t group;
  Value bits = {};
  Value unseen = {};  // which keys a mask hides from all queries: bool [N or 1, 1, S or 1, 1]
  DType dtype;        // that of the numbers of rows, in which all is computed

  // Of queries, or of the gradient of their output.
  Value rows(const Value& x) const { return cast(x, dtype); }
  // Of keys and values, beside every head that sees them. Shares of 0 times NaN would be NaN, so
  // what nothing sees is taken for 0.
  Value heads(const Value& x) const {
    Value wide = cast(x, dtype);
    if (unseen) wide = masked_fill(wide, unseen, 0);
    return group == 1 ? wide : repeat_interleave(wide, group, 1);
  }
  // The way back: the sum over these heads.
  Value sum_of_heads(const Value& x) const {
    if (group == 1) return x;
    const Shape& s = x.shape();
    return reduce_sum(reshape(x, {s[0], s[1] / group, group, s[2], s[3]}), {2});
  }
  Value dropped(const Value& scores) const {
    return op.has_bits ? apply_dropout(scores, bits, 1 - op.kept) : scores;
  }
  // What arrived at a gradient; empty where nothing did.
  Value arrived(std::size_t gradient) const {
    return call.has_gradient(gradient) ? call.gradient(gradient) : Value();
  }
};

Value with_transposed(const Value& a, const Value& b) { return matmul(a, transpose(b, -1, -2)); }
Value transposed_with(const Value& a, const Value& b) { return matmul(transpose(a, -1, -2), b); }

AttentionParts attention_parts(const AttentionBackwardOp& op, const RuleCall& call) {
  const std::size_t mask = op.has_mask || op.is_causal ? 1 : 0;
  const std::size_t bits = 3 + (op.has_shift ? 1U : 0U) + mask;
  AttentionParts parts{.op = op,
                       .call = call,
                       .grad = bits + (op.has_bits ? 1U : 0U),
                       .group = call.input(0).shape()[1] / call.input(1).shape()[1],
                       .dtype = call.input(call.node().inputs.size() - 1).dtype()};
  if (op.has_bits) parts.bits = call.input(bits);
  if (op.has_mask && call.input(3).shape().numel() > 0) {
    const Value hidden = amin(call.input(3), {1, 2}, /*keepdim=*/true);  // of bool: and
    parts.unseen = reshape(hidden, {hidden.shape()[0], 1, hidden.shape()[3], 1});
  }
  // Shares and output are taken for those of these inputs, which they are in a recorded backward.
  require_kept_of_inputs<AttentionOp>(call, parts.grad + 2,
                                      "attention by statistics that are not those of its scores");
  return parts;
}

// P, made again from the numbers of rows.
Value shares_of(const AttentionParts& of, const Value& query, const Value& key) {
  Value scores = with_transposed(query, key);
  if (of.op.has_shift) scores = add(scores, cast(of.call.input(3), of.dtype));
  const Value largest = slice(of.call.input(of.grad + 2), -1, 0, 1);
  const Value sum = slice(of.call.input(of.grad + 3), -1, 0, 1);
  Value hidden = eq(sum, 0);
  if (of.op.has_mask) hidden = maximum(hidden, of.call.input(3));  // of bool: or
  const Value shares = div(exp(sub(mul(scores, of.op.scale), largest)), sum);
  const Value seen = masked_fill(shares, hidden, 0);
  return of.op.is_causal ? tril(seen) : seen;
}

InputGradients of_attention_backward(const AttentionBackwardOp& op, const RuleCall& call) {
  const AttentionParts of = attention_parts(op, call);
  const Value q = of.rows(call.input(0)), k = of.heads(call.input(1)), v = of.heads(call.input(2)),
              g = of.rows(call.input(of.grad));
  const Value p = shares_of(of, q, k);
  const Value slopes = of.dropped(with_transposed(g, v));  // A
  const auto along = [&](const Value& x) { return reduce_sum(mul(p, x), {-1}, true); };
  const Value c_q = of.arrived(0) ? of.rows(of.arrived(0)) : Value();
  const Value c_k = of.arrived(1) ? of.heads(of.arrived(1)) : Value();
  const Value c_v = of.arrived(2) ? of.heads(of.arrived(2)) : Value();
  Value w;
  if (c_q) add_to(w, with_transposed(c_q, k));
  if (c_k) add_to(w, with_transposed(q, c_k));
  if (op.wants_shift && of.arrived(3)) {
    add_to(w, expand(cast(of.arrived(3), of.dtype), p.shape()));
  }
  Value by_q, by_k, by_v, by_g, of_shares;
  if (w) {
    w = mul(w, op.scale);
    const Value mixed = of.dropped(softmax_backward(w, p, -1));
    of_shares = sub(mul(w, sub(slopes, along(slopes))), mul(along(w), slopes));
    by_v = transposed_with(mixed, g);
    by_g = matmul(mixed, v);
  }
  if (c_v) {
    add_to(of_shares, of.dropped(with_transposed(g, c_v)));
    add_to(by_g, matmul(of.dropped(p), c_v));
  }
  const Value of_scores = mul(softmax_backward(of_shares, p, -1), op.scale);
  by_q = matmul(of_scores, k);
  by_k = transposed_with(of_scores, q);
  if (c_q || c_k) {
    const Value s = mul(softmax_backward(slopes, p, -1), op.scale);
    if (c_k) add_to(by_q, matmul(s, c_k));
    if (c_q) add_to(by_k, transposed_with(s, c_q));
  }
  InputGradients gradients(call.node().inputs.size());
  gradients[0] = by_q;
  gradients[1] = of.sum_of_heads(by_k);
  if (by_v) gradients[2] = of.sum_of_heads(by_v);
  if (op.has_shift) gradients[3] = of_scores;
  gradients[of.grad] = by_g;
  return gradients;
}

// ---- Rotary position embedding ------------------------------------------------------------------
// R x = x cos + rot(x) sin, which is linear in x and in the table.

InputGradients of_rotary(const RotaryOp& op, const RuleCall& call) {
  const bool of_table = call.needs(1) || call.needs(2);
  const auto [x, cos, sin] = rotary_position_embedding_backward(
      call.gradient(), call.input(1), call.input(2), of_table ? call.input(0) : Value(), op.mode);
  return {x, cos, sin};
}

// Of R^T g, and of the table's gradients T(g, x), where they are outputs.
InputGradients of_rotary_backward(const RotaryBackwardOp& op, const RuleCall& call) {
  const Value &g = call.input(0), &cos = call.input(1), &sin = call.input(2);
  InputGradients gradients(call.node().inputs.size());
  if (call.has_gradient(0)) {
    const Value& c = call.gradient(0);
    gradients[0] = rotary_position_embedding(c, cos, sin, op.mode);
    if (call.needs(1) || call.needs(2)) {
      const auto table = rotary_position_embedding_backward(g, cos, sin, c, op.mode);
      gradients[1] = table[1];
      gradients[2] = table[2];
    }
  }
  if (gradients.size() < 4 || !(call.has_gradient(1) || call.has_gradient(2))) return gradients;
  const Value& x = call.input(3);
  const Value by_cos = call.has_gradient(1) ? call.gradient(1) : zeros_for(cos);
  const Value by_sin = call.has_gradient(2) ? call.gradient(2) : zeros_for(sin);
  add_to(gradients[0], rotary_position_embedding(x, by_cos, by_sin, op.mode));
  gradients[3] = rotary_position_embedding_backward(g, by_cos, by_sin, {}, op.mode)[0];
  return gradients;
}

}  // namespace

void add_attention_rules(RuleTable& table) {
  table.add<AttentionOp>([](auto& op, Call call) {
    if (call.has_gradient(1) || call.has_gradient(2)) {
      call.no_gradient_for("a use of the largest scores or their sums");
    }
    std::vector<Value> inputs;
    for (std::size_t k = 0; k < call.node().inputs.size(); ++k) inputs.push_back(call.input(k));
    InputGradients gradients = scaled_dot_product_attention_backward(
        call.gradient(), inputs, {call.output(0), call.output(1), call.output(2)},
        {op, op.has_shift && call.needs(3)});
    gradients.resize(inputs.size());
    return gradients;
  });
  table.add<AttentionBackwardOp, of_attention_backward>();
  table.add<RotaryOp, of_rotary>();
  table.add<RotaryBackwardOp, of_rotary_backward>();
}

}  // namespace aclgrad::detail
