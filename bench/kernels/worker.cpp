// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/worker.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <sstream>
#include <stdexcept>

#include "bench/kernels/memory.h"
#include "bench/peers/peers.h"
#include "bench/stolen.h"

namespace aclgrad::bench {

Worker::Worker(const std::vector<std::string>& arguments, const std::string& variable) {
  int there[2];
  int back[2];
  if (pipe2(there, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe for the second process");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, there[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, back[1], STDOUT_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(const_cast<char*>(variable.c_str()));
  environment.push_back(nullptr);
  const int error =
      posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(there[0]);
  close(back[1]);
  to_ = fdopen(there[1], "w");
  from_ = fdopen(back[0], "r");
  if (error != 0) throw std::runtime_error("the second process did not start");
}

Worker::~Worker() {
  std::fclose(to_);  // which ends it
  std::fclose(from_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

std::string Worker::ask(const std::string& line) {
  char answer[64];
  if (std::fprintf(to_, "%s\n", line.c_str()) < 0 || std::fflush(to_) != 0 ||
      std::fgets(answer, sizeof answer, from_) == nullptr) {
    throw std::runtime_error("the second process does not answer");
  }
  std::string text = answer;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string Worker::name() { return ask("name"); }
bool Worker::prepare(size_t cell) { return ask("cell " + std::to_string(cell)) == "ready"; }
double Worker::run(int64_t iterations) {
  return std::stod(ask("run " + std::to_string(iterations)));
}

void serve(const std::vector<Cell>& cells) {
  const std::unique_ptr<Contender> contender = torch();
  Memory memory;
  Call call;
  int threads = 1;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb;
    int64_t number = 0;
    words >> verb >> number;
    if (verb == "name") {
      std::cout << contender->name() << std::endl;
    } else if (verb == "cell") {
      const Cell& cell = cells.at(static_cast<size_t>(number));
      threads = cell.threads;
      contender->set_threads(threads);
      call = contender->prepare(memory.problem(cell));
      std::cout << (call ? "ready" : "none") << std::endl;
    } else {
      // Google Benchmark, in the other process, says how often and takes the statistics; only the
      // clock has to be read where the work is done.
      std::cout << std::scientific << seconds_of_calls(call, number, threads) << std::endl;
    }
  }
}

}  // namespace aclgrad::bench
