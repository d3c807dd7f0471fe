// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/message_operations.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "ops/hccl/algorithm.h"
#include "ops/hccl/data_types.h"
#include "ops/hccl/fold.h"
#include "ops/hccl/shares.h"

namespace aclgrad::hccl {
namespace {

// Batches: two chunks may be under way, and results that go out while others come in.
constexpr Exchange::Batch kResults = 2;
constexpr Exchange::Batch kAll = 3;

const unsigned char* at(const void* memory, uint64_t offset) {
  return static_cast<const unsigned char*>(memory) + offset;
}
unsigned char* at(void* memory, uint64_t offset) {
  return static_cast<unsigned char*>(memory) + offset;
}

// The other ranks, beginning with the next one, so that not all talk to the same one at first.
std::vector<uint32_t> others(const Exchange& exchange) {
  std::vector<uint32_t> ranks;
  for (uint32_t i = 1; i < exchange.size(); ++i) {
    ranks.push_back((exchange.rank() + i) % exchange.size());
  }
  return ranks;
}

void greet_others(Exchange& exchange, const Operation& operation) {
  std::vector<uint32_t> peers = others(exchange);
  // Counts of AlltoAllV are a matter between each two.
  if (peers.size() >= kGreetAll && operation.kind != Kind::kAlltoAllV)
    peers = {peers.front(), peers.back()};
  for (const uint32_t peer : peers) exchange.greet(peer);
}

// The contributions to a piece of the result, as they come in.
class Contributions {
 public:
  // Room for pieces of so many bytes.
  Contributions(Exchange& exchange, uint64_t bytes)
      : exchange_(exchange), bytes_(bytes), memory_(exchange.scratch(bytes * exchange.size())) {}

  void receive(Exchange::Batch batch, uint64_t bytes) {
    for (const uint32_t peer : others(exchange_)) {
      exchange_.receive(batch, peer, of(peer), bytes);
    }
  }

  void fold_into(void* result, const void* own, const Operation& operation, uint64_t count) {
    std::vector<const void*> parts;
    for (uint32_t rank = 0; rank < exchange_.size(); ++rank) {
      parts.push_back(rank == exchange_.rank() ? own : of(rank));
    }
    fold(operation.dtype, operation.op, parts, result, count);
  }

 private:
  unsigned char* of(uint32_t rank) { return memory_ + rank * bytes_; }

