// SPDX-License-Identifier: Apache-2.0
// Operators that overwrite a variable. Each returns the variable's new Value; the old one, and
// views of it, cannot be used in nodes recorded afterwards.
#pragma once

#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

/// variable += alpha x, with x broadcast to the variable's shape.
Value inplace_add(Operand variable, const Value& x, double alpha = 1);

/// variable = decay variable + x, x of the variable's shape: a running sum that forgets.
Value accumulate(Operand variable, const Value& x, double decay);

/// variable = x, broadcast and converted.
Value assign(Operand variable, const Value& x);

struct AdamWAttributes {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double weight_decay = 1e-2;
  double epsilon = 1e-8;
  bool maximize = false;
  bool amsgrad = false;  ///< set by apply_adam_w() where there is a largest second moment
  std::string text() const;
};

/// The new contents of what apply_adam_w() overwrites.
struct AdamWResult {
  Value parameter;
  Value first_moment;
  Value second_moment;
  Value largest_second_moment;  ///< empty where there was none
};

/// One step of AdamW (Loshchilov, Hutter 2017) by aclnnApplyAdamWV2, which overwrites the parameter
/// and both moments, all of one shape. `step`, one element of float32 or int64, counts the steps
/// done before; it is not advanced. With a variable of the largest second moments so far, the step
/// is that of AMSGrad, and overwrites it, too.
AdamWResult apply_adam_w(Operand parameter, const Value& first_moment, const Value& second_moment,
                         const Value& gradient, const Value& step,
                         const AdamWAttributes& attributes,
                         const Value& largest_second_moment = {});

struct InplaceAddAttributes {
  double alpha;
  auto arguments() const { return named({"alpha"}, alpha); }
};
struct AccumulateAttributes {
  double decay;
  auto arguments() const { return named({"decay"}, decay); }
};

namespace calls {
extern const Declaration<InplaceAddAttributes> inplace_add;
extern const Declaration<AccumulateAttributes> accumulate;
extern const Declaration<> assign;
// Inputs parameter, first moment, second moment, with amsgrad the largest one, gradient, step.
extern const Declaration<AdamWAttributes> apply_adam_w;
}  // namespace calls

using InplaceAddOp = DeclaredOp<calls::inplace_add>;
using AccumulateOp = DeclaredOp<calls::accumulate>;
using AssignOp = DeclaredOp<calls::assign>;
using AdamWOp = DeclaredOp<calls::apply_adam_w>;

// ---- Lists --------------------------------------------------------------------------------------
// One computation for each value of a list, as clipping of gradients takes it: one node instead of
// one for each. All of them have gradients.

/// norm(value, {}, {.p = p}) of each value: a scalar each. Throws ValueError for no values,
/// DTypeError unless they have one floating dtype.
std::vector<Value> foreach_norm(Operands values, double p = 2);

/// Each value times the factor. Throws as foreach_norm.
std::vector<Value> foreach_mul(Operands values, double factor);

/// foreach_mul() by a factor that is known when the graph runs: a node `mul` for each value, with
/// its broadcasting and its common dtype.
std::vector<Value> foreach_mul(Operands values, const Value& factor);

struct ForeachNormAttributes {
  double p;
  auto arguments() const { return named({"p"}, p); }
};
struct ForeachMulAttributes {
  double factor;
  auto arguments() const { return named({"factor"}, factor); }
};

namespace calls {
extern const Declaration<ForeachNormAttributes> foreach_norm;
extern const Declaration<ForeachMulAttributes> foreach_mul;
}  // namespace calls

using ForeachNormOp = DeclaredOp<calls::foreach_norm>;
using ForeachMulOp = DeclaredOp<calls::foreach_mul>;

}  // namespace aclgrad
