// SPDX-License-Identifier: Apache-2.0
#include "bench/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace aclgrad::bench {
namespace {

// The environment of this process with some variables set or replaced.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& variable : variables) replaced |= variable.starts_with(name);
    if (!replaced) all.push_back(text);
  }
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& variables)
    : name_(arguments.front()) {
  std::signal(SIGPIPE, SIG_IGN);  // a process that died is found out by ask()
  int there[2];
  int back[2];
  if (pipe2(there, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe for " + name_);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, there[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, back[1], STDOUT_FILENO);
  const std::vector<std::string> environment = environment_with(variables);
  const int error = posix_spawn(&process_, arguments.front().c_str(), &actions, nullptr,
                                pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(there[0]);
  close(back[1]);
  to_ = fdopen(there[1], "w");
  from_ = fdopen(back[0], "r");
  if (error != 0) {
    process_ = -1;
    std::fclose(to_);
    std::fclose(from_);
    throw std::runtime_error(name_ + " does not start");
  }
}

Process::~Process() {
  if (to_ != nullptr) std::fclose(to_);
  std::fclose(from_);
  if (process_ != -1) waitpid(process_, nullptr, 0);
}

std::string Process::ask(const std::string& line) {
  char answer[512];
  if (std::fprintf(to_, "%s\n", line.c_str()) < 0 || std::fflush(to_) != 0 ||
      std::fgets(answer, sizeof answer, from_) == nullptr) {
    throw std::runtime_error(name_ + " died when asked: " + line);
  }
  std::string text = answer;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string Process::finish() {
  std::fclose(to_);
  to_ = nullptr;
  std::string text;
  char some[512];
  while (std::fgets(some, sizeof some, from_) != nullptr) text += some;
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  if (status != 0) throw std::runtime_error(name_ + " failed: " + text);
  return text;
}

}  // namespace aclgrad::bench
