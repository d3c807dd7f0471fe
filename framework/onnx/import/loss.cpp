// SPDX-License-Identifier: Apache-2.0
// Losses, as files of training have them.
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace loss_nodes {
namespace {

// [N, C, ...] with the classes last, as the losses here have them.
Value classes_last(Operand x) {
  const auto rank = static_cast<std::int64_t>(x.shape().rank());
  if (rank < 3) return x;
  Dims order = {0};
  for (std::int64_t axis = 2; axis < rank; ++axis) order.push_back(axis);
  order.push_back(1);
  return contiguous(permute(x, order));
}

Reduction reduction_of(const NodeCall& node) {
  const std::string text = node.text("reduction", "mean");
  if (text == "mean") return Reduction::mean;
  if (text == "sum") return Reduction::sum;
  if (text == "none") return Reduction::none;
  node.unsupported("there is no reduction `{}`", text);
}

Value negative_log_likelihood(const NodeCall& node, const Value& log_probabilities) {
  NllOptions options{.weight = node.value_or_none(2), .reduction = reduction_of(node)};
  options.ignore_index = node.integer("ignore_index", kIgnoreIndex);
  return nll_loss(classes_last(log_probabilities), node.value(1), options);
}

Items nll(const NodeCall& node) { return {negative_log_likelihood(node, node.value(0))}; }

Items softmax_cross_entropy(const NodeCall& node) {
  const Value scores = log_softmax(node.value(0), 1);
  return {negative_log_likelihood(node, scores), scores};
}

constexpr Operator kOperators[] = {
    {"NegativeLogLikelihoodLoss", nll},
    {"SoftmaxCrossEntropyLoss", softmax_cross_entropy},
};

}  // namespace
}  // namespace loss_nodes

std::span<const Operator> loss_operators() { return loss_nodes::kOperators; }

}  // namespace aclgrad::onnx
