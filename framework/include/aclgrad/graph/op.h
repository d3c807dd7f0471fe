// SPDX-License-Identifier: Apache-2.0
// Op: what a node of a graph does. There are three kinds: sources (input, variable, constant),
// which hold data; views, which describe data of another value anew and do no work; and calls: an
// AclnnOp is one call of an operator through its two-phase C interface, a StreamOp any other work
// that a C function queues on a stream. An Op is immutable and independent of graphs, so one
// object may stand in several.
//
// To add an operator: declare it (declaration.h), and write a recording function with a Recorder
// (record.h). A gradient rule is found by the type of the Op.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclgrad/runtime/handles.h"
#include "aclgrad/tensor.h"
#include "aclgrad/variable.h"

namespace aclgrad {

/// What is known of a value when it is recorded.
struct TensorSpec {
  Shape shape;
  DType dtype = DType::float32;
};

class CallOp;
class AclnnOp;
class StreamOp;

/// What a node is: a source, a view of another value, or a call.
enum class OpKind : std::uint8_t { input, variable, constant, view, aclnn, stream };

class Op {
 public:
  virtual ~Op() = default;

  OpKind kind() const noexcept { return kind_; }

  /// Short name as it stands in listings and messages: "elu".
  virtual std::string_view name() const = 0;

  /// The attributes for listings, such as "alpha=1, dim=-1"; empty when there are none.
  virtual std::string attributes() const { return {}; }

  /// This, as a CallOp; null for sources and views.
  const CallOp* as_call() const noexcept;

 protected:
  explicit Op(OpKind kind) : kind_(kind) {}

 private:
  OpKind kind_;
};

/// A tensor that every run must be fed.
class InputOp final : public Op {
 public:
  InputOp() : Op(OpKind::input) {}
  std::string_view name() const override { return "input"; }
};

/// A Variable's tensor.
class VariableOp final : public Op {
 public:
  explicit VariableOp(Variable bound) : Op(OpKind::variable), variable(std::move(bound)) {}
  std::string_view name() const override { return "variable"; }

  const Variable variable;
};

/// A tensor fixed when the graph is recorded.
class ConstantOp final : public Op {
 public:
  explicit ConstantOp(Tensor value) : Op(OpKind::constant), tensor(std::move(value)) {}
  std::string_view name() const override { return "constant"; }

  const Tensor tensor;
};

/// Another description (shape, strides, offset) of its input's data; nothing is computed.
class ViewOp : public Op {
 protected:
  ViewOp() : Op(OpKind::view) {}
};

/// Objects made for operator calls; they live at least as long as the executors that phase one
/// returned.
class CallObjects {
 public:
  /// One object for each number.
  const aclScalar* scalar(double value, DType beside);
  const aclIntArray* int_array(std::span<const std::int64_t> values);
  const aclBoolArray* bool_array(std::span<const bool> values);
  aclTensorList* tensor_list(std::span<aclTensor* const> tensors);

 private:
  std::map<std::pair<std::uint64_t, DType>, ScalarHandle> scalars_;  // by the bits of the number
  std::vector<IntArrayHandle> arrays_;
  std::vector<BoolArrayHandle> bools_;
  std::vector<TensorListHandle> lists_;
};

/// The C arguments of one call of phase one.
class AclnnCall {
 public:
  struct Argument {
    aclTensor* tensor;
    const TensorSpec* spec;
    bool is_read = true;
  };

  AclnnCall(std::span<const Argument> inputs, std::span<const Argument> outputs,
            CallObjects& objects)
      : inputs_(inputs), outputs_(outputs), objects_(objects) {}

  std::size_t input_count() const { return inputs_.size(); }
  aclTensor* input(std::size_t index) const { return argument(inputs_, index).tensor; }
  aclTensor* output(std::size_t index) const { return argument(outputs_, index).tensor; }
  const TensorSpec& input_spec(std::size_t index) const { return *argument(inputs_, index).spec; }
  const TensorSpec& output_spec(std::size_t index) const { return *argument(outputs_, index).spec; }

  /// The first output's dtype as the C functions take it.
  aclDataType output_dtype() const { return static_cast<aclDataType>(output_spec(0).dtype); }

  /// An aclScalar of a type that suits tensors of `beside` (see ScalarHandle).
  const aclScalar* scalar(double value, DType beside) { return objects_.scalar(value, beside); }
  /// Of one that suits the first output; of a comparison, whose output is bool, the first input.
  const aclScalar* scalar(double value);
  const aclIntArray* int_array(std::span<const std::int64_t> values) {
    return objects_.int_array(values);
  }
  const aclBoolArray* bool_array(std::span<const bool> values) {
    return objects_.bool_array(values);
  }
  /// All inputs, or all outputs, as a list.
  const aclTensorList* input_list() { return list_of(inputs_); }
  aclTensorList* output_list() { return list_of(outputs_); }
  /// So many of them, from the first on.
  const aclTensorList* input_list(std::size_t first, std::size_t count) {
    return list_of(part(inputs_, first, count));
  }
  aclTensorList* output_list(std::size_t first, std::size_t count) {
    return list_of(part(outputs_, first, count));
  }
  /// Whether anything reads one of these outputs; if not, nobody sees what is written there.
  bool any_output_is_read(std::size_t first, std::size_t count) const;

