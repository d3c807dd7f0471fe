// SPDX-License-Identifier: Apache-2.0
// Op: what a node of a graph does. There are three kinds: sources (input, variable, constant),
// which hold data; views, which describe data of another value anew and do no work; and AclnnOp,
// one call of an operator through its two-phase C interface. An Op is immutable and knows nothing
// of graphs, so one object may stand in several.
//
// To add an operator: derive from AclnnOp with the attributes as members, and write a recording
// function with a Recorder (record.h). A gradient rule is found by the type of the Op.
#ifndef ACLGRAD_OP_H_
#define ACLGRAD_OP_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aclgrad/handles.h"
#include "aclgrad/tensor.h"
#include "aclgrad/variable.h"

namespace aclgrad {

/// What is known of a value when it is recorded.
struct TensorSpec {
  Shape shape;
  DType dtype = DType::float32;
};

class Op {
 public:
  virtual ~Op() = default;

  /// Short name as it stands in listings and messages: "elu".
  virtual std::string_view name() const = 0;

  /// The attributes for listings, such as "alpha=1, dim=-1"; empty when there are none.
  virtual std::string attributes() const { return {}; }
};

/// A tensor that every run must be fed.
class InputOp final : public Op {
 public:
  std::string_view name() const override { return "input"; }
};

/// A Variable's tensor.
class VariableOp final : public Op {
 public:
  explicit VariableOp(Variable bound) : variable(std::move(bound)) {}
  std::string_view name() const override { return "variable"; }

  const Variable variable;
};

/// A tensor fixed when the graph is recorded.
class ConstantOp final : public Op {
 public:
  explicit ConstantOp(Tensor value) : tensor(std::move(value)) {}
  std::string_view name() const override { return "constant"; }

  const Tensor tensor;
};

/// Another description (shape, strides, offset) of its input's data; nothing is computed.
class ViewOp : public Op {};

/// The C arguments of one operator call. Objects that it makes live as long as the Call, which
/// lives at least as long as the executor that phase one returned.
class Call {
 public:
  struct Argument {
    aclTensor* tensor;
    const TensorSpec* spec;
  };

  Call(std::vector<Argument> inputs, std::vector<Argument> outputs)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  aclTensor* input(std::size_t index) const { return inputs_.at(index).tensor; }
  aclTensor* output(std::size_t index) const { return outputs_.at(index).tensor; }
  const TensorSpec& input_spec(std::size_t index) const { return *inputs_.at(index).spec; }
  const TensorSpec& output_spec(std::size_t index) const { return *outputs_.at(index).spec; }

  /// An aclScalar of a type that suits tensors of `beside` (see ScalarHandle).
  const aclScalar* scalar(double value, DType beside) {
    return scalars_.emplace_back(value, beside).get();
  }
  const aclIntArray* int_array(std::span<const std::int64_t> values) {
    return arrays_.emplace_back(values).get();
  }

  /// Destroys the objects made so far: before phase one is called again.
  void clear_objects() {
    scalars_.clear();
    arrays_.clear();
  }

 private:
  std::vector<Argument> inputs_;
  std::vector<Argument> outputs_;
  std::deque<ScalarHandle> scalars_;
  std::deque<IntArrayHandle> arrays_;
};

/// Phase two of an operator: queues the work on a stream.
using PhaseTwo = aclnnStatus (*)(void* workspace, std::uint64_t workspace_size,
                                 aclOpExecutor* executor, aclrtStream stream);

/// One operator of the C interface.
class AclnnOp : public Op {
 public:
  /// The C function without "GetWorkspaceSize": "aclnnElu".
  virtual std::string_view call_name() const = 0;

  /// Calls phase one and returns its status.
  virtual aclnnStatus phase_one(Call& call, std::uint64_t* workspace_size,
                                aclOpExecutor** executor) const = 0;

  virtual PhaseTwo phase_two() const = 0;

  /// The input whose memory this output overwrites; none for a tensor of its own. Only variables
  /// may be overwritten. Call::output gives the input's tensor for such an output.
  virtual std::optional<std::size_t> updated_input(std::size_t /*output*/) const {
    return std::nullopt;
  }
};

}  // namespace aclgrad

#endif  // ACLGRAD_OP_H_
