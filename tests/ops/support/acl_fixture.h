// SPDX-License-Identifier: Apache-2.0
// What tests of operators share: a device and a stream, handles that own themselves, the two-phase
// call, and the check of a status together with its message.
//
//   class AddTest : public AclTest {};
//   TEST_F(AddTest, AddsTwoNumbers) {
//     Array a(ACL_FLOAT, {2}, {1, 2}), out(ACL_FLOAT, {2});
//     ASSERT_TRUE(runs(PHASES(aclnnAdd), a, a, Scalar(1.0F), out));
//     EXPECT_EQ(out.get(0), 2);
//     EXPECT_TRUE(fails_with(161001, {"aclnnAdd", "self"},
//                            plan(aclnnAddGetWorkspaceSize, nullptr, ...)));
//   }
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclgrad_ext.h"
#include "aclnn/aclnn_base.h"
#include "tests/ops/support/numbers.h"

namespace aclgrad::testing {

using Shape = std::vector<int64_t>;

inline int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  return count;
}

// Device memory; at least one byte, so that there is always an address.
class Buffer {
 public:
  explicit Buffer(size_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    EXPECT_EQ(aclrtMalloc(&memory, bytes == 0 ? 1 : bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    memory_.reset(memory);
    if (memory != nullptr) std::memset(memory, 0, bytes);
  }
  void* data() const { return memory_.get(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(void* memory) const { aclrtFree(memory); }
  };
  size_t bytes_;
  std::unique_ptr<void, Free> memory_;
};

struct DestroyTensor {
  void operator()(aclTensor* tensor) const { aclDestroyTensor(tensor); }
};
using TensorHandle = std::unique_ptr<aclTensor, DestroyTensor>;

// A tensor over memory of its own or of another Array. Elements are read and written in row-major
// order of the view, whatever its strides. Strides and offset count elements.
class Array {
 public:
  struct Layout {
    Shape strides;         // empty: contiguous
    int64_t offset = 0;    // of element (0, 0, ...)
    int64_t storage = -1;  // elements of memory; -1: as many as the view reaches
    aclFormat format = ACL_FORMAT_ND;
  };

  Array(aclDataType dtype, Shape shape, std::initializer_list<long double> values = {})
      : Array(dtype, std::move(shape), Layout{}, std::vector<long double>(values)) {}
  Array(aclDataType dtype, Shape shape, Layout layout, const std::vector<long double>& values = {})
      : dtype_(dtype), shape_(std::move(shape)), layout_(std::move(layout)) {
    complete_layout();
    memory_ = std::make_shared<Buffer>(static_cast<size_t>(layout_.storage) * element_bytes());
    make_tensor();
    if (!values.empty()) fill(values);
  }
  // Another view of the same memory.
  Array(const Array& other, Shape shape, Layout layout)
      : dtype_(other.dtype_),
        shape_(std::move(shape)),
        layout_(std::move(layout)),
        memory_(other.memory_) {
    layout_.storage = other.layout_.storage;
    complete_layout();
    make_tensor();
  }

  aclTensor* tensor() const { return tensor_.get(); }
  aclDataType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t count() const { return element_count(shape_); }
  Buffer& memory() const { return *memory_; }
  void* data() const { return memory_->data(); }

  // Element i of the view in row-major order.
  long double get(int64_t i) const { return get_element(data(), dtype_, place(i)); }
  void set(int64_t i, long double value) { set_element(data(), dtype_, place(i), value); }
  // Repeats the values as needed.
  void fill(const std::vector<long double>& values) {
    for (int64_t i = 0; i < count(); ++i) set(i, values[static_cast<size_t>(i) % values.size()]);
  }
  std::vector<long double> values() const {
    std::vector<long double> result(places_.size());
    for (size_t i = 0; i < result.size(); ++i) result[i] = get_element(data(), dtype_, places_[i]);
    return result;
  }
  // Index of element i, counted in elements from the base address.
  size_t place(int64_t i) const { return places_[static_cast<size_t>(i)]; }

 private:
  size_t element_bytes() const { return aclDataTypeSize(dtype_); }

  void complete_layout() {
    if (layout_.strides.empty()) {
      layout_.strides.assign(shape_.size(), 1);
      for (size_t d = shape_.size(); d-- > 1;) {
        layout_.strides[d - 1] = layout_.strides[d] * shape_[d];
      }
    }
    note_places();
    if (layout_.storage >= 0) return;
    int64_t reach = layout_.offset;
    for (size_t d = 0; d < shape_.size(); ++d) {
      if (layout_.strides[d] > 0) reach += (shape_[d] - 1) * layout_.strides[d];
    }
    layout_.storage = count() == 0 ? 0 : reach + 1;
  }

  // Of all elements, as looking one up takes long.
  void note_places() {
    std::vector<int64_t> at(shape_.size(), 0);
    int64_t place = layout_.offset;
    places_.resize(static_cast<size_t>(count()));
    for (size_t& each : places_) {
      each = static_cast<size_t>(place);
      for (size_t d = shape_.size(); d-- > 0;) {
        place += layout_.strides[d];
        if (++at[d] < shape_[d]) break;
        place -= at[d] * layout_.strides[d];
        at[d] = 0;
      }
    }
  }

  void make_tensor() {
    tensor_.reset(aclCreateTensor(shape_.data(), shape_.size(), dtype_, layout_.strides.data(),
                                  layout_.offset, layout_.format, &layout_.storage, 1, data()));
    EXPECT_NE(tensor_, nullptr);
  }

  aclDataType dtype_;
  Shape shape_;
  Layout layout_;
  std::vector<size_t> places_;
  std::shared_ptr<Buffer> memory_;
  TensorHandle tensor_;
};

// A host scalar.
class Scalar {
 public:
  explicit Scalar(float value) : Scalar(&value, ACL_FLOAT) {}
  explicit Scalar(double value) : Scalar(&value, ACL_DOUBLE) {}
  explicit Scalar(int32_t value) : Scalar(&value, ACL_INT32) {}
  explicit Scalar(int64_t value) : Scalar(&value, ACL_INT64) {}
  explicit Scalar(bool value) : Scalar(&value, ACL_BOOL) {}
  // A COMPLEX64 value.
  Scalar(float real, float imaginary)
      : Scalar(std::vector<float>{real, imaginary}.data(), ACL_COMPLEX64) {}
  Scalar(void* value, aclDataType dtype) : handle_(aclCreateScalar(value, dtype)) {
    EXPECT_NE(handle_, nullptr);
  }
  aclScalar* get() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(aclScalar* scalar) const { aclDestroyScalar(scalar); }
  };
  std::unique_ptr<aclScalar, Destroy> handle_;
};

// A host array of integers.
class IntArray {
 public:
  explicit IntArray(const std::vector<int64_t>& values)
      : handle_(aclCreateIntArray(values.data(), values.size())) {}
  aclIntArray* get() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(aclIntArray* array) const { aclDestroyIntArray(array); }
  };
  std::unique_ptr<aclIntArray, Destroy> handle_;
};

// A host array of truth values.
class BoolArray {
 public:
  BoolArray(std::initializer_list<bool> values)
      : handle_(aclCreateBoolArray(values.begin(), values.size())) {}
  aclBoolArray* get() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(aclBoolArray* array) const { aclDestroyBoolArray(array); }
  };
  std::unique_ptr<aclBoolArray, Destroy> handle_;
};

