// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <mutex>
#include <thread>

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
  const auto run = [&](int rank) {
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
  for (int rank = 0; rank < count; ++rank) threads.emplace_back(run, rank);
  for (std::jthread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace aclgrad
