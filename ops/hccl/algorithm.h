// SPDX-License-Identifier: Apache-2.0
// How operations between processes are carried out, in numbers (message_operations.cpp).
#ifndef ACLGRAD_OPS_HCCL_ALGORITHM_H_
#define ACLGRAD_OPS_HCCL_ALGORITHM_H_

#include <cstdint>

namespace aclgrad::hccl {

// With few bytes each rank of AllReduce gets everything and folds alone: one round of messages
// instead of two. Between two ranks that costs no more traffic, only twice the folding.
inline constexpr uint64_t kSmallBytes = 16384;  // of all ranks together
inline constexpr uint64_t kSmallBytesOfTwo = uint64_t{128} << 10;

constexpr bool folds_alone(uint64_t bytes, uint32_t ranks) {
  return ranks == 2 ? bytes <= kSmallBytesOfTwo : bytes * ranks <= kSmallBytes;
}

// What a rank folds at a time: small enough for its contributions to stay in a near cache, large
// enough for messages to be cheap.
inline constexpr uint64_t kChunkBytes = uint64_t{1} << 20;

// With fewer others than this a rank compares what it is at with all of them, else with its two
// neighbours only.
inline constexpr uint32_t kGreetAll = 32;

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_ALGORITHM_H_
