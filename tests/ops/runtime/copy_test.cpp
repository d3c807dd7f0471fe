// SPDX-License-Identifier: Apache-2.0
// Copies and fills, at once and in stream order.
#include <array>
#include <atomic>
#include <cstring>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

using Bytes = std::vector<unsigned char>;

class Copy : public StreamTest {
 protected:
  void SetUp() override {
    StreamTest::SetUp();
    void* memory = nullptr;
    ASSERT_EQ(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    device_ = static_cast<unsigned char*>(memory);
    ASSERT_EQ(aclrtMallocHost(&memory, kSize), ACL_SUCCESS);
    pinned_ = static_cast<unsigned char*>(memory);
    std::memset(device_, 0, kSize);
    std::memset(pinned_, 0, kSize);
    std::iota(source_.begin(), source_.end(), static_cast<unsigned char>(1));
  }

  void TearDown() override {
    EXPECT_EQ(aclrtFreeHost(pinned_), ACL_SUCCESS);
    StreamTest::TearDown();
  }

  static constexpr size_t kSize = 64;
  unsigned char* device_ = nullptr;
  unsigned char* pinned_ = nullptr;
  Bytes source_ = Bytes(kSize);
  Bytes back_ = Bytes(kSize);
};

constexpr auto kToDevice = ACL_MEMCPY_HOST_TO_DEVICE;
constexpr auto kToHost = ACL_MEMCPY_DEVICE_TO_HOST;

TEST_F(Copy, ThereAndBack) {
  ASSERT_EQ(aclrtMemcpy(device_, kSize, source_.data(), kSize, kToDevice), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpy(back_.data(), kSize, device_, kSize, kToHost), ACL_SUCCESS);
  EXPECT_EQ(back_, source_);
}

TEST_F(Copy, EveryDirectionIsTakenAndOnlyThose) {
  for (int kind = 0; kind <= 5; ++kind) {
    back_.assign(kSize, 0);
    EXPECT_EQ(aclrtMemcpy(back_.data(), kSize, source_.data(), 8, no_member<aclrtMemcpyKind>(kind)),
              ACL_SUCCESS);
    EXPECT_EQ(back_[7], 8) << "the true direction comes from the addresses";
  }
  for (const int kind : {-1, 6, 7, 100}) {
    EXPECT_TRUE(
        fails(aclrtMemcpy(back_.data(), kSize, source_.data(), 8, no_member<aclrtMemcpyKind>(kind)),
              100000, {"aclrtMemcpy", "kind", (" is " + std::to_string(kind)).c_str()}));
  }
}

TEST_F(Copy, ChecksComeInTheDocumentedOrder) {
  const auto bad_kind = no_member<aclrtMemcpyKind>(9);
  EXPECT_EQ(aclrtMemcpy(nullptr, 0, nullptr, 0, bad_kind), ACL_SUCCESS) << "count 0 first";
  EXPECT_TRUE(fails(aclrtMemcpy(nullptr, 0, nullptr, 1, bad_kind), 100000, {"dst"}));
  EXPECT_TRUE(fails(aclrtMemcpy(device_, 0, nullptr, 1, bad_kind), 100000, {"src"}));
  EXPECT_TRUE(fails(aclrtMemcpy(device_, 0, pinned_, 1, bad_kind), 100000, {"kind"}));
  EXPECT_TRUE(fails(aclrtMemcpy(device_, 0, pinned_, 1, kToDevice), 107000, {"destMax", "0"}));
  EXPECT_TRUE(fails(aclrtMemcpy(device_, 7, pinned_, 8, kToDevice), 107000, {"destMax", "7"}));
  std::thread([&] {
    EXPECT_EQ(aclrtMemcpy(device_, 7, pinned_, 8, kToDevice), 107000) << "before the context";
    EXPECT_EQ(aclrtMemcpy(device_, 8, device_, 8, kToDevice), 107002) << "before equal addresses";
  }).join();
  EXPECT_EQ(aclrtMemcpy(device_, 8, device_, 8, kToDevice), ACL_SUCCESS);
}

TEST_F(Copy, BeyondAnAllocationIsAnError) {
  // 64 bytes asked for, 96 given.
  Bytes large(200);
  EXPECT_EQ(aclrtMemcpy(device_, 96, large.data(), 96, kToDevice), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtMemcpy(device_, 97, large.data(), 97, kToDevice), 107000, {"dst", "96"}));
  EXPECT_TRUE(fails(aclrtMemcpy(large.data(), 200, device_ + 32, 65, kToHost), 107000, {"src"}));
  EXPECT_TRUE(
      fails(aclrtMemcpyAsync(device_, 97, large.data(), 97, kToDevice, stream_), 107000, {"dst"}));
  EXPECT_TRUE(fails(aclrtMemsetAsync(device_, 97, 0, 97, stream_), 107000, {"devPtr"}));
  EXPECT_TRUE(
      fails(aclrtMemcpy2d(device_, 50, large.data(), 50, 47, 3, kToDevice), 107000, {"dst"}));
}

