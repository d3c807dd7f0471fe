// SPDX-License-Identifier: Apache-2.0
// Move-only owners of the objects of the C interface. Each destroys what it holds exactly once;
// destructors ignore the status and its message, since a destructor cannot report them: what lies
// on a device may be gone with a reset of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "acl/acl_rt.h"
#include "aclgrad/dtype.h"
#include "aclgrad/shape.h"
#include "aclnn/acl_meta.h"

namespace aclgrad {

/// Device memory from aclrtMalloc, uninitialised. At least one byte is allocated, so that the
/// address of an empty tensor is an address too. aclrtResetDevice and aclFinalize free it: what
/// they leave is a dead buffer, which is not freed again, even if the address belongs to a later
/// allocation by then.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;

  /// Throws StatusError, which begins with `purpose`.
  explicit DeviceBuffer(std::size_t bytes, std::string_view purpose = {});

  void* data() const noexcept { return memory_.get(); }
  std::size_t bytes() const noexcept { return bytes_; }

  /// The device whose memory it is; -1 for an empty buffer.
  int device() const noexcept { return data() == nullptr ? -1 : device_; }

  /// Whether the memory is still the buffer's; an empty buffer has none to lose. A runtime that
  /// does not number its allocations (aclgradAllocationId) is asked whether there is any device
  /// memory at the address.
  bool is_alive() const noexcept;

  /// Copies the first `count` bytes from or to host memory; complete on return. The caller sees to
  /// it that no stream is using the buffer. Throws ValueError when it is dead, StatusError.
  void upload(const void* host, std::size_t count);
  void download(void* host, std::size_t count) const;

 private:
  struct Free {
    std::uint64_t allocation;  // its number, 0 where there are none
    void operator()(void* memory) const noexcept;
  };
  void check_alive() const;

  std::unique_ptr<void, Free> memory_;
  std::size_t bytes_ = 0;
  int device_ = -1;
};

/// An in-order queue of work.
class Stream {
 public:
  /// Creates a stream on the current device. Throws StatusError.
  Stream();

  aclrtStream get() const noexcept { return stream_.get(); }

  /// Waits for everything queued; throws StatusError when a task failed.
  void synchronize() const;

 private:
  struct Destroy {
    void operator()(void* stream) const noexcept;
  };
  std::unique_ptr<void, Destroy> stream_;
};

/// A point in the work of a stream, for other streams to wait for.
class Event {
 public:
  Event() = default;

  /// `flag` as for aclrtCreateEventExWithFlag. Throws StatusError.
  explicit Event(std::uint32_t flag);

  /// Empty when default constructed.
  aclrtEvent get() const noexcept { return event_.get(); }

 private:
  struct Destroy {
    void operator()(void* event) const noexcept;
  };
  std::unique_ptr<void, Destroy> event_;
};

/// The format of a tensor of this rank: NCL, NCHW and NCDHW for ranks 3 to 5, as operators on
/// images require, ND for others. Other operators do not care.
inline aclFormat format_of_rank(std::size_t rank) {
  switch (rank) {
    case 3:
      return ACL_FORMAT_NCL;
    case 4:
      return ACL_FORMAT_NCHW;
    case 5:
      return ACL_FORMAT_NCDHW;
    default:
      return ACL_FORMAT_ND;
  }
}

/// Description of a non-owning view of device memory, in the format of its rank.
class TensorHandle {
 public:
  TensorHandle() = default;

  /// Strides and offset in elements. `storage` is the shape of the memory at `data`. Throws
  /// StatusError.
  TensorHandle(const Shape& shape, DType dtype, std::span<const std::int64_t> strides,
               std::int64_t offset, const Shape& storage, void* data);

  aclTensor* get() const noexcept { return tensor_.get(); }

 private:
  struct Destroy {
    void operator()(aclTensor* tensor) const noexcept { aclDestroyTensor(tensor); }
  };
  std::unique_ptr<aclTensor, Destroy> tensor_;
};

/// A number given to an operator: ACL_DOUBLE beside float64 tensors, ACL_FLOAT beside the other
/// floating types, ACL_INT64 beside integers and bool when the value is whole.
class ScalarHandle {
 public:
  ScalarHandle(double value, DType beside);

  const aclScalar* get() const noexcept { return scalar_.get(); }

 private:
  struct Destroy {
    void operator()(aclScalar* scalar) const noexcept { aclDestroyScalar(scalar); }
  };
  std::unique_ptr<aclScalar, Destroy> scalar_;
};

/// An aclIntArray, destroyed with the handle.
class IntArrayHandle {
 public:
  explicit IntArrayHandle(std::span<const std::int64_t> values);

  const aclIntArray* get() const noexcept { return array_.get(); }

 private:
  struct Destroy {
    void operator()(aclIntArray* array) const noexcept { aclDestroyIntArray(array); }
  };
  std::unique_ptr<aclIntArray, Destroy> array_;
};

/// An aclBoolArray, destroyed with the handle.
class BoolArrayHandle {
 public:
  explicit BoolArrayHandle(std::span<const bool> values);

  const aclBoolArray* get() const noexcept { return array_.get(); }

 private:
  struct Destroy {
    void operator()(aclBoolArray* array) const noexcept { aclDestroyBoolArray(array); }
  };
  std::unique_ptr<aclBoolArray, Destroy> array_;
};

/// A non-owning list of tensors. A library without aclgradReleaseTensorList can
/// destroy a list only together with its tensors: there, the list stays when its owner goes.
class TensorListHandle {
 public:
  explicit TensorListHandle(std::span<aclTensor* const> tensors);

  aclTensorList* get() const noexcept { return list_.get(); }

 private:
  struct Release {
    void operator()(aclTensorList* list) const noexcept;
  };
  std::unique_ptr<aclTensorList, Release> list_;
};

/// What phase one of an operator returned. Destroyed unless phase two has consumed it.
class Executor {
 public:
  Executor() = default;
  explicit Executor(aclOpExecutor* executor) : executor_(executor) {}

  aclOpExecutor* get() const noexcept { return executor_.get(); }

  /// Lets phase two run any number of times. Returns the status of the C call.
  int make_repeatable() noexcept { return aclSetAclOpExecutorRepeatable(executor_.get()); }

  /// Gives the executor up: for phase two of a single-use executor, which consumes it.
  aclOpExecutor* release() noexcept { return executor_.release(); }

 private:
  struct Destroy {
    void operator()(aclOpExecutor* executor) const noexcept { aclDestroyAclOpExecutor(executor); }
  };
  std::unique_ptr<aclOpExecutor, Destroy> executor_;
};

/// What a stream recorded between the begin and the end of its capture. Empty when default
/// constructed. Destroyed when no run of it is under way.
class RecordedModel {
 public:
  RecordedModel() = default;
  explicit RecordedModel(aclmdlRI model) : model_(model) {}

  aclmdlRI get() const noexcept { return model_.get(); }

 private:
  struct Destroy {
    void operator()(void* model) const noexcept;
  };
  std::unique_ptr<void, Destroy> model_;
};

}  // namespace aclgrad
