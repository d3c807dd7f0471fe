// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/checks.h"

#include "acl/acl.h"
#include "ops/hccl/data_types.h"

namespace aclgrad::hccl {
namespace {

constexpr uint64_t kMaxElements = 0x7FFFFFFFF;

}  // namespace

const Checks& Checks::given(std::initializer_list<Pointer> pointers) const {
  for (const Pointer& each : pointers) {
    if (each.value == nullptr) throw null_pointer(each.name);
  }
  return *this;
}

const Checks& Checks::live() const {
  if (!use_.communicator()) throw not_live(handle_);
  return *this;
}

const Checks& Checks::count(uint64_t count, const char* name) const {
  if (count > kMaxElements) throw bad_value(name, count, fmt::format("at most {}", kMaxElements));
  return *this;
}

const Checks& Checks::movable(HcclDataType dtype, const char* name) const {
  if (can_move(dtype)) return *this;
  throw Failure(HCCL_E_NOT_SUPPORT,
                fmt::format("argument {} is {} ({}), which {} does not have", name,
                            static_cast<int64_t>(dtype), name_of(dtype), aclrtGetSocName()));
}

const Checks& Checks::reduction(HcclDataType dtype, HcclReduceOp op) const {
  if (!is_reduce_op(op)) {
    throw Failure(HCCL_E_NOT_SUPPORT,
                  fmt::format("argument op is {}, expected HCCL_REDUCE_SUM, PROD, MAX or MIN "
                              "(0 to 3)",
                              static_cast<int64_t>(op)));
  }
  const bool has_no_product = dtype == HCCL_DATA_TYPE_INT16 || dtype == HCCL_DATA_TYPE_BFP16;
  return op == HCCL_REDUCE_PROD && has_no_product ? reducible(dtype, op) : *this;
}

const Checks& Checks::reducible(HcclDataType dtype, HcclReduceOp op) const {
  if (can_reduce(dtype, op)) return *this;
  throw Failure(HCCL_E_NOT_SUPPORT, fmt::format("{} of {} is not supported on {}", name_of(op),
                                                name_of(dtype), aclrtGetSocName()));
}

const Checks& Checks::rank(const char* name, uint32_t rank) const {
  const uint32_t size = communicator().size();
  if (rank < size) return *this;
  throw bad_value(name, rank, fmt::format("less than the size of the group, {}", size));
}

const Checks& Checks::other_rank(const char* name, uint32_t rank) const {
  if (rank != communicator().rank()) return this->rank(name, rank);
  throw Failure(HCCL_E_NOT_SUPPORT, fmt::format("argument {} is {}, the own rank", name, rank));
}

const Checks& Checks::equal(const char* what, uint64_t a, uint64_t b) const {
  if (a == b) return *this;
  throw Failure(HCCL_E_PARA, fmt::format("arguments {} differ: {} and {}", what, a, b));
}

const Checks& Checks::different(const void* a, const void* b) const {
  if (a != b || a == nullptr) return *this;
  throw Failure(HCCL_E_PARA, "arguments sendBuf and recvBuf are the same buffer",
                "The operation cannot be in place.");
}

void Checks::queue(aclrtStream stream, Operation operation) const {
  hccl::queue(use_.communicator(), stream, std::move(operation));
}

}  // namespace aclgrad::hccl
