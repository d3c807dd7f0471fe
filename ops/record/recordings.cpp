// SPDX-License-Identifier: Apache-2.0
#include "ops/record/recordings.h"

#include <mutex>
#include <unordered_map>

#include "ops/record/behind.h"

namespace aclgrad::record {
namespace {

using Tensors = std::vector<PlannedTensor>;

struct Recordings {
  std::mutex mutex;
  std::unordered_map<const void*, std::shared_ptr<Tensors>> tensors;
};

Recordings& recordings() {
  static Recordings* const instance = new Recordings;
  return *instance;
}

}  // namespace

Capture capture_of(aclrtStream stream) {
  if (!is_capturing() || stream == nullptr) return {};  // the default stream cannot be captured
  static auto* const info = behind<decltype(aclmdlRICaptureGetInfo)>("aclmdlRICaptureGetInfo");
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  aclmdlRI recording = nullptr;
  if (info == nullptr || info(stream, &status, &recording) != 0) return {.is_on = true};
  if (status == ACL_MODEL_RI_CAPTURE_STATUS_NONE) return {};
  return {true, recording};
}

void recording_grew(const void* recording, uint64_t number, const Tensors& tensors) {
  if (recording == nullptr || tensors.empty()) return;
  const std::lock_guard lock(recordings().mutex);
  std::shared_ptr<Tensors>& all = recordings().tensors[recording];
  if (all == nullptr) all = std::make_shared<Tensors>();
  for (const PlannedTensor& each : tensors) {
    PlannedTensor& added = all->emplace_back(each);  // nobody reads them before the capture ends
    added.name = std::to_string(number) + "." + added.name;
  }
}

void recording_moved(const void* recording, const void* tensor, int64_t bytes) {
  const std::lock_guard lock(recordings().mutex);
  const auto found = recordings().tensors.find(recording);
  if (found == recordings().tensors.end()) return;
  const auto moved = std::make_shared<Tensors>(*found->second);
  for (PlannedTensor& each : *moved) {
    if (each.handle == tensor)
      each.tensor.address = static_cast<char*>(each.tensor.address) + bytes;
  }
  found->second = moved;
}

std::shared_ptr<const Tensors> tensors_of(const void* recording) {
  const std::lock_guard lock(recordings().mutex);
  const auto found = recordings().tensors.find(recording);
  return found == recordings().tensors.end() ? nullptr : found->second;
}

void recording_gone(const std::shared_ptr<const Tensors>& tensors) {
  const std::lock_guard lock(recordings().mutex);
  std::erase_if(recordings().tensors, [&](const auto& each) { return each.second == tensors; });
}

}  // namespace aclgrad::record
