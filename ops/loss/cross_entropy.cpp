// SPDX-License-Identifier: Apache-2.0
// aclnnCrossEntropyLoss, aclnnCrossEntropyLossGrad.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "aclnnop/aclnn_cross_entropy_loss.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/sums.h"
#include "ops/index/index_rules.h"
#include "ops/loss/logit_rows.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::cross_entropy {
namespace {

namespace cross_entropy_of_classes {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 12;

// The parameters of both directions. `scores` are the logits, or the logarithms of probabilities.
struct Parameters {
  size_t scores, target, weight, reduction, ignore_index, smoothing, zloss_scale, loss;
};

// ---- Checks of both directions ------------------------------------------------------------------

Rule reduction_is_named(size_t reduction) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const std::string_view text = arguments.text(reduction);
    if (text == "none" || text == "mean" || text == "sum") return std::nullopt;
    return fmt::format("{} must be \"none\", \"mean\" or \"sum\", but is \"{}\".",
                       arguments.name(reduction), text);
  });
}

bool is_none(const Arguments& arguments, size_t reduction) {
  return std::string_view(arguments.text(reduction)) == "none";
}

Rule is_share(size_t smoothing) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const double value = arguments.real(smoothing);
    if (value >= 0 && value <= 1) return std::nullopt;
    return fmt::format("{} must be within [0, 1], but is {}.", arguments.name(smoothing), value);
  });
}

Rule without_zloss(size_t scale) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.real(scale) == 0) return std::nullopt;
    return fmt::format("{} must be 0, as zloss is not supported, but is {}.", arguments.name(scale),
                       arguments.real(scale));
  });
}

Rule has_losses(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(p.loss);
    const Dims expected{is_none(arguments, p.reduction) ? arguments.shape(p.scores)[0] : 1};
    if (shape == expected || (!is_none(arguments, p.reduction) && shape.empty())) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(p.loss),
                       to_string(expected), to_string(shape));
  });
}

Rule has_classes(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(p.scores);
    if (shape[1] > 0 || shape[0] == 0) return std::nullopt;
    return fmt::format("tensor {} {} has targets but no classes, expected at least one.",
                       arguments.name(p.scores), to_string(shape));
  });
}

// Those after the first, of what must not be null; `others` have the dtype of the scores.
Rules rules(const Parameters& p, Rule first, const std::vector<size_t>& others,
            const std::vector<size_t>& optional, const Rules& last) {
  const auto of_rows = [p](size_t dimension) {
    return [p, dimension](const Arguments& arguments) {
      return Dims{arguments.shape(p.scores)[dimension]};
    };
  };
  return {std::move(first),
          live_if_given(p.weight),
          live_if_given(optional),
          dtype_in(p.scores, kFloats),
          dtype_in(p.target, kIndexDtypes),
          dtype_in(p.weight, {ACL_FLOAT}),
          dtype_in(optional, kFloats),
          same_dtype(others, p.scores),
          min_rank(p.scores, 2),
          max_rank(p.scores, 2),
          has_shape_of(p.target, of_rows(0)),
          if_given(p.weight, has_shape_of(p.weight, of_rows(1))),
          reduction_is_named(p.reduction),
          is_share(p.smoothing),
          without_zloss(p.zloss_scale),
          has_losses(p),
          has_classes(p),
          last};
}

// ---- Rows ---------------------------------------------------------------------------------------

struct Targets {
  Elements target;
  std::optional<Elements> weight;
  int64_t rows, classes, ignore_index;
  double smoothing;

  Targets(const Arguments& arguments, const Parameters& p)
      : target(arguments, p.target),
        weight(arguments.given(p.weight) ? std::optional(Elements(arguments, p.weight))
                                         : std::nullopt),
        rows(arguments.shape(p.scores)[0]),
        classes(arguments.shape(p.scores)[1]),
        ignore_index(arguments.integer(p.ignore_index)),
        smoothing(arguments.real(p.smoothing)) {}

