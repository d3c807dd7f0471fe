// SPDX-License-Identifier: Apache-2.0
// What the programs that measure have in common.
#pragma once

#include <exception>
#include <iostream>

namespace aclgrad::bench {

// main(): what run(argc, argv) returns; 1 where it throws, with a line that says why.
template <class Run>
int run_program(const Run& run, int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

}  // namespace aclgrad::bench
