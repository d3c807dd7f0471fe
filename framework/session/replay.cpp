// SPDX-License-Identifier: Apache-2.0
// Recording a plan on its stream, and running the recording.
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/runtime.h"
#include "aclgrad_ext.h"
#include "session/plan.h"

// Only our own runtime has them; null on other libraries.
#pragma weak aclgradCapturedTaskCount
#pragma weak aclgradFailedTask
#pragma weak aclgradModelMoveTensor

namespace aclgrad::detail {
namespace {

constexpr int kFeatureNotSupported = 207000;

}  // namespace

// Nothing where the runtime cannot capture.
std::optional<Plan::Recording> Plan::capture(const Segment& segment) const {
  const aclrtStream stream = stream_of(segment);
  const int status = aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  if (status == kFeatureNotSupported) {
    aclGetRecentErrMsg();  // no error: the nodes will be launched one by one
    return std::nullopt;
  }
  check_status(status, "aclmdlRICaptureBegin");
  Recording recording;
  recording.first = segment.begin;
  recording.tasks.reserve(segment.end - segment.begin);
  try {
    for (std::size_t i = segment.begin; i < segment.end; ++i) {
      launch(steps_[i], stream);
      if (aclgradCapturedTaskCount != nullptr) {
        recording.tasks.push_back(aclgradCapturedTaskCount(stream));
      }
    }
  } catch (...) {
    aclmdlRI unfinished = nullptr;
    if (aclmdlRICaptureEnd(stream, &unfinished) != 0) aclGetRecentErrMsg();
    const RecordedModel dropped(unfinished);
    throw;
  }
  aclmdlRI model = nullptr;
  check_status(aclmdlRICaptureEnd(stream, &model), "aclmdlRICaptureEnd");
  recording.model = RecordedModel(model);
  return recording;
}

void Plan::capture_pieces() {
  ensure_runtime();
  std::vector<Recording> all;
  for (const Segment& segment : partition_.segments) {
    std::optional<Recording> recording = capture(segment);
    if (!recording) return;
    all.push_back(std::move(*recording));
  }
  recordings_ = std::move(all);
}

void Plan::execute(const Recording& recording, aclrtStream stream) {
  check_status(aclmdlRIExecuteAsync(recording.model.get(), stream), "aclmdlRIExecuteAsync");
}

// The step that failed when the recording ran, or nothing.
std::optional<std::size_t> Plan::failed_step(const Recording& recording) {
  if (aclgradFailedTask == nullptr) return std::nullopt;
  const std::int64_t task = aclgradFailedTask(recording.model.get());
  if (task < 0) return std::nullopt;
  const std::vector<std::size_t>& tasks = recording.tasks;
  const auto step = std::upper_bound(tasks.begin(), tasks.end(), static_cast<std::size_t>(task));
  if (step == tasks.end()) return std::nullopt;
  return recording.first + static_cast<std::size_t>(step - tasks.begin());
}

// What the second stream failed at comes first, as in synchronize().
std::string Plan::place_of_failure(std::span<const Recording> recordings) const {
  std::optional<std::size_t> found;
  for (const Recording& recording : recordings) {
    const std::optional<std::size_t> step = failed_step(recording);
    if (step && (!found || is_async(*step))) found = step;
    if (found && is_async(*found)) break;
  }
  return found ? label(node(*found)) : "a node of the session failed (an eager session says which)";
}

// What is fetched must outlive the tensor that was fed.
void Plan::find_zero_copy_inputs(const std::vector<NodeId>& nodes,
                                 const std::vector<ValueId>& kept) {
  if (aclgradModelMoveTensor == nullptr) return;
  for (const NodeId id : nodes) {
    const Node& node = graph_.node(id);
    if (as_call(node) != nullptr) continue;
    if (dynamic_cast<const InputOp*>(node.op.get()) == nullptr) continue;
    zero_copy_inputs_.try_emplace(node.outputs.front());
  }
  for (const ValueId value : kept) zero_copy_inputs_.erase(graph_.value(value).root);
  for (const Step& step : steps_) {
    if (!step.call) continue;  // the work of others has no tensors that could be moved
    for (const ValueId input : graph_.node(step.node).inputs) {
      zero_copy_inputs_.erase(graph_.value(input).root);
    }
  }
  if (zero_copy_inputs_.empty()) return;
  const std::vector<TensorHandle>& tensors = memory_.tensors();
  for (std::size_t value = 0; value < tensors.size(); ++value) {
    if (tensors[value].get() == nullptr) continue;
    const auto input = zero_copy_inputs_.find(graph_.value(static_cast<ValueId>(value)).root);
    if (input == zero_copy_inputs_.end()) continue;
    const auto* const at = static_cast<const std::byte*>(memory_.address(input->first));
    for (const Recording& recording : recordings_) {
      input->second.push_back({recording.model.get(), tensors[value].get(), at});
    }
  }
}

bool Plan::bind_zero_copy(ValueId input, const Tensor& tensor) {
  const auto found = zero_copy_inputs_.find(input);
  if (found == zero_copy_inputs_.end()) return false;
  for (ReadPlace& place : found->second) {
    const std::intptr_t distance = reinterpret_cast<std::intptr_t>(tensor.bytes()) -
                                   reinterpret_cast<std::intptr_t>(place.input);
    if (distance == 0) continue;
    check_status(aclgradModelMoveTensor(place.model, place.tensor, distance),
                 "aclgradModelMoveTensor");
    place.input = tensor.bytes();
  }
  return true;
}

bool Plan::replay_first(std::size_t count) {
  ensure_runtime();
  const std::optional<Recording> recording = capture({.begin = 0, .end = count});
  if (!recording) return false;
  execute(*recording, stream_.get());
  const int status = aclrtSynchronizeStream(stream_.get());
  if (status != 0) {
    check_status(status, "aclrtSynchronizeStream", place_of_failure({&*recording, 1}));
  }
  return true;
}

}  // namespace aclgrad::detail
