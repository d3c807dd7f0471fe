// SPDX-License-Identifier: Apache-2.0
// The checks of an operation's arguments, made in the order in which they are written down; the
// first that fails leaves a message and decides the status.
#ifndef ACLGRAD_OPS_HCCL_CHECKS_H_
#define ACLGRAD_OPS_HCCL_CHECKS_H_

#include <cstdint>
#include <initializer_list>

#include "acl/acl.h"
#include "ops/hccl/call.h"
#include "ops/hccl/communicator.h"

namespace aclgrad::hccl {

class Checks {
 public:
  Checks(const Call& call, HcclComm comm) : call_(call), handle_(comm), comm_(comm) {}

  struct Pointer {
    const char* name;
    const void* value;
  };

  // 2 for the first that is null; 1 when all are there and the communicator is not live.
  Checks& given(std::initializer_list<Pointer> pointers);
  Checks& live();
  Checks& count(uint64_t count, const char* name = "count");
  Checks& movable(HcclDataType dtype, const char* name = "dataType");
  Checks& reduce_op(HcclReduceOp op);
  // The rule about products, then whether the type can be reduced at all.
  Checks& product(HcclDataType dtype, HcclReduceOp op);
  Checks& reducible(HcclDataType dtype, HcclReduceOp op);
  Checks& rank(const char* name, uint32_t rank);
  Checks& other_rank(const char* name, uint32_t rank);
  // 1 when the values differ, or when the buffers are the same.
  Checks& equal(const char* what, uint64_t a, uint64_t b);
  Checks& different(const void* a, const void* b);

  bool ok() const { return result_ == HCCL_SUCCESS; }
  HcclResult result() const { return result_; }
  const Call& call() const { return call_; }
  // Once live() or given() has found it.
  const std::shared_ptr<Communicator>& communicator() const { return comm_.get(); }

 private:
  const Call& call_;
  const HcclComm handle_;
  const Use comm_;
  HcclResult result_ = HCCL_SUCCESS;
};

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_CHECKS_H_
