// SPDX-License-Identifier: Apache-2.0
// Addresses that get memory later. Every wrong call is in tests/contract.
#include <cstring>
#include <string>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

constexpr size_t kPiece = size_t{2} << 20;

class VirtualMemory : public StreamTest {
 protected:
  char* reserve(size_t size, void* welcome = nullptr) {
    void* address = nullptr;
    EXPECT_EQ(aclrtReserveMemAddress(&address, size, 0, welcome, 1), ACL_SUCCESS);
    return static_cast<char*>(address);
  }
  aclrtDrvMemHandle make(size_t size) {
    aclrtPhysicalMemProp prop = {};
    prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    prop.memAttr = ACL_HBM_MEM_HUGE;
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    aclrtDrvMemHandle handle = nullptr;
    EXPECT_EQ(aclrtMallocPhysical(&handle, size, &prop, 0), ACL_SUCCESS);
    return handle;
  }
  // Memory without a handle of its own.
  void map(char* address, size_t size) {
    const aclrtDrvMemHandle handle = make(size);
    EXPECT_EQ(aclrtMapMem(address, size, 0, handle, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  }
  void drop(char* address, size_t pieces = 1) {
    for (size_t i = 0; i < pieces; ++i) EXPECT_EQ(aclrtUnmapMem(address + i * kPiece), ACL_SUCCESS);
    EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
  }
};

TEST_F(VirtualMemory, GranularityIsTwoMebibytes) {
  aclrtPhysicalMemProp prop = {};
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  for (const auto option :
       {ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED}) {
    size_t size = 0;
    EXPECT_EQ(aclrtMemGetAllocationGranularity(&prop, option, &size), ACL_SUCCESS);
    EXPECT_EQ(size, kPiece);
  }
}

// A pool as clients make it: most of the addresses never get memory.
TEST_F(VirtualMemory, APoolGrowsInPlace) {
  char* const pool = reserve(size_t{32} << 30);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pool) % kPiece, 0U);
  map(pool, kPiece);
  std::vector<char> host(2 * kPiece, 'a');
  ASSERT_EQ(aclrtMemcpy(pool, kPiece, host.data(), kPiece, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtMemset(pool, 2 * kPiece, 0, 2 * kPiece), 107000, {"devPtr", "2097152"}));
  map(pool + kPiece, kPiece);
  // Both pieces are one range now; the new one holds zeros.
  EXPECT_EQ(pool[kPiece], 0);
  EXPECT_EQ(aclrtMemsetAsync(pool + 1, 2 * kPiece - 1, 'b', 2 * kPiece - 1, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(host.data(), host.size(), pool, host.size(), ACL_MEMCPY_DEVICE_TO_HOST,
                             stream_),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(std::string(host.begin(), host.end()), 'a' + std::string(2 * kPiece - 1, 'b'));
  EXPECT_TRUE(fails(aclrtReleaseMemAddress(pool), 107000, {"2 places"}));
  drop(pool, 2);
}

TEST_F(VirtualMemory, IsMemoryOfItsDevice) {
  char* const pool = reserve(2 * kPiece);
  map(pool, kPiece);
  aclrtPtrAttributes attributes = {};
  EXPECT_EQ(aclrtPointerGetAttributes(pool + 5, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(attributes.location.id, 0U);
  EXPECT_EQ(aclrtPointerGetAttributes(pool + kPiece, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  const uint64_t id = aclgradAllocationId(pool);
  EXPECT_NE(id, 0U);
  EXPECT_EQ(aclrtUnmapMem(pool), ACL_SUCCESS);
  map(pool, kPiece);
  EXPECT_NE(aclgradAllocationId(pool), id);
  drop(pool);
}

TEST_F(VirtualMemory, MemoryKeepsWhatItHolds) {
  char* const pool = reserve(3 * kPiece);
  const aclrtDrvMemHandle memory = make(2 * kPiece);
  // Twice, once in part.
  ASSERT_EQ(aclrtMapMem(pool, 2 * kPiece, 0, memory, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtMapMem(pool + 2 * kPiece, kPiece, 0, memory, 0), ACL_SUCCESS);
  pool[7] = 'x';
  EXPECT_EQ(pool[2 * kPiece + 7], 'x');
  EXPECT_EQ(aclrtUnmapMem(pool), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtMemset(pool, 1, 0, 1), 107000, {"devPtr", "without memory"}));
  // A mapping inside a mapping, and over the begin of one.
  EXPECT_TRUE(fails(aclrtMapMem(pool + kPiece, 2 * kPiece, 0, memory, 0), 107000, {"already"}));
  EXPECT_EQ(aclrtMapMem(pool + kPiece, kPiece, 0, memory, 0), ACL_SUCCESS);
  EXPECT_EQ(pool[kPiece + 7], 'x');
  EXPECT_EQ(aclrtFreePhysical(memory), ACL_SUCCESS);
  EXPECT_EQ(pool[kPiece + 7], 'x');
  EXPECT_TRUE(fails(aclrtFreePhysical(memory), 107017, {"handle"}));
  EXPECT_TRUE(fails(aclrtMapMem(pool, kPiece, 0, memory, 0), 107017, {"handle"}));
  EXPECT_EQ(aclrtUnmapMem(pool + kPiece), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtUnmapMem(pool + kPiece), 107017, {"virPtr"}));
  EXPECT_EQ(aclrtUnmapMem(pool + 2 * kPiece), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(pool), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtReleaseMemAddress(pool), 107017, {"virPtr"}));
}

TEST_F(VirtualMemory, AddressesWhereTheyAreWelcome) {
  char* const first = reserve(4 * kPiece);
  drop(first, 0);
  EXPECT_EQ(reserve(2 * kPiece, first + kPiece), first + kPiece);
  drop(first + kPiece, 0);
}

TEST_F(VirtualMemory, OutlivesTheDevice) {
  char* const pool = reserve(kPiece);
  map(pool, kPiece);
  pool[0] = 'x';
  ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(pool[0], 'x');
  drop(pool);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
}

}  // namespace
}  // namespace aclgrad::test
