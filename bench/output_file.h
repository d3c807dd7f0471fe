// SPDX-License-Identifier: Apache-2.0
// Options that name a file to be written after minutes of measuring.
#ifndef ACLGRAD_BENCH_OUTPUT_FILE_H_
#define ACLGRAD_BENCH_OUTPUT_FILE_H_

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace aclgrad::bench {

// A check for CLI11: that the file's folder is there is better found out before.
inline CLI::Validator in_existing_folder() {
  return CLI::Validator(
      [](const std::string& file) {
        const std::filesystem::path folder = std::filesystem::path(file).parent_path();
        if (folder.empty() || std::filesystem::is_directory(folder)) return std::string();
        return "there is no folder " + folder.string();
      },
      "FILE");
}

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_OUTPUT_FILE_H_
