// SPDX-License-Identifier: Apache-2.0
// A contender in another process: libtorch chooses its kernels once per process, so the setting
// that is not ours needs one of its own. The other process is this program with --worker; it has
// the same list of cells, waits while we measure, and measures while we wait.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bench/kernels/operation.h"

namespace aclgrad::bench {

class Worker {
 public:
  // Starts `arguments` (the program first) with one more variable in its environment. Throws
  // std::runtime_error when that fails.
  Worker(const std::vector<std::string>& arguments, const std::string& variable);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  std::string name();
  bool prepare(size_t cell);       // false when it does not have it
  double run(int64_t iterations);  // seconds, of the cell prepared last

 private:
  std::string ask(const std::string& line);

  pid_t process_ = -1;
  FILE* to_ = nullptr;
  FILE* from_ = nullptr;
};

// The other side: answers on standard output until standard input ends.
void serve(const std::vector<Cell>& cells);

}  // namespace aclgrad::bench
