// SPDX-License-Identifier: Apache-2.0
// Another program: one that answers lines with lines (see train/serve.cpp), or just writes some.
#ifndef ACLGRAD_BENCH_PROCESS_H_
#define ACLGRAD_BENCH_PROCESS_H_

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

namespace aclgrad::bench {

class Process {
 public:
  // Starts `arguments` (the program first) with some more variables in its environment, each as
  // "NAME=value". Throws std::runtime_error when that fails.
  Process(const std::vector<std::string>& arguments, const std::vector<std::string>& variables);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // ends it

  // The answer to a line. Throws std::runtime_error, naming the program, when it has died.
  std::string ask(const std::string& line);

  // Tells it that there is nothing more to come, and returns what it writes until its end. To be
  // called once, and nothing after it. Throws std::runtime_error unless it succeeds.
  std::string finish();

 private:
  std::string name_;
  pid_t process_ = -1;
  FILE* to_ = nullptr;
  FILE* from_ = nullptr;
};

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_PROCESS_H_
