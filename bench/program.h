// SPDX-License-Identifier: Apache-2.0
// What the programs that measure and report have in common.
#ifndef ACLGRAD_BENCH_PROGRAM_H_
#define ACLGRAD_BENCH_PROGRAM_H_

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

namespace aclgrad::bench {

// A check for options that name a file to be written after minutes of measuring: that its folder
// is missing is better found out before.
inline CLI::Validator in_existing_folder() {
  return CLI::Validator(
      [](const std::string& file) {
        const std::filesystem::path folder = std::filesystem::path(file).parent_path();
        if (folder.empty() || std::filesystem::is_directory(folder)) return std::string();
        return "there is no folder " + folder.string();
      },
      "FILE");
}

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

#endif  // ACLGRAD_BENCH_PROGRAM_H_
