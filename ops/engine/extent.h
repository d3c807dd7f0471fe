// SPDX-License-Identifier: Apache-2.0
// The memory that a strided operand reaches.
#pragma once

#include <cstdint>
#include <functional>

namespace aclgrad::ops {

// In bytes, from the address of the first element on: where it begins, and its end.
struct Extent {
  int64_t begin = 0;
  int64_t end = 0;

  // Of a single element.
  explicit Extent(int64_t element_bytes) : end(element_bytes) {}

  // As many of what there was, `stride` bytes apart.
  void repeat(int64_t count, int64_t stride) { (stride < 0 ? begin : end) += (count - 1) * stride; }

  const unsigned char* begin_at(const void* base) const { return at(base) + begin; }
  const unsigned char* end_at(const void* base) const { return at(base) + end; }

 private:
  static const unsigned char* at(const void* base) {
    return static_cast<const unsigned char*>(base);
  }
};

inline bool overlap(const void* a, const Extent& of_a, const void* b, const Extent& of_b) {
  const std::less<> before;
  return before(of_a.begin_at(a), of_b.end_at(b)) && before(of_b.begin_at(b), of_a.end_at(a));
}

}  // namespace aclgrad::ops
