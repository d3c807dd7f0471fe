// SPDX-License-Identifier: Apache-2.0
// A call while it runs, and what is done with functions by their names.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ops/record/objects.h"
#include "ops/record/pass.h"
#include "ops/record/recordings.h"
#include "ops/record/text.h"

namespace aclgrad::record {

// What one function needs beyond its line; each may be null.
struct Handler {
  const char* name;
  void (*before)(State&);
  void (*after)(State&);  // with its status; before the line is written
};

// By the function's name; null for one that is written down and nothing else.
const Handler* handler_of(std::string_view name);

class State {
 public:
  State(Function& the_function, const Argument* its_arguments, bool phase_two)
      : function(the_function), arguments(its_arguments), is_phase_two(phase_two) {}

  template <class T>
  T pointer(size_t i) const {
    return reinterpret_cast<T>(const_cast<void*>(arguments[i].address));
  }
  uint64_t number(size_t i) const { return static_cast<uint64_t>(arguments[i].whole); }
  aclrtStream stream(size_t i) const { return pointer<aclrtStream>(i); }

  // Whether the bytes of this call are kept, by what the settings say; counts it.
  bool keeps_bytes();
  // Adds bytes of the device to "before" or "after".
  void add(Text& bytes, std::string_view name, uintptr_t begin, uint64_t size);
  void add_tensors(Text& bytes, const std::vector<PlannedTensor>& tensors);

  Function& function;
  const Argument* arguments;
  bool is_phase_two;
  bool keeps = false;
  std::shared_ptr<const Planned> planned;  // of a phase two
  Capture capture;                         // that of the stream, of what may be captured
  std::vector<PlannedTensor> captured;     // what it touches then, where `planned` does not say
  std::shared_ptr<const std::vector<PlannedTensor>> run;  // of a run of a recording
  std::chrono::steady_clock::time_point began, ended;
  Text before, after;  // members of these objects
  int64_t status = 0;
  const void* result = nullptr;  // of a function that makes something
  bool makes = false;
};

}  // namespace aclgrad::record
