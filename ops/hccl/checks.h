// SPDX-License-Identifier: Apache-2.0
// The checks of an operation's arguments, made in the order in which they are written down: each
// throws a Failure.
#ifndef ACLGRAD_OPS_HCCL_CHECKS_H_
#define ACLGRAD_OPS_HCCL_CHECKS_H_

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "ops/hccl/communicator.h"

namespace aclgrad::hccl {

class Checks {
 public:
  explicit Checks(HcclComm comm) : handle_(comm), use_(comm) {}

  struct Pointer {
    const char* name;
    const void* value;
  };

  // 2 for the first that is null.
  const Checks& given(std::initializer_list<Pointer> pointers) const;
  // 1 for a communicator that is not live.
  const Checks& live() const;
  const Checks& count(uint64_t count, const char* name = "count") const;
  const Checks& movable(HcclDataType dtype, const char* name = "dataType") const;
  const Checks& reduce_op(HcclReduceOp op) const;
  // The rule about products, then whether the type can be reduced at all.
  const Checks& product(HcclDataType dtype, HcclReduceOp op) const;
  const Checks& reducible(HcclDataType dtype, HcclReduceOp op) const;
  const Checks& rank(const char* name, uint32_t rank) const;
  const Checks& other_rank(const char* name, uint32_t rank) const;
  // 1 when the values differ, or when the buffers are the same.
  const Checks& equal(const char* what, uint64_t a, uint64_t b) const;
  const Checks& different(const void* a, const void* b) const;

  // Once it is live.
  const std::shared_ptr<Communicator>& communicator() const { return use_.communicator(); }

 private:
  const HcclComm handle_;
  const Use use_;
};

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_CHECKS_H_
