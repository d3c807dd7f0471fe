// SPDX-License-Identifier: Apache-2.0
// What a product's tiles fetch while they compute: the rows of a that are copied next, then what
// comes after the product.
//
// Of a's rows, a line of memory with every fourth term. With each term there were more of them on
// their way than a core keeps track of, and the panel that the tile reads had to wait: products
// took an eighth longer.
#ifndef ACLGRAD_OPS_KERNELS_PRODUCT_FETCH_H_
#define ACLGRAD_OPS_KERNELS_PRODUCT_FETCH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "aclgrad_ext.h"

namespace aclgrad::ops {

inline constexpr int64_t kTermsPerFetch = 4;
inline constexpr int64_t kLineBytes = 64;
// So far ahead are lines fetched that are to be owned: some hundred instructions, which do not wait
// for them.
inline constexpr int64_t kFetchedBeforeOwned = 32 * kLineBytes;

class Fetches {
 public:
  // Lines, `step` bytes apart, of which a tile fetches one with every kTermsPerFetch terms.
  // Fetching a line that nobody needs, or that does not exist, does no harm.
  struct Lines {
    const std::byte* first;
    ptrdiff_t step;
    // As this core's own: another one may have changed them last. Then kTermsPerFetch at a time,
    // side by side: products from whose tiles that is done read what is near.
    bool to_write = false;
    // Nobody else touches them, and all of them are there: once near, they are written as they are.
    bool is_owned = false;
  };

  explicit Fetches(std::span<const aclgradMemory> after) : after_(after) {}

  // `bytes` bytes at the beginning of each of some rows, `step` bytes apart, instead of what is
  // left of those before.
  void set_next(const void* first, int64_t bytes, int64_t rows, int64_t step) {
    const auto address = reinterpret_cast<uintptr_t>(first);
    const auto before = static_cast<int64_t>(address % kLineBytes);
    next_ = {static_cast<const std::byte*>(first) - before, step};
    left_ = (before + bytes + kLineBytes - 1) / kLineBytes;
    rows_ = rows;
    row_ = 0;
  }

  // For a tile of so many terms; where nothing is to be fetched, something that is at hand.
  Lines take(int64_t terms, const void* at_hand) {
    if (left_ > 0) {
      const Lines lines{next_.first + row_ * next_.step, next_.step};
      row_ += terms / kTermsPerFetch;
      if (row_ >= rows_) {
        row_ = 0;
        --left_;
        next_.first += kLineBytes;
      }
      return lines;
    }
    if (index_ == after_.size()) return {static_cast<const std::byte*>(at_hand), 0};
    const aclgradMemory& here = after_[index_];
    const std::byte* const first = static_cast<const std::byte*>(here.address) + done_;
    done_ += terms / kTermsPerFetch * kTermsPerFetch * kLineBytes;
    const bool is_owned = here.is_written != 0 && done_ <= here.length;
    if (done_ >= here.length) {
      done_ = 0;
      ++index_;
    }
    // Most of it is written where it is read, as weights are.
    return {first, kTermsPerFetch * kLineBytes, true, is_owned};
  }

 private:
  Lines next_{nullptr, 0};
  int64_t left_ = 0;  // of the lines side by side
  int64_t rows_ = 0;
  int64_t row_ = 0;  // of the first lines; those before are done
  std::span<const aclgradMemory> after_;
  size_t index_ = 0;
  int64_t done_ = 0;
};

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_PRODUCT_FETCH_H_