// What a C function takes for an argument of a test: the handle of one that owns a handle, and
// anything else as it is.
template <class T>
decltype(auto) handle_of(T& argument) {
  if constexpr (requires { argument.tensor(); }) {
    return argument.tensor();
  } else if constexpr (requires { argument.get(); }) {
    return argument.get();
  } else {
    return (argument);
  }
}

// Both functions of an operator, as call() and runs() take them.
#define PHASES(name) name##GetWorkspaceSize, name

// The message of the last failure on this thread, which this call also takes away; "" without one.
inline std::string recent_message() {
  const char* message = aclGetRecentErrMsg();
  return message == nullptr ? "" : message;
}

// A status and the message that came with it.
struct Outcome {
  aclnnStatus status;
  std::string message;
};

// Success of an expectation on an outcome: the status and every piece of text in the message.
inline ::testing::AssertionResult fails_with(aclnnStatus status,
                                             const std::vector<std::string>& pieces,
                                             const Outcome& outcome) {
  if (outcome.status != status) {
    return ::testing::AssertionFailure() << "expected status " << status << ", got "
                                         << outcome.status << ", message: " << outcome.message;
  }
  for (const std::string& piece : pieces) {
    if (outcome.message.find(piece) == std::string::npos) {
      return ::testing::AssertionFailure()
             << "expected \"" << piece << "\" in the message: " << outcome.message;
    }
  }
  return ::testing::AssertionSuccess();
}

