// SPDX-License-Identifier: Apache-2.0
// Runs a recorded call of an operator in a library that is loaded here, on the bytes that it had
// there.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/two_phase.h"
#include "aclgrad_contract/contracts.h"
#include "replay/record.h"

namespace aclgrad::replay {

/// Whether a call frees memory of the device, its argument devPtr.
bool frees(const Call& call);

/// The device's memory as the program had it: sizes of blocks by their addresses.
class Blocks {
 public:
  /// Notes what a call has allocated, and what it has freed.
  void see_made(const Call& call);
  void see_gone(const Call& call);

  struct Block {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::uint64_t maker = 0;  // the number of its call
  };
  /// That holds an address; null where none does.
  const Block* find(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, Block> blocks_;
};

/// The arguments of a phase one: its tensors, with the addresses that phase two had.
struct Task {
  const contract::Operator* op = nullptr;
  const Call* plan = nullptr;
  const Call* call = nullptr;  // of phase two; null for phase one alone
  std::vector<TensorArgument> tensors;
  std::vector<Content> before;  // of each tensor's extent; empty: not known
};

struct Outcome {
  aclnnStatus planned = 0;  // what phase one answered
  aclnnStatus ran = 0;      // phase two, or the wait for it
  std::string message;      // of the library, where one of them is not 0
  std::vector<std::vector<std::byte>> after;
};

class Runner {
 public:
  /// Throws StatusError where it has no stream to give.
  explicit Runner(std::shared_ptr<gradcheck::Library> library);

  /// Phase one alone, or both. Throws IoError for arguments that are none of the operator's, and
  /// StatusError where there is no memory for them.
  Outcome run(const Task& task, const Blocks& blocks, bool phase_one_alone);

  /// What the operators go by, as it was set there.
  void see_settings(const Call& call);

  bool has(const std::string& op) const { return library_->has(op + "GetWorkspaceSize"); }
  const std::string& path() const { return library_->path(); }

 private:
  std::shared_ptr<gradcheck::Library> library_;
  aclrtStream stream_ = nullptr;
};

}  // namespace aclgrad::replay