  // Where the row's target is ignored, nothing.
  std::optional<int64_t> of(const Run& run, int64_t n) const {
    int64_t wanted = 0;
    target.read(run, n, n + 1, &wanted);
    return wanted == ignore_index ? std::nullopt : std::optional(wanted);
  }
  void check(const Run& run) const {
    for (int64_t n = 0; n < rows; ++n) {
      const std::optional<int64_t> wanted = of(run, n);
      if (!wanted || (*wanted >= 0 && *wanted < classes)) continue;
      throw std::runtime_error(
          fmt::format("target of row {} is class {}, but there are {} classes and the ignored "
                      "index is {}",
                      n, *wanted, classes, ignore_index));
    }
  }
  void read_weights(const Run& run, int64_t begin, int64_t end, double* block) const {
    std::fill_n(block, end - begin, 1);
    if (weight) weight->read(run, begin, end, block);
  }
  double weight_of(const Run& run, int64_t wanted) const {
    double value = 1;
    read_weights(run, wanted, wanted + 1, &value);
    return value;
  }
  int64_t grain() const { return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, classes)); }
};

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t {
  kInput,
  kTarget,
  kWeight,
  kReduction,
  kIgnoreIndex,
  kLabelSmoothing,
  kZlossScale,
  kReturnZloss,
  kLoss,
  kLogProb,
  kZloss,
  kLseForZloss
};
constexpr Parameters kParameters{kInput,       kTarget,         kWeight,     kReduction,
                                 kIgnoreIndex, kLabelSmoothing, kZlossScale, kLoss};

Rule returns_no_zloss() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.flag(kReturnZloss)) return std::nullopt;
    return "returnZloss must be false, as zloss is not supported, but is true.";
  });
}

const OperatorSpec kSpec{
    "aclnnCrossEntropyLoss",
    {input("input"), input("target"), input("weight"), attribute("reduction"),
     attribute("ignoreIndex"), attribute("labelSmoothing"), attribute("lseSquareScaleForZloss"),
     attribute("returnZloss"), output("loss"), output("logProb"), output("zloss"),
     output("lseForZloss")},
    rules(kParameters, not_null({kInput, kTarget, kReduction, kLoss, kLogProb}), {kLoss, kLogProb},
          {kZloss, kLseForZloss}, {returns_no_zloss(), same_shape(kLogProb, kInput)})};

struct Losses {
  Targets targets;
  LogitRows logits;
  Slices log_prob;
  Elements out;
  bool is_mean, is_none;

  // The loss of row n, and its weight in a mean.
  std::pair<double, double> run_row(const Run& run, int64_t n) const {
    const LogitRows::Norm norm = logits.norm_of(run, n);
    double all = 0;
    for_blocks(0, targets.classes, [&](int64_t begin, int64_t end) {
      double block[kBlock], weights[kBlock];
      logits.read_logs(run, n, norm, begin, end, block);
      log_prob.write(run, block, begin, end, log_prob.starts.offset(n));
      if (targets.smoothing == 0) return;
      targets.read_weights(run, begin, end, weights);
      for (int64_t i = 0; i < end - begin; ++i) {
        if (weights[i] != 0) all -= weights[i] * block[i];
      }
    });
    const std::optional<int64_t> wanted = targets.of(run, n);
    if (!wanted) return {0, 0};
    const double weight = targets.weight_of(run, *wanted);
    double own = 0;
    logits.read_logs(run, n, norm, *wanted, *wanted + 1, &own);
    double loss = weight == 0 ? 0 : -weight * own;
    if (targets.smoothing != 0) {
      const double share = targets.smoothing / static_cast<double>(targets.classes);
      loss = (1 - targets.smoothing) * loss + share * all;
    }
    return {loss, weight};
  }

  void run(const Run& run, double* losses) const {
    double* const weights = losses + targets.rows;
    parallel_pieces(targets.rows, targets.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        std::tie(losses[n], weights[n]) = run_row(run, n);
      }
    });
    if (is_none) return out.write(run, losses, 0, targets.rows);
    const auto sum = [&](const double* terms) {
      RealSum total;
      total.add(terms, ACL_DOUBLE, static_cast<size_t>(targets.rows));
      return 0.0 + total.total();  // without rows it is -0
    };
    const double loss = is_mean ? sum(losses) / sum(weights) : sum(losses);
    out.write(run, &loss, 0, 1);
  }
};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kLoss)) return {};
  const auto losses = std::make_shared<const Losses>(Losses{
      Targets(arguments, kParameters), LogitRows(arguments, kInput),
      rows_of_scores(arguments, kLogProb), Elements(arguments, kLoss),
      std::string_view(arguments.text(kReduction)) == "mean", is_none(arguments, kReduction)});
  return {[losses](const Run& run) -> aclError {
            losses->targets.check(run);
            losses->run(run, aligned<double>(run.workspace()));
            return ACL_SUCCESS;
          },
          static_cast<uint64_t>(2 * losses->targets.rows + 1) * sizeof(double)};
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t {
  kGradLoss,
  kLogProb,
  kTarget,
  kWeight,
  kGradZloss,
  kLseForZloss,
  kReduction,
  kIgnoreIndex,
  kLabelSmoothing,
  kZlossScale,
  kXGrad
};
constexpr Parameters kParameters{kLogProb,     kTarget,         kWeight,     kReduction,
                                 kIgnoreIndex, kLabelSmoothing, kZlossScale, kGradLoss};