  Exchange& exchange_;
  const uint64_t bytes_;
  unsigned char* const memory_;
};

// Elements of a chunk of one rank's part of the work.
uint64_t chunk_count(const Operation& operation) { return kChunkBytes / size_of(operation.dtype); }

// Reduces all ranks' parts, each to its owner, chunk by chunk: while one is folded the next is on
// its way. part(rank) is where a rank's part begins and ends, in elements of the sent buffer;
// done(begin, end) is told where in the own part a result is.
template <class Part, class Place, class Done>
void reduce_parts(Exchange& exchange, const Operation& operation, const Part& part,
                  const Place& place, const Done& done) {
  const uint64_t size = size_of(operation.dtype);
  const uint64_t chunk = chunk_count(operation);
  const Slice own = part(exchange.rank());
  uint64_t longest = 0;
  for (uint32_t rank = 0; rank < exchange.size(); ++rank) {
    longest = std::max(longest, part(rank).end - part(rank).begin);
  }
  const uint64_t room = std::min(longest, chunk) * size;
  Contributions rooms[] = {{exchange, room}, {exchange, longest > chunk ? room : 0}};
  const auto within = [&](const Slice& slice, uint64_t first) {
    return Slice{std::min(slice.end, slice.begin + first),
                 std::min(slice.end, slice.begin + first + chunk)};
  };
  const auto begin = [&](uint64_t first) {
    const auto batch = static_cast<Exchange::Batch>(first / chunk % 2);
    const Slice mine = within(own, first);
    rooms[batch].receive(batch, (mine.end - mine.begin) * size);
    for (const uint32_t peer : others(exchange)) {
      const Slice theirs = within(part(peer), first);
      exchange.send(batch, peer, at(operation.send, theirs.begin * size),
                    (theirs.end - theirs.begin) * size);
    }
  };
  if (longest > 0) begin(0);
  for (uint64_t first = 0; first < longest; first += chunk) {
    if (first + chunk < longest) begin(first + chunk);
    const auto batch = static_cast<Exchange::Batch>(first / chunk % 2);
    exchange.wait(batch);
    const Slice mine = within(own, first);
    rooms[batch].fold_into(place(mine), at(operation.send, mine.begin * size), operation,
                           mine.end - mine.begin);
    done(first, mine);
  }
}

void all_reduce_small(Exchange& exchange, const Operation& operation) {
  const uint64_t bytes = operation.count * size_of(operation.dtype);
  Contributions contributions(exchange, bytes);
  contributions.receive(kAll, bytes);
  for (const uint32_t peer : others(exchange)) exchange.send(kAll, peer, operation.send, bytes);
  exchange.wait(kAll);
  contributions.fold_into(operation.receive, operation.send, operation, operation.count);
}

void all_reduce(Exchange& exchange, const Operation& operation) {
  const uint64_t size = size_of(operation.dtype);
  if (folds_alone(operation.count * size, exchange.size()))
    return all_reduce_small(exchange, operation);
  const uint64_t chunk = chunk_count(operation);
  const auto part = [&](uint32_t rank) { return slice_of(operation.count, exchange.size(), rank); };
  const auto place = [&](const Slice& slice) { return at(operation.receive, slice.begin * size); };
  reduce_parts(exchange, operation, part, place, [&](uint64_t first, const Slice& mine) {
    // What is sent from there has gone: chunk by chunk, results may take the place of
    // contributions.
    for (const uint32_t peer : others(exchange)) {
      const Slice theirs = part(peer);
      const uint64_t begin = std::min(theirs.end, theirs.begin + first);
      const uint64_t end = std::min(theirs.end, begin + chunk);
      exchange.receive(kResults, peer, at(operation.receive, begin * size), (end - begin) * size);
      exchange.send(kResults, peer, place(mine), (mine.end - mine.begin) * size);
    }
  });
  exchange.wait(kResults);
}

void reduce_scatter(Exchange& exchange, const Operation& operation) {
  const uint64_t size = size_of(operation.dtype);
  const uint64_t own = exchange.rank() * operation.count;
  const auto part = [&](uint32_t rank) {
    return Slice{rank * operation.count, (rank + 1) * operation.count};
  };
  const auto place = [&](const Slice& slice) {
    return at(operation.receive, (slice.begin - own) * size);
  };
  reduce_parts(exchange, operation, part, place, [](uint64_t, const Slice&) {});
}

void reduce(Exchange& exchange, const Operation& operation) {
  const uint64_t size = size_of(operation.dtype);
  const bool is_root = exchange.rank() == operation.root;
  const uint64_t chunk = chunk_count(operation);
  const auto part = [&](uint32_t rank) { return slice_of(operation.count, exchange.size(), rank); };
  const Slice own = part(exchange.rank());
  unsigned char* const results = is_root ? at(operation.receive, own.begin * size)
                                         : exchange.scratch((own.end - own.begin) * size);
  const auto place = [&](const Slice& slice) { return results + (slice.begin - own.begin) * size; };
  reduce_parts(exchange, operation, part, place, [&](uint64_t first, const Slice& mine) {
    if (!is_root) {
      exchange.send(kResults, operation.root, place(mine), (mine.end - mine.begin) * size);
      return;
    }
    for (const uint32_t peer : others(exchange)) {
      const Slice theirs = part(peer);
      const uint64_t begin = std::min(theirs.end, theirs.begin + first);
      const uint64_t end = std::min(theirs.end, begin + chunk);
      exchange.receive(kResults, peer, at(operation.receive, begin * size), (end - begin) * size);
    }
  });
  exchange.wait(kResults);
}

// Along a binomial tree, in pieces that follow each other through it.
void broadcast(Exchange& exchange, const Operation& operation) {
  constexpr uint64_t kPiece = uint64_t{1} << 20;
  const uint64_t bytes = operation.count * size_of(operation.dtype);
  const uint32_t size = exchange.size();
  const uint32_t place = (exchange.rank() + size - operation.root) % size;
  const auto rank_at = [&](uint32_t each) { return (each + operation.root) % size; };
  uint32_t reach = 1;  // the lowest bit of the place, or all places for the root
  while (reach < size && (place & reach) == 0) reach *= 2;
  for (uint64_t first = 0; first < bytes; first += kPiece) {
    const uint64_t length = std::min(kPiece, bytes - first);
    if (place != 0) {
      exchange.receive(kAll, rank_at(place - reach), at(operation.receive, first), length);
      exchange.wait(kAll);
    }
    for (uint32_t step = reach / 2; step > 0; step /= 2) {
      if (place + step < size) {
        exchange.send(kResults, rank_at(place + step), at(operation.send, first), length);
      }
    }
  }
  exchange.wait(kResults);
}

void copy_own(void* to, const void* from, uint64_t bytes) {
  if (to != from && bytes > 0) std::memmove(to, from, bytes);
}

void all_gather(Exchange& exchange, const Operation& operation) {
  const uint64_t bytes = operation.count * size_of(operation.dtype);
  for (const uint32_t peer : others(exchange)) {
    exchange.receive(kAll, peer, at(operation.receive, peer * bytes), bytes);
    exchange.send(kAll, peer, operation.send, bytes);
  }
  copy_own(at(operation.receive, exchange.rank() * bytes), operation.send, bytes);
  exchange.wait(kAll);
}

void scatter(Exchange& exchange, const Operation& operation) {
  const uint64_t bytes = operation.count * size_of(operation.dtype);
  if (exchange.rank() != operation.root) {
    exchange.receive(kAll, operation.root, operation.receive, bytes);
  } else {
    for (const uint32_t peer : others(exchange)) {
      exchange.send(kAll, peer, at(operation.send, peer * bytes), bytes);
    }
    copy_own(operation.receive, at(operation.send, exchange.rank() * bytes), bytes);
  }
  exchange.wait(kAll);
}

void all_to_all(Exchange& exchange, const Operation& operation) {
  const uint64_t bytes = operation.count * size_of(operation.dtype);
  for (const uint32_t peer : others(exchange)) {
    exchange.receive(kAll, peer, at(operation.receive, peer * bytes), bytes);
    exchange.send(kAll, peer, at(operation.send, peer * bytes), bytes);
  }
  const uint64_t own = exchange.rank() * bytes;
  copy_own(at(operation.receive, own), at(operation.send, own), bytes);
  exchange.wait(kAll);
}

void all_to_all_v(Exchange& exchange, const Operation& operation) {
  const uint64_t sent_size = size_of(operation.dtype);
  const uint64_t received_size = size_of(operation.received_dtype);
  const Slices& sent = operation.sent;
  const Slices& received = operation.received;
  const uint32_t own = exchange.rank();
  const uint64_t own_sent = sent.counts[own] * sent_size;
  const uint64_t own_received = received.counts[own] * received_size;
  if (own_sent != own_received) exchange.refuse_own(own_sent, own_received);
  copy_own(at(operation.receive, received.displacements[own] * received_size),
           at(operation.send, sent.displacements[own] * sent_size), own_sent);
  for (const uint32_t peer : others(exchange)) {
    exchange.receive(kAll, peer,
                     at(operation.receive, received.displacements[peer] * received_size),
                     received.counts[peer] * received_size);
    exchange.send(kAll, peer, at(operation.send, sent.displacements[peer] * sent_size),
                  sent.counts[peer] * sent_size);
  }
  exchange.wait(kAll);
}

// In rounds, after each of which a rank knows of twice as many others.
void barrier(Exchange& exchange) {
  const uint32_t size = exchange.size();
  unsigned char* const bytes = exchange.scratch(2);
  for (uint32_t step = 1; step < size; step *= 2) {
    exchange.receive(kAll, (exchange.rank() + size - step) % size, bytes, 1);
    exchange.send(kAll, (exchange.rank() + step) % size, bytes + 1, 1);
    exchange.wait(kAll);
  }
}

void transfer_all(Exchange& exchange, const Operation& operation) {
  for (const Transfer& each : operation.transfers) {
    const uint64_t bytes = each.count * size_of(each.dtype);
    exchange.begin_transfer(each);
    exchange.greet(each.peer);
    if (each.is_send) {
      exchange.send(kAll, each.peer, each.memory, bytes);
    } else {
      exchange.receive(kAll, each.peer, each.memory, bytes);
    }
  }
}

void carry_out_by_all(Exchange& exchange, const Operation& operation) {
  switch (operation.kind) {
    case Kind::kAllReduce:
      return all_reduce(exchange, operation);
    case Kind::kReduce:
      return reduce(exchange, operation);
    case Kind::kReduceScatter:
      return reduce_scatter(exchange, operation);
    case Kind::kBroadcast:
      return broadcast(exchange, operation);
    case Kind::kAllGather:
      return all_gather(exchange, operation);
    case Kind::kScatter:
      return scatter(exchange, operation);
    case Kind::kAlltoAll:
      return all_to_all(exchange, operation);
    case Kind::kAlltoAllV:
      return all_to_all_v(exchange, operation);
    case Kind::kBarrier:
      return barrier(exchange);
    case Kind::kTransfers:
      return;
  }
}

}  // namespace

void carry_out(Exchange& exchange, const Operation& operation) {
  if (operation.kind == Kind::kTransfers) {
    transfer_all(exchange, operation);
  } else {
    greet_others(exchange, operation);
    carry_out_by_all(exchange, operation);
  }
  exchange.wait_for_all();
}

}  // namespace aclgrad::hccl
