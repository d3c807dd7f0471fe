// SPDX-License-Identifier: Apache-2.0
// Where the values of a program live: one arena for all that it makes, reads or is fed, and the
// variables' own memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "aclgrad/runtime/handles.h"
#include "session/program.h"

namespace aclgrad::detail {

class Memory {
 public:
  /// Allocates the arena and uploads the constants. The program must outlive the object. Throws
  /// StatusError, naming the largest value, when there is not enough memory.
  explicit Memory(const Program& program);

  /// The value as operators see it. The object is the same for every use of the value.
  aclTensor* tensor(ValueId value);

  /// The objects that tensor() has made, by value; null where none was asked for.
  const std::vector<TensorHandle>& tensors() const { return tensors_; }

  /// Overwrites the storage of an input.
  void upload(ValueId input, const Tensor& tensor);

  /// A dense host copy of a value, through its strides.
  Tensor download(ValueId value) const;
  std::vector<Tensor> download(std::span<const ValueId> values) const;

  /// Base address of the storage that a value describes, and the address of its first element.
  std::byte* address(ValueId value) const;
  std::byte* first_element(ValueId value) const;

  /// Fills a block's memory with bytes that are NaN in every floating type.
  void poison(const ArenaBlock& block);

  bool is_alive() const noexcept { return arena_.is_alive(); }

 private:
  const Program& program_;
  DeviceBuffer arena_;
  std::vector<TensorHandle> tensors_;  // by value
};

/// Fills bytes of a buffer as Memory::poison() does.
void poison(const DeviceBuffer& buffer, std::size_t offset, std::size_t bytes);

}  // namespace aclgrad::detail
