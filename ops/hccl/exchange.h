// SPDX-License-Identifier: Apache-2.0
// The messages of one rank in one operation of a MessageGroup.
#ifndef ACLGRAD_OPS_HCCL_EXCHANGE_H_
#define ACLGRAD_OPS_HCCL_EXCHANGE_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/hccl/message_group.h"

namespace aclgrad::hccl {

// What a rank says of its operation, or transfer, before it sends any data.
struct Greeting {
  Kind kind;
  bool is_send;  // of a transfer
  HcclDataType dtype;
  HcclReduceOp op;
  uint32_t root;
  uint64_t count;     // of AlltoAllV: bytes for the other rank
  uint64_t expected;  // of AlltoAllV: bytes from it
};

class Exchange {
 public:
  // Messages that are waited for together, by a number of the caller's.
  using Batch = int;

  Exchange(MessageGroup& group, uint32_t rank, const Operation& operation, const Number& number,
           Patience patience);
  // Takes back what is still under way, after a failure that the group has been told of. The
  // buffers are not touched any more then, unless a rank hangs while it takes a message.
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  uint32_t rank() const { return rank_; }
  uint32_t size() const { return group_.size(); }

  // From here on messages belong to this transfer, not to the operation as a whole.
  void begin_transfer(const Transfer& transfer);

  void send(Batch batch, uint32_t peer, const void* memory, uint64_t bytes);
  void receive(Batch batch, uint32_t peer, void* memory, uint64_t bytes);
  // Tells the peer what this rank is at, and compares it with what the peer says.
  void greet(uint32_t peer);

  // Throws a Failure, after which the group has ended: the ranks disagree, somebody does not come
  // in time or has left, a process has failed.
  void wait(Batch batch);
  void wait_for_all();

  // The counts that the rank has for itself differ: fails as if it were two ranks.
  [[noreturn]] void refuse_own(uint64_t sent, uint64_t expected);

  // Scratch memory, which lives as long as the exchange.
  unsigned char* scratch(size_t bytes);

 private:
  struct Message {
    Batch batch;
    uint32_t peer;
    bool is_send;
    Request request = {};
    std::shared_ptr<Mailbox::Letter> letter = nullptr;  // within the process
    // Of a message that brings a greeting: what this rank has said, and room for the other's.
    const Greeting* mine = nullptr;
    Greeting* theirs = nullptr;
  };

  // What messages under way may still need when the operation has failed.
  struct Memory {
    std::deque<Greeting> greetings;
    std::deque<std::vector<unsigned char>> scratch;
    Memory* before = nullptr;  // of another exchange, likewise left to a rank that hangs
  };

  // Messages between the same two ranks in the same phase arrive in order.
  enum class Phase { kGreeting, kData, kAnswer };

  int tag(uint32_t from, uint32_t to, Phase phase) const;
  template <class Post>
  Message& begin(const Message& message, const Post& post);
  Message& begin_send(Batch batch, uint32_t peer, const void* memory, size_t bytes, Phase phase);
  Message& begin_receive(Batch batch, uint32_t peer, void* memory, size_t bytes, Phase phase);
  bool is_waiting_for(Batch batch) const;
  bool advance();
  void settle(const Message& message, Progress progress);
  void check_greeting(const Message& message) const;
  void wait_while(const std::function<bool()>& is_waiting);
  void look_around(std::chrono::steady_clock::duration idle) const;
  bool abandon();
  [[noreturn]] void fail(HcclResult result, std::string text) const;

  MessageGroup& group_;
  const uint32_t rank_;
  const Operation& operation_;
  const Number number_;
  const Patience patience_;
  const Deadline deadline_;
  const Transfer* transfer_ = nullptr;
  std::vector<Message> messages_;
  std::vector<std::pair<Message, Progress>> over_;  // of advance(), kept for the next time
  bool is_unequal_ = false;  // a message had the wrong length; a greeting will say why
  std::unique_ptr<Memory> memory_ = std::make_unique<Memory>();
};

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_EXCHANGE_H_
