// SPDX-License-Identifier: Apache-2.0
// A group of ranks, and what they do together.
#ifndef ACLGRAD_OPS_HCCL_GROUP_H_
#define ACLGRAD_OPS_HCCL_GROUP_H_

#include <chrono>
#include <cstdint>
#include <optional>

#include "ops/hccl/call.h"
#include "ops/hccl/operation.h"

namespace aclgrad::hccl {

// How long to wait for other ranks; nothing: for ever.
using Patience = std::optional<std::chrono::milliseconds>;
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

inline Deadline deadline_after(Patience patience) {
  if (!patience) return {};
  return std::chrono::steady_clock::now() + *patience;
}

// "2 s", "150 ms"
std::string to_text(std::chrono::milliseconds time);

class Group {
 public:
  explicit Group(uint32_t size) : size_(size) {}
  virtual ~Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  uint32_t size() const { return size_; }

  // Does the rank's part of an operation, and returns when its buffers are free again. Several
  // operations of a rank may be under way at once, on several threads. After a failure the group is
  // of no more use: whatever is waiting, and all that comes, fails.
  virtual Outcome perform(uint32_t rank, const Operation& operation, const Number& number,
                          Patience patience) = 0;

  // Where the rank is, as a number of the transport.

  virtual int process_of(uint32_t rank) const = 0;

  // The rank takes part in nothing more: who needs it fails.
  virtual void leave(uint32_t rank) = 0;

 private:
  const uint32_t size_;
};

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_GROUP_H_
