// SPDX-License-Identifier: Apache-2.0
// Plans with a destroyed tensor, as two of its arguments, and counts the findings.
#include "aclgrad_ext.h"
#include "sin.h"

int main() {
  const sins::Device device;
  aclTensor* const tensor = sins::floats(nullptr, 16);
  sins::require(aclDestroyTensor(tensor));
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const int refused = aclnnSeluGetWorkspaceSize(tensor, tensor, &size, &executor);
  return refused == 161002 && aclgradFindingCount() == 1 ? 0 : 1;
}
