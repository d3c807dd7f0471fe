// SPDX-License-Identifier: Apache-2.0
// Networks out, as ONNX: files that the usual runtimes run and viewers open.
//
//   onnx::save("digits.onnx", network, Tensor::zeros({1, 784}));
//
// What has a name keeps it: inputs, variables (which are initializers), values. The operators are
// those of opset 17; what ONNX lacks is made of several. In 16 bits these compute in float32, as
// our operators do.
#pragma once

#include <concepts>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/tensor.h"

namespace aclgrad::onnx {

/// An input of a network: its shape and dtype are those of a tensor.
struct Example {
  Example(const Tensor& like, std::string input_name = {})  // NOLINT: converts
      : name(std::move(input_name)), shape(like.shape()), dtype(like.dtype()) {}
  Example(std::string input_name, Shape of, DType type = DType::float32)
      : name(std::move(input_name)), shape(std::move(of)), dtype(type) {}

  std::string name;  ///< Without one it is "input", or of several "input_0" and so on.
  Shape shape;
  DType dtype;
  bool is_batch = true;  ///< Whether the first axis is the batch: the same extent in all that are.
};

/// Where the initializers lie.
enum class Weights : std::uint8_t {
  inside,  ///< In the file; beside it where they are above what such a file can hold, 2 GB.
  beside,  ///< In a file of the same name with ".data" behind it, as ONNX's external data.
};

struct SaveOptions {
  /// Whether the file takes batches of any size; else of the example's.
  bool dynamic_batch = true;
  Weights weights = Weights::inside;
  /// Of the outputs, in their order. Others have that of their value, or are "output", of several
  /// "output_0" and so on.
  std::vector<std::string> output_names = {};
};

/// What records a network's outputs from its inputs.
using Record = std::function<std::vector<Value>(const std::vector<Value>& inputs)>;

/// Records the network in Mode::evaluation, for two sizes of the batch, and writes what does not
/// depend on it as it is, and the rest as a function of the batch. Throws ValueError that lists
/// every node that ONNX has no words for, and every one that depends on the batch in a way that is
/// not a whole number and a multiple of it; ShapeError for an example without a batch axis;
/// IoError; and what recording throws.
void save(const std::filesystem::path& path, const Record& model,
          const std::vector<Example>& examples, const SaveOptions& options = {});

namespace saving {
/// What a network returned, as a list.
inline std::vector<Value> outputs_of(Value one) { return {std::move(one)}; }
/// A list stays one.
inline std::vector<Value> outputs_of(std::vector<Value> several) { return several; }
}  // namespace saving

/// Of a network of one input: a layer, or what returns several values.
template <class Model>
requires std::invocable<const Model&, const Value&>
void save(const std::filesystem::path& path, const Model& model, const Example& example,
          const SaveOptions& options = {}) {
  save(path, Record([&model](const std::vector<Value>& inputs) {
         return saving::outputs_of(model(inputs.front()));
       }),
       std::vector<Example>{example}, options);
}

/// Of a network of two inputs.
template <class Model>
requires std::invocable<const Model&, const Value&, const Value&>
void save(const std::filesystem::path& path, const Model& model, const Example& first,
          const Example& second, const SaveOptions& options = {}) {
  save(path, Record([&model](const std::vector<Value>& inputs) {
         return saving::outputs_of(model(inputs[0], inputs[1]));
       }),
       std::vector<Example>{first, second}, options);
}

/// Of a graph that is there: of the shapes that it was recorded with, training too, where dropout
/// draws anew in every run and running statistics are not updated. The options' dynamic_batch does
/// not count.
void save(const std::filesystem::path& path, const std::vector<Value>& outputs,
          const SaveOptions& options = {});

}  // namespace aclgrad::onnx
