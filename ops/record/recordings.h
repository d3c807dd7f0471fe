// SPDX-License-Identifier: Apache-2.0
// What calls touch that were captured into a recording (aclmdlRI): they do not run when they are
// called, so their memory is looked at when the recording runs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "acl/acl.h"
#include "ops/record/objects.h"

namespace aclgrad::record {

// Whether what is submitted to a stream is captured now, and into which recording.
struct Capture {
  bool is_on = false;
  const void* recording = nullptr;  // null where the runtime cannot say
};
Capture capture_of(aclrtStream stream);

// A call went into it: `number` is that of its line.
void recording_grew(const void* recording, uint64_t number,
                    const std::vector<PlannedTensor>& tensors);
// A tensor of all its calls lies elsewhere from now on.
void recording_moved(const void* recording, const void* tensor, int64_t bytes);

// The tensors of all its calls, by "17.self" of call 17; null where nothing is known of it.
std::shared_ptr<const std::vector<PlannedTensor>> tensors_of(const void* recording);
// The recording of these is gone; null: none is.
void recording_gone(const std::shared_ptr<const std::vector<PlannedTensor>>& tensors);

}  // namespace aclgrad::record
