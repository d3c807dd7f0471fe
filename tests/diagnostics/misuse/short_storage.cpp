// SPDX-License-Identifier: Apache-2.0
// Says of a tensor's storage that it is half of what the view needs; the memory is large enough.
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  const int64_t count = 16;
  const int64_t stored = 8;
  aclTensor* const in =
      aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &stored, 1, memory);
  aclTensor* const out = misuse::floats(memory, count);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const int status = aclnnSeluGetWorkspaceSize(in, out, &size, &executor);
  if (status == 0) {
    misuse::require(aclnnSelu(nullptr, 0, executor, device.stream));
    misuse::require(aclrtSynchronizeStream(device.stream));
  }
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return status == 161002 ? 2 : status;
}
