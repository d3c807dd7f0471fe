// SPDX-License-Identifier: Apache-2.0
// Allocating, freeing and asking about memory.
#include <sys/mman.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

class Memory : public StreamTest {
 protected:
  void* allocate(size_t size) {
    void* memory = nullptr;
    EXPECT_EQ(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return memory;
  }
};

TEST_F(Memory, IsAlignedAndUsable) {
  for (const size_t size : {1U, 31U, 32U, 33U, 64U, 1000U, 1U << 20}) {
    void* const memory = allocate(size);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 512, 0U);
    // The size is rounded up to 32, and 32 more are there.
    std::memset(memory, 0x5A, (size + 31) / 32 * 32 + 32);
    EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  }
}

TEST_F(Memory, EveryPolicyIsTaken) {
  for (const int policy : {0, 1, 5, 7, 0x0100, 0x1000, 0x100000, 12345}) {
    void* memory = nullptr;
    EXPECT_EQ(aclrtMalloc(&memory, 1, no_member<aclrtMemMallocPolicy>(policy)), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  }
}

// Whether the system was asked for huge pages at this address. Nothing if it does not tell.
std::optional<bool> asks_for_huge_pages(const void* address) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) return std::nullopt;
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    uintptr_t first = 0, end = 0;
    char dash = 0;
    if (words >> std::hex >> first >> dash >> end && dash == '-') {
      const auto place = reinterpret_cast<uintptr_t>(address);
      inside = first <= place && place < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line.find(" hg") != std::string::npos;
    }
  }
  return std::nullopt;
}

// An emulator may keep the request to itself.
bool tells_of_huge_pages() {
#ifdef MADV_HUGEPAGE
  constexpr size_t kSize = size_t{4} << 20;
  void* const own =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (own == MAP_FAILED) return false;
  const bool tells =
      madvise(own, kSize, MADV_HUGEPAGE) == 0 && asks_for_huge_pages(own).value_or(false);
  munmap(own, kSize);
  return tells;
#else
  return false;
#endif
}

TEST_F(Memory, LargeOnesAskForHugePagesUnlessThePolicySaysNo) {
  if (!tells_of_huge_pages()) GTEST_SKIP() << "the system does not tell";
  constexpr size_t kLarge = size_t{16} << 20;
  void* memory[3] = {};
  ASSERT_EQ(aclrtMalloc(&memory[0], kLarge, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&memory[1], kLarge, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  const int with_flag = ACL_MEM_MALLOC_NORMAL_ONLY | ACL_MEM_TYPE_LOW_BAND_WIDTH;
  ASSERT_EQ(aclrtMalloc(&memory[2], kLarge, no_member<aclrtMemMallocPolicy>(with_flag)),
            ACL_SUCCESS);
  const std::optional<bool> huge = asks_for_huge_pages(memory[0]);
  const std::optional<bool> normal = asks_for_huge_pages(memory[1]);
  const std::optional<bool> flagged = asks_for_huge_pages(memory[2]);
  for (void* each : memory) EXPECT_EQ(aclrtFree(each), ACL_SUCCESS);
  EXPECT_EQ(huge, true);
  EXPECT_EQ(normal, false);
  EXPECT_EQ(flagged, false);
}

TEST_F(Memory, RelativesOfMalloc) {
  constexpr auto kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
  void* memory = nullptr;
  EXPECT_EQ(aclrtMallocAlign32(&memory, 33, kPolicy), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(memory, 64, 1, 64), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtMemset(memory, 65, 1, 65), 107000, {"devPtr", "64"}));
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtMallocCached(&memory, 33, kPolicy), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtMallocWithCfg(&memory, 33, kPolicy, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  aclrtMallocAttribute attribute{ACL_RT_MEM_ATTR_DEVICE_ID, {}};
  aclrtMallocConfig config{&attribute, 1};
  EXPECT_EQ(aclrtMallocWithCfg(&memory, 33, kPolicy, &config), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
}

TEST_F(Memory, PaddingDependsOnTheChip) {
  void* memory = allocate(32);
  EXPECT_EQ(aclrtMemset(memory, 64, 0, 64), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(memory, 65, 0, 65), 107000);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), ACL_SUCCESS);
  memory = allocate(32);
  EXPECT_EQ(aclrtMemset(memory, 32, 0, 32), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(memory, 33, 0, 33), 107000);
  ASSERT_EQ(aclgradSetSocName(nullptr), ACL_SUCCESS);
}

TEST_F(Memory, BadSizes) {
  void* memory = &memory;
  constexpr auto kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  EXPECT_TRUE(fails(aclrtMalloc(&memory, 0, kPolicy), 100000, {"aclrtMalloc", "size", "EH0007"}));
  EXPECT_TRUE(fails(aclrtMalloc(&memory, kMax, kPolicy), 100000, {"size"}));
  EXPECT_TRUE(fails(aclrtMalloc(&memory, kMax - 62, kPolicy), 100000, {"size"}));
  EXPECT_EQ(memory, &memory) << "untouched by bad arguments";
  EXPECT_TRUE(fails(aclrtMalloc(&memory, kMax / 2, kPolicy), 207001, {"aclrtMalloc", "bytes"}));
  EXPECT_EQ(memory, nullptr);
  EXPECT_TRUE(fails(aclrtMallocHost(&memory, kMax / 2), 207001, {"aclrtMallocHost"}));
}

TEST_F(Memory, ArgumentsComeBeforeTheContext) {
  std::thread([] {
    void* memory = nullptr;
    EXPECT_EQ(aclrtMalloc(nullptr, 8, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
    EXPECT_EQ(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
    EXPECT_EQ(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST), 107002);
  }).join();
}

TEST_F(Memory, WrongAddressesAreNotFreed) {
  void* const memory = allocate(100);
  void* host = nullptr;
  ASSERT_EQ(aclrtMallocHost(&host, 100), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtFree(static_cast<char*>(memory) + 64), 107017, {"devPtr"}));
  EXPECT_TRUE(fails(aclrtFree(host), 107017, {"devPtr"}));
  EXPECT_TRUE(fails(aclrtFreeHost(memory), 107017, {"hostPtr"}));
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtFree(memory), 107017, {"aclrtFree", "devPtr"})) << "a second time";
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(host), 107017);
}

