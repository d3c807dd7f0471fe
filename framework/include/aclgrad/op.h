// SPDX-License-Identifier: Apache-2.0
// Op: what a node of a graph does. There are three kinds: sources (input, variable, constant),
// which hold data; views, which describe data of another value anew and do no work; and calls: an
// AclnnOp is one call of an operator through its two-phase C interface, a StreamOp any other work
// that a C function queues on a stream. An Op is immutable and knows nothing of graphs, so one
// object may stand in several.
//
// To add an operator: declare it (see Declaration below), and write a recording function with a
// Recorder (record.h). A gradient rule is found by the type of the Op.
#ifndef ACLGRAD_OP_H_
#define ACLGRAD_OP_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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

class CallOp;
class AclnnOp;
class StreamOp;

class Op {
 public:
  virtual ~Op() = default;

  /// Short name as it stands in listings and messages: "elu".
  virtual std::string_view name() const = 0;

  /// The attributes for listings, such as "alpha=1, dim=-1"; empty when there are none.
  virtual std::string attributes() const { return {}; }

  /// The same object; null for sources and views. Walks over large graphs ask often, and a
  /// dynamic_cast would take longer than the rest of some of them.
  virtual const CallOp* as_call() const noexcept { return nullptr; }
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

/// Objects made for operator calls; they live at least as long as the executors that phase one
/// returned.
class CallObjects {
 public:
  /// The same object for the same number.
  const aclScalar* scalar(double value, DType beside);
  const aclIntArray* int_array(std::span<const std::int64_t> values);
  const aclBoolArray* bool_array(std::span<const bool> values);

 private:
  std::map<std::pair<std::uint64_t, DType>, ScalarHandle> scalars_;  // by the bits of the number
  std::vector<IntArrayHandle> arrays_;
  std::vector<BoolArrayHandle> bools_;
};

/// The C arguments of one call of phase one.
class Call {
 public:
  struct Argument {
    aclTensor* tensor;
    const TensorSpec* spec;
  };

  Call(std::span<const Argument> inputs, std::span<const Argument> outputs, CallObjects& objects)
      : inputs_(inputs), outputs_(outputs), objects_(objects) {}

  aclTensor* input(std::size_t index) const { return argument(inputs_, index).tensor; }
  aclTensor* output(std::size_t index) const { return argument(outputs_, index).tensor; }
  const TensorSpec& input_spec(std::size_t index) const { return *argument(inputs_, index).spec; }
  const TensorSpec& output_spec(std::size_t index) const { return *argument(outputs_, index).spec; }

  /// The inputs and then the outputs, counted through.
  aclTensor* tensor(std::size_t index) const {
    return index < inputs_.size() ? input(index) : output(index - inputs_.size());
  }

  /// An aclScalar of a type that suits tensors of `beside` (see ScalarHandle).
  const aclScalar* scalar(double value, DType beside) { return objects_.scalar(value, beside); }
  /// Of one that suits the first output.
  const aclScalar* scalar(double value) { return scalar(value, output_spec(0).dtype); }
  const aclIntArray* int_array(std::span<const std::int64_t> values) {
    return objects_.int_array(values);
  }
  const aclBoolArray* bool_array(std::span<const bool> values) {
    return objects_.bool_array(values);
  }

 private:
  // Throws ValueError for an index that the node has not.
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
  /// may be overwritten. Call::output gives the input's tensor for such an output.
  virtual std::optional<std::size_t> updated_input(std::size_t /*output*/) const {
    return std::nullopt;
  }

  /// Whether what the input holds matters; false for one that is overwritten unread.
  virtual bool reads_input(std::size_t /*input*/) const { return true; }

  /// Whether a session may give the output the memory of the input when nobody needs the input any
  /// more: true for operators that read an element for the last time before they write the one at
  /// its place. Asked only when both are dense and of one shape and dtype.
  virtual bool may_overwrite(std::size_t /*output*/, std::size_t /*input*/) const { return false; }

  const CallOp* as_call() const noexcept final { return this; }

  /// The same object, or null where it is of the other kind.
  virtual const AclnnOp* as_aclnn() const noexcept { return nullptr; }
  virtual const StreamOp* as_stream_op() const noexcept { return nullptr; }
};

/// One operator of the C interface.
class AclnnOp : public CallOp {
 public:
  /// Calls phase one and returns its status.
  virtual aclnnStatus phase_one(Call& call, std::uint64_t* workspace_size,
                                aclOpExecutor** executor) const = 0;

  virtual PhaseTwo phase_two() const = 0;

  const AclnnOp* as_aclnn() const noexcept final { return this; }
};

/// For an operator without attributes.
struct NoAttributes {
  std::string text() const { return {}; }
};

/// Whether an output has the memory of an input: never; when a session chooses so
/// (CallOp::may_overwrite); always, as the input's new contents (CallOp::updated_input), where the
/// old ones are read or are not.
enum class Memory : std::uint8_t { separate, may_be_shared, updated, replaced };

/// An operator of the C interface as data. A constant says what it is called and what it calls; a
/// struct of attributes, which can tell its text() for listings, what is given to one call.
/// DeclaredOp makes an Op of them:
///
///   struct LeakyReluAttributes {
///     double negative_slope;
///     std::string text() const { return fmt::format("negative_slope={}", negative_slope); }
///   };
///   constexpr Declaration<LeakyReluAttributes> kLeakyRelu(
///       "leaky_relu", "aclnnLeakyRelu", aclnnLeakyRelu, elementwise,
///       [](const LeakyReluAttributes& values, Call& call, auto... end) {
///         return aclnnLeakyReluGetWorkspaceSize(
///             call.input(0), call.scalar(values.negative_slope), call.output(0), end...);
///       });
///   using LeakyReluOp = DeclaredOp<kLeakyRelu>;
template <class AttributesType = NoAttributes>
struct Declaration {
  using Attributes = AttributesType;

