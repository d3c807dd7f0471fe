// SPDX-License-Identifier: Apache-2.0
#include "live/preview.h"

#include <algorithm>
#include <utility>

#include "session/saved_variables.h"
#include "session/state.h"

namespace aclgrad::live {

// Keeps what operators read, as it was before they ran, and what they make.
class Preview::Recorder final : public detail::RunObserver {
 public:
  explicit Recorder(Preview& preview) : preview_(preview) {}

  void before_node(const detail::NodeRun& run) override {
    for (const ValueId input : run.node.inputs) {
      if (!preview_.values_.contains(input)) {
        preview_.values_[input] = run.executable.memory().download(input);
      }
    }
  }
  void after_node(const detail::NodeRun& run) override {
    for (const ValueId output : run.node.outputs) {
      preview_.values_[output] = run.executable.memory().download(output);
    }
    preview_.order_.push_back(run.node.id);
  }

 private:
  Preview& preview_;
};

Preview::Preview(Trainer& trainer, const data::Dataset& batch) : step_(trainer.record_step(batch)) {
  for (const auto& [name, tensor] : batch.tensors()) {
    specs_.emplace_back(name, TensorSpec{tensor->shape(), tensor->dtype()});
  }
  std::vector<Fetch> fetches = {step_.loss};
  for (const auto& [value, gradient] : step_.gradients) fetches.emplace_back(gradient);
  fetches.emplace_back(step_.update);
  SessionOptions eager;
  eager.eager = true;
  session_ = std::make_unique<detail::SessionState>(step_.graph, std::move(fetches), eager);
}

Preview::~Preview() = default;

bool Preview::fits(const data::Dataset& batch) const {
  const auto tensors = batch.tensors();
  return std::ranges::equal(tensors, specs_, [](const auto& part, const auto& spec) {
    return part.first == spec.first && part.second->shape() == spec.second.shape &&
           part.second->dtype() == spec.second.dtype;
  });
}

void Preview::run(Trainer& trainer, const data::Dataset& batch, const Edits& edits,
                  detail::RunObserver* also) {
  trainer.prepare_step();
  const detail::SavedVariables variables(step_.graph.variables());
  values_.clear();
  order_.clear();
  std::map<std::string, Tensor> edited;
  std::vector<Feed> feeds;
  for (const auto& [name, tensor] : batch.tensors()) {
    edited[name] = *tensor;
    for (const Value& input : step_.graph.inputs()) {
      if (input.name() == name) edits.apply(input.id(), edited[name]);
    }
    feeds.emplace_back(name, std::as_const(edited[name]));
  }
  Interventions interventions(step_.graph, edits);
  Recorder recorder(*this);
  // The recorder is the outer one: it sees what the others have changed.
  std::vector<detail::RunObserver*> observers = {&recorder, &interventions};
  if (also != nullptr) observers.push_back(also);
  session_->bind(feeds, observers);
  session_->executable().run_node_by_node(observers);
}

}  // namespace aclgrad::live
