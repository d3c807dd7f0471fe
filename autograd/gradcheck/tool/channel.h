// SPDX-License-Identifier: Apache-2.0
// What a process that calls code under test tells the one that watches it: through memory that both
// see. No descriptor leads there, so that what closes all of them, or writes to each, changes
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace aclgrad::gradcheck {

/// Zeroed memory that this process and those it starts share.
class SharedMemory {
 public:
  /// Throws IoError where there is none to be had.
  explicit SharedMemory(std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

class Channel {
 public:
  Channel();

  /// Of the process that is watched; waits while there is no room. A process that code under test
  /// split off from that one ends here.
  void write(const nlohmann::json& what);

  /// The process that may write is this one.
  void belong_to_this_process();

  /// What was written and not read yet; none while it is not all there. Throws
  /// nlohmann::json::exception where code under test wrote into it.
  std::optional<nlohmann::json> read();

 private:
  struct Ring;
  Ring& ring() const;
  void take();

  SharedMemory memory_;
  std::vector<std::uint8_t> taken_;  // of the next message
};

}  // namespace aclgrad::gradcheck
