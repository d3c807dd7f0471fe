// SPDX-License-Identifier: Apache-2.0
// What a product's tiles fetch while they compute, a line of memory with each term: what they read
// next of a or b, then what comes after the product.
#ifndef ACLGRAD_OPS_KERNELS_PRODUCT_FETCH_H_
#define ACLGRAD_OPS_KERNELS_PRODUCT_FETCH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "aclgrad_ext.h"

namespace aclgrad::ops {

class Fetches {
 public:
  // As many lines as a tile has terms, `step` bytes apart. Fetching a line that nobody needs, or
  // that does not exist, does no harm.
  struct Lines {
    const std::byte* first;
    ptrdiff_t step;
    bool to_write = false;  // as this core's own: another one may have changed them last
  };

  explicit Fetches(std::span<const aclgradMemory> after) : after_(after) {}

  // `bytes` bytes at the beginning of each of many rows, `step` bytes apart, instead of what is
  // left of those before.
  void set_next(const void* first, int64_t bytes, int64_t step) {
    const auto address = reinterpret_cast<uintptr_t>(first);
    next_ = {static_cast<const std::byte*>(first) - address % kLine, step};
    left_ = (static_cast<int64_t>(address % kLine) + bytes + kLine - 1) / kLine;
  }

  // For a tile of so many terms; where nothing is to be fetched, something that is at hand.
  Lines take(int64_t terms, const void* at_hand) {
    if (left_ > 0) {
      --left_;
      const Lines lines = next_;
      next_.first += kLine;
      return lines;
    }
    if (index_ == after_.size()) return {static_cast<const std::byte*>(at_hand), 0};
    const aclgradMemory& here = after_[index_];
    const std::byte* const first = static_cast<const std::byte*>(here.address) + done_;
    done_ += terms * kLine;
    if (done_ >= here.length) {
      done_ = 0;
      ++index_;
    }
    // Most of it is written where it is read, as weights are.
    return {first, kLine, true};
  }

 private:
  static constexpr int64_t kLine = 64;

  Lines next_{nullptr, 0};
  int64_t left_ = 0;  // of the lines side by side
  std::span<const aclgradMemory> after_;
  size_t index_ = 0;
  int64_t done_ = 0;
};

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_PRODUCT_FETCH_H_
