// SPDX-License-Identifier: Apache-2.0
// One passage through a scenario: calls that may meet the fault, and what has to be undone whatever
// happened.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "tests/faults/injection.h"

namespace aclgrad::faults {

class Run {
 public:
  // Calls until one fails; those after it are not made. True when the call was made and succeeded.
  template <class Function>
  bool call(const char* what, Function&& function) {
    if (failed_) return false;
    return !note(what, in_library(function));
  }

  // A call that returns an object, null when memory is exhausted.
  template <class Function>
  auto make(const char* what, Function&& function) -> decltype(function()) {
    if (failed_) return nullptr;
    const auto made = in_library(function);
    if (made == nullptr) note(what, ACL_ERROR_BAD_ALLOC);
    return made;
  }

  // To be done at the end, latest first. It must succeed, at the second try where the first one met
  // the fault.
  void later(const char* what, std::function<aclError()> undo);

  // What a passage without a fault brings forth; compared between passages.
  void result(const void* bytes, size_t count);

  // Undoes, and checks that every status was one that may answer an exhausted memory.
  void finish();

  bool failed() const { return failed_; }
  const std::vector<unsigned char>& results() const { return results_; }
  // What went against the rules, in words; empty when all is well.
  const std::string& complaint() const { return complaint_; }

 private:
  // Returns whether the status is a failure.
  bool note(const char* what, aclError status);
  void complain(const std::string& text);

  struct Undo {
    const char* what;
    std::function<aclError()> function;
  };
  std::vector<Undo> undos_;
  std::vector<unsigned char> results_;
  bool failed_ = false;
  std::string complaint_;
};

}  // namespace aclgrad::faults
