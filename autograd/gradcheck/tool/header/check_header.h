// SPDX-License-Identifier: Apache-2.0
// aclgrad-gradcheck --header: a pair of functions of a shared library, by their prototypes and by
// what is said beside them.
#pragma once

#include <string>

#include "aclgrad/gradcheck/operator.h"
#include "gradcheck/tool/header/description.h"

namespace aclgrad::gradcheck {

struct HeaderPlan {
  std::string header;   // its text
  std::string library;  // a path
  std::string forward;
  std::string backward;
  Description description;
  double seconds = 60;  // that a call may take
  Options options = {};
};

/// Reads both prototypes, prints what the parameters are, checks with several settings of the
/// numbers that the one is the derivative of the other, prints the report, and returns its exit
/// status. A verdict stands on what is known alone: where it would depend on more, it is undecided,
/// and the report has the lines that decide it. The library is opened and called in other processes
/// only: a crash, a call that takes too long and memory that is touched beyond an array are
/// findings.
///
/// Throws ValueError for what cannot be read, with the way to say it; IoError for the library.
int check_header(const HeaderPlan& plan);

}  // namespace aclgrad::gradcheck
