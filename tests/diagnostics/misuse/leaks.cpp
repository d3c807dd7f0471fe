// SPDX-License-Identifier: Apache-2.0
// Gives back only half of what it makes.
#include "misuse.h"

aclTensor* make_tensor(void* memory) { return misuse::floats(memory, 16); }

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  for (int i = 0; i < 3; ++i) make_tensor(memory);
  float alpha = 1;
  aclCreateScalar(&alpha, ACL_FLOAT);
  aclrtEvent event = nullptr;
  misuse::require(aclrtCreateEvent(&event));
  misuse::require(aclrtDestroyEvent(event));
  misuse::require(aclrtCreateEvent(&event));
  return 0;
}
