// SPDX-License-Identifier: Apache-2.0
// What the handles of a program stand for: the interface has no functions that tell all of it, so
// it is noted when they are made.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "aclnn/acl_meta.h"
#include "ops/record/text.h"

namespace aclgrad::record {

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements
  int64_t offset = 0;            // likewise
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  std::vector<int64_t> storage;
  void* address = nullptr;

  // The bytes from its first element to its last, as they lie in memory; false for none, and for
  // what no memory holds.
  bool extent(uintptr_t& begin, uint64_t& size) const;
};
struct Scalar {
  aclDataType dtype = ACL_DT_UNDEFINED;
  uint8_t size = 0;
  std::array<unsigned char, 16> bytes = {};
};
struct List {
  std::vector<const void*> members;
};
using IntArray = std::vector<int64_t>;
using FloatArray = std::vector<float>;
using BoolArray = std::vector<bool>;
using Object = std::variant<Tensor, Scalar, List, IntArray, FloatArray, BoolArray>;

void object_made(const void* handle, Object object);
void object_gone(const void* handle);  // a list's members go with it
// Calls `change` with the tensor of a handle, if there is one.
void change_tensor(const void* handle, const std::function<void(Tensor&)>& change);
// The member of a list; null where there is none.
const void* member_of(const void* list, size_t index);

// What a phase one has planned.
struct PlannedTensor {
  std::string name;  // "self", "tensors[2]"
  const void* handle = nullptr;
  Tensor tensor;
};
struct Planned {
  uint64_t number = 0;  // of its line
  std::vector<PlannedTensor> tensors;
};
void executor_made(const void* executor, Planned planned);
void executor_gone(const void* executor);
void move_tensor(const void* executor, const void* tensor, void* address);
// A copy, as the program may go on meanwhile; none for an executor that nobody has seen.
std::shared_ptr<const Planned> planned_of(const void* executor);

// Appends what an argument stands for to a line, and its tensors to a list, as `name` or members of
// it.
void describe(Text& text, const void* handle, const std::string& name,
              std::vector<PlannedTensor>& tensors);

}  // namespace aclgrad::record
