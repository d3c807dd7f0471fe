// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace aclgrad::test {
namespace {

// Most tests want two devices. The number is read once, so it has to be there before any test;
// child processes of tests that look at the environment itself ask to keep theirs.
const bool g_two_devices = [] {
  if (std::getenv("ACLGRAD_TEST_KEEP_ENVIRONMENT") != nullptr) return false;
  return setenv("ACLGRAD_DEVICE_COUNT", "2", 1) == 0;
}();

void require(aclError status, const char* what) {
  if (status != ACL_SUCCESS) throw std::runtime_error(what + (": " + std::to_string(status)));
}

}  // namespace

::testing::AssertionResult fails(aclError got, aclError want,
                                 std::initializer_list<const char*> words) {
  const char* const text = aclGetRecentErrMsg();
  const std::string message = text == nullptr ? "" : text;
  if (got != want) {
    return ::testing::AssertionFailure()
           << "returned " << got << " instead of " << want << ", message: " << message;
  }
  if (text == nullptr) return ::testing::AssertionFailure() << "left no message";
  for (const char* word : words) {
    if (message.find(word) == std::string::npos) {
      return ::testing::AssertionFailure() << "no \"" << word << "\" in the message: " << message;
    }
  }
  return ::testing::AssertionSuccess();
}

void clear_errors() {
  aclGetRecentErrMsg();
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
}

aclError launch(aclrtStream stream, std::function<aclError()> work) {
  using Work = std::function<aclError()>;
  return aclgradLaunchTask(
      stream, "test task", [](void* argument) { return (*static_cast<Work*>(argument))(); },
      new Work(std::move(work)), [](void* argument) { delete static_cast<Work*>(argument); });
}

void queue(aclrtStream stream, std::function<void()> work) {
  require(launch(stream,
                 [work = std::move(work)] {
                   work();
                   return ACL_SUCCESS;
                 }),
          "the stream does not take a task");
}

aclrtStream new_stream() {
  aclrtStream stream = nullptr;
  require(aclrtCreateStream(&stream), "aclrtCreateStream");
  return stream;
}

aclrtStream stream_or_exit() {
  aclrtStream stream = nullptr;
  if (aclrtSetDevice(0) != ACL_SUCCESS || aclrtCreateStream(&stream) != ACL_SUCCESS) {
    const char* const text = aclGetRecentErrMsg();
    std::fprintf(stderr, "no stream: %s\n", text == nullptr ? "" : text);
    std::_Exit(1);
  }
  return stream;
}

aclrtContext current_context() {
  aclrtContext context = nullptr;
  require(aclrtGetCurrentContext(&context), "aclrtGetCurrentContext");
  return context;
}

Roadblock::Roadblock(aclrtStream stream) {
  queue(stream, [this, opened = opened_.get_future().share()] {
    reached_.set_value();
    opened.wait();
  });
  reached_.get_future().wait();
}

void Roadblock::open() {
  if (!is_open_) opened_.set_value();
  is_open_ = true;
}

void DeviceTest::SetUp() {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  clear_errors();
}

void DeviceTest::TearDown() { EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS); }

void StreamTest::SetUp() {
  DeviceTest::SetUp();
  ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
}

}  // namespace aclgrad::test
