// SPDX-License-Identifier: Apache-2.0
// Communicator: one rank's membership in a group of ranks that train together. A rank is a process
// of its own (mpirun), or a thread of this one with a device of its own:
//
//   Communicator communicator = Communicator::from_environment();
//   run_ranks(2, [](const Communicator& communicator) { ... });
//
// It is made, used and destroyed by the thread of the rank. Nodes recorded with it, and what is
// made from it (DataParallel, ShardedUpdate), keep the membership alive.
//
// Whatever needs the other ranks waits for them for a limited time. When one fails, or ends while
// it is needed, the others get a StatusError that names it; after that the group is of no more use.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "aclgrad/variable.h"
#include "hccl/hccl_types.h"

namespace aclgrad {

namespace detail {
class Membership;
}

struct CommunicatorOptions {
  /// Seconds after which a rank gives up on others that do not come; 0: never. By default the
  /// environment variable HCCL_EXEC_TIMEOUT, else 1836.
  std::optional<int> timeout_seconds = {};
};

class Communicator {
 public:
  /// A group of one rank, which exchanges nothing.
  Communicator();

  /// The process's rank among those that an MPI launcher started together; a group of one without
  /// a launcher. Waits for the others. Throws StatusError, and ValueError where the program is
  /// under a launcher but was built without MPI.
  static Communicator from_environment(const CommunicatorOptions& options = {});

  /// Joins the group that one of its members named by make_root(), as `rank` of `size`, with this
  /// thread's device. Waits for the others. Throws StatusError, also when the ranks disagree on
  /// `size` or two have the same number.
  static Communicator join(const HcclRootInfo& root, int rank, int size,
                           const CommunicatorOptions& options = {});

  /// The name of a new group: bytes for the program to hand to all members.
  static HcclRootInfo make_root();

  /// Copies are the same member of the group.
  Communicator(const Communicator&);
  Communicator& operator=(const Communicator&);
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  ~Communicator();

  int rank() const noexcept;
  int size() const noexcept;

  /// Whether this is the rank that reports and saves.
  bool is_first() const noexcept { return rank() == 0; }

  /// Waits until all ranks have come here. Throws StatusError.
  void barrier() const;

  /// Gives every rank the contents that the variables have on rank 0. Variables are identified by
  /// their order and must be alike everywhere. Throws StatusError.
  void broadcast(std::span<const Variable> variables) const;

  /// The bytes of all ranks, equally many each, by rank. Throws StatusError.
  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) const;

  /// What rank 0 has in `bytes`, equally many everywhere, on every rank. Throws StatusError.
  void broadcast(std::span<std::byte> bytes) const;

  /// For nodes that use it.
  const std::shared_ptr<detail::Membership>& membership() const { return membership_; }

 private:
  explicit Communicator(std::shared_ptr<detail::Membership> membership);

  std::shared_ptr<detail::Membership> membership_;
};

/// Runs `body` on `count` threads of this process at the same time, each a rank with a device of
/// its own, and waits for all. Throws what the first rank to fail threw; its failure ends the
/// others. The process gets the devices that it lacks. Throws ValueError for more ranks than
/// devices (16).
void run_ranks(int count, const std::function<void(const Communicator&)>& body,
               const CommunicatorOptions& options = {});

namespace detail {

/// Throws StatusError unless the result is 0: "`where`: `function` returned 9 (timeout): text of
/// aclGetRecentErrMsg".
void check_hccl(HcclResult result, std::string_view function, std::string_view where = {});

}  // namespace detail
}  // namespace aclgrad