const OperatorSpec kSpec{
    "aclnnCrossEntropyLossGrad",
    {input("gradLoss"), input("logProb"), input("target"), input("weight"), input("gradZloss"),
     input("lseForZloss"), attribute("reduction"), attribute("ignoreIndex"),
     attribute("labelSmoothing"), attribute("lseSquareScaleForZloss"), output("xGrad")},
    rules(kParameters, not_null({kGradLoss, kLogProb, kTarget, kReduction, kXGrad}),
          {kGradLoss, kXGrad}, {kGradZloss, kLseForZloss}, {same_shape(kXGrad, kLogProb)})};

struct Slopes {
  Targets targets;
  Slices log_prob, out;
  Elements grads;
  bool is_mean, is_none;
  BlockFunction exp{Function::kExp};

  // Of what the classes count in the loss: at the target 1 - smoothing, and everywhere their share.
  void run_row(const Run& run, int64_t n, double divisor, double all_weights) const {
    const std::optional<int64_t> wanted = targets.of(run, n);
    const double share = targets.smoothing / static_cast<double>(targets.classes);
    const double own = wanted ? (1 - targets.smoothing) * targets.weight_of(run, *wanted) : 0;
    const double total = own + (share == 0 ? 0 : share * all_weights);
    double g = 0;
    grads.read(run, is_none ? n : 0, is_none ? n + 1 : 1, &g);
    g /= divisor;
    for_blocks(0, targets.classes, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock] = {};
      double weights[kBlock];
      if (wanted) {
        log_prob.read(run, begin, end, block, log_prob.starts.offset(n));
        exp(block, end - begin);
        targets.read_weights(run, begin, end, weights);
        for (int64_t c = begin; c < end; ++c) {
          const double counted = share * weights[c - begin] + (c == *wanted ? own : 0);
          block[c - begin] = g * (block[c - begin] * total - counted);
        }
      }
      out.write(run, block, begin, end, out.starts.offset(n));
    });
  }

  void run(const Run& run) const {
    double divisor = 1, all_weights = 0;
    if (is_mean) {
      divisor = 0;
      for (int64_t n = 0; n < targets.rows; ++n) {
        if (const auto wanted = targets.of(run, n)) divisor += targets.weight_of(run, *wanted);
      }
    }
    for_blocks(0, targets.classes, [&](int64_t begin, int64_t end) {
      double weights[kBlock];
      targets.read_weights(run, begin, end, weights);
      for (int64_t i = 0; i < end - begin; ++i) all_weights += weights[i];
    });
    parallel_pieces(targets.rows, targets.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) run_row(run, n, divisor, all_weights);
    });
  }
};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kXGrad)) return {};
  const auto slopes = std::make_shared<const Slopes>(Slopes{
      Targets(arguments, kParameters), rows_of_scores(arguments, kLogProb),
      rows_of_scores(arguments, kXGrad), Elements(arguments, kGradLoss),
      std::string_view(arguments.text(kReduction)) == "mean", is_none(arguments, kReduction)});
  return {[slopes](const Run& run) -> aclError {
    slopes->targets.check(run);
    slopes->run(run);
    return ACL_SUCCESS;
  }};
}

}  // namespace backward
}  // namespace cross_entropy_of_classes
}  // namespace

ACLGRAD_OPERATOR(aclnnCrossEntropyLoss, cross_entropy_of_classes::forward::kSpec,
                 cross_entropy_of_classes::forward::plan)
ACLGRAD_OPERATOR(aclnnCrossEntropyLossGrad, cross_entropy_of_classes::backward::kSpec,
                 cross_entropy_of_classes::backward::plan)

}  // namespace aclgrad::ops::cross_entropy
