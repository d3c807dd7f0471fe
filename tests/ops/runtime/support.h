// SPDX-License-Identifier: Apache-2.0
// What the runtime's tests share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <initializer_list>
#include <string>

#include "acl/acl.h"
#include "aclgrad_ext.h"

namespace aclgrad::test {

// True when the call returned `want` and left a message with all the words; the message is read by
// this. Usage: EXPECT_TRUE(fails(aclrtFree(nullptr), 100000, {"aclrtFree", "devPtr"})).
::testing::AssertionResult fails(aclError got, aclError want,
                                 std::initializer_list<const char*> words);

// Forgets messages and the last error of this thread.
void clear_errors();

// Queues the work on the stream. The task has the status that the work returns.
aclError launch(aclrtStream stream, std::function<aclError()> work);

// Queues work that succeeds; ends the test where the stream does not take it.
void queue(aclrtStream stream, std::function<void()> work);

// These end the test where there is none.
aclrtStream new_stream();
aclrtContext current_context();

// A stream on device 0, for death tests: without one the child ends with 1, and says why.
aclrtStream stream_or_exit();

// A value of an enumeration that has no such member.
template <class Enum>
Enum no_member(int value) {
  return static_cast<Enum>(value);
}

// A task that is being run by the stream's worker until open() lets it end.
class Roadblock {
 public:
  // Returns when the worker has reached the task.
  explicit Roadblock(aclrtStream stream);
  ~Roadblock() { open(); }
  void open();

 private:
  std::promise<void> reached_;
  std::promise<void> opened_;
  bool is_open_ = false;
};

// Device 0 is set on the test's thread and reset after the test.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
};

// And there is a stream.
class StreamTest : public DeviceTest {
 protected:
  void SetUp() override;

  aclrtStream stream_ = nullptr;
};

}  // namespace aclgrad::test
