// SPDX-License-Identifier: Apache-2.0
#include "ops/random/dropout_kernel.h"

#include <algorithm>

#include "ops/engine/dtype/cast.h"
#include "ops/engine/strided.h"
#include "ops/random/philox.h"

namespace aclgrad::ops {
namespace {

constexpr auto kStep = static_cast<int64_t>(kBlock);
constexpr int64_t kGrain = 16 * kStep;

// The bits of eight elements.
unsigned mask_byte(const RandomStream& stream, uint64_t byte, float kept) {
  unsigned bits = 0;
  for (unsigned half = 0; half < 2; ++half) {
    const uint64_t block = 2 * byte + half;
    const PhiloxCounter words = philox4x32_10(
        {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
         static_cast<uint32_t>(stream.offset), static_cast<uint32_t>(stream.offset >> 32)},
        {static_cast<uint32_t>(stream.seed), static_cast<uint32_t>(stream.seed >> 32)});
    for (unsigned i = 0; i < 4; ++i) {
      const float u = static_cast<float>(words[i]) * 0x1p-32f + 0x1p-33f;
      if (u < kept) bits |= 1u << (4 * half + i);
    }
  }
  return bits;
}

StridedIndex index_of(const Arguments& arguments, size_t tensor) {
  return {arguments.shape(tensor), arguments.strides(tensor)};
}

}  // namespace

Plan plan_dropout_mask(const Arguments& arguments, size_t out, double probability,
                       const RandomStream& source) {
  if (arguments.empty(out)) return {};
  return {[=, index = index_of(arguments, out)](const Run& run) -> aclError {
    const RandomStream stream = resolved(source, run);
    const auto kept = static_cast<float>(1 - probability);
    parallel_pieces(index.count(), kGrain / 8, [&](int64_t begin, int64_t end) {
      int64_t block[kBlock];
      for (int64_t i = begin; i < end; i += kStep) {
        const int64_t stop = std::min(end, i + kStep);
        for (int64_t j = i; j < stop; ++j) {
          const bool all = probability <= 0;
          const bool none = probability >= 1;
          block[j - i] = all ? 255 : none ? 0 : mask_byte(stream, static_cast<uint64_t>(j), kept);
        }
        write_elements(block, run.data(out), ACL_UINT8, index, i, stop);
      }
    });
    return ACL_SUCCESS;
  }};
}

Plan plan_dropout(const Arguments& arguments, size_t self, size_t mask, size_t out, double kept) {
  return {[=, from = index_of(arguments, self), bits = index_of(arguments, mask),
           to = index_of(arguments, out), dtype = arguments.dtype(self),
           out_dtype = arguments.dtype(out)](const Run& run) -> aclError {
    parallel_pieces(from.count(), kGrain, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock];
      int64_t bytes[kBlock / 8];
      for (int64_t i = begin; i < end; i += kStep) {
        const int64_t stop = std::min(end, i + kStep);
        read_elements(run.data(self), dtype, from, i, stop, block);
        read_elements(run.data(mask), ACL_UINT8, bits, i / 8, (stop + 7) / 8, bytes);
        for (int64_t j = 0; j < stop - i; ++j) {
          const bool is_kept = (bytes[j / 8] >> (j % 8) & 1) != 0;
          block[j] = is_kept ? block[j] / kept : 0;
        }
        const double* next = block;
        to.for_runs(i, stop, [&](int64_t offset, int64_t stride, int64_t n) {
          store_through(next, element(run.data(out), out_dtype, offset), dtype, out_dtype, stride,
                        static_cast<size_t>(n));
          next += n;
        });
      }
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