TEST_F(Memory, FreeNeedsNoContext) {
  void* const memory = allocate(100);
  std::thread([memory] { EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS); }).join();
}

TEST_F(Memory, FreeWithDevSyncWaits) {
  void* const memory = allocate(8);
  void* host = nullptr;
  ASSERT_EQ(aclrtMallocHost(&host, 8), ACL_SUCCESS);
  const auto write_late = [](void* where) {
    return [where] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::memset(where, 1, 8);
    };
  };
  queue(stream_, write_late(memory));
  EXPECT_EQ(aclrtFreeWithDevSync(memory), ACL_SUCCESS);
  queue(stream_, write_late(host));
  EXPECT_EQ(aclrtFreeHostWithDevSync(host), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtFreeWithDevSync(memory), 107017, {"devPtr"}));
}

TEST_F(Memory, InfoIsPlausibleAndCanBeReserved) {
  size_t free = 0;
  size_t total = 0;
  for (int attr = ACL_DDR_MEM; attr <= ACL_MEM_P2P_HUGE1G; ++attr) {
    EXPECT_EQ(aclrtGetMemInfo(no_member<aclrtMemAttr>(attr), &free, &total), ACL_SUCCESS);
    EXPECT_GT(free, 0U);
    EXPECT_LE(free, total);
    for (const size_t size : {free, total}) {  // as pools do with either
      void* pool = nullptr;
      ASSERT_EQ(aclrtReserveMemAddress(&pool, size, 0, nullptr, 1), ACL_SUCCESS) << size;
      EXPECT_EQ(aclrtReleaseMemAddress(pool), ACL_SUCCESS);
    }
  }
  EXPECT_TRUE(
      fails(aclrtGetMemInfo(no_member<aclrtMemAttr>(18), &free, &total), 107000, {"attr", "18"}));
}

