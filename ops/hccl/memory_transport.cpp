// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/memory_transport.h"

#include <cstring>

#include "ops/hccl/data_types.h"

namespace aclgrad::hccl {
namespace {

// Whether others read where the rank's result of ReduceScatter goes. Of what is in place the other
// operations have each byte read and written by the same rank.
bool is_read_by_others(const Operation& operation, uint32_t rank, uint32_t size) {
  if (operation.kind != Kind::kReduceScatter) return false;
  const uint64_t bytes = operation.count * size_of(operation.dtype);
  const auto* const send = static_cast<const unsigned char*>(operation.send);
  const auto* const receive = static_cast<const unsigned char*>(operation.receive);
  return receive != send + rank * bytes && receive < send + size * bytes && receive + bytes > send;
}

}  // namespace

void* MemoryTransport::place_of(uint32_t peer, uint64_t offset, uint64_t bytes, void*) {
  const Operation& operation = *operations_[peer];
  void* const place = static_cast<unsigned char*>(operation.receive) + offset;
  if (!is_read_by_others(operation, peer, size())) return place;
  deferred_.push_back({place, std::vector<unsigned char>(bytes)});
  return deferred_.back().bytes.data();
}

void MemoryTransport::write(Batch, uint32_t peer, uint64_t offset, const void* memory,
                            uint64_t bytes) {
  void* const place = static_cast<unsigned char*>(operations_[peer]->receive) + offset;
  if (place != memory) std::memmove(place, memory, bytes);
}

void MemoryTransport::make_deferred_writes() const {
  for (const DeferredWrite& each : deferred_) {
    std::memcpy(each.to, each.bytes.data(), each.bytes.size());
  }
}

}  // namespace aclgrad::hccl
