// SPDX-License-Identifier: Apache-2.0
// Gives back only half of what it makes.
#include "sin.h"

aclTensor* make_tensor(void* memory) { return sins::floats(memory, 16); }

int main() {
  const sins::Device device;
  void* const memory = sins::zeros(64);
  for (int i = 0; i < 3; ++i) make_tensor(memory);
  float alpha = 1;
  aclCreateScalar(&alpha, ACL_FLOAT);
  aclrtEvent event = nullptr;
  sins::require(aclrtCreateEvent(&event));
  sins::require(aclrtDestroyEvent(event));
  sins::require(aclrtCreateEvent(&event));
  return 0;
}
