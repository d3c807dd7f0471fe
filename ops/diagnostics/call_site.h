// SPDX-License-Identifier: Apache-2.0
// Where in the program something was done: the stack of the call, kept as addresses and turned into
// names only when it is to be read.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace aclgrad::diagnostics {

class CallSite {
 public:
  // The stack of the calling thread.
  static CallSite here();

  // The function of the C interface that the program called ("aclrtMalloc").
  std::string function() const;

  // One line for each of the program's own innermost frames, each after `indent`:
  // "at main (program+0x1234)\n".
  std::string frames(const std::string& indent) const;

  // Whether two calls came the same way.
  bool operator==(const CallSite& other) const = default;

  // The name of the call that the thread is in, for functions that leave no trace in the stack
  // because they end by jumping into another one. Returns the one before.
  static const char* set_call(const char* name);

 private:
  static constexpr int kDepth = 24;
  std::array<void*, kDepth> stack_{};  // innermost first, null behind the last
  const char* call_ = nullptr;
};

}  // namespace aclgrad::diagnostics
