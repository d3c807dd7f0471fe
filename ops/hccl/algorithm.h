// SPDX-License-Identifier: Apache-2.0
// How operations between ranks are carried out, in numbers (collectives.cpp).
#pragma once

#include <cstdint>

namespace aclgrad::hccl {

// With few bytes each rank of AllReduce gets everything and reduces alone: one round of messages
// instead of two. Between two ranks that costs no more traffic, only twice the reducing.
inline constexpr uint64_t kSmallBytes = 16384;  // of all ranks together
inline constexpr uint64_t kSmallBytesOfTwo = uint64_t{128} << 10;

constexpr bool reduces_alone(uint64_t bytes, uint32_t ranks) {
  return ranks == 2 ? bytes <= kSmallBytesOfTwo : bytes * ranks <= kSmallBytes;
}

// What a rank reduces at a time: small enough for its contributions to stay in a near cache, large
// enough for messages to be cheap.
inline constexpr uint64_t kChunkBytes = uint64_t{1} << 20;
// Where memory is shared: small enough for the results to stay in it until they are copied.
inline constexpr uint64_t kSharedChunkBytes = uint64_t{1} << 16;

// With less work in all, the last rank of a process to come does it alone: that is quicker than to
// wake the others for it.
inline constexpr uint64_t kMinSharedBytes = 32768;

// In a group of fewer ranks than this, each compares its operation with all others, else with its
// two neighbours only.
inline constexpr uint32_t kCompareWithAll = 32;

}  // namespace aclgrad::hccl
