// SPDX-License-Identifier: Apache-2.0
// Bytes turned into decisions. When they run out every answer is 0, so that any input means
// something and every input ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace aclgrad::fuzz {

class Input {
 public:
  Input(const uint8_t* data, size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }

  uint8_t byte() {
    if (rest_.empty()) return 0;
    const uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }

  template <class Number>
  Number number() {
    Number value = 0;
    const size_t count = std::min(sizeof(Number), rest_.size());
    std::memcpy(&value, rest_.data(), count);
    rest_ = rest_.subspan(count);
    return value;
  }

  // 0..count-1
  size_t below(size_t count) { return count == 0 ? 0 : byte() % count; }

  // True once in so many times.
  bool once_in(size_t times) { return below(times) == times - 1; }

  template <class List>
  auto pick(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list))));
  }

  // A size, stride or offset: mostly small, sometimes where arithmetic breaks.
  int64_t extent() {
    constexpr std::array<int64_t, 12> kEdges = {-1,
                                                0,
                                                1,
                                                2,
                                                std::numeric_limits<int32_t>::max(),
                                                int64_t{1} << 31,
                                                int64_t{1} << 32,
                                                (int64_t{1} << 32) + 1,
                                                int64_t{1} << 62,
                                                std::numeric_limits<int64_t>::max(),
                                                std::numeric_limits<int64_t>::max() - 1,
                                                std::numeric_limits<int64_t>::min()};
    const uint8_t kind = byte();
    if (kind < 224) return kind % 8;
    if (kind < 250) return kEdges[kind % kEdges.size()];
    return number<int64_t>();
  }

 private:
  std::span<const uint8_t> rest_;
};

}  // namespace aclgrad::fuzz
