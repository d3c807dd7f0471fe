// SPDX-License-Identifier: Apache-2.0
// aclgrad-gradcheck --header: a pair of functions of a shared library, by their prototypes alone.
#ifndef ACLGRAD_AUTOGRAD_TOOL_HEADER_CHECK_HEADER_H_
#define ACLGRAD_AUTOGRAD_TOOL_HEADER_CHECK_HEADER_H_

#include <string>

#include "aclgrad/gradcheck_functions.h"
#include "tool/header/reading.h"

namespace aclgrad::gradcheck {

struct HeaderPlan {
  std::string header;   // its text
  std::string library;  // a path
  std::string forward;
  std::string backward;
  Corrections corrections;
  double seconds = 60;  // that a call may take
  Options options = {};
};

/// Reads both prototypes, prints how the parameters are read, checks that the one is the derivative
/// of the other, prints the report, and returns its exit status. The library is opened and called
/// in other processes only: a crash, a call that takes too long and memory that is touched beyond
/// an array are findings.
///
/// Throws ValueError for what cannot be read, with the way to say it; IoError for the library.
int check_header(const HeaderPlan& plan);

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_HEADER_CHECK_HEADER_H_
