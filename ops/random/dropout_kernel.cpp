// SPDX-License-Identifier: Apache-2.0
#include "ops/random/dropout_kernel.h"

#include <algorithm>

#include "ops/engine/iterate.h"
#include "ops/random/philox.h"

namespace aclgrad::ops {
namespace {

constexpr int64_t kGrain = 16 * static_cast<int64_t>(kBlock);

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

}  // namespace

Plan plan_dropout_mask(const Arguments& arguments, size_t out, double probability,
                       const RandomStream& source) {
  if (arguments.empty(out)) return {};
  return {[=, mask = Elements(arguments, out)](const Run& run) -> aclError {
    const RandomStream stream = resolved(source, run);
    const auto kept = static_cast<float>(1 - probability);
    const auto byte_at = [&](int64_t place) -> int64_t {
      if (probability <= 0) return 255;
      return probability >= 1 ? 0 : mask_byte(stream, static_cast<uint64_t>(place), kept);
    };
    parallel_pieces(mask.index.count(), kGrain / 8, [&](int64_t begin, int64_t end) {
      int64_t block[kBlock];
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        for (int64_t i = first; i < stop; ++i) block[i - first] = byte_at(i);
        mask.write(run, block, first, stop);
      });
    });
    return ACL_SUCCESS;
  }};
}

Plan plan_dropout(const Arguments& arguments, size_t self, size_t mask, size_t out, double kept) {
  return {[kept, from = Elements(arguments, self), bits = Elements(arguments, mask),
           to = Elements(arguments, out)](const Run& run) -> aclError {
    parallel_pieces(from.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock];
      int64_t bytes[kBlock / 8];
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        from.read(run, first, stop, block);
        bits.read(run, first / 8, (stop + 7) / 8, bytes);
        for (int64_t i = 0; i < stop - first; ++i) {
          const bool is_kept = (bytes[i / 8] >> (i % 8) & 1) != 0;
          block[i] = is_kept ? block[i] / kept : 0;
        }
        to.write_through(run, block, from.dtype, first, stop);
      });
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
