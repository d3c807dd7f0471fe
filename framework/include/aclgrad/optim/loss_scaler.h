// SPDX-License-Identifier: Apache-2.0
// Training with 16-bit activations and float32 weights.
//
// A layer computes in the dtype of what it is called with: Linear casts its float32 weights to it,
// and their gradients come back as float32. So bfloat16 needs two casts:
//
//   Value logits = cast(network(cast(x, DType::bfloat16)), DType::float32);
//
// float16 holds nothing below 6e-8, and gradients are often smaller. A LossScaler multiplies the
// loss's gradient by a large factor, divides the gradients of the weights by it, sees whether a
// number overflowed on the way, and finds the factor by itself (Micikevicius et al.: "Mixed
// precision training", 2018). The C interface has no branches, so whether a step is taken is
// decided between two sessions: one computes the gradients and keeps them in variables, the other
// updates from there.
//
//   LossScaler scaler;
//   Update kept = scaler.unscale(backward(loss, parameters, {.seed = scaler.seed(loss)}));
//   Session compute(graph, {loss, scaler.check(), kept});
//   Graph update_graph;
//   Session update(update_graph, {optimizer.step(update_graph, scaler.gradients(update_graph))});
//   for (...) {
//     if (scaler.update(compute.run(feeds))) update.run();
//   }
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include "aclgrad/gradients.h"
#include "aclgrad/graph.h"
#include "aclgrad/session.h"
#include "aclgrad/variable.h"

namespace aclgrad {

/// All factors are best powers of two: then scaling rounds nothing.
struct LossScalerOptions {
  double scale = 65536;      ///< at first
  double growth_factor = 2;  ///< after `growth_interval` good steps the scale is multiplied by this
  double backoff_factor = 0.5;  ///< and by this after an overflow
  std::int64_t growth_interval = 2000;
  double max_scale = 16777216;       ///< 2^24
  double min_scale = 0x1p-24;        ///< what data with a NaN can bring the scale down to
  std::string name = "loss_scaler";  ///< with which the names of the state begin
};

class LossScaler {
 public:
  /// Throws ValueError unless 2^-126 <= min_scale <= scale <= max_scale <= 2^126,
  /// 1 <= growth_factor < inf, 0 < backoff_factor < 1 and growth_interval >= 1.
  explicit LossScaler(LossScalerOptions options = {});

  /// The scale as a value of the loss's graph, shape (it must have one element) and dtype: what
  /// backward() is to start from. Throws ShapeError.
  Value seed(const Value& loss, std::source_location where = std::source_location::current());

  /// Records the division of the gradients by the scale, the check for what is not finite, and
  /// the assignment to variables "<parameter>@gradient", of float32 for parameters of 16 bits. Once
  /// for each graph: throws ValueError when called again, for gradients of other variables than
  /// those of the first graph, and for a gradient of something that is not a variable.
  [[nodiscard]] Update unscale(const Gradients& scaled,
                               std::source_location where = std::source_location::current());

  /// The check's value in the latest graph, to be fetched together with what unscale() returned. It
  /// is finite when all gradients are.
  const Value& check() const { return check_; }

  /// The kept gradients in another graph: what to give to an optimizer's step().
  Gradients gradients(const Graph& graph,
                      std::source_location where = std::source_location::current()) const;

  /// Whether the gradients that a run kept are finite, that is, whether to update with them. Adapts
  /// the scale. Once for each run: throws ValueError when no run has kept gradients since, as when
  /// what unscale() returned was not fetched.
  bool update(const Results& results) { return update(results[check_].item()); }
  bool update(double check);

  double scale() const { return scale_; }

  /// Steps that were not taken.
  std::int64_t skipped() const { return skipped_; }

  /// For checkpoints: the scale and the good steps since it changed.
  std::vector<Variable> state() const { return {scale_variable_, good_variable_}; }

  /// Says that the graphs recorded so far are not run any more: the next may have gradients of
  /// other parameters.
  void forget_graphs();

  /// Reads the state again after it was restored.
  void reload();

 private:
  struct Kept {
    Variable parameter;
    Variable gradient;
    std::uint64_t accepted = 0;  // the gradient's version
  };
  void set(double scale, std::int64_t good);

  LossScalerOptions options_;
  double scale_;
  std::int64_t good_ = 0;
  std::int64_t skipped_ = 0;
  Variable scale_variable_;
  Variable inverse_variable_;
  Variable good_variable_;
  std::vector<Kept> kept_;
  Value check_;
};

}  // namespace aclgrad
