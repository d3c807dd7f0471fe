// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/network.h"

#include <dlfcn.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

#include "ops/hccl/call.h"
#include "ops/hccl/mpi/module.h"
#include "ops/hccl/rendezvous.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::hccl {
namespace {

struct Search {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_under_way = false;
  Network* network = nullptr;
  std::string failure;
};

Search& search() {
  static auto& instance = *new Search;
  return instance;
}

// Whether the program has started MPI itself.
bool is_initialized_by_program() {
  using Initialized = int(int*);
  auto* const initialized = reinterpret_cast<Initialized*>(dlsym(RTLD_DEFAULT, "MPI_Initialized"));
  int flag = 0;
  return initialized != nullptr && initialized(&flag) == 0 && flag != 0;
}

bool is_started_by_launcher() {
  const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
  return size != nullptr && std::atoi(size) > 1;
}

// The module lies beside this library; a program that is linked statically finds it as it finds
// other libraries.
std::string module_path() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&module_path), &here) == 0) return kMpiModule;
  const std::string_view file = here.dli_fname;
  const size_t folder = file.rfind('/');
  if (file.find("libhccl") == std::string_view::npos || folder == std::string_view::npos) {
    return kMpiModule;
  }
  return std::string(file.substr(0, folder + 1)) + kMpiModule;
}

// Loads the module and starts MPI, which waits for all processes.
void run_search() {
  std::string failure;
  Network* found = nullptr;
  void* const module = dlopen(module_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const open = module == nullptr ? nullptr : dlsym(module, kOpenMpi);
  if (open != nullptr) {
    found = reinterpret_cast<OpenMpi*>(open)(failure);
  } else {
    const char* const reason = dlerror();
    failure = fmt::format("the part of libhccl that uses MPI cannot be loaded: {}",
                          reason == nullptr ? kMpiModule : reason);
  }
  const std::lock_guard lock(search().mutex);
  search().network = found;
  search().failure = failure;
  search().changed.notify_all();
}

}  // namespace

void start_network(std::chrono::milliseconds timeout) {
  std::unique_lock lock(search().mutex);
  const auto is_over = [] { return search().network != nullptr || !search().failure.empty(); };
  if (is_over()) return;
  if (!search().is_under_way) {
    // Looked for again next time: the program may start MPI later.
    if (!is_initialized_by_program() && !is_started_by_launcher()) return;
    if (is_initialized_by_program()) {
      // It may insist on its own thread.
      search().is_under_way = true;
      lock.unlock();
      run_search();
      return;
    }
    const SignalsBlocked blocked;
    std::thread(run_search).detach();
    search().is_under_way = true;  // not where no thread could be started
  }
  if (!search().changed.wait_for(lock, timeout, is_over)) {
    throw Failure(HCCL_E_TIMEOUT,
                  fmt::format("MPI did not start within {}: not all processes of the launcher have "
                              "begun to make a communicator",
                              to_text(timeout)));
  }
}

Network* network() {
  const std::lock_guard lock(search().mutex);
  return search().network;
}

std::string network_failure() {
  const std::lock_guard lock(search().mutex);
  return search().failure;
}

int process_number() {
  if (is_initialized_by_program()) {
    start_network({});
    if (const Network* const way = network()) return way->process();
  }
  const char* const number = std::getenv("OMPI_COMM_WORLD_RANK");
  return number != nullptr && is_started_by_launcher() ? std::atoi(number) : kThisProcess;
}

}  // namespace aclgrad::hccl
