// SPDX-License-Identifier: Apache-2.0
// aclnnMultilabelMarginLoss, aclnnSoftmaxCrossEntropyWithLogits.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_multilabel_margin_loss.h"
#include "aclnnop/aclnn_softmax_cross_entropy_with_logits.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/thread_scratch.h"
#include "ops/index/index_rules.h"
#include "ops/loss/logit_rows.h"
#include "ops/loss/loss_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::class_losses {
namespace {

// ---- Margins ------------------------------------------------------------------------------------

namespace multilabel {

enum : size_t { kSelf, kTarget, kReduction, kOut, kIsTarget };

const OperatorSpec kSpec{
    "aclnnMultilabelMarginLoss",
    {input("self"), input("target"), attribute("reduction"), output("out"), output("isTarget")},
    Rules{not_null({kSelf, kTarget, kOut, kIsTarget}), dtype_in(kSelf, kRealFloats),
          dtype_in(kTarget, kIndexDtypes), same_dtype({kOut, kIsTarget}, kSelf), min_rank(kSelf, 1),
          max_rank(kSelf, 2), same_shape(kTarget, kSelf), loss_reduction_known(kReduction),
          has_loss_shape(kOut, kSelf, kReduction), same_shape(kIsTarget, kSelf)}};

// A row's scores, its classes and whether each class is one of these.
struct Memory {
  GrowingMemory scores, classes, marks;
};

struct Margins {
  Slices self, target, is_target;
  int64_t rows, classes;

  // How many of the row's numbers come before the first -1.
  template <class Visit>
  void visit_targets(const Run& run, int64_t row, const Visit& visit) const {
    int64_t block[kBlock];
    bool is_over = false;
    for_blocks(0, classes, [&](int64_t begin, int64_t end) {
      if (is_over) return;
      target.read(run, begin, end, block, target.starts.offset(row));
      for (int64_t i = begin; i < end && !is_over; ++i) {
        is_over = block[i - begin] == -1;
        if (!is_over) visit(i, block[i - begin]);
      }
    });
  }

  void check(const Run& run) const {
    for (int64_t row = 0; row < rows; ++row) {
      visit_targets(run, row, [&](int64_t i, int64_t wanted) {
        if (wanted >= 0 && wanted < classes) return;
        throw std::runtime_error(
            fmt::format("element {} of row {} of target is {}, but must be in [0, {}], or -1 "
                        "behind the last",
                        i, row, wanted, classes - 1));
      });
    }
  }

  // Writes the row's marks, too.
  double loss_of(const Run& run, int64_t row) const {
    const ThreadScratch<Memory> memory;
    double* const x = memory->scores.of<double>(classes);
    double* const marks = memory->marks.of<double>(classes);
    auto* const wanted = memory->classes.of<int64_t>(classes);
    int64_t count = 0;
    self.read(run, 0, classes, x, self.starts.offset(row));
    std::fill_n(marks, classes, 0);
    visit_targets(run, row, [&](int64_t, int64_t each) {
      wanted[count++] = each;
      marks[each] = 1;
    });
    is_target.write(run, marks, 0, classes, is_target.starts.offset(row));
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) {
      const double least = 1 - x[wanted[k]];
      double own = 0;
      for (int64_t i = 0; i < classes; ++i) {
        const double margin = least + x[i];
        own += marks[i] != 0 || margin <= 0 ? 0 : margin;  // NaN stays
      }
      sum += own;
    }
    return classes == 0 ? 0 : sum / static_cast<double>(classes);
  }
};

Plan plan(const Arguments& arguments) {
  const Dims& shape = arguments.shape(kSelf);
  const Margins margins{rows_of_scores(arguments, kSelf), rows_of_scores(arguments, kTarget),
                        rows_of_scores(arguments, kIsTarget), shape.size() == 1 ? 1 : shape[0],
                        shape[shape.size() - 1]};
  Plan plan;
  if (reduces(arguments, kReduction)) {
    plan = plan_chunks(arguments, kOut, arguments.dtype(kSelf), margins.rows,
                       loss_divisor(arguments, kReduction, margins.rows),
                       [margins](const Run& run, int64_t begin, int64_t end) {
                         double sum = 0;
                         for (int64_t n = begin; n < end; ++n) sum += margins.loss_of(run, n);
                         return sum;
                       });
  } else {
    plan.body = [margins, out = Elements(arguments, kOut)](const Run& run) -> aclError {
      parallel_pieces(margins.rows, 1, [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n) {
          const double loss = margins.loss_of(run, n);
          out.write(run, &loss, n, n + 1);
        }
      });
      return ACL_SUCCESS;
    };
  }
  plan.body = [margins, body = std::move(plan.body)](const Run& run) -> aclError {
    margins.check(run);
    return body(run);
  };
  return plan;
}

}  // namespace multilabel

// ---- Probabilities ------------------------------------------------------------------------------

namespace softmax_cross_entropy {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 12;

enum : size_t { kFeatures, kLabels, kLoss, kBackprop };

const OperatorSpec kSpec{
    "aclnnSoftmaxCrossEntropyWithLogits",
    {input("features"), input("labels"), output("loss"), output("backprop")},
    Rules{not_null({kFeatures, kLabels, kLoss, kBackprop}), dtype_in(kFeatures, kFloats),
          same_dtype({kLabels, kLoss, kBackprop}, kFeatures), min_rank(kFeatures, 2),
          max_rank(kFeatures, 2), same_shape(kLabels, kFeatures),
          has_shape_of(
              kLoss,
              [](const Arguments& arguments) { return rows_shape(arguments.shape(kFeatures)); }),
          same_shape(kBackprop, kFeatures)}};

struct Rows {
  LogitRows features;
  Slices labels, backprop;
  Elements loss;

  void run_row(const Run& run, int64_t n) const {
    const LogitRows::Norm norm = features.norm_of(run, n);
    double sum = 0;
    for_blocks(0, features.classes, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock] = {};
      double label[kBlock];
      labels.read(run, begin, end, label, labels.starts.offset(n));
      features.read_logs(run, n, norm, begin, end, block);
      for (int64_t i = 0; i < end - begin; ++i) {
        if (label[i] != 0) sum -= label[i] * block[i];
      }
      features.exponentiate(block, end - begin);
      for (int64_t i = 0; i < end - begin; ++i) block[i] -= label[i];
      backprop.write(run, block, begin, end, backprop.starts.offset(n));
    });
    loss.write(run, &sum, n, n + 1);
  }
};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kLoss)) return {};
  const Dims& shape = arguments.shape(kFeatures);
  const Rows rows{LogitRows(arguments, kFeatures), rows_of_scores(arguments, kLabels),
                  rows_of_scores(arguments, kBackprop), Elements(arguments, kLoss)};
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, shape[1]));
  return {[=, count = shape[0]](const Run& run) -> aclError {
    parallel_pieces(count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) rows.run_row(run, n);
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace softmax_cross_entropy
}  // namespace

ACLGRAD_OPERATOR(aclnnMultilabelMarginLoss, multilabel::kSpec, multilabel::plan)
ACLGRAD_OPERATOR(aclnnSoftmaxCrossEntropyWithLogits, softmax_cross_entropy::kSpec,
                 softmax_cross_entropy::plan)

}  // namespace aclgrad::ops::class_losses
