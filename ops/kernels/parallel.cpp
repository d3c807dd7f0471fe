// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <exception>

#include "aclgrad_ext.h"
#include "ops/kernels/elementwise.h"

namespace aclgrad::ops {
namespace {

struct Work {
  int64_t count;
  int64_t grain;
  FunctionRef<void(int64_t begin, int64_t end)> body;
  std::atomic<bool> failed{false};
  std::exception_ptr failure;  // of the piece that failed first

  void run(int64_t piece) {
    try {
      body(piece * grain, std::min(count, (piece + 1) * grain));
    } catch (...) {
      // It must not leave the thread that met it.
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
};

}  // namespace

void parallel_pieces(int64_t count, int64_t grain,
                     FunctionRef<void(int64_t begin, int64_t end)> body) {
  const int64_t pieces = (count + grain - 1) / grain;
  if (pieces == 1) return body(0, count);
  Work work{count, grain, body, {}, {}};
  aclgradRunPieces(
      pieces, [](void* context, int64_t piece) { static_cast<Work*>(context)->run(piece); }, &work);
  if (work.failure) std::rethrow_exception(work.failure);
}

}  // namespace aclgrad::ops