TEST_F(Memory, PointerAttributesTellWhereItLies) {
  aclrtPtrAttributes attributes{};
  void* const memory = allocate(100);
  EXPECT_EQ(aclrtPointerGetAttributes(static_cast<char*>(memory) + 99, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(attributes.location.id, 0U);
  EXPECT_GE(attributes.pageSize, 4096U);
  void* host = nullptr;
  ASSERT_EQ(aclrtMallocHost(&host, 100), ACL_SUCCESS);
  EXPECT_EQ(aclrtPointerGetAttributes(host, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
  EXPECT_EQ(aclrtPointerGetAttributes(&attributes, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtPointerGetAttributes(memory, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);

  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtPointerGetAttributes(allocate(1), &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.id, 1U);
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
}

TEST_F(Memory, AllocationsHaveNumbersThatAreNeverUsedAgain) {
  std::set<uint64_t> seen{0};
  for (int i = 0; i < 100; ++i) {
    auto* const memory = static_cast<std::byte*>(allocate(256));
    const uint64_t id = aclgradAllocationId(memory);
    EXPECT_TRUE(seen.insert(id).second) << id << " at " << static_cast<void*>(memory);
    EXPECT_EQ(aclgradAllocationId(memory + 255), id);
    EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
    EXPECT_EQ(aclgradAllocationId(memory), 0U);
  }
  void* pinned = nullptr;
  ASSERT_EQ(aclrtMallocHost(&pinned, 1), ACL_SUCCESS);
  EXPECT_TRUE(seen.insert(aclgradAllocationId(pinned)).second);
  EXPECT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
  const int local = 0;
  EXPECT_EQ(aclgradAllocationId(&local), 0U);
  EXPECT_EQ(aclgradAllocationId(nullptr), 0U);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "asking is no error";
}

TEST_F(Memory, SaysHowManyBytesOfAnAllocationLieFromAnAddressOn) {
  std::vector<std::byte*> all;
  for (int i = 0; i < 100; ++i) {
    void* memory = nullptr;
    ASSERT_EQ(aclrtMallocAlign32(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    all.push_back(static_cast<std::byte*>(memory));
  }
  for (int again = 0; again < 2; ++again) {
    for (std::byte* const memory : all) {
      EXPECT_EQ(aclgradAllocationBytes(memory), 64U);
      EXPECT_EQ(aclgradAllocationBytes(memory + 1), 63U);
      EXPECT_EQ(aclgradAllocationBytes(memory + 63), 1U);
    }
  }
  // Another thread frees them.
  std::thread([&] {
    for (std::byte* const memory : all) EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  }).join();
  for (std::byte* const memory : all) EXPECT_EQ(aclgradAllocationBytes(memory), 0U);
  void* pinned = nullptr;
  ASSERT_EQ(aclrtMallocHost(&pinned, 32), ACL_SUCCESS);
  EXPECT_EQ(aclgradAllocationBytes(pinned), 32U);
  EXPECT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
  const int local = 0;
  EXPECT_EQ(aclgradAllocationBytes(&local), 0U);
  EXPECT_EQ(aclgradAllocationBytes(nullptr), 0U);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "asking is no error";
}

TEST_F(Memory, FreeWithDevSyncKeepsWhatItCouldNotWaitFor) {
  struct Seen {
    aclrtContext context = nullptr;
    void* memory = nullptr;
    aclError status = ACL_SUCCESS;
  } seen;
  seen.memory = allocate(8);
  ASSERT_EQ(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtFreeWithDevSync(seen.memory), 107027, {"captured"}));
  aclmdlRI model = nullptr;
  EXPECT_EQ(aclmdlRICaptureEnd(stream_, &model), 507903);
  ASSERT_EQ(aclrtGetCurrentContext(&seen.context), ACL_SUCCESS);
  const auto free_inside = [](void* argument) {
    auto& mine = *static_cast<Seen*>(argument);
    aclrtSetCurrentContext(mine.context);
    mine.status = aclrtFreeWithDevSync(mine.memory);
  };
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, free_inside, &seen), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(seen.status, 207000);
  ASSERT_EQ(launch(stream_, [] { return 507015; }), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeWithDevSync(seen.memory), 507015) << "frees: all tasks are over";
  EXPECT_EQ(aclrtFree(seen.memory), 107017);
}

// A task that the reset waits for, when the device's memory is gone already.
TEST(DeviceMemory, IsNotGivenOutWhileItsDeviceIsReset) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  aclrtContext context = nullptr;
  void* before = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&before, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  void* late = nullptr;
  aclError status = ACL_SUCCESS;
  queue(stream, [&] {
    while (aclgradAllocationId(before) != 0) std::this_thread::yield();
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    status = aclrtMalloc(&late, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  });
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(status, 107002);
  EXPECT_EQ(aclgradAllocationId(late), 0U) << "it would never be freed";
}

}  // namespace
}  // namespace aclgrad::test
