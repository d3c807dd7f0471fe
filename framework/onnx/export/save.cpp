// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/onnx/save.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "aclgrad/error.h"
#include "onnx/export/exporter.h"
#include "onnx/model_file.h"

namespace aclgrad::onnx {
namespace {

constexpr std::size_t kMostBytesInside = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kOpset = 17, kIrVersion = 8;
// Three sizes tell a multiple of the batch from other functions of it.
constexpr std::int64_t kBatches[] = {2, 3, 5};

saving::Recording recorded(const Record& model, const std::vector<Example>& examples,
                           std::optional<std::int64_t> batch) {
  saving::Recording made{Graph(Mode::evaluation), {}, {}, batch.value_or(0)};
  for (std::size_t k = 0; k < examples.size(); ++k) {
    const Example& example = examples[k];
    Dims dims = example.shape.dims();
    if (batch && example.is_batch) dims.front() = *batch;
    std::string name = example.name;
    if (name.empty()) name = examples.size() == 1 ? "input" : fmt::format("input_{}", k);
    made.inputs.push_back(made.graph.input(std::move(name), Shape(std::move(dims)), example.dtype));
  }
  made.outputs = model(made.inputs);
  return made;
}

void check_outputs(const saving::Recording& recording) {
  if (recording.outputs.empty()) throw ValueError("a network without outputs cannot be saved");
  for (const Value& output : recording.outputs) {
    if (!output.is_of(recording.graph)) {
      throw ValueError(
          "the network returned a value that is empty, or not of the graph of its inputs");
    }
  }
}

void write(const std::filesystem::path& path, const std::vector<saving::Recording>& recordings,
           const SaveOptions& options) {
  for (const saving::Recording& recording : recordings) check_outputs(recording);
  proto::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("aclgrad");
  model.add_opset_import()->set_version(kOpset);
  model.mutable_graph()->set_name(path.stem().string());
  saving::Exporter(recordings, *model.mutable_graph()).write(options.output_names);
  // Numbers that are beside the file pay from some size on; beyond 2 GB all are.
  constexpr std::size_t kLeastBeside = 1024;
  const bool is_beside =
      options.weights == Weights::beside || model.ByteSizeLong() > kMostBytesInside;
  write_model(std::move(model), path, is_beside ? std::optional(kLeastBeside) : std::nullopt);
}

}  // namespace

void save(const std::filesystem::path& path, const Record& model,
          const std::vector<Example>& examples, const SaveOptions& options) {
  const bool has_batch = options.dynamic_batch && std::ranges::any_of(examples, &Example::is_batch);
  std::vector<saving::Recording> recordings;
  if (!has_batch) {
    recordings.push_back(recorded(model, examples, std::nullopt));
  } else {
    for (const Example& example : examples) {
      if (!example.is_batch || example.shape.rank() > 0) continue;
      throw ShapeError(fmt::format(
          "the example `{}` is a scalar, without a batch: say is_batch = false", example.name));
    }
    for (const std::int64_t batch : kBatches) {
      recordings.push_back(recorded(model, examples, batch));
    }
  }
  write(path, recordings, options);
}

void save(const std::filesystem::path& path, const std::vector<Value>& outputs,
          const SaveOptions& options) {
  if (outputs.empty() || !outputs.front()) throw ValueError("there is no output to save");
  std::vector<saving::Recording> recordings;
  const Graph graph = outputs.front().graph();
  recordings.push_back({outputs.front().graph(), graph.inputs(), outputs, 0});
  write(path, recordings, options);
}

}  // namespace aclgrad::onnx
