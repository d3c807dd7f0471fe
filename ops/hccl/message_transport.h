// SPDX-License-Identifier: Apache-2.0
// Ranks that exchange messages: of several processes, over their channel, or within one, by way of
// a mailbox.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "ops/hccl/group.h"
#include "ops/hccl/transport.h"

namespace aclgrad::hccl {

class MessageTransport : public Transport {
 public:
  MessageTransport(Group& group, uint32_t rank, const Operation& operation, const Number& number,
                   Timeout timeout);
  // Takes back what is still under way, after a failure that the group knows of. The
  // buffers are not touched any more then, unless a rank hangs while it takes a message.
  ~MessageTransport() override;

  // The operation, or its transfers: compares it with what the other ranks are at, and does the
  // rank's part. Throws a Failure: the ranks disagree, a rank does not come in time or has left,
  // a process has failed.
  void perform();

  bool shares_memory() const override { return false; }
  const Operation& operation_of(uint32_t) const override { return operation_; }
  const void* read(Batch batch, uint32_t peer, uint64_t offset, uint64_t bytes,
                   void* room) override;
  void offer(Batch batch, uint32_t peer, const void* memory, uint64_t bytes) override;
  void* place_of(uint32_t, uint64_t, uint64_t, void* room) override { return room; }
  void write(Batch batch, uint32_t peer, uint64_t, const void* memory, uint64_t bytes) override {
    offer(batch, peer, memory, bytes);
  }
  void expect(Batch batch, uint32_t peer, void* memory, uint64_t bytes) override;
  void wait(Batch batch) override;
  unsigned char* room(size_t bytes) override;

 private:
  // What this rank has said, and room for what the other says.
  struct Handshake {
    Signature mine, theirs;
  };

  struct Message {
    Batch batch;
    uint32_t peer;
    bool is_send;
    Request request = {};
    std::shared_ptr<Mailbox::Pending> pending = nullptr;  // within the process
    const Handshake* handshake = nullptr;                 // that it completes
  };

  // What messages under way may still need when the operation has failed.
  struct Memory {
    std::deque<Handshake> handshakes;
    std::deque<std::vector<unsigned char>> rooms;
    Memory* before = nullptr;  // of another operation, likewise left to a rank that hangs
  };

  // Messages between the same two ranks in the same purpose arrive in order.
  enum class Purpose { kHandshake, kData, kAnswer };

  int tag(uint32_t from, uint32_t to, Purpose purpose) const;
  Message& post(bool is_send, Batch batch, uint32_t peer, void* memory, size_t bytes,
                Purpose purpose);
  void post_data(bool is_send, Batch batch, uint32_t peer, void* memory, uint64_t bytes);
  // Sends the peer this rank's collective, and compares it with the peer's.
  void shake_hands(uint32_t peer, const Signature& signature);
  void compare_with_others();

  Progress test(Message& message) const;
  bool advance();
  void check_others(std::chrono::steady_clock::duration idle) const;
  bool cancel_all();

  Group& group_;
  const Operation& operation_;
  const Number number_;
  const Timeout timeout_;
  const Deadline deadline_;
  Mailbox::Waiter waiter_;
  const Transfer* transfer_ = nullptr;  // that messages belong to, or to the operation as a whole
  std::vector<Message> messages_;
  std::vector<std::pair<Message, Progress>> over_;  // of advance(), kept for the next time
  bool is_unequal_ = false;  // a message had the wrong length; a handshake will say why
  std::unique_ptr<Memory> memory_ = std::make_unique<Memory>();
};

}  // namespace aclgrad::hccl
