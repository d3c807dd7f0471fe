// SPDX-License-Identifier: Apache-2.0
// What faulty_provider.cpp may do wrong in the operators that it defines.
#pragma once

namespace aclgrad::replay_test {

enum class Fault {
  kNone,
  kLastElement,  // by a thousandth
  kFirstElement,
  kSign,
  kZeroTail,  // as of a loop without its remainder
  kSwapped,
  kUnwritten,
  kLowPrecision,  // computed in 16 bits
  kNan,
  kWritesInput,
  kRefuses,       // phase one, what is right
  kFailsLater,    // phase two, what is right
  kOneUnit,       // of the last place more: right, where the contract has a bound for sums
  kWritesBeyond,  // the end of its output; the call itself is right
  kCount
};

// The library's function that says which, of this type.
using SetFault = void (*)(int fault);
inline constexpr char kSetFault[] = "replay_test_set_fault";

}  // namespace aclgrad::replay_test
