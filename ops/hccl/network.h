// SPDX-License-Identifier: Apache-2.0
// What the library needs of a way between processes. It is implemented by a module of its own
// (ops/hccl/mpi), so that programs which stay in one process depend on nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aclgrad::hccl {

// A message under way. Owned by its sender, until test() has said how it ended.
struct Request {
  int64_t handle[2] = {};
};

enum class Progress {
  kPending,
  kDone,
  kWrongSize,  // the other side's message has another length
  kFailed      // the way to the other side is broken
};

// Messages among some processes, which are numbered from 0. Those between two processes with the
// same tag arrive in order. Functions may be called on any thread, and none waits.
class Channel {
 public:
  static constexpr int kTags = 1 << 30;
  static constexpr size_t kMaxBytes = size_t{1} << 30;  // of a message

  virtual ~Channel() = default;
  virtual Request send(size_t process, int tag, const void* memory, size_t bytes) = 0;
  virtual Request receive(size_t process, int tag, void* memory, size_t bytes) = 0;
  virtual Progress test(Request& request) = 0;
  // Takes a receive back, if no message has come for it; test() says when it is over.
  virtual void cancel(Request& request) = 0;

  // Short texts that do not belong to an operation. A text is delivered some time after notify.
  struct Notice {
    size_t process;
    std::string text;
  };
  virtual void notify(size_t process, const std::string& text) = 0;
  virtual std::optional<Notice> next_notice() = 0;
};

class Network {
 public:
  static constexpr uint64_t kChannelTags = 32768;

  virtual ~Network() = default;

  // Processes are numbered from 0.
  virtual int process() const = 0;

  // Whether there are more processes on this machine than cores: who waits must let others work.
  virtual bool is_oversubscribed() const = 0;

  // False at the end of the program: nothing can be sent any more.
  virtual bool is_open() const = 0;

  // Texts between any two processes, for meeting each other.
  virtual void post(int process, const std::string& text) = 0;
  virtual std::optional<std::string> next_post() = 0;

  // A channel among these processes, made by each of them at the same time with the same tag (less
  // than kChannelTags). Waits for all.
  virtual std::unique_ptr<Channel> open_channel(const std::vector<int>& processes, int tag) = 0;

  // Something has gone wrong between processes: the end of this one does not wait for the others.
  virtual void skip_finalize() = 0;
};

// Starts the way that the process was launched for, unless it is; nothing without a launcher, when
// the program does not use one by itself. To start is up to all processes together: throws a
// Failure when the others have not begun within that time.
void start_network(std::chrono::milliseconds timeout);

// Null when there is none, or it was not started.
Network* network();

// Why not, when a launcher is there and there still is no network; "" otherwise.
std::string network_failure();

// The number of this process, whether the network was started or not; kThisProcess without one.
int process_number();

}  // namespace aclgrad::hccl
