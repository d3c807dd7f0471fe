// SPDX-License-Identifier: Apache-2.0
// The table of live handles.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "acl/acl_base.h"
#include "aclgrad_ext.h"

namespace {

constexpr auto kTensor = ACLGRAD_HANDLE_TENSOR;
constexpr auto kScalar = ACLGRAD_HANDLE_SCALAR;

struct Object {
  unsigned char bytes[32];
};

TEST(Handles, KnowTheLiveOnesByAddressAndKind) {
  const auto object = std::make_unique<Object>();
  EXPECT_EQ(aclgradHandleCheck(object.get(), kTensor), 0);
  ASSERT_EQ(aclgradHandleAdd(object.get(), kTensor), 0);
  EXPECT_NE(aclgradHandleCheck(object.get(), kTensor), 0);
  EXPECT_EQ(aclgradHandleCheck(object.get(), kScalar), 0);
  EXPECT_EQ(aclgradHandleCheck(object->bytes + 1, kTensor), 0);
  EXPECT_EQ(aclgradHandleCheck(object->bytes + 16, kTensor), 0);
  EXPECT_EQ(aclgradHandleRemove(object.get(), kScalar), 0);
  EXPECT_NE(aclgradHandleRemove(object.get(), kTensor), 0);
  EXPECT_EQ(aclgradHandleRemove(object.get(), kTensor), 0);
  EXPECT_EQ(aclgradHandleCheck(object.get(), kTensor), 0);
}

TEST(Handles, AWildAddressIsNone) {
  EXPECT_EQ(aclgradHandleCheck(nullptr, kTensor), 0);
  EXPECT_EQ(aclgradHandleCheck(reinterpret_cast<void*>(0x10), kTensor), 0);
  EXPECT_EQ(aclgradHandleCheck(reinterpret_cast<void*>(~uintptr_t{15}), kTensor), 0);
  const auto object = std::make_unique<Object>();
  EXPECT_EQ(aclgradHandleAdd(object->bytes + 1, kTensor), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclgradHandleRemove(object->bytes + 1, kTensor), 0);
}

TEST(Handles, NoKindIsNone) {
  const auto object = std::make_unique<Object>();
  ASSERT_EQ(aclgradHandleAdd(object.get(), kTensor), 0);
  ASSERT_NE(aclgradHandleRemove(object.get(), kTensor), 0);
  const auto none = static_cast<aclgradHandleKind>(0);
  EXPECT_EQ(aclgradHandleAdd(object.get(), none), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclgradHandleCheck(object.get(), none), 0);
  EXPECT_EQ(aclgradHandleRemove(object.get(), none), 0);
}

// Of neighbours, and of objects far from each other, each is its own.
TEST(Handles, ManyAreToldApart) {
  std::vector<std::unique_ptr<Object>> objects(100'000);
  for (auto& object : objects) object = std::make_unique<Object>();
  for (std::size_t i = 0; i < objects.size(); i += 2) {
    ASSERT_EQ(aclgradHandleAdd(objects[i].get(), i % 4 == 0 ? kTensor : kScalar), 0);
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(aclgradHandleCheck(objects[i].get(), kTensor) != 0, i % 4 == 0) << i;
    EXPECT_EQ(aclgradHandleRemove(objects[i].get(), kScalar) != 0, i % 4 == 2) << i;
  }
  for (std::size_t i = 0; i < objects.size(); i += 4) {
    EXPECT_NE(aclgradHandleRemove(objects[i].get(), kTensor), 0) << i;
  }
}

// Threads that add neighbours all find them again, and each object can be removed once.
TEST(Handles, ThreadsShareTheTable) {
  constexpr std::size_t kThreads = 4;
  std::vector<std::unique_ptr<Object>> objects(40'000);
  for (auto& object : objects) object = std::make_unique<Object>();
  const auto in_threads = [](auto work) {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  };
  in_threads([&](std::size_t t) {
    for (std::size_t i = t; i < objects.size(); i += kThreads) {
      ASSERT_EQ(aclgradHandleAdd(objects[i].get(), kTensor), 0);
    }
  });
  for (const auto& object : objects) EXPECT_NE(aclgradHandleCheck(object.get(), kTensor), 0);
  std::atomic<std::size_t> removed{0};
  in_threads([&](std::size_t) {
    for (const auto& object : objects) {
      if (aclgradHandleRemove(object.get(), kTensor) != 0) ++removed;
    }
  });
  EXPECT_EQ(removed, objects.size());
}

}  // namespace
