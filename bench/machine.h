// SPDX-License-Identifier: Apache-2.0
// What reports say of the machine that they were measured on.
#ifndef ACLGRAD_BENCH_MACHINE_H_
#define ACLGRAD_BENCH_MACHINE_H_

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

namespace aclgrad::bench {

// What /proc/cpuinfo says of the first processor; empty where it does not.
inline std::string cpu_info(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return line.substr(line.find(':') + 2) + ' ';
  }
  return {};
}

// By the names of /proc/cpuinfo: "amx_bf16".
inline bool has_instructions(const std::string& set) {
  return cpu_info("flags").find(set + ' ') != std::string::npos;
}

// Its name, the longest vectors that it computes with, and what it multiplies bfloat16 by.
inline std::string processor() {
  std::string name = cpu_info("model name");
  name.empty() ? name = "an unknown processor" : name.erase(name.size() - 1);
  if (cpu_info("flags").empty()) return name;
  name += has_instructions("avx512f") ? ", AVX-512" : has_instructions("avx2") ? ", AVX2" : ", SSE";
  for (const auto& [set, called] :
       {std::pair("avx512_bf16", ", AVX512_BF16"), {"amx_bf16", ", AMX"}}) {
    if (has_instructions(set)) name += called;
  }
  return name;
}

// How many programs wanted a core on average of the last minute.
inline double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_MACHINE_H_
