// SPDX-License-Identifier: Apache-2.0
// Who runs a benchmark: our operators, the other libraries, and the memory itself. All of them get
// the same tensors in the same memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "acl/acl_base.h"

namespace aclgrad::bench {

struct View {
  void* data = nullptr;
  aclDataType dtype = ACL_FLOAT;
  std::vector<int64_t> shape = {};
  std::vector<int64_t> strides = {};  // in elements
  bool unread = false;                // an input of which only the shape matters, or its memory

  int64_t count() const {
    int64_t product = 1;
    for (const int64_t size : shape) product *= size;
    return product;
  }
  int64_t bytes() const { return count() * static_cast<int64_t>(aclDataTypeSize(dtype)); }
};

// What is to be computed. An output that is written in place has the memory of an input.
struct Problem {
  std::string operation;  // a name of the table in kernels/operation.cpp
  std::string row;        // its row of the case table
  std::vector<View> inputs;
  std::vector<View> outputs;
  bool contiguous = true;
  bool streams = true;  // whether it passes over all its tensors once, from end to end
};

using Call = std::function<void()>;

class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  virtual void set_threads(int count) = 0;
  // The computation, ready to be repeated while the problem's memory lives; empty when this
  // contender does not have it for these dtypes.
  virtual Call prepare(const Problem& problem) = 0;
};

}  // namespace aclgrad::bench
