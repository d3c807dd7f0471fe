// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/mse.h"

#include "ops/kernels/cast.h"
#include "ops/kernels/strided.h"
#include "ops/kernels/tree_sum.h"

namespace aclgrad::ops {
namespace {

double squared(double difference) { return difference * difference; }

// One side of the difference, broadcast.
struct Side {
  size_t parameter;
  aclDataType dtype;
  StridedIndex index;
};

Side side(const Arguments& arguments, size_t parameter, const Dims& common) {
  return {
      parameter, arguments.dtype(parameter),
      StridedIndex::broadcast(arguments.shape(parameter), arguments.strides(parameter), common)};
}

double chunk_sum(const Run& run, const Side& a, const Side& b, int64_t begin, int64_t end) {
  alignas(64) double left[kBlock];
  alignas(64) double right[kBlock];
  LaneSum<double> sum;
  for (int64_t i = begin; i < end; i += static_cast<int64_t>(kBlock)) {
    const int64_t stop = std::min(end, i + static_cast<int64_t>(kBlock));
    read_elements(run.data(a.parameter), a.dtype, a.index, i, stop, left);
    read_elements(run.data(b.parameter), b.dtype, b.index, i, stop, right);
    const auto count = static_cast<size_t>(stop - i);
    for (size_t j = 0; j < count; ++j) left[j] = squared(left[j] - right[j]);
    sum.add(left, count);
  }
  return sum.total();
}

}  // namespace

Kernel squared_difference() {
  return RealKernel([](const double* const* in, double* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[0][i] = squared(in[0][i] - in[1][i]);
  });
}

Kernel scaled_difference(double divisor) {
  return RealKernel([divisor](const double* const* in, double* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[0][i] = 2 * (in[1][i] - in[2][i]) * in[0][i] / divisor;
  });
}

Plan plan_squared_error(const Arguments& arguments, size_t a, size_t b, size_t out, int64_t divisor,
                        aclDataType dtype) {
  Dims common;
  broadcast_shapes(arguments.shape(a), arguments.shape(b), common);
  const int64_t terms = count_elements(common);
  const int64_t chunks = sum_chunks(terms);
  const uint64_t workspace =
      chunks <= 1 ? 0 : static_cast<uint64_t>(chunks) * sizeof(double) + alignof(double);
  return {[=, left = side(arguments, a, common), right = side(arguments, b, common),
           out_dtype = arguments.dtype(out)](const Run& run) -> aclError {
            double single = 0;
            double* sums = &single;
            if (workspace > 0) {
              void* start = run.workspace();
              size_t room = workspace;
              sums = static_cast<double*>(
                  std::align(alignof(double), room - alignof(double), start, room));
            }
            parallel_pieces(terms, kSumChunk, [&](int64_t begin, int64_t end) {
              sums[begin / kSumChunk] = chunk_sum(run, left, right, begin, end);
            });
            double total = sums[0];
            for (int64_t i = 1; i < chunks; ++i) total += sums[i];
            total /= static_cast<double>(divisor);
            store_through(&total, run.data(out), dtype, out_dtype, 1, 1);
            return ACL_SUCCESS;
          },
          workspace};
}

}  // namespace aclgrad::ops
