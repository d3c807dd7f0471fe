// SPDX-License-Identifier: Apache-2.0
// The checks of an operation's arguments, made in the order in which they are written down: each
// throws a Failure.
#ifndef ACLGRAD_OPS_HCCL_CHECKS_H_
#define ACLGRAD_OPS_HCCL_CHECKS_H_

#include <cstdint>
#include <initializer_list>

#include "ops/hccl/communicator.h"

namespace aclgrad::hccl {

class Checks {
 public:
  struct Pointer {
    const char* name;
    const void* value;
  };

  explicit Checks(HcclComm comm) : handle_(comm), use_(comm) {}
  // 2 for the first pointer that is null, 1 for a communicator that is not live.
  Checks(HcclComm comm, std::initializer_list<Pointer> pointers) : Checks(comm) {
    given(pointers).live();
  }

  const Checks& given(std::initializer_list<Pointer> pointers) const;
  const Checks& live() const;
  const Checks& count(uint64_t count, const char* name = "count") const;
  const Checks& movable(HcclDataType dtype, const char* name = "dataType") const;
  // The operation, and the rule about products; whether the type can be reduced at all.
  const Checks& reduction(HcclDataType dtype, HcclReduceOp op) const;
  const Checks& reducible(HcclDataType dtype, HcclReduceOp op) const;
  const Checks& rank(const char* name, uint32_t rank) const;
  const Checks& other_rank(const char* name, uint32_t rank) const;
  // 1 when the values differ, or when the buffers are the same.
  const Checks& equal(const char* what, uint64_t a, uint64_t b) const;
  const Checks& different(const void* a, const void* b) const;

  // Of the communicator, once it is live.
  Communicator& communicator() const { return *use_.communicator(); }
  void queue(aclrtStream stream, Operation operation) const;

 private:
  const HcclComm handle_;
  const Use use_;
};

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_CHECKS_H_
