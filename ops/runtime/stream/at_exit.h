// SPDX-License-Identifier: Apache-2.0
// The end of a process that forgot to destroy its streams.
#ifndef ACLGRAD_OPS_RUNTIME_STREAM_AT_EXIT_H_
#define ACLGRAD_OPS_RUNTIME_STREAM_AT_EXIT_H_

namespace aclgrad::runtime {

// Makes sure that no task runs into the destruction of static objects: when the process ends,
// streams start no further tasks. Static objects may still synchronise, which fails, and destroy
// what they own, which drops the rest. Cheap to call again.
void freeze_streams_at_exit();

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_STREAM_AT_EXIT_H_
