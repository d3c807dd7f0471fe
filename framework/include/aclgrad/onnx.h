// SPDX-License-Identifier: Apache-2.0
// Networks as ONNX files. A library of its own: link aclgrad::onnx.
//
//   const onnx::Model model = onnx::load("resnet.onnx");
//   const Value scores = model(images);            // nodes like all others: trained, checked,
//   shown Tensor answer = Predictor(model)(pictures);
//
// A model is a Module. Its parameters are the floating tensors that the file holds for nodes, under
// their names: `conv1.weight` is `weight` of the part `conv1`. What nodes must know when they are
// recorded (shapes, axes, bounds), what the file writes as constants, single numbers, and tensors
// of whole numbers, belong to the model, and are no parameters. Running statistics are buffers.
//
// A model records its nodes anew with each call, so the shapes of its inputs may differ from call
// to call: every extent is one that the call knows. What follows from shapes and constants is
// computed while it records; If with a condition that is known so is the branch that holds, Loop
// and Scan are as many copies of their body as there are steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/graph.h"
#include "aclgrad/nn/module.h"
#include "aclgrad/onnx/save.h"

namespace aclgrad::onnx {

/// An input or output as the file declares it. Of what is no tensor, or of a type that there is not
/// here, dtype is empty and `type` says what it is.
struct Port {
  std::string name;
  std::optional<DType> dtype;
  std::string type;  ///< "FLOAT", "INT64", "sequence of FLOAT"
  /// An extent, or -1 where the file leaves it open; nothing where it leaves the rank open.
  std::optional<Dims> dims;
};

/// What a call gives for an input: a value of the graph, or a tensor that is known when the nodes
/// are recorded, as an input that is a shape must be.
using Argument = std::variant<Value, Tensor>;

/// A node needs an input's numbers when it is recorded, and the call gives values that a run
/// computes. `inputs()` are the model's inputs that they follow from: give these as Tensors.
class NotConstantError : public ValueError {
 public:
  NotConstantError(const std::string& what, std::vector<std::string> inputs)
      : ValueError(what), inputs_(std::move(inputs)) {}
  const std::vector<std::string>& inputs() const { return inputs_; }

 private:
  std::vector<std::string> inputs_;
};

class Model : public Module {
 public:
  /// The output of a model with one input and one output. Throws ValueError for another model, and
  /// what the recording functions throw, with the node, operator and opset in front.
  ///
  /// In a graph of Mode::training Dropout drops, and batch normalization goes by the batch and
  /// updates its running statistics, as long as the model is not frozen, nor told to eval().
  Value operator()(Operand x) const;

  /// The outputs, for inputs in the file's order. Throws ValueError for another number of inputs.
  std::vector<Value> operator()(Operands inputs) const;

  /// The same of values and tensors: `graph` is what nodes are recorded into. Outputs that are
  /// known become constants. Throws NotConstantError besides.
  std::vector<Value> operator()(const Graph& graph, const std::vector<Argument>& inputs,
                                std::source_location where = std::source_location::current()) const;

  /// The inputs that a call gives: those without a tensor in the file.
  const std::vector<Port>& inputs() const;
  const std::vector<Port>& outputs() const;

  /// The version of ONNX's operators that the file was written for.
  std::int64_t opset() const;

  /// The parts that have variables, in the order in which the file first uses them: `conv1` of
  /// `conv1.weight`. To freeze all but the last: for (Module part : parts) part.freeze().
  const std::vector<Module>& parts() const;

  struct Data;

 private:
  friend Model load(const std::filesystem::path& path);
  Model(const Name& name, std::shared_ptr<const Data> data);

  std::shared_ptr<const Data> data_;
  // Apart from what copies share: a clone has its own.
  std::vector<Variable> variables_;
  std::vector<Generator> generators_;
  std::vector<Module> parts_;
};

/// Reads a model, of opset 7 to the newest (older ones where an operator means the same). Throws
/// IoError for a file that is no model, or whose tensors cannot be read; ValueError that lists all
/// operators that there are not, with the opset, how often each occurs, and the first node.
Model load(const std::filesystem::path& path);

}  // namespace aclgrad::onnx