TEST_F(Copy, AsyncWithPinnedMemoryIsQueued) {
  std::memcpy(pinned_, source_.data(), kSize);
  Roadblock block(stream_);
  ASSERT_EQ(aclrtMemcpyAsync(device_, kSize, pinned_, kSize, kToDevice, stream_), ACL_SUCCESS);
  EXPECT_EQ(device_[0], 0) << "not before its turn";
  block.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(std::memcmp(device_, source_.data(), kSize), 0);
}

TEST_F(Copy, AsyncWithPageableMemoryIsCompleteOnReturn) {
  std::atomic<bool> earlier_done{false};
  queue(stream_, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    earlier_done = true;
  });
  ASSERT_EQ(aclrtMemcpyAsync(device_, kSize, source_.data(), kSize, kToDevice, stream_),
            ACL_SUCCESS);
  EXPECT_TRUE(earlier_done) << "in the stream's order";
  EXPECT_EQ(std::memcmp(device_, source_.data(), kSize), 0);
  ASSERT_EQ(aclrtMemcpyAsync(back_.data(), kSize, device_, kSize, kToHost, nullptr), ACL_SUCCESS);
  EXPECT_EQ(back_, source_);
}

TEST_F(Copy, AsyncOfNothingOrInPlaceIsDone) {
  EXPECT_EQ(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, kToDevice, &back_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(device_, 8, device_, 8, kToDevice, stream_), ACL_SUCCESS);
}

TEST_F(Copy, MemsetFillsWithTheLowByte) {
  ASSERT_EQ(aclrtMemset(device_, kSize, 0x1A5, 10), ACL_SUCCESS);
  EXPECT_EQ(device_[9], 0xA5);
  EXPECT_EQ(device_[10], 0);
  ASSERT_EQ(aclrtMemset(source_.data(), kSize, -1, kSize), ACL_SUCCESS) << "host memory too";
  EXPECT_EQ(source_[63], 0xFF);
  EXPECT_EQ(aclrtMemset(nullptr, 0, 0, 0), ACL_SUCCESS);
}

TEST_F(Copy, MemsetAsyncIsQueued) {
  Roadblock block(stream_);
  ASSERT_EQ(aclrtMemsetAsync(device_, kSize, 7, kSize, stream_), ACL_SUCCESS);
  EXPECT_EQ(device_[0], 0);
  block.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(device_[63], 7);
  EXPECT_EQ(aclrtMemsetAsync(nullptr, 0, 0, 0, nullptr), ACL_SUCCESS);
}

// The second stream waits for the first one's fill and copies it.
TEST_F(Copy, AtOnceComesAfterWhatStreamsHaveQueuedAndOnlyCompute) {
  const aclrtStream second = new_stream();
  aclrtEvent filled = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&filled), ACL_SUCCESS);
  for (int value = 1; value <= 100; ++value) {
    ASSERT_EQ(aclrtMemsetAsync(device_, kSize, value, kSize, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtRecordEvent(filled, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(second, filled), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpyAsync(pinned_, kSize, device_, kSize, kToHost, second), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpy(back_.data(), kSize, pinned_, kSize, kToHost), ACL_SUCCESS);
    ASSERT_EQ(back_, Bytes(kSize, static_cast<unsigned char>(value)));
    ASSERT_EQ(aclrtMemsetAsync(device_, kSize, 0, kSize, second), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemset(device_, kSize, value, 1), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpy2d(back_.data(), 1, device_, 1, 1, 2, kToHost), ACL_SUCCESS);
    ASSERT_EQ(Bytes(back_.begin(), back_.begin() + 2),
              Bytes({static_cast<unsigned char>(value), 0}));
  }
  EXPECT_EQ(aclrtDestroyEvent(filled), ACL_SUCCESS);
}

// Who waits for the program would wait for ever.
TEST_F(Copy, AtOnceDoesNotWaitForTheProgram) {
  const aclrtStream second = new_stream();
  aclrtEvent passed = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&passed), ACL_SUCCESS);
  std::promise<void> go;
  const auto wait = [](void* promise) {
    static_cast<std::promise<void>*>(promise)->get_future().wait();
  };
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, wait, &go), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemsetAsync(device_, kSize, 7, kSize, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(passed, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(second, passed), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemsetAsync(device_, kSize, 8, kSize, second), ACL_SUCCESS);
  Roadblock block(nullptr);
  ASSERT_EQ(aclrtMemsetAsync(device_, kSize, 9, kSize, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpy(back_.data(), kSize, device_, kSize, kToHost), ACL_SUCCESS);
  EXPECT_EQ(back_, Bytes(kSize, 0));
  go.set_value();
  block.open();
  ASSERT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(passed), ACL_SUCCESS);
}

