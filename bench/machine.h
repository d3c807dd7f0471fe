// SPDX-License-Identifier: Apache-2.0
// What reports say of the machine that they were measured on.
#ifndef ACLGRAD_BENCH_MACHINE_H_
#define ACLGRAD_BENCH_MACHINE_H_

#include <fstream>
#include <string>

namespace aclgrad::bench {

inline std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "an unknown processor";
}

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_MACHINE_H_
