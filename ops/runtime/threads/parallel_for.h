// SPDX-License-Identifier: Apache-2.0
// Work for the threads of aclgradParallelFor, with other work co-scheduled.
#pragma once

#include <cstdint>

namespace aclgrad::runtime {

using IndexBody = void (*)(void* context, int64_t chunk);
using RangeBody = void (*)(void* context, int64_t begin, int64_t end);

// Calls body(context, i) for every i below count, each on whichever thread is done first with its
// part of the rest, in any order. The body must not throw.
struct CoScheduled {
  int64_t count = 0;
  IndexBody body = nullptr;
  void* context = nullptr;
};

// As aclgradParallelFor and aclgradParallelForRanges.
void parallel_for(int64_t chunks, IndexBody body, void* context, const CoScheduled& co_scheduled);
void parallel_for_ranges(int64_t units, RangeBody body, void* context,
                         const CoScheduled& co_scheduled);

}  // namespace aclgrad::runtime
