// SPDX-License-Identifier: Apache-2.0
// A call of a function that is known by its prototype only.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "gradcheck/tool/header/prototype.h"

namespace aclgrad::gradcheck {

/// An argument: a whole number, a floating one, or an address.
using CArgument = std::variant<std::int64_t, double, void*>;

/// A function of a shared library. Whole numbers and addresses on one hand, floating numbers on the
/// other are passed in the order of each, as the calling conventions of x86-64 and AArch64 (Linux)
/// have it: registers first, then the stack, where the first 8 floating numbers take no place.
class ForeignFunction {
 public:
  static constexpr int kMostWhole = 24;  // with the addresses
  static constexpr int kMostFloating = 8;

  /// Throws IoError where the library has no such function, ValueError for more parameters than
  /// these.
  ForeignFunction(void* library, const std::string& path, Prototype prototype);

  const Prototype& prototype() const { return prototype_; }

  /// An argument for each parameter. What it returns; 0 for nothing.
  double operator()(const std::vector<CArgument>& arguments) const;

 private:
  Prototype prototype_;
  void* address_;
};

/// dlopen(). The library stays loaded. Throws IoError.
void* open_library(const std::string& path);

}  // namespace aclgrad::gradcheck
