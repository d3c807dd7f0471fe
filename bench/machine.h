// SPDX-License-Identifier: Apache-2.0
// What reports say of the machine that they were measured on.
#ifndef ACLGRAD_BENCH_MACHINE_H_
#define ACLGRAD_BENCH_MACHINE_H_

#include <fstream>
#include <string>

namespace aclgrad::bench {

// Its name, and the longest vectors that it computes with, where that is known.
inline std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string name = "an unknown processor";
  std::string vectors;
  for (std::string line; std::getline(file, line) && vectors.empty();) {
    if (line.starts_with("model name")) name = line.substr(line.find(':') + 2);
    if (!line.starts_with("flags")) continue;
    const auto has = [&](const char* flag) { return line.find(flag) != std::string::npos; };
    vectors = has(" avx512f") ? ", AVX-512" : has(" avx2") ? ", AVX2" : ", SSE";
  }
  return name + vectors;
}

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_MACHINE_H_