// Both phases on the stream, and the wait for the result. A failure's message stays to be read.
template <class PhaseOne, class PhaseTwo, class... Args>
aclnnStatus run_two_phases(aclrtStream stream, const PhaseOne& phase_one, PhaseTwo phase_two,
                           Args&&... arguments) {
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  if (const aclnnStatus status = phase_one(handle_of(arguments)..., &workspace_size, &executor);
      status != 0) {
    return status;
  }
  Buffer workspace(workspace_size);
  if (const aclnnStatus status = phase_two(workspace.data(), workspace_size, executor, stream);
      status != 0) {
    return status;
  }
  return aclrtSynchronizeStream(stream);
}

// Device 0 with a stream; every test starts with the library's defaults and leaves them behind.
class AclTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    ASSERT_EQ(aclrtCreateStream(&stream_), 0);
    recent_message();
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream_), 0);
    EXPECT_EQ(aclgradSetSocName(nullptr), 0);
    EXPECT_EQ(aclgradSetNumThreads(0), 0);
    aclgradSetAcceptDouble(0);
  }

  aclrtStream stream() const { return stream_; }

  // Phase one alone; the executor of a success is destroyed. On failure workspaceSize and executor
  // must stay as they were.
  template <class PhaseOne, class... Args>
  Outcome plan(const PhaseOne& phase_one, Args&&... arguments) {
    recent_message();
    constexpr uint64_t kUntouched = 0x5eed;
    uint64_t workspace_size = kUntouched;
    auto* const marker = reinterpret_cast<aclOpExecutor*>(&workspace_size);
    aclOpExecutor* executor = marker;
    const aclnnStatus status = phase_one(handle_of(arguments)..., &workspace_size, &executor);
    Outcome outcome{status, recent_message()};
    if (status == 0) {
      EXPECT_NE(executor, marker);
      EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
    } else {
      EXPECT_EQ(workspace_size, kUntouched);
      EXPECT_EQ(executor, marker);
    }
    return outcome;
  }

  // Both phases and the wait for the result.
  template <class PhaseOne, class PhaseTwo, class... Args>
  aclnnStatus call(const PhaseOne& phase_one, PhaseTwo phase_two, Args&&... arguments) {
    return run_two_phases(stream_, phase_one, phase_two, arguments...);
  }
  // That call() succeeds; else its status and message.
  template <class PhaseOne, class PhaseTwo, class... Args>
  ::testing::AssertionResult runs(const PhaseOne& phase_one, PhaseTwo phase_two,
                                  Args&&... arguments) {
    const aclnnStatus status = call(phase_one, phase_two, arguments...);
    if (status == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "status " << status << ": " << recent_message();
  }

 private:
  aclrtStream stream_ = nullptr;
};

}  // namespace aclgrad::testing