TEST_F(Copy, RowsWithPitches) {
  // Three rows of four bytes, ten apart in the source and five in the destination.
  ASSERT_EQ(aclrtMemcpy2d(device_, 5, source_.data(), 10, 4, 3, kToDevice), ACL_SUCCESS);
  const Bytes expected{1, 2, 3, 4, 0, 11, 12, 13, 14, 0, 21, 22, 23, 24, 0};
  EXPECT_EQ(Bytes(device_, device_ + 15), expected);
  std::memset(device_, 0, kSize);
  std::memcpy(pinned_, source_.data(), kSize);
  ASSERT_EQ(aclrtMemcpy2dAsync(device_, 5, pinned_, 10, 4, 3, kToDevice, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(Bytes(device_, device_ + 15), expected);
}

TEST_F(Copy, RowChecksComeInTheDocumentedOrder) {
  const auto bad_kind = ACL_MEMCPY_HOST_TO_HOST;
  EXPECT_EQ(aclrtMemcpy2d(nullptr, 0, nullptr, 0, 0, 9, bad_kind), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy2d(nullptr, 0, nullptr, 0, 9, 0, bad_kind), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtMemcpy2d(nullptr, 1, pinned_, 1, 2, 1, bad_kind), 100000, {"dst"}));
  EXPECT_TRUE(fails(aclrtMemcpy2d(device_, 1, nullptr, 1, 2, 1, bad_kind), 100000, {"src"}));
  EXPECT_TRUE(fails(aclrtMemcpy2d(device_, 1, pinned_, 2, 2, 1, bad_kind), 100000, {"width"}));
  EXPECT_TRUE(fails(aclrtMemcpy2d(device_, 2, pinned_, 1, 2, 1, bad_kind), 100000, {"width"}));
  for (const int kind : {0, 5}) {
    EXPECT_TRUE(fails(aclrtMemcpy2d(device_, 2, pinned_, 2, 2, 1, no_member<aclrtMemcpyKind>(kind)),
                      100000, {"aclrtMemcpy2d", "kind"}));
    EXPECT_TRUE(fails(
        aclrtMemcpy2dAsync(device_, 2, pinned_, 2, 2, 1, no_member<aclrtMemcpyKind>(kind), stream_),
        100000, {"aclrtMemcpy2dAsync", "kind"}));
  }
  EXPECT_TRUE(
      fails(aclrtMemcpy2dAsync(nullptr, 2, pinned_, 2, 2, 1, kToDevice, stream_), 100000, {"dst"}));
  EXPECT_TRUE(
      fails(aclrtMemcpy2d(device_, SIZE_MAX / 2, pinned_, 4, 4, 100, kToDevice), 107000, {"dst"}));
}

TEST_F(Copy, PageableMemoryCannotWaitInsideATaskOfTheStream) {
  const aclrtContext context = current_context();
  std::atomic<aclError> inside{ACL_SUCCESS};
  queue(stream_, [&] {
    aclrtSetCurrentContext(context);
    inside = aclrtMemcpyAsync(device_, kSize, source_.data(), kSize, kToDevice, stream_);
  });
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(inside, 207000);
  EXPECT_EQ(device_[0], 0) << "nothing was queued";
}

TEST_F(Copy, RowsMoveInPlace) {
  std::iota(device_, device_ + kSize, static_cast<unsigned char>(0));
  ASSERT_EQ(aclrtMemcpy2d(device_, 4, device_, 16, 4, 3, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_SUCCESS);
  const Bytes together{0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35};
  EXPECT_EQ(Bytes(device_, device_ + 12), together);
  ASSERT_EQ(aclrtMemcpy2dAsync(device_, 16, device_, 4, 4, 3, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_),
            ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(Bytes(device_ + 16, device_ + 20), Bytes({16, 17, 18, 19}));
  EXPECT_EQ(Bytes(device_ + 32, device_ + 36), Bytes({32, 33, 34, 35}));
}

}  // namespace
}  // namespace aclgrad::test
