// SPDX-License-Identifier: Apache-2.0
// Results whose shape depends on data: the task that finds it gives it to the tensor object that
// phase one was given, if that still lives. What both share is where the object lies.
#pragma once

#include <memory>
#include <mutex>

struct aclTensor;

namespace aclgrad::ops {

class Dims;

struct TensorPlace {
  std::mutex mutex;
  aclTensor* tensor = nullptr;  // null once it is destroyed
};

// The tensor's own end. A copy of a tensor is another object, of which no task knows.
class TensorLink {
 public:
  TensorLink() = default;
  TensorLink(const TensorLink&) noexcept {}
  TensorLink& operator=(const TensorLink&) noexcept { return *this; }
  ~TensorLink();

  // Throws std::bad_alloc.
  std::shared_ptr<TensorPlace> place_of(aclTensor& tensor);

 private:
  std::once_flag once_;  // threads may plan with one result at the same time
  std::shared_ptr<TensorPlace> place_;
};

// The task's end.
class ResultShape {
 public:
  explicit ResultShape(const aclTensor& result);

  // The tensor's view has this shape from now on, and of a contiguous one the strides follow: what
  // reads it waits for the stream. Nothing where the object was destroyed meanwhile.
  void set(const Dims& shape) const;

 private:
  std::shared_ptr<TensorPlace> place_;
};

}  // namespace aclgrad::ops
