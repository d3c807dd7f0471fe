// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <exception>

#include "aclgrad_ext.h"
#include "ops/engine/elementwise.h"

namespace aclgrad::ops {
namespace {

struct Work {
  FunctionRef<void(int64_t begin, int64_t end)> body;
  int64_t count = 0;
  int64_t grain = 0;
  std::atomic<bool> failed{false};
  std::exception_ptr failure = {};  // of the range that failed first

  void run(int64_t begin, int64_t end) {
    try {
      body(begin, end);
    } catch (...) {
      // It must not leave the thread that met it. No body ends its thread, and threads are not
      // cancelled here.
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
};

}  // namespace

void parallel_pieces(int64_t count, int64_t grain,
                     FunctionRef<void(int64_t begin, int64_t end)> body) {
  if (count <= grain) {
    if (count > 0) body(0, count);
    return;
  }
  const int64_t pieces = (count + grain - 1) / grain;
  Work work{.body = body, .count = count, .grain = grain};
  aclgradParallelFor(
      pieces,
      [](void* context, int64_t piece) {
        auto& all = *static_cast<Work*>(context);
        all.run(piece * all.grain, std::min(all.count, (piece + 1) * all.grain));
      },
      &work);
  if (work.failure) std::rethrow_exception(work.failure);
}

void parallel_shares(int64_t count, FunctionRef<void(int64_t begin, int64_t end)> body) {
  Work work{.body = body};
  aclgradParallelForRanges(
      count,
      [](void* context, int64_t begin, int64_t end) {
        static_cast<Work*>(context)->run(begin, end);
      },
      &work);
  if (work.failure) std::rethrow_exception(work.failure);
}

}  // namespace aclgrad::ops
