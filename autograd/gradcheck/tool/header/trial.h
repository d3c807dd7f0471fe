// SPDX-License-Identifier: Apache-2.0
// What only a call can show of a foreign function: how far it gets in its arrays, and which of them
// it writes to. Each call is in a process of its own, each array up against a page that may not be
// touched.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "gradcheck/tool/header/foreign_call.h"
#include "gradcheck/tool/header/numbers.h"

namespace aclgrad::gradcheck {

/// A function crashed, went on and on, or would not stop at any size of its arrays.
struct FunctionFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// By parameters.
struct Reach {
  Numbers numbers;                    // with these
  std::vector<std::size_t> elements;  // 0 for numbers
  std::vector<bool> by_values;        // how far it gets depends on what arrays hold
  std::vector<bool> is_written;
  std::vector<bool> is_read;  // of one that is written to: what was in it matters
};

/// Throws FunctionFailed that says what stopped it, IoError where there is no memory or process.
Reach reach_of(const ForeignFunction& function, const Numbers& numbers,
               const Description& description, double seconds);

}  // namespace aclgrad::gradcheck
