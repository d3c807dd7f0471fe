// SPDX-License-Identifier: Apache-2.0
#include "train/record/step_values.h"

#include <fmt/format.h>

#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "session/graph_page.h"
#include "session/saved_variables.h"
#include "train/recorded_loss.h"

namespace aclgrad::detail {

StepValues::StepValues(Trainer& trainer, const data::Dataset& batch) {
  for (auto& [name, tensor] : trainer.tensors()) {
    tensors_.emplace_back("before/" + name, std::move(tensor));
  }
  for (const auto& [name, tensor] : batch.tensors()) {
    tensors_.emplace_back("batch/" + name, *tensor);
  }
  metadata_["step"] = std::to_string(trainer.steps() + 1);
  try {
    run_nodes(trainer, batch);
  } catch (const ValueError& error) {
    metadata_["no nodes"] = error.what();
  }
}

void StepValues::run_nodes(Trainer& trainer, const data::Dataset& batch) {
  const RecordedStep step = trainer.record_step(batch);
  trainer.prepare_step();
  const SavedVariables variables(step.graph.variables());
  std::vector<Feed> feeds;
  add_feeds(batch, "", feeds);
  const std::vector<Fetch> fetches = {step.loss, step.update};
  SessionOptions options;
  options.eager = true;
  std::size_t count = 0;
  options.observer = [&](const Node& node, const std::vector<Tensor>&,
                         const std::vector<Tensor>& outputs) {
    const std::string name = fmt::format("node/{:06}", count++);
    metadata_[name] = fmt::format("{}({})", node.op->name(), node.op->attributes());
    metadata_["place of " + name] = label(node);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      tensors_.emplace_back(fmt::format("{}/{}", name, i), outputs[i]);
    }
  };
  Session(step.graph, fetches, options).run(feeds);
  variables.restore();
  if (const GraphPage& page = graph_page()) {
    page_ = page(step.graph, step.gradients, fetches, feeds,
                 fmt::format("Step {}", trainer.steps() + 1));
  }
}

void StepValues::save(const std::filesystem::path& path, const NamedTensors& after) {
  for (const auto& [name, tensor] : after) tensors_.emplace_back("after/" + name, tensor);
  if (!page_.empty()) write_file_atomically(path.string() + ".html", page_);
  save_safetensors(path, tensors_, metadata_);
}

}  // namespace aclgrad::detail
