// SPDX-License-Identifier: Apache-2.0
// How one rank reaches the buffers of the others in one operation. Operations are written once
// (collectives.cpp) for ranks that share memory (memory_transport.h) and ranks that exchange
// messages (message_transport.h).
//
// A rank reads from the send buffers of others and writes to their receive buffers. Where memory is
// not shared the other rank takes part: what one reads the other offers, what one writes the other
// expects. Where it is shared nothing is copied on the way, and offer() and expect() do nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/hccl/operation.h"

namespace aclgrad::hccl {

class Transport {
 public:
  // Accesses that are waited for together, by a number of the caller's.
  using Batch = int;

  Transport(uint32_t rank, uint32_t size) : rank_(rank), size_(size) {}
  virtual ~Transport() = default;

  uint32_t rank() const { return rank_; }
  uint32_t size() const { return size_; }
  // The rank `distance` after this one: each begins with another, and size() is the rank itself.
  uint32_t next(uint32_t distance) const { return (rank_ + distance) % size_; }

  virtual bool shares_memory() const = 0;
  // The rank's operation, as far as it is known: else this rank's own.
  virtual const Operation& operation_of(uint32_t rank) const = 0;

  // Where bytes of the peer's send buffer are once the batch is over: in place, or in `room`.
  virtual const void* read(Batch batch, uint32_t peer, uint64_t offset, uint64_t bytes,
                           void* room) = 0;
  virtual void offer(Batch batch, uint32_t peer, const void* memory, uint64_t bytes) = 0;

  // Where to compute what is to be written to the peer's receive buffer: in place, or in `room`.
  virtual void* place_of(uint32_t peer, uint64_t offset, uint64_t bytes, void* room) = 0;
  virtual void write(Batch batch, uint32_t peer, uint64_t offset, const void* memory,
                     uint64_t bytes) = 0;
  virtual void expect(Batch batch, uint32_t peer, void* memory, uint64_t bytes) = 0;

  // Throws a Failure, after which the group has ended.
  virtual void wait(Batch batch) = 0;

  // Room that lasts as long as the operation; null where nothing needs any.
  virtual unsigned char* room(size_t bytes) = 0;

 private:
  const uint32_t rank_;
  const uint32_t size_;
};

// Does the rank's part of an operation of all ranks. Throws a Failure.
void carry_out(Transport& transport, const Operation& operation);

// How much work there is in all, in bytes.
uint64_t bytes_of(const Operation& operation, uint32_t ranks);

}  // namespace aclgrad::hccl