 private:
  aclTensorList* list_of(std::span<const Argument> arguments);

  // Throw ValueError for arguments that the node has not.
  static std::span<const Argument> part(std::span<const Argument> arguments, std::size_t first,
                                        std::size_t count);
  static const Argument& argument(std::span<const Argument> arguments, std::size_t index);

  std::span<const Argument> inputs_;
  std::span<const Argument> outputs_;
  CallObjects& objects_;
};

/// Phase two of an operator: queues the work on a stream.
using PhaseTwo = aclnnStatus (*)(void* workspace, std::uint64_t workspace_size,
                                 aclOpExecutor* executor, aclrtStream stream);

/// What computes its outputs from its inputs when a graph runs.
class CallOp : public Op {
 public:
  /// The C function that does the work: "aclnnElu", without "GetWorkspaceSize".
  virtual std::string_view call_name() const = 0;

  /// The input whose memory this output overwrites; none for a tensor of its own. Only variables
  /// may be overwritten. AclnnCall::output gives the input's tensor for such an output.
  virtual std::optional<std::size_t> updated_input(std::size_t /*output*/) const {
    return std::nullopt;
  }

  /// This operator with the outputs that update nothing, which must come first, where it has
  /// such a form; else null. For copies of a graph whose variables are not to change.
  virtual std::shared_ptr<const CallOp> without_updates() const { return nullptr; }

  /// Whether it is an activation between layers, whose outputs Trainer::observe() looks at.
  virtual bool is_activation() const { return false; }

  /// Whether what the input holds matters; false for one that is overwritten unread.
  virtual bool reads_input(std::size_t /*input*/) const { return true; }

  /// Whether a session may give the output the memory of the input when no later node reads the
  /// input: true for operators that read an element for the last time before they write the one at
  /// its place. Asked only when both are dense and of one shape and dtype.
  virtual bool may_overwrite(std::size_t /*output*/, std::size_t /*input*/) const { return false; }

  /// This, or null where it is of the other kind.
  const AclnnOp* as_aclnn() const noexcept;
  const StreamOp* as_stream_op() const noexcept;

 protected:
  using Op::Op;
};

inline const CallOp* Op::as_call() const noexcept {
  return kind_ < OpKind::aclnn ? nullptr : static_cast<const CallOp*>(this);
}

/// One operator of the C interface.
class AclnnOp : public CallOp {
 public:
  /// Calls phase one and returns its status.
  virtual aclnnStatus phase_one(AclnnCall& call, std::uint64_t* workspace_size,
                                aclOpExecutor** executor) const = 0;

  virtual PhaseTwo phase_two() const = 0;

 protected:
  AclnnOp() : CallOp(OpKind::aclnn) {}
};

inline const AclnnOp* CallOp::as_aclnn() const noexcept {
  return kind() == OpKind::aclnn ? static_cast<const AclnnOp*>(this) : nullptr;
}

struct Node;

/// Where the work of a StreamOp goes, and its tensors.
class StreamCall {
 public:
  struct Buffer {
    void* address;  // of the first element on the device
    const TensorSpec* spec;
  };

  StreamCall(const Node& node, std::vector<Buffer> inputs, std::vector<Buffer> outputs)
      : node_(&node), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  /// For messages: label(node).
  const Node& node() const { return *node_; }
  const std::vector<Buffer>& inputs() const { return inputs_; }
  const std::vector<Buffer>& outputs() const { return outputs_; }

 private:
  const Node* node_;
  std::vector<Buffer> inputs_;
  std::vector<Buffer> outputs_;
};

/// Work that C functions queue on a stream, without phases and workspace. Its inputs must be
/// contiguous; who records the node sees to that.
class StreamOp : public CallOp {
 public:
  /// Queues the work and returns without waiting for it. Called for every run, or once while the
  /// stream is captured. Throws StatusError when a C function refuses.
  virtual void queue(const StreamCall& call, aclrtStream stream) const = 0;

  /// Whether it may run on a second stream and overlap with nodes that neither need its outputs nor
  /// make its inputs: for work that keeps other parts of the machine busy than operators do. Such
  /// nodes begin as soon as their inputs are there, and run in the order in which these are. Not
  /// for one that updates a variable.
  virtual bool is_async() const { return false; }

 protected:
  StreamOp() : CallOp(OpKind::stream) {}
};

inline const StreamOp* CallOp::as_stream_op() const noexcept {
  return kind() == OpKind::stream ? static_cast<const StreamOp*>(this) : nullptr;
}

/// An operator whose every output element depends on no input element but those at its place.
class ElementwiseOp : public AclnnOp {
 public:
  bool may_overwrite(std::size_t, std::size_t) const override { return true; }
};

}  // namespace aclgrad
