// SPDX-License-Identifier: Apache-2.0
// Calls of our operators, ready to be repeated.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "bench/contender.h"
#include "tests/cases/case.h"

namespace aclgrad::bench {

// Throws std::runtime_error, with the library's message, for a status that is not 0.
inline void require(int status, const std::string& what) {
  if (status == 0) return;
  const char* message = aclGetRecentErrMsg();
  throw std::runtime_error(what + ": status " + std::to_string(status) + "\n" +
                           (message != nullptr ? message : ""));
}

inline std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

struct Tensors {
  explicit Tensors(const std::vector<View>& views) {
    for (const View& view : views) {
      int64_t storage = 1;
      for (size_t i = 0; i < view.shape.size(); ++i) {
        storage += (view.shape[i] - 1) * view.strides[i];
      }
      handles.push_back(
          aclCreateTensor(view.shape.data(), view.shape.size(), view.dtype, view.strides.data(), 0,
                          contract::format_of(view.shape.size()), &storage, 1, view.data));
    }
  }
  ~Tensors() {
    for (aclTensor* handle : handles) aclDestroyTensor(handle);
  }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;
  std::vector<aclTensor*> handles;
};

// A repeatable executor with everything it needs.
class Prepared {
 public:
  Prepared(const cases::Row& row, const std::vector<View>& views, aclrtStream stream)
      : phase_two_(row.phase_two()), stream_(stream), tensors_(views) {
    require(row.phase_one()(tensors_.handles, &size_, &executor_), row.name());
    require(aclSetAclOpExecutorRepeatable(executor_), row.name());
    if (size_ > 0) require(aclrtMalloc(&workspace_, size_, ACL_MEM_MALLOC_HUGE_FIRST), row.name());
  }
  ~Prepared() {
    aclDestroyAclOpExecutor(executor_);
    if (workspace_ != nullptr) aclrtFree(workspace_);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  // Phase two, and the wait for its result.
  void run() const {
    require(phase_two_(workspace_, size_, executor_, stream_), "phase two");
    require(aclrtSynchronizeStream(stream_), "aclrtSynchronizeStream");
  }

 private:
  cases::PhaseTwo phase_two_;
  aclrtStream stream_;
  Tensors tensors_;
  aclOpExecutor* executor_ = nullptr;
  void* workspace_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace aclgrad::bench
