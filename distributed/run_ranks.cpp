// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "aclgrad/distributed/communicator.h"
#include "aclgrad/error.h"
#include "aclgrad/runtime.h"

namespace aclgrad {

void run_ranks(int count, const std::function<void(const Communicator&)>& body,
               const CommunicatorOptions& options) {
  if (count < 1) throw ValueError(fmt::format("there must be at least 1 rank, not {}", count));
  if (const int devices = ensure_devices(count); count > devices) {
    throw ValueError(
        fmt::format("{} ranks need as many devices, but there are {}", count, devices));
  }
  const HcclRootInfo root = Communicator::make_root();
  std::mutex mutex;
  std::exception_ptr first;
  // A rank alone would wait for those that could not be started.
  std::promise<bool> start;
  const auto run = [&](int rank, const std::shared_future<bool>& all_are_there) {
    if (!all_are_there.get()) return;
    try {
      use_device(rank);
      const Communicator communicator = Communicator::join(root, rank, count, options);
      try {
        body(communicator);
      } catch (...) {
        // Before the others hear of it by the end of the communicator: theirs are consequences.
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;  // joined whatever happens
  try {
    const std::shared_future<bool> all_are_there = start.get_future().share();
    for (int rank = 0; rank < count; ++rank) threads.emplace_back(run, rank, all_are_there);
  } catch (const std::exception& error) {  // by a limit of the system
    start.set_value(false);
    throw Error(fmt::format("only {} of {} ranks could be started: {}", threads.size(), count,
                            error.what()));
  }
  start.set_value(true);
  for (std::jthread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace aclgrad
