// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/checks.h"

#include "ops/hccl/data_types.h"
#include "ops/hccl/device.h"

namespace aclgrad::hccl {
namespace {

constexpr uint64_t kMostElements = 0x7FFFFFFFF;

}  // namespace

Checks& Checks::given(std::initializer_list<Pointer> pointers) {
  for (const Pointer& each : pointers) {
    if (ok() && each.value == nullptr) result_ = call_.null_pointer(each.name);
  }
  return *this;
}

Checks& Checks::live() {
  if (ok() && !comm_) result_ = not_live(call_, handle_);
  return *this;
}

Checks& Checks::count(uint64_t count, const char* name) {
  if (ok() && count > kMostElements) {
    result_ = call_.bad_value(HCCL_E_PARA, name, count, fmt::format("at most {}", kMostElements));
  }
  return *this;
}

Checks& Checks::movable(HcclDataType dtype, const char* name) {
  if (ok() && !can_move(dtype)) {
    result_ = call_.not_supported(fmt::format("argument {} is {} ({}), which {} does not have",
                                              name, static_cast<int64_t>(dtype), name_of(dtype),
                                              aclrtGetSocName()));
  }
  return *this;
}

Checks& Checks::reduce_op(HcclReduceOp op) {
  if (ok() && !is_reduce_op(op)) {
    result_ = call_.not_supported(
        fmt::format("argument op is {}, expected HCCL_REDUCE_SUM, PROD, MAX or MIN (0 to 3)",
                    static_cast<int64_t>(op)));
  }
  return *this;
}

Checks& Checks::product(HcclDataType dtype, HcclReduceOp op) {
  const bool is_short = dtype == HCCL_DATA_TYPE_INT16 || dtype == HCCL_DATA_TYPE_BFP16;
  if (ok() && op == HCCL_REDUCE_PROD && is_short) return reducible(dtype, op);
  return *this;
}

Checks& Checks::reducible(HcclDataType dtype, HcclReduceOp op) {
  if (ok() && !can_reduce(dtype, op)) {
    result_ = call_.not_supported(fmt::format("{} of {} is not supported on {}", name_of(op),
                                              name_of(dtype), aclrtGetSocName()));
  }
  return *this;
}

Checks& Checks::rank(const char* name, uint32_t rank) {
  if (ok() && rank >= communicator()->size()) {
    result_ =
        call_.bad_value(HCCL_E_PARA, name, rank,
                        fmt::format("less than the size of the group, {}", communicator()->size()));
  }
  return *this;
}

Checks& Checks::other_rank(const char* name, uint32_t rank) {
  if (ok() && rank == communicator()->rank()) {
    result_ = call_.not_supported(fmt::format("argument {} is {}, the own rank", name, rank));
  }
  return this->rank(name, rank);
}

Checks& Checks::equal(const char* what, uint64_t a, uint64_t b) {
  if (ok() && a != b) {
    result_ = call_.failed(HCCL_E_PARA, fmt::format("arguments {} differ: {} and {}", what, a, b));
  }
  return *this;
}

Checks& Checks::different(const void* a, const void* b) {
  if (ok() && a == b && a != nullptr) {
    result_ = call_.failed(HCCL_E_PARA, "arguments sendBuf and recvBuf are the same buffer",
                           "The operation cannot be in place.");
  }
  return *this;
}

}  // namespace aclgrad::hccl
