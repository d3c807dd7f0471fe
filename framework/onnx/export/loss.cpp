// SPDX-License-Identifier: Apache-2.0
// Losses, for files that say how far a network is off.
#include "aclgrad/ops/loss.h"

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

// Of the losses of elements all, their sum or their mean.
Term reduced(const Term& losses, Reduction reduction) {
  if (reduction == Reduction::none) return losses;
  return op(reduction == Reduction::sum ? "ReduceSum" : "ReduceMean", {losses},
            {{"keepdims", std::int64_t{0}}});
}

Term smooth_l1_of(const Term& difference, double beta) {
  const Term size = op("Abs", {difference});
  if (beta == 0) return size;
  const Term is_small = test("Less", {size, number(size, beta)});
  return where(is_small, size * size * (0.5 / beta), size - beta / 2);
}

// (1 - t) x + log(1 + e^-x) (1 + (weight - 1) t), without an overflow: Softplus has none.
Term bce_with_logits_of(const Term& x, const Term& target, const Term& positive) {
  Term losses = op("Softplus", {op("Neg", {x})});
  if (positive.is_given()) losses = losses * ((positive - 1) * target + 1);
  return (1.0 - target) * x + losses;
}

// A logarithm counts at least -100.
Term binary_cross_entropy_of(const Term& p, const Term& target) {
  const auto logarithm = [](const Term& x) {
    const Term log = op("Log", {x});
    return op("Max", {log, number(log, -100)});
  };
  return op("Neg", {target * logarithm(p) + (1.0 - target) * logarithm(1.0 - p)});
}

// Of a prediction and a target.
template <class OpType, class Formula>
void of_both(Table& table, Formula formula) {
  table.add<OpType>([formula](auto& a, Call& call) {
    return call.narrowed(reduced(formula(call.wide(0), call.wide(1), a), a.reduction));
  });
}

Term weighted(const Call& call, const BceAttributes& a, const Term& losses) {
  return call.narrowed(reduced(a.has_weight ? losses * call.wide(2) : losses, a.reduction));
}

// Classes are the last axis here, and the second there.
std::vector<Term> nll(const NllLossAttributes& a, const Call& call) {
  if (call.is_needed(1)) refuse("the weight of its targets is no output there");
  const std::int64_t classes = call.fixed(call.extents(0).back(), "the number of classes");
  const Term scores = reshape(call.wide(0), {-1, classes});
  const Term target = reshape(cast(call.input(1), DType::int64), {-1});
  const bool is_each = a.reduction == Reduction::none;
  const Term made = op("NegativeLogLikelihoodLoss", {scores, target, call.wide(2)},
                       {{"ignore_index", a.ignore_index}, {"reduction", to_string(a.reduction)}});
  return {call.narrowed(is_each ? call.reshape_to(made, call.output_extents()) : made)};
}

}  // namespace

void add_losses(Table& table) {
  of_both<MseLossOp>(table, [](const Term& x, const Term& target, auto&) {
    const Term difference = x - target;
    return difference * difference;
  });
  of_both<L1LossOp>(
      table, [](const Term& x, const Term& target, auto&) { return op("Abs", {x - target}); });
  of_both<SmoothL1LossOp>(table, [](const Term& x, const Term& target, auto& a) {
    return smooth_l1_of(x - target, a.beta);
  });
  of_both<SoftMarginLossOp>(table, [](const Term& x, const Term& target, auto&) {
    return op("Softplus", {op("Neg", {x * target})});
  });
  table.add<BceWithLogitsOp>([](auto& a, Call& call) {
    const Term positive = a.has_pos_weight ? call.wide(a.has_weight ? 3 : 2) : Term{};
    return weighted(call, a, bce_with_logits_of(call.wide(0), call.wide(1), positive));
  });
  table.add<BinaryCrossEntropyOp>([](auto& a, Call& call) {
    return weighted(call, a, binary_cross_entropy_of(call.wide(0), call.wide(1)));
  });
  table.add<NllLossOp>([](auto& a, Call& call) { return nll(a, call); });
  table.refused<CtcLossOp>("ONNX has no loss over alignments");
  table.refused<MultilabelMarginLossOp>("ONNX has no loss of several classes a row");
}

}  // namespace aclgrad::onnx::saving
