// SPDX-License-Identifier: Apache-2.0
// Ranks of one process, which are all there: each finds the others' buffers in their operations. No
// rank reads what another one writes, so they need no order.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "ops/hccl/data_types.h"
#include "ops/hccl/transport.h"

namespace aclgrad::hccl {

class MemoryTransport : public Transport {
 public:
  // The operations of all ranks, by rank.
  MemoryTransport(std::span<const Operation* const> operations, uint32_t rank)
      : Transport(rank, static_cast<uint32_t>(operations.size())), operations_(operations) {}

  bool shares_memory() const override { return true; }
  const Operation& operation_of(uint32_t rank) const override { return *operations_[rank]; }
  const void* read(Batch, uint32_t peer, uint64_t offset, uint64_t, void*) override {
    return static_cast<const unsigned char*>(operations_[peer]->send) + offset;
  }
  void offer(Batch, uint32_t, const void*, uint64_t) override {}
  void* place_of(uint32_t peer, uint64_t offset, uint64_t bytes, void*) override {
    if (!is_read_by_others(peer)) return place(peer, offset);
    deferred_.push_back({place(peer, offset), std::vector<unsigned char>(bytes)});
    return deferred_.back().bytes.data();
  }
  void write(Batch, uint32_t peer, uint64_t offset, const void* memory, uint64_t bytes) override {
    if (place(peer, offset) != memory) std::memmove(place(peer, offset), memory, bytes);
  }
  void expect(Batch, uint32_t, void*, uint64_t) override {}
  void wait(Batch) override {}
  unsigned char* room(size_t) override { return nullptr; }

  // Once all ranks are done: makes the writes to what others were still reading.
  void make_deferred_writes() const {
    for (const DeferredWrite& each : deferred_) {
      std::memcpy(each.to, each.bytes.data(), each.bytes.size());
    }
  }

 private:
  struct DeferredWrite {
    void* to;
    std::vector<unsigned char> bytes;
  };

  void* place(uint32_t peer, uint64_t offset) const {
    return static_cast<unsigned char*>(operations_[peer]->receive) + offset;
  }

  // Whether others read where the rank's result of ReduceScatter goes. Of what is in place in other
  // operations each byte is read and written by the same rank.
  bool is_read_by_others(uint32_t rank) const {
    const Operation& operation = *operations_[rank];
    if (operation.kind != Kind::kReduceScatter) return false;
    const uint64_t bytes = operation.count * size_of(operation.dtype);
    const auto* const send = static_cast<const unsigned char*>(operation.send);
    const auto* const receive = static_cast<const unsigned char*>(operation.receive);
    return receive != send + rank * bytes && receive < send + size() * bytes &&
           receive + bytes > send;
  }

  std::span<const Operation* const> operations_;
  std::vector<DeferredWrite> deferred_;
};

}  // namespace aclgrad::hccl
