// SPDX-License-Identifier: Apache-2.0
// Lets an operator read addresses whose memory was unmapped before. A first one, on two mappings
// side by side, is right.
#include "sin.h"

int main() {
  const sins::Device device;
  constexpr size_t kPiece = size_t{2} << 20;
  aclrtPhysicalMemProp prop = {};
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtDrvMemHandle memory = nullptr;
  void* pool = nullptr;
  sins::require(aclrtReserveMemAddress(&pool, 2 * kPiece, 0, nullptr, 1));
  sins::require(aclrtMallocPhysical(&memory, kPiece, &prop, 0));
  void* const rest = static_cast<char*>(pool) + kPiece;
  sins::require(aclrtMapMem(pool, kPiece, 0, memory, 0));
  sins::require(aclrtMapMem(rest, kPiece, 0, memory, 0));
  aclTensor* const tensor = sins::floats(pool, 2 * kPiece / 4);
  aclTensor* const begin = sins::floats(pool, 16);
  sins::require(aclnnSelu(nullptr, 0, sins::plan_selu(tensor, tensor), device.stream));
  sins::require(aclrtSynchronizeStream(device.stream));
  sins::require(aclrtUnmapMem(pool));
  sins::require(aclnnSelu(nullptr, 0, sins::plan_selu(begin, begin), device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(tensor);
  aclDestroyTensor(begin);
  aclrtUnmapMem(rest);
  aclrtFreePhysical(memory);
  aclrtReleaseMemAddress(pool);
  return status == ACL_ERROR_RT_AICORE_EXCEPTION ? 0 : 1;
}
