// SPDX-License-Identifier: Apache-2.0
// Lets an operator read addresses whose memory was unmapped before. A first one, on two mappings
// side by side, is right.
#include "misuse.h"

int main() {
  const misuse::Device device;
  constexpr size_t kPiece = size_t{2} << 20;
  aclrtPhysicalMemProp prop = {};
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtDrvMemHandle memory = nullptr;
  void* pool = nullptr;
  misuse::require(aclrtReserveMemAddress(&pool, 2 * kPiece, 0, nullptr, 1));
  misuse::require(aclrtMallocPhysical(&memory, kPiece, &prop, 0));
  void* const rest = static_cast<char*>(pool) + kPiece;
  misuse::require(aclrtMapMem(pool, kPiece, 0, memory, 0));
  misuse::require(aclrtMapMem(rest, kPiece, 0, memory, 0));
  aclTensor* const tensor = misuse::floats(pool, 2 * kPiece / 4);
  aclTensor* const begin = misuse::floats(pool, 16);
  misuse::require(aclnnSelu(nullptr, 0, misuse::plan_selu(tensor, tensor), device.stream));
  misuse::require(aclrtSynchronizeStream(device.stream));
  misuse::require(aclrtUnmapMem(pool));
  misuse::require(aclnnSelu(nullptr, 0, misuse::plan_selu(begin, begin), device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(tensor);
  aclDestroyTensor(begin);
  aclrtUnmapMem(rest);
  aclrtFreePhysical(memory);
  aclrtReleaseMemAddress(pool);
  return status == ACL_ERROR_RT_AICORE_EXCEPTION ? 0 : 1;
}
