// SPDX-License-Identifier: Apache-2.0
// Of aclgrad/ops/loss.h: losses of sequences of classes and of several classes at once.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/loss.h"
#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_ctc_loss_backward.h"
#include "aclnnop/aclnn_multilabel_margin_loss.h"
#include "graph/ops/index_helpers.h"
#include "graph/ops/loss_helpers.h"

namespace aclgrad {
namespace {

std::int64_t longest(const std::vector<std::int64_t>& lengths) {
  return lengths.empty() ? 0 : *std::ranges::max_element(lengths);
}

// One for each sample, within [0, most].
void check_lengths(const Recorder& record, const char* name,
                   const std::vector<std::int64_t>& lengths, std::int64_t samples,
                   std::int64_t most) {
  record.require_value(static_cast<std::int64_t>(lengths.size()) == samples,
                       "{} must have a number for each of the {} samples, got {}", name, samples,
                       lengths.size());
  for (const std::int64_t each : lengths) {
    record.require_value(each >= 0 && each <= most, "{} must be in [0, {}], got {}", name, most,
                         each);
  }
}

}  // namespace

Value ctc_loss(Operand log_probabilities, const Value& targets,
               const std::vector<std::int64_t>& input_lengths,
               const std::vector<std::int64_t>& target_lengths, const CtcOptions& options) {
  const RecordScope scope(log_probabilities);
  const Recorder record("ctc_loss", {log_probabilities, targets}, log_probabilities.where);
  record.require_floating(0);
  detail::require_index(record, 1);
  const Shape& shape = log_probabilities.shape();
  record.require_shape(shape.rank() >= 2 && shape.rank() <= 3 && shape.numel() != 0,
                       "log-probabilities must be [T, N, C] or [T, C], with elements, got {}",
                       shape);
  const std::int64_t samples = shape.rank() == 3 ? shape[1] : 1, classes = shape[-1];
  check_lengths(record, "input_lengths", input_lengths, samples, shape[0]);
  check_lengths(record, "target_lengths", target_lengths, samples,
                std::numeric_limits<std::int32_t>::max());
  const std::int64_t most = longest(target_lengths);
  const std::int64_t total =
      std::accumulate(target_lengths.begin(), target_lengths.end(), std::int64_t{0});
  const Shape& given = targets.shape();
  const bool are_rows = given.rank() == 2 && given[0] == samples && given[1] >= most;
  record.require_shape(
      are_rows || given == Shape{total},
      "targets must be [{}, S] with S at least {}, or [{}] one behind the other, got {}", samples,
      most, total, given);
  record.require_value(options.blank >= 0 && options.blank < classes,
                       "blank must be a class in [0, {}], got {}", classes - 1, options.blank);
  // Logarithms of probabilities over many steps are large: 16 bits would round them to a factor.
  const Value wide = detail::widened(log_probabilities);
  const DType dtype = wide.dtype();
  Value losses =
      Recorder("ctc_loss", {wide, targets}, log_probabilities.where)
          .add<CtcLossOp>({input_lengths, target_lengths, options.blank, options.zero_infinity},
                          {TensorSpec{shape.rank() == 3 ? Shape{samples} : Shape{}, dtype},
                           TensorSpec{Shape{samples, shape[0], 2 * most + 1}, dtype}})
          .front();
  if (options.zero_infinity) {
    losses = masked_fill(losses, eq(losses, std::numeric_limits<double>::infinity()), 0);
  }
  if (options.reduction == Reduction::mean) {
    Tensor lengths = Tensor::zeros(losses.shape(), dtype);
    for (std::int64_t n = 0; n < samples; ++n) {
      const std::int64_t length = target_lengths[static_cast<std::size_t>(n)];
      lengths.set(n, static_cast<double>(std::max<std::int64_t>(length, 1)));
    }
    losses = div(losses, losses.graph().constant(std::move(lengths)));
  }
  return detail::reduced(losses, options.reduction, log_probabilities.dtype());
}

Value ctc_loss_backward(Operand grad, const Value& log_probabilities, const Value& targets,
                        const Value& losses, const Value& log_alpha,
                        const CtcLossAttributes& attributes) {
  Recorder record("ctc_loss_backward", {grad, log_probabilities, targets, losses, log_alpha},
                  grad.where);
  record.require_floating(1);
  for (const std::size_t input : {0, 3, 4}) record.require_same_dtype(input, 1);
  detail::require_index(record, 2);
  record.require_same_shape(0, 3);
  return record.add<CtcLossBackwardOp>(attributes, record.like(1));
}

Value multilabel_margin_loss(Operand x, const Value& target, Reduction reduction) {
  const RecordScope scope(x);
  const Recorder record("multilabel_margin_loss", {x, target}, x.where);
  record.require_floating(0);
  detail::require_index(record, 1);
  record.require_same_shape(0, 1);
  const Shape& shape = x.shape();
  record.require_shape(shape.rank() >= 1 && shape.rank() <= 2,
                       "scores must be [N, C] or [C], got {}", shape);
  const Value scores = detail::widened(x);
  Recorder wide("multilabel_margin_loss", {scores, target}, x.where);
  const Value losses =
      wide.add<MultilabelMarginLossOp>(
              {}, {TensorSpec{detail::without_last_axis(shape), scores.dtype()}, wide.like(0)})
          .front();
  return detail::reduced(losses, reduction, x.dtype());
}

std::string CtcLossAttributes::text() const {
  return fmt::format("input_lengths=[{}], target_lengths=[{}], blank={}{}",
                     fmt::join(input_lengths, ", "), fmt::join(target_lengths, ", "), blank,
                     zero_infinity ? ", zero_infinity" : "");
}

namespace calls {

const Declaration<CtcLossAttributes> ctc_loss = {"ctc_loss", ACLGRAD_C(aclnnCtcLoss), separate};
const Declaration<CtcLossAttributes> ctc_loss_backward = {
    "ctc_loss_backward", ACLGRAD_C(aclnnCtcLossBackward), separate};
const Declaration<NoAttributes> multilabel_margin_loss = {
    "multilabel_margin_loss", ACLGRAD_C(aclnnMultilabelMarginLoss), separate,
    [](const auto&, AclnnCall& call, auto... end) {
      return aclnnMultilabelMarginLossGetWorkspaceSize(call.input(0), call.input(1),
                                                       static_cast<std::int64_t>(Reduction::none),
                                                       call.output(0), call.output(1), end...);
    }};

}  // namespace calls
}  // namespace aclgrad
