// SPDX-License-Identifier: Apache-2.0
// What a Communicator, and the nodes recorded with it, share.
#pragma once

#include <utility>

#include "aclgrad/dtype.h"
#include "aclgrad/runtime/handles.h"
#include "hccl/hccl.h"

namespace aclgrad::detail {

/// Some ranks may never come to the end of the program: do not wait for them there.
void skip_finalize() noexcept;

class Membership {
 public:
  /// Takes the communicator over.
  Membership(Stream stream, HcclComm comm, int rank, int size) noexcept
      : stream_(std::move(stream)), comm_(comm), rank_(rank), size_(size) {}
  ~Membership() {
    HcclResult failure = HCCL_SUCCESS;
    HcclGetCommAsyncError(comm_, &failure);
    if (failure != HCCL_SUCCESS) skip_finalize();
    HcclCommDestroy(comm_);
  }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  HcclComm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// For exchanges that the program waits for.
  const Stream& stream() const { return stream_; }

 private:
  Stream stream_;
  HcclComm comm_;
  int rank_;
  int size_;
};

/// What HCCL calls a dtype; bool travels as uint8.
HcclDataType hccl_type(DType dtype);

}  // namespace aclgrad::detail
