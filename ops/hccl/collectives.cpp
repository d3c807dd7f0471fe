// SPDX-License-Identifier: Apache-2.0
// The operations of all ranks, each written once: Blocks says which bytes of which rank go where,
// and a reduction joins what a rank gets in the order of reduce.h, whatever the transport.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "ops/hccl/algorithm.h"
#include "ops/hccl/data_types.h"
#include "ops/hccl/reduce.h"
#include "ops/hccl/transport.h"

namespace aclgrad::hccl {
namespace {

using Batch = Transport::Batch;

// Two chunks of a reduction may be under way, and results that go out while others come in.
constexpr Batch kResults = 2;
constexpr Batch kMoved = 3;

const unsigned char* at(const void* memory, uint64_t offset) {
  return static_cast<const unsigned char*>(memory) + offset;
}
// Null stays null.
unsigned char* at(void* memory, uint64_t offset) {
  return memory == nullptr ? nullptr : static_cast<unsigned char*>(memory) + offset;
}

// Bytes of a buffer.
struct Block {
  uint64_t begin = 0;
  uint64_t bytes = 0;

  // The bytes of the chunk that begins at offset `first`.
  Block chunk(uint64_t first, uint64_t length) const {
    const uint64_t skipped = std::min(first, bytes);
    return {begin + skipped, std::min(length, bytes - skipped)};
  }
};

// ---- Which bytes go where -----------------------------------------------------------------------

class Blocks {
 public:
  // With `reduces_alone` every rank of AllReduce reduces everything, for itself.
  Blocks(const Operation& operation, uint32_t ranks, bool reduces_alone = false)
      : element_(size_of(operation.dtype)),
        bytes_(operation.count * element_),
        grain_(64 * element_),
        grains_((bytes_ + grain_ - 1) / grain_ / ranks),
        more_((bytes_ + grain_ - 1) / grain_ % ranks),
        reduces_alone_(reduces_alone) {}

  // What of its send buffer the rank `from` has for `to`: of a reduction, the contribution to the
  // part that `to` reduces. The operation is that of `from`.
  Block sent(const Operation& operation, uint32_t from, uint32_t to) const {
    switch (operation.kind) {
      case Kind::kAllReduce:
      case Kind::kReduce:
        return part(to);
      case Kind::kReduceScatter:
      case Kind::kAlltoAll:
        return {to * bytes_, bytes_};
      case Kind::kAlltoAllV:
        return slice(operation.sent, to, element_);
      case Kind::kScatter:
        return from == operation.root ? Block{to * bytes_, bytes_} : Block{};
      default:
        return {0, bytes_};
    }
  }

  // Where that goes in the receive buffer of `to`: of a reduction, the result of the part that
  // `from` reduces. The operation is that of `to`.
  Block received(const Operation& operation, uint32_t from, uint32_t to) const {
    switch (operation.kind) {
      case Kind::kAllReduce:
        return from == to || !reduces_alone_ ? part(from) : Block{};
      case Kind::kReduce:
        return to == operation.root ? part(from) : Block{};
      case Kind::kReduceScatter:
        return from == to ? Block{0, bytes_} : Block{};
      case Kind::kAlltoAllV:
        return slice(operation.received, from, size_of(operation.received_dtype));
      case Kind::kScatter:
        return from == operation.root ? Block{0, bytes_} : Block{};
      default:
        return {from * bytes_, bytes_};
    }
  }

 private:
  // What a rank reduces of the buffer: as many grains as the others, or one more. None is longer
  // than the first.
  Block part(uint32_t rank) const {
    if (reduces_alone_) return {0, bytes_};
    const auto begin_of = [&](uint64_t index) {
      return std::min(bytes_, (grains_ * index + std::min(index, more_)) * grain_);
    };
    return {begin_of(rank), begin_of(rank + 1) - begin_of(rank)};
  }

  static Block slice(const Slices& slices, uint32_t rank, size_t element) {
    if (slices.counts[rank] == 0) return {};
    return {slices.displacements[rank] * element, slices.counts[rank] * element};
  }

