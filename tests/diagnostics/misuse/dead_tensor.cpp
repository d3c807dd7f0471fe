// SPDX-License-Identifier: Apache-2.0
// Plans with a destroyed tensor, as two of its arguments, and counts the findings.
#include "aclgrad_ext.h"
#include "misuse.h"

int main() {
  const misuse::Device device;
  aclTensor* const tensor = misuse::floats(nullptr, 16);
  misuse::require(aclDestroyTensor(tensor));
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const int refused = aclnnSeluGetWorkspaceSize(tensor, tensor, &size, &executor);
  return refused == 161002 && aclgradFindingCount() == 1 ? 0 : 1;
}
