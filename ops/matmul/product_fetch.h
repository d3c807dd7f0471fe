// SPDX-License-Identifier: Apache-2.0
// What a product's tiles prefetch while they compute: the rows of a that are copied next, or the
// next panel of b.
//
// Of a's rows, a line of memory with every fourth term. With each term there were more of them on
// their way than a core keeps track of, and the panel that the tile reads had to wait: products
// took an eighth longer.
#pragma once

#include <cstdint>

namespace aclgrad::ops {

inline constexpr int64_t kTermsPerFetch = 4;
inline constexpr int64_t kLineBytes = 64;

class Fetches {
 public:
  // Cache lines, `stride` bytes apart, of which a tile fetches one with every kTermsPerFetch terms.
  // Addresses rather than pointers, as some lie beyond the array: to prefetch there does no harm.
  struct CacheLines {
    uintptr_t first;
    intptr_t stride;
  };

  // `bytes` bytes at the beginning of each of some rows, `stride` bytes apart, instead of what is
  // left of those before.
  void set_next(const void* first, int64_t bytes, int64_t rows, int64_t stride) {
    const auto address = reinterpret_cast<uintptr_t>(first);
    const auto before = static_cast<int64_t>(address % kLineBytes);
    next_ = {address - static_cast<uintptr_t>(before), stride};
    left_ = (before + bytes + kLineBytes - 1) / kLineBytes;
    rows_ = rows;
    row_ = 0;
  }

  // For a tile of so many terms; where nothing is to be fetched, something that is at hand.
  CacheLines take(int64_t terms, const void* at_hand) {
    if (left_ <= 0) return {reinterpret_cast<uintptr_t>(at_hand), 0};
    const CacheLines lines{next_.first + static_cast<uintptr_t>(row_ * next_.stride), next_.stride};
    row_ += terms / kTermsPerFetch;
    if (row_ >= rows_) {
      row_ = 0;
      --left_;
      next_.first += kLineBytes;
    }
    return lines;
  }

 private:
  CacheLines next_{0, 0};
  int64_t left_ = 0;  // of the lines side by side
  int64_t rows_ = 0;
  int64_t row_ = 0;  // of the first lines; those before are done
};

}  // namespace aclgrad::ops
