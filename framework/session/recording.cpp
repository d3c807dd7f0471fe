// SPDX-License-Identifier: Apache-2.0
#include "session/recording.h"

#include <algorithm>

#include "aclgrad/runtime.h"
#include "aclgrad_ext.h"

// Only our own runtime has them; null on other libraries.
#pragma weak aclgradCapturedTaskCount
#pragma weak aclgradFailedTask
#pragma weak aclgradModelMoveTensor

namespace aclgrad::detail {
namespace {

constexpr int kFeatureNotSupported = 207000;

}  // namespace

std::optional<Recording> Recording::capture(
    aclrtStream stream, std::size_t begin, std::size_t end,
    const std::function<void(std::size_t position)>& launch) {
  const int status = aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  if (status == kFeatureNotSupported) {
    aclGetRecentErrMsg();  // no error: the nodes will be launched one by one
    return std::nullopt;
  }
  check_status(status, "aclmdlRICaptureBegin");
  Recording recording;
  recording.first_ = begin;
  recording.tasks_.reserve(end - begin);
  try {
    for (std::size_t position = begin; position < end; ++position) {
      launch(position);
      if (aclgradCapturedTaskCount != nullptr) {
        recording.tasks_.push_back(aclgradCapturedTaskCount(stream));
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
  recording.model_ = RecordedModel(model);
  return recording;
}

void Recording::replay(aclrtStream stream) const {
  check_status(aclmdlRIExecuteAsync(model_.get(), stream), "aclmdlRIExecuteAsync");
}

std::optional<std::size_t> Recording::failed_position() const {
  if (aclgradFailedTask == nullptr) return std::nullopt;
  const std::int64_t task = aclgradFailedTask(model_.get());
  if (task < 0) return std::nullopt;
  const auto failed = std::ranges::upper_bound(tasks_, static_cast<std::size_t>(task));
  if (failed == tasks_.end()) return std::nullopt;
  return first_ + static_cast<std::size_t>(failed - tasks_.begin());
}

// Not what is fetched, which must outlive the tensor that was fed, nor what StreamOps read, which
// have no tensors to move.
ZeroCopyInputs::ZeroCopyInputs(const Program& program, const Memory& memory,
                               std::span<const Recording> recordings) {
  if (aclgradModelMoveTensor == nullptr) return;
  const auto root = [&](ValueId value) { return program.graph->value(value).root; };
  for (const ValueId input : program.inputs) places_.try_emplace(input);
  for (const ValueId value : program.fetched) places_.erase(root(value));
  for (std::size_t position = 0; position < program.instructions.size(); ++position) {
    if (program.node(position).op->kind() != OpKind::stream) continue;
    for (const ValueId input : program.node(position).inputs) places_.erase(root(input));
  }
  if (places_.empty()) return;
  const std::vector<TensorHandle>& tensors = memory.tensors();
  for (std::size_t value = 0; value < tensors.size(); ++value) {
    if (tensors[value].get() == nullptr) continue;
    const auto input = places_.find(root(static_cast<ValueId>(value)));
    if (input == places_.end()) continue;
    const std::byte* const at = memory.address(input->first);
    for (const Recording& recording : recordings) {
      input->second.push_back({recording.model(), tensors[value].get(), at});
    }
  }
}

bool ZeroCopyInputs::bind(ValueId input, const Tensor& tensor) {
  const auto found = places_.find(input);
  if (found == places_.end()) return false;
  for (ReadPlace& place : found->second) {
    const std::intptr_t distance = reinterpret_cast<std::intptr_t>(tensor.bytes()) -
                                   reinterpret_cast<std::intptr_t>(place.input);
    if (distance == 0) continue;
    const aclError status = aclgradModelMoveTensor(place.model, place.tensor, distance);
    if (status == ACL_ERROR_API_NOT_SUPPORT) {  // a recorder stands before a runtime without it
      places_.clear();
      return false;
    }
    check_status(status, "aclgradModelMoveTensor");
    place.input = tensor.bytes();
  }
  return true;
}

}  // namespace aclgrad::detail
