// SPDX-License-Identifier: Apache-2.0
// The end of a process that forgot to destroy its streams.
#pragma once

namespace aclgrad::runtime {

// Makes sure that no task runs into the destruction of static objects: when the process ends,
// streams start no further tasks. Static objects may still synchronise, which fails, and destroy
// what they own, which drops the rest. Cheap to call again.
void freeze_streams_at_exit();

}  // namespace aclgrad::runtime
