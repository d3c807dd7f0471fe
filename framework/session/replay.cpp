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

Plan::Recording Plan::capture(std::size_t count) {
  ensure_runtime();
  const int status = aclmdlRICaptureBegin(stream_.get(), ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  if (status == kFeatureNotSupported) {
    aclGetRecentErrMsg();  // no error: the nodes will be launched one by one
    return {};
  }
  check_status(status, "aclmdlRICaptureBegin");
  Recording recording;
  recording.tasks.reserve(count);
  try {
    for (std::size_t i = 0; i < count; ++i) {
      call_phase_two(steps_[i], steps_[i].executor.get());
      if (aclgradCapturedTaskCount != nullptr) {
        recording.tasks.push_back(aclgradCapturedTaskCount(stream_.get()));
      }
    }
  } catch (...) {
    aclmdlRI unfinished = nullptr;
    if (aclmdlRICaptureEnd(stream_.get(), &unfinished) != 0) aclGetRecentErrMsg();
    const RecordedModel dropped(unfinished);
    throw;
  }
  aclmdlRI model = nullptr;
  check_status(aclmdlRICaptureEnd(stream_.get(), &model), "aclmdlRICaptureEnd");
  recording.model = RecordedModel(model);
  return recording;
}

void Plan::replay(const Recording& recording) {
  check_status(aclmdlRIExecuteAsync(recording.model.get(), stream_.get()), "aclmdlRIExecuteAsync");
  const int status = aclrtSynchronizeStream(stream_.get());
  if (status != 0) check_status(status, "aclrtSynchronizeStream", place_of_failure(recording));
}

std::string Plan::place_of_failure(const Recording& recording) const {
  const std::int64_t task =
      aclgradFailedTask == nullptr ? -1 : aclgradFailedTask(recording.model.get());
  const std::vector<std::size_t>& tasks = recording.tasks;
  const auto step =
      task < 0 ? tasks.end()
               : std::upper_bound(tasks.begin(), tasks.end(), static_cast<std::size_t>(task));
  if (step == tasks.end()) return "a node of the session failed (an eager session says which)";
  return label(node(static_cast<std::size_t>(step - tasks.begin())));
}

// What is fetched must outlive the tensor that was fed.
void Plan::find_lendable(const std::vector<NodeId>& nodes, const std::vector<ValueId>& kept) {
  if (aclgradModelMoveTensor == nullptr) return;
  for (const NodeId id : nodes) {
    const Node& node = graph_.node(id);
    if (dynamic_cast<const InputOp*>(node.op.get()) == nullptr) continue;
    const ValueId input = node.outputs.front();
    lendable_[input].at = static_cast<const std::byte*>(memory_.address(input));
  }
  for (const ValueId value : kept) lendable_.erase(graph_.value(value).root);
  if (lendable_.empty()) return;
  const std::vector<TensorHandle>& tensors = memory_.tensors();
  for (std::size_t value = 0; value < tensors.size(); ++value) {
    if (tensors[value].get() == nullptr) continue;
    const auto input = lendable_.find(graph_.value(static_cast<ValueId>(value)).root);
    if (input != lendable_.end()) input->second.tensors.push_back(tensors[value].get());
  }
}

bool Plan::lend(ValueId input, const Tensor& tensor) {
  const auto found = lendable_.find(input);
  if (found == lendable_.end()) return false;
  Lendable& lendable = found->second;
  const auto address = [](const std::byte* at) { return reinterpret_cast<std::intptr_t>(at); };
  const std::intptr_t distance = address(tensor.bytes()) - address(lendable.at);
  if (distance == 0) return true;
  for (aclTensor* const each : lendable.tensors) {
    check_status(aclgradModelMoveTensor(recording_.model.get(), each, distance),
                 "aclgradModelMoveTensor");
  }
  lendable.at = tensor.bytes();
  return true;
}

bool Plan::replay_first(std::size_t count) {
  const Recording recording = capture(count);
  if (recording.model.get() == nullptr) return false;
  replay(recording);
  return true;
}

}  // namespace aclgrad::detail
