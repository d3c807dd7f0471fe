// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <algorithm>
#include <exception>

#include "aclgrad_ext.h"
#include "ops/kernels/elementwise.h"

namespace aclgrad::ops {

void parallel_pieces(int64_t count, int64_t grain,
                     FunctionRef<void(int64_t begin, int64_t end)> body) {
  const int64_t pieces = (count + grain - 1) / grain;
  const auto piece = [&](int64_t i) { body(i * grain, std::min(count, (i + 1) * grain)); };
  const int threads = static_cast<int>(std::min<int64_t>(pieces, aclgradGetNumThreads()));
  if (threads <= 1 || omp_in_parallel() != 0) {
    for (int64_t i = 0; i < pieces; ++i) piece(i);
    return;
  }
  // An exception must not leave the parallel region on the thread that met it.
  std::exception_ptr failure;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t i = 0; i < pieces; ++i) {
    try {
      piece(i);
    } catch (...) {
#pragma omp critical(aclgrad_parallel_pieces)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace aclgrad::ops