  std::string_view name;       ///< Op::name: "elu"
  std::string_view call_name;  ///< CallOp::call_name: "aclnnElu"
  PhaseTwo phase_two;

  /// One of the functions below, or another.
  Memory (*memory)(const Attributes& attributes, std::size_t output, std::size_t input);

  /// Calls phase one and returns its status. For a function that takes nothing but the inputs and
  /// then the outputs it is tensors_in_order<aclnnSeluGetWorkspaceSize>.
  aclnnStatus (*phase_one)(const Attributes& attributes, Call& call, std::uint64_t* workspace_size,
                           aclOpExecutor** executor);
};

/// For Declaration::memory: outputs have memory of their own.
template <class Attributes>
Memory separate(const Attributes&, std::size_t, std::size_t) {
  return Memory::separate;
}

/// Every output element depends on no input element but those at its place.
template <class Attributes>
Memory elementwise(const Attributes&, std::size_t, std::size_t) {
  return Memory::may_be_shared;
}

/// Every output is the new contents of the input of the same number, a variable.
template <class Attributes>
Memory updating(const Attributes&, std::size_t output, std::size_t input) {
  return output == input ? Memory::updated : Memory::separate;
}

/// The same where the old contents do not matter.
template <class Attributes>
Memory replacing(const Attributes&, std::size_t output, std::size_t input) {
  return output == input ? Memory::replaced : Memory::separate;
}

namespace detail {
template <class... Parameters>
constexpr std::size_t parameter_count(aclnnStatus (*)(Parameters...)) {
  return sizeof...(Parameters);
}
}  // namespace detail

/// For Declaration::phase_one.
template <auto kPhaseOne, class Attributes>
aclnnStatus tensors_in_order(const Attributes&, Call& call, std::uint64_t* size,
                             aclOpExecutor** executor) {
  return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    return kPhaseOne(call.tensor(kIndex)..., size, executor);
  }
  (std::make_index_sequence<detail::parameter_count(kPhaseOne) - 2>{});
}

/// The Op of a Declaration; its attributes are members.
template <const auto& kDeclaration>
class DeclaredOp final : public AclnnOp,
                         public std::remove_cvref_t<decltype(kDeclaration)>::Attributes {
 public:
  using Attributes = typename std::remove_cvref_t<decltype(kDeclaration)>::Attributes;

  DeclaredOp() = default;
  explicit DeclaredOp(Attributes values) : Attributes(std::move(values)) {}

  static constexpr const auto& declaration() { return kDeclaration; }

  std::string_view name() const override { return kDeclaration.name; }
  std::string_view call_name() const override { return kDeclaration.call_name; }
  std::string attributes() const override { return this->text(); }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override {
    return kDeclaration.phase_one(*this, call, size, executor);
  }
  PhaseTwo phase_two() const override { return kDeclaration.phase_two; }
  bool may_overwrite(std::size_t output, std::size_t input) const override {
    return kDeclaration.memory(*this, output, input) == Memory::may_be_shared;
  }
  std::optional<std::size_t> updated_input(std::size_t output) const override {
    const Memory memory = kDeclaration.memory(*this, output, output);
    const bool updates = memory == Memory::updated || memory == Memory::replaced;
    return updates ? std::optional(output) : std::nullopt;
  }
  bool reads_input(std::size_t input) const override {
    return kDeclaration.memory(*this, input, input) != Memory::replaced;
  }
};

struct Node;

/// Where the work of a StreamOp goes, and its tensors.
class StreamCall {
 public:
  struct Operand {
    void* address;  // of the first element on the device
    const TensorSpec* spec;
  };

  StreamCall(const Node& node, std::vector<Operand> inputs, std::vector<Operand> outputs)
      : node_(&node), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  /// For messages: label(node).
  const Node& node() const { return *node_; }
  const std::vector<Operand>& inputs() const { return inputs_; }
  const std::vector<Operand>& outputs() const { return outputs_; }

 private:
  const Node* node_;
  std::vector<Operand> inputs_;
  std::vector<Operand> outputs_;
};

/// Work that C functions queue on a stream, without phases and workspace. Its inputs must be
/// contiguous; who records the node sees to that.
class StreamOp : public CallOp {
 public:
  /// Queues the work and returns without waiting for it. Called for every run, or once while the
  /// stream is captured. Throws StatusError when a C function refuses.
  virtual void queue(const StreamCall& call, aclrtStream stream) const = 0;

  /// Whether it may run on a second stream, beside the nodes that neither need its outputs nor make
  /// its inputs: for work that keeps other parts of the machine busy than operators do. Such
  /// nodes begin as soon as their inputs are there, and run in the order in which these are. Not
  /// for one that updates a variable.
  virtual bool runs_beside() const { return false; }

  const StreamOp* as_stream_op() const noexcept final { return this; }
};

/// An operator whose every output element depends on no input element but those at its place.
class ElementwiseOp : public AclnnOp {
 public:
  bool may_overwrite(std::size_t, std::size_t) const override { return true; }
};

}  // namespace aclgrad

#endif  // ACLGRAD_OP_H_
