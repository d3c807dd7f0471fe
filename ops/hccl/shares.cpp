// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ops/hccl/data_types.h"
#include "ops/hccl/fold.h"

namespace aclgrad::hccl {
namespace {

// Slices begin at multiples of so many elements, which keeps ranks out of each other's cache lines.
constexpr uint64_t kGrain = 64;

const unsigned char* bytes_at(const void* memory, uint64_t offset) {
  return static_cast<const unsigned char*>(memory) + offset;
}
unsigned char* bytes_at(void* memory, uint64_t offset) {
  return static_cast<unsigned char*>(memory) + offset;
}

void copy(void* to, const void* from, uint64_t bytes) {
  if (to != from && bytes > 0) std::memmove(to, from, bytes);
}

// The ranks' contributions from byte `offset` on.
std::vector<const void*> parts_at(Ranks ranks, uint64_t offset) {
  std::vector<const void*> parts;
  parts.reserve(ranks.size());
  for (const Operation* each : ranks) parts.push_back(bytes_at(each->send, offset));
  return parts;
}

void reduce_into(const Operation& mine, const std::vector<const void*>& parts, void* result,
                 uint64_t count) {
  if (parts.size() == 1) {
    copy(result, parts.front(), count * size_of(mine.dtype));
  } else {
    fold(mine.dtype, mine.op, parts, result, count);
  }
}

// Each rank folds its slice and hands the result to all. A slice is read and written by its owner
// only, whatever is in place, so the result may be where the contributions were.
void all_reduce(Ranks ranks, size_t rank) {
  const Operation& mine = *ranks[rank];
  const size_t size = size_of(mine.dtype);
  const auto [begin, end] = slice_of(mine.count, ranks.size(), rank);
  // In pieces that stay in the caches between the fold and the copies.
  constexpr uint64_t kPiece = 16384;
  for (uint64_t first = begin; first < end; first += kPiece) {
    const uint64_t count = std::min(kPiece, end - first);
    void* const result = bytes_at(mine.receive, first * size);
    reduce_into(mine, parts_at(ranks, first * size), result, count);
    for (const Operation* each : ranks) {
      copy(bytes_at(each->receive, first * size), result, count * size);
    }
  }
}

void reduce(Ranks ranks, size_t rank) {
  const Operation& mine = *ranks[rank];
  const size_t size = size_of(mine.dtype);
  const auto [begin, end] = slice_of(mine.count, ranks.size(), rank);
  reduce_into(mine, parts_at(ranks, begin * size),
              bytes_at(ranks[mine.root]->receive, begin * size), end - begin);
}

Leftover reduce_scatter(Ranks ranks, size_t rank) {
  const Operation& mine = *ranks[rank];
  const uint64_t bytes = mine.count * size_of(mine.dtype);
  const std::vector<const void*> parts = parts_at(ranks, rank * bytes);
  const unsigned char* const send = bytes_at(mine.send, 0);
  const unsigned char* const receive = bytes_at(mine.receive, 0);
  const bool in_others_part =
      receive != parts[rank] && receive < send + ranks.size() * bytes && receive + bytes > send;
  if (!in_others_part) {
    reduce_into(mine, parts, mine.receive, mine.count);
    return {};
  }
  Leftover result{.bytes = std::vector<unsigned char>(bytes), .memory = mine.receive};
  reduce_into(mine, parts, result.bytes.data(), mine.count);
  return result;
}

void all_gather(Ranks ranks, size_t rank) {
  const uint64_t bytes = ranks[rank]->count * size_of(ranks[rank]->dtype);
  for (size_t from = 0; from < ranks.size(); ++from) {
    copy(bytes_at(ranks[rank]->receive, from * bytes), ranks[from]->send, bytes);
  }
}

void all_to_all(Ranks ranks, size_t rank) {
  const uint64_t bytes = ranks[rank]->count * size_of(ranks[rank]->dtype);
  for (size_t from = 0; from < ranks.size(); ++from) {
    copy(bytes_at(ranks[rank]->receive, from * bytes), bytes_at(ranks[from]->send, rank * bytes),
         bytes);
  }
}

void all_to_all_v(Ranks ranks, size_t rank) {
  const Operation& mine = *ranks[rank];
  for (size_t from = 0; from < ranks.size(); ++from) {
    const Operation& other = *ranks[from];
    const size_t sent_size = size_of(other.dtype);
    const uint64_t bytes = other.sent.counts[rank] * sent_size;
    if (bytes == 0) continue;
    copy(bytes_at(mine.receive, mine.received.displacements[from] * size_of(mine.received_dtype)),
         bytes_at(other.send, other.sent.displacements[rank] * sent_size), bytes);
  }
}

}  // namespace

Slice slice_of(uint64_t count, size_t ranks, size_t rank) {
  const uint64_t grains = (count + kGrain - 1) / kGrain;
  const auto begin_of = [&](uint64_t index) {
    return std::min(count, (grains / ranks * index + std::min(index, grains % ranks)) * kGrain);
  };
  return {begin_of(rank), begin_of(rank + 1)};
}

uint64_t bytes_of(const Operation& operation, size_t ranks) {
  if (operation.kind == Kind::kBarrier) return 0;
  uint64_t count = operation.count;
  if (operation.kind == Kind::kAlltoAllV) {
    for (const uint64_t each : operation.sent.counts) count += each;
  }
  return count * size_of(operation.dtype) * ranks;
}

std::string find_disagreement(Ranks ranks) {
  if (ranks.front()->kind != Kind::kAlltoAllV) return "";
  for (size_t from = 0; from < ranks.size(); ++from) {
    for (size_t to = 0; to < ranks.size(); ++to) {
      const uint64_t sent = ranks[from]->sent.counts[to] * size_of(ranks[from]->dtype);
      const uint64_t wanted = ranks[to]->received.counts[from] * size_of(ranks[to]->received_dtype);
      if (sent != wanted) {
        return fmt::format("rank {} sends {} bytes to rank {}, which expects {}", from, sent, to,
                           wanted);
      }
    }
  }
  return "";
}

void Leftover::deliver() const {
  if (memory != nullptr) std::memcpy(memory, bytes.data(), bytes.size());
}

Leftover do_share(Ranks ranks, size_t rank) {
  const Operation& mine = *ranks[rank];
  switch (mine.kind) {
    case Kind::kAllReduce:
      all_reduce(ranks, rank);
      break;
    case Kind::kReduce:
      reduce(ranks, rank);
      break;
    case Kind::kReduceScatter:
      return reduce_scatter(ranks, rank);
    case Kind::kBroadcast:
      copy(mine.receive, ranks[mine.root]->send, mine.count * size_of(mine.dtype));
      break;
    case Kind::kAllGather:
      all_gather(ranks, rank);
      break;
    case Kind::kScatter: {
      const uint64_t bytes = mine.count * size_of(mine.dtype);
      copy(mine.receive, bytes_at(ranks[mine.root]->send, rank * bytes), bytes);
      break;
    }
    case Kind::kAlltoAll:
      all_to_all(ranks, rank);
      break;
    case Kind::kAlltoAllV:
      all_to_all_v(ranks, rank);
      break;
    case Kind::kBarrier:
    case Kind::kTransfers:
      break;
  }
  return {};
}

}  // namespace aclgrad::hccl
