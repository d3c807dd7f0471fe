// SPDX-License-Identifier: Apache-2.0
// Recording the steps of an executable on its streams.
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/runtime.h"
#include "aclgrad_ext.h"
#include "session/executable.h"

// Only our own runtime has them; null on other libraries.
#pragma weak aclgradCapturedTaskCount
#pragma weak aclgradFailedTask
#pragma weak aclgradModelMoveTensor

namespace aclgrad::detail {
namespace {

constexpr int kFeatureNotSupported = 207000;

}  // namespace

// Nothing where the runtime cannot capture.
std::optional<Executable::Recording> Executable::capture(const Segment& segment) {
  const aclrtStream stream = segment.async ? async_stream_ : stream_;
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
      launch(i, stream);
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

void Executable::capture_all() {
  ensure_runtime();
  std::vector<Recording> all;
  for (const Segment& segment : program_.segments) {
    std::optional<Recording> recording = capture(segment);
    if (!recording) return;
    all.push_back(std::move(*recording));
  }
  recordings_ = std::move(all);
}

// The step that failed when the recording ran, or nothing.
std::optional<std::size_t> Executable::failed_step(const Recording& recording) const {
  if (aclgradFailedTask == nullptr) return std::nullopt;
  const std::int64_t task = aclgradFailedTask(recording.model.get());
  if (task < 0) return std::nullopt;
  const std::vector<std::size_t>& tasks = recording.tasks;
  const auto step = std::upper_bound(tasks.begin(), tasks.end(), static_cast<std::size_t>(task));
  if (step == tasks.end()) return std::nullopt;
  return recording.first + static_cast<std::size_t>(step - tasks.begin());
}

// What the second stream failed at comes first, as in synchronize().
std::string Executable::place_of_failure(std::span<const Recording> recordings) const {
  std::optional<std::size_t> found;
  for (const Recording& recording : recordings) {
    const std::optional<std::size_t> step = failed_step(recording);
    if (step && (!found || program_.steps[*step].async)) found = step;
    if (found && program_.steps[*found].async) break;
  }
  return found ? label(node(*found)) : "a node of the session failed (an eager session says which)";
}

// Not what is fetched, which must outlive the tensor that was fed, nor what StreamOps read, which
// have no tensors to move.
void Executable::find_zero_copy_inputs() {
  if (aclgradModelMoveTensor == nullptr) return;
  const auto root = [&](ValueId value) { return program_.graph->value(value).root; };
  for (const ValueId input : program_.inputs) zero_copy_.try_emplace(input);
  for (const ValueId value : program_.fetched) zero_copy_.erase(root(value));
  for (std::size_t step = 0; step < launches_.size(); ++step) {
    if (!launches_[step].call) continue;
    for (const ValueId input : node(step).inputs) zero_copy_.erase(root(input));
  }
  if (zero_copy_.empty()) return;
  const std::vector<TensorHandle>& tensors = memory_.tensors();
  for (std::size_t value = 0; value < tensors.size(); ++value) {
    if (tensors[value].get() == nullptr) continue;
    const auto input = zero_copy_.find(root(static_cast<ValueId>(value)));
    if (input == zero_copy_.end()) continue;
    const std::byte* const at = memory_.address(input->first);
    for (const Recording& recording : recordings_) {
      input->second.push_back({recording.model.get(), tensors[value].get(), at});
    }
  }
}

bool Executable::bind_zero_copy(ValueId input, const Tensor& tensor) {
  const auto found = zero_copy_.find(input);
  if (found == zero_copy_.end()) return false;
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

bool Executable::replay_first(std::size_t count) {
  ensure_runtime();
  const std::optional<Recording> recording = capture({.begin = 0, .end = count});
  if (!recording) return false;
  check_status(aclmdlRIExecuteAsync(recording->model.get(), stream_), "aclmdlRIExecuteAsync");
  const int status = aclrtSynchronizeStream(stream_);
  if (status != 0) {
    check_status(status, "aclrtSynchronizeStream", place_of_failure({&*recording, 1}));
  }
  return true;
}

}  // namespace aclgrad::detail