  const size_t element_;
  const uint64_t bytes_;
  const uint64_t grain_;   // bytes of 64 elements: ranks stay out of each other's cache lines
  const uint64_t grains_;  // of every rank
  const uint64_t more_;    // ranks that have one more
  const bool reduces_alone_;
};

// ---- How they get there -------------------------------------------------------------------------

// Reads the bytes of the peer's send buffer into memory of this rank.
void get(Transport& transport, Batch batch, uint32_t peer, uint64_t offset, void* to,
         uint64_t bytes) {
  if (bytes == 0) return;
  const void* const from = transport.read(batch, peer, offset, bytes, to);
  if (from != to) std::memmove(to, from, bytes);
}

void move_blocks(Transport& transport, const Operation& operation) {
  const uint32_t rank = transport.rank();
  const Blocks blocks(operation, transport.size());
  for (uint32_t i = 1; i <= transport.size(); ++i) {
    const uint32_t peer = transport.next(i);
    const Block theirs = blocks.sent(transport.operation_of(peer), peer, rank);
    const Block to = blocks.received(operation, peer, rank);
    get(transport, kMoved, peer, theirs.begin, at(operation.receive, to.begin), to.bytes);
    const Block mine = blocks.sent(operation, rank, peer);
    transport.offer(kMoved, peer, at(operation.send, mine.begin), mine.bytes);
  }
  transport.wait(kMoved);
}

// Along a binomial tree, in chunks that follow each other through it; or all from the root.
void broadcast(Transport& transport, const Operation& operation) {
  const uint64_t bytes = operation.count * size_of(operation.dtype);
  const uint32_t size = transport.size();
  const uint32_t place = (transport.rank() + size - operation.root) % size;
  const auto rank_at = [&](uint32_t each) { return (each + operation.root) % size; };
  uint32_t reach = 1;  // the lowest bit of the place, or all places for the root
  while (reach < size && (place & reach) == 0) reach *= 2;
  const uint32_t parent = transport.shares_memory() ? operation.root : rank_at(place - reach);
  for (uint64_t first = 0; first < bytes; first += kChunkBytes) {
    const uint64_t length = std::min(kChunkBytes, bytes - first);
    if (place != 0) {
      get(transport, kMoved, parent, first, at(operation.receive, first), length);
      transport.wait(kMoved);
    }
    for (uint32_t step = reach / 2; step > 0; step /= 2) {
      if (place + step >= size) continue;
      transport.offer(kResults, rank_at(place + step), at(operation.send, first), length);
    }
  }
  transport.wait(kResults);
}

// The part of a reduction that this rank reduces, chunk by chunk: while one is reduced the next is
// on its way, and results go out. A byte in place is read and written by one rank only, and written
// once it has been sent: results may take the place of contributions.
void reduce_part(Transport& transport, const Operation& operation) {
  const uint32_t rank = transport.rank();
  const uint32_t size = transport.size();
  const size_t element = size_of(operation.dtype);
  const bool is_alone = operation.kind == Kind::kAllReduce && !transport.shares_memory() &&
                        reduces_alone(operation.count * element, size);
  const Blocks blocks(operation, size, is_alone);
  const Block own = blocks.sent(operation, rank, rank);
  const uint64_t longest = blocks.sent(operation, rank, 0).bytes;
  const uint64_t chunk = transport.shares_memory() ? kSharedChunkBytes : kChunkBytes;
  const uint64_t room = std::min(longest, chunk);

  // Contributions to a chunk, by rank; to two of them where there are several.
  unsigned char* rooms[2] = {};
  std::vector<const void*> contributions[2];
  for (int i = 0; i < (longest > chunk ? 2 : 1); ++i) {
    rooms[i] = transport.room(room * size);
    contributions[i].resize(size);
  }
  const auto begin = [&](uint64_t first) {
    const auto batch = static_cast<Batch>(first / chunk % 2);
    const Block mine = own.chunk(first, chunk);
    for (uint32_t i = 1; i <= size; ++i) {
      const uint32_t peer = transport.next(i);
      contributions[batch][peer] =
          transport.read(batch, peer, mine.begin, mine.bytes, at(rooms[batch], peer * room));
      const Block theirs = blocks.sent(operation, rank, peer).chunk(first, chunk);
      transport.offer(batch, peer, at(operation.send, theirs.begin), theirs.bytes);
    }
  };

  // Results are computed in the receive buffer of this rank, or for the one of the root.
  const uint32_t holder = operation.kind == Kind::kReduce ? operation.root : rank;
  const Block results = blocks.received(operation, rank, holder);
  void* const results_room =
      holder == rank ? at(operation.receive, results.begin) : transport.room(results.bytes);
  if (longest > 0) begin(0);
  for (uint64_t first = 0; first < longest; first += chunk) {
    if (first + chunk < longest) begin(first + chunk);
    const auto batch = static_cast<Batch>(first / chunk % 2);
    transport.wait(batch);
    const Block to = results.chunk(first, chunk);
    void* const result = transport.place_of(holder, to.begin, to.bytes, at(results_room, first));
    reduce(operation.dtype, operation.op, contributions[batch], result, to.bytes / element);
    for (uint32_t i = 1; i < size; ++i) {
      const uint32_t peer = transport.next(i);
      const Block theirs = blocks.received(operation, peer, rank).chunk(first, chunk);
      transport.expect(kResults, peer, at(operation.receive, theirs.begin), theirs.bytes);
      const Block there = blocks.received(operation, rank, peer).chunk(first, chunk);
      transport.write(kResults, peer, there.begin, result, there.bytes);
    }
  }
  transport.wait(kResults);
}

// In rounds, after each of which a rank knows of twice as many others. Ranks that share memory have
// met already.
void barrier(Transport& transport) {
  if (transport.shares_memory()) return;
  const uint32_t size = transport.size();
  unsigned char* const bytes = transport.room(2);
  for (uint32_t step = 1; step < size; step *= 2) {
    transport.expect(kMoved, transport.next(size - step), bytes, 1);
    transport.offer(kMoved, transport.next(step), bytes + 1, 1);
    transport.wait(kMoved);
  }
}

}  // namespace

void carry_out(Transport& transport, const Operation& operation) {
  if (is_reduction(operation.kind)) return reduce_part(transport, operation);
  if (operation.kind == Kind::kBroadcast) return broadcast(transport, operation);
  if (operation.kind == Kind::kBarrier) return barrier(transport);
  move_blocks(transport, operation);
}

uint64_t bytes_of(const Operation& operation, uint32_t ranks) {
  const std::vector<uint64_t>& counts = operation.sent.counts;
  const uint64_t count = std::accumulate(counts.begin(), counts.end(), operation.count);
  return operation.kind == Kind::kBarrier ? 0 : count * size_of(operation.dtype) * ranks;
}

}  // namespace aclgrad::hccl
