// SPDX-License-Identifier: Apache-2.0
// How others check gradients, as their users do: one random point, contiguous tensors, the settings
// that come with it. PyTorch's own is called from torch_gradcheck.py.
#pragma once

#include <string>
#include <vector>

#include "bench/checkers/callee.h"

namespace aclgrad::bench {

struct Checker {
  std::string name;
  std::string settings;
  bool (*blames)(const mutants::Mutant& mutant);  // a backward that fails is blamed, too
};

const std::vector<Checker>& checkers();

/// Where a mistake shows.
enum class Class {
  plain,     // at random inputs: off by more than a hundredth of the gradient's largest element
  upstream,  // the same, but for an upstream gradient of ones
  slight,    // at random inputs: off by less
  special,   // at some inputs only: tails, thresholds
  corner,    // where the slope jumps
  nan,
  saved,      // with saved tensors that the forward would not give
  rounding,   // in 16-bit dtypes
  layout,     // in strided tensors, in the memory around them, writing over an input
  shape,      // in long, empty, scalar tensors
  repeating,  // in another run, after other contents of memory, on more threads
  masks,      // where some gradients are not wanted
};
inline constexpr std::size_t kClasses = 12;
const char* to_string(Class kind);

/// From gradcheck's first finding, and how far a mutant is off at random inputs.
Class class_of(const mutants::Mutant& mutant, const gradcheck::Finding& finding);

}  // namespace aclgrad::bench
