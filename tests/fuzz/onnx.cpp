// SPDX-License-Identifier: Apache-2.0
// ONNX files of any content: a network is read and recorded, or there is one clear error. What
// follows from constants is computed while it is recorded, so that is where bombs go off.
#include "aclgrad/onnx.h"
#include "aclgrad/error.h"
#include "tests/fuzz/target.h"
#include "tests/support/memory_file.h"

namespace aclgrad::fuzz {
namespace {

// An input of the declared shape, if that is small.
onnx::Argument input_of(const Graph& graph, const onnx::Port& port) {
  Dims dims;
  for (const std::int64_t extent : port.dims.value_or(Dims{})) {
    dims.push_back(extent >= 0 && extent <= 8 ? extent : 2);
  }
  if (dims.size() > 8) dims.resize(8);
  return graph.input(port.name, Shape(std::move(dims)), port.dtype.value_or(DType::float32));
}

}  // namespace

void fuzz_onnx(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  try {
    const onnx::Model model = onnx::load(file.path());
    const Graph graph(Mode::evaluation);
    std::vector<onnx::Argument> inputs;
    for (const onnx::Port& port : model.inputs()) inputs.push_back(input_of(graph, port));
    require(model(graph, inputs).size() == model.outputs().size(), "as many outputs as declared");
  } catch (const Error& error) {
    require(*error.what() != '\0', "an error says what is wrong");
  }
}

}  // namespace aclgrad::fuzz
