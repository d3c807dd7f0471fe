// SPDX-License-Identifier: Apache-2.0
// Operators that overwrite a variable. Each returns the variable's new Value; the old one, and
// views of it, cannot be used in nodes recorded afterwards.
#ifndef ACLGRAD_OPS_UPDATE_H_
#define ACLGRAD_OPS_UPDATE_H_

#include <source_location>

#include "aclgrad/graph.h"

namespace aclgrad {

/// variable += alpha x, with x broadcast to the variable's shape.
Value inplace_add(const Value& variable, const Value& x, double alpha = 1,
                  std::source_location where = std::source_location::current());

/// variable = decay variable + x, x of the variable's shape: a running sum that forgets.
Value accumulate(const Value& variable, const Value& x, double decay,
                 std::source_location where = std::source_location::current());

/// variable = x, broadcast and converted.
Value assign(const Value& variable, const Value& x,
             std::source_location where = std::source_location::current());

struct AdamWAttributes {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double weight_decay = 1e-2;
  double epsilon = 1e-8;
  bool maximize = false;
};

struct AdamWResult {
  Value parameter;
  Value first_moment;
  Value second_moment;
};

/// One step of AdamW (Loshchilov, Hutter 2017) by aclnnApplyAdamWV2, which overwrites the parameter
/// and both moments, all of one shape. `step`, one element of float32 or int64, counts the steps
/// done before; it is not advanced.
AdamWResult apply_adam_w(const Value& parameter, const Value& first_moment,
                         const Value& second_moment, const Value& gradient, const Value& step,
                         const AdamWAttributes& attributes,
                         std::source_location where = std::source_location::current());

struct InplaceAddOp final : AclnnOp {
  double alpha;

  explicit InplaceAddOp(double alpha_) : alpha(alpha_) {}
  std::string_view name() const override { return "inplace_add"; }
  std::string_view call_name() const override { return "aclnnInplaceAdd"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
  std::optional<std::size_t> updated_input(std::size_t) const override { return 0; }
};

/// aclnnAdd whose result goes to the variable: x + decay variable.
struct AccumulateOp final : AclnnOp {
  double decay;

  explicit AccumulateOp(double decay_) : decay(decay_) {}
  std::string_view name() const override { return "accumulate"; }
  std::string_view call_name() const override { return "aclnnAdd"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
  std::optional<std::size_t> updated_input(std::size_t) const override { return 0; }
};

struct AssignOp final : AclnnOp {
  std::string_view name() const override { return "assign"; }
  std::string_view call_name() const override { return "aclnnInplaceCopy"; }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
  std::optional<std::size_t> updated_input(std::size_t) const override { return 0; }
  bool reads_input(std::size_t input) const override { return input != 0; }
};

/// Inputs parameter, first moment, second moment (each overwritten by the output of the same
/// number), gradient, step.
struct AdamWOp final : AclnnOp {
  AdamWAttributes values;

  explicit AdamWOp(const AdamWAttributes& values_) : values(values_) {}
  std::string_view name() const override { return "apply_adam_w"; }
  std::string_view call_name() const override { return "aclnnApplyAdamWV2"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
  std::optional<std::size_t> updated_input(std::size_t output) const override { return output; }
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_UPDATE_H_
