// SPDX-License-Identifier: Apache-2.0
// Where blocks lie in one piece of memory, so that no two that live at the same time overlap and
// the whole is small. To find the smallest is NP-hard; several cheap ways are tried and the best is
// taken, and for small programs an improving search as well. Where there is room under the largest
// sum of blocks, memory rests for a few positions before it is used again.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "session/program.h"

namespace aclgrad::detail {
namespace {

using Order = std::vector<std::int32_t>;
using Offsets = std::vector<std::size_t>;  // by block

std::size_t top_of(const std::vector<ArenaBlock>& blocks, const Offsets& offsets) {
  std::size_t top = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) top = std::max(top, offsets[i] + blocks[i].bytes);
  return top;
}

// The holes in an arena that grows at its end.
class Holes {
 public:
  // The lowest byte of a hole in which `bytes` fit: of the smallest such hole, or else at the end.
  std::size_t take(std::size_t bytes) {
    const auto found = by_size_.lower_bound({bytes, 0});
    if (found != by_size_.end()) {
      const auto [size, offset] = *found;
      remove(offset, size);
      if (size > bytes) add(offset + bytes, size - bytes);
      return offset;
    }
    std::size_t offset = end_;
    if (!by_offset_.empty()) {  // a hole at the end grows
      const auto [last, size] = *by_offset_.rbegin();
      if (last + size == end_) {
        remove(last, size);
        offset = last;
      }
    }
    end_ = offset + bytes;
    return offset;
  }

  void give_back(std::size_t offset, std::size_t bytes) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && offset + bytes == next->first) {
      const std::size_t size = next->second;
      const std::size_t start = next->first;
      ++next;
      remove(start, size);
      bytes += size;
    }
    if (next != by_offset_.begin()) {
      const auto [start, size] = *std::prev(next);
      if (start + size == offset) {
        remove(start, size);
        offset = start;
        bytes += size;
      }
    }
    add(offset, bytes);
  }

 private:
  void add(std::size_t offset, std::size_t size) {
    by_offset_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }
  void remove(std::size_t offset, std::size_t size) {
    by_offset_.erase(offset);
    by_size_.erase({size, offset});
  }

  std::map<std::size_t, std::size_t> by_offset_;  // to the size
  std::set<std::pair<std::size_t, std::size_t>> by_size_;
  std::size_t end_ = 0;
};

// Walks through time, forward or backward, giving each block the best hole when its life begins.
// Blocks that begin together are placed the largest, or the longest-lived, first.
Offsets place_in_time(const std::vector<ArenaBlock>& blocks, bool backward, bool longest_first) {
  auto begin = [&](const ArenaBlock& block) { return backward ? -block.last : block.first; };
  auto end = [&](const ArenaBlock& block) { return backward ? -block.first : block.last; };
  Order births(blocks.size());
  std::iota(births.begin(), births.end(), 0);
  Order deaths = births;
  std::sort(births.begin(), births.end(), [&](std::int32_t a, std::int32_t b) {
    const ArenaBlock& x = blocks[at(a)];
    const ArenaBlock& y = blocks[at(b)];
    const auto length_x = longest_first ? x.last - x.first : 0;
    const auto length_y = longest_first ? y.last - y.first : 0;
    return std::tuple(begin(x), -length_x, y.bytes, a) <
           std::tuple(begin(y), -length_y, x.bytes, b);
  });
  std::sort(deaths.begin(), deaths.end(), [&](std::int32_t a, std::int32_t b) {
    return std::tuple(end(blocks[at(a)]), a) < std::tuple(end(blocks[at(b)]), b);
  });
  Offsets offsets(blocks.size(), 0);
  Holes holes;
  auto dying = deaths.begin();
  for (const std::int32_t index : births) {
    const ArenaBlock& block = blocks[at(index)];
    for (; end(blocks[at(*dying)]) < begin(block); ++dying) {
      if (blocks[at(*dying)].bytes > 0) {
        holes.give_back(offsets[at(*dying)], blocks[at(*dying)].bytes);
      }
    }
    if (block.bytes > 0) offsets[at(index)] = holes.take(block.bytes);
  }
  return offsets;
}

// Places blocks in a given order, each as low as those placed before it allow. Quadratic.
Offsets place_in_order(const std::vector<ArenaBlock>& blocks, const Order& order) {
  Offsets offsets(blocks.size(), 0);
  Order placed;  // by offset
  for (const std::int32_t index : order) {
    const ArenaBlock& block = blocks[at(index)];
    std::size_t offset = 0;
    for (const std::int32_t other : placed) {
      const ArenaBlock& neighbour = blocks[at(other)];
      if (neighbour.last < block.first || block.last < neighbour.first) continue;
      if (offset + block.bytes <= offsets[at(other)]) break;
      offset = std::max(offset, offsets[at(other)] + neighbour.bytes);
    }
    offsets[at(index)] = offset;
    const auto position =
        std::upper_bound(placed.begin(), placed.end(), offset,
                         [&](std::size_t value, std::int32_t b) { return value < offsets[at(b)]; });
    placed.insert(position, index);
  }
  return offsets;
}

void move_forward(Order& order, std::size_t from, std::size_t to) {
  const std::int32_t moved = order[from];
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), moved);
}

class Search {
 public:
  // Places the arena's blocks as if they were `blocks`, which live at least as long, where that
  // needs less memory than what the arena has found so far.
  Search(const std::vector<ArenaBlock>& blocks, Arena& arena) : blocks_(blocks), arena_(arena) {}

  // Walks through time in several ways, until one is good enough.
  bool succeeds_in_time() {
    for (const bool longest_first : {false, true}) {
      for (const bool backward : {true, false}) {
        offer(place_in_time(blocks_, backward, longest_first));
        if (good_enough()) return true;
      }
    }
    return false;
  }

  // Places in order of size, and of size times life; then again and again, with a block that
  // sticks out at the top moved forward in the order, or two exchanged, as long as that does no
  // harm. A bounded number of times.
  void improve() {
    constexpr std::size_t kWork = 40'000'000;  // comparisons: a fraction of a second
    constexpr std::size_t kRounds = 4'000;
    const std::size_t round = blocks_.size() * blocks_.size() / 2 + 1;
    const std::size_t rounds = std::min(kWork / round, kRounds);
    if (rounds == 0) return;
    Order by_size(blocks_.size());
    std::iota(by_size.begin(), by_size.end(), 0);
    Order by_area = by_size;
    std::stable_sort(by_size.begin(), by_size.end(), [&](std::int32_t a, std::int32_t b) {
      return blocks_[at(a)].bytes > blocks_[at(b)].bytes;
    });
    std::stable_sort(by_area.begin(), by_area.end(),
                     [&](std::int32_t a, std::int32_t b) { return area(a) > area(b); });
    for (Order* order : {&by_size, &by_area}) climb(std::move(*order), rounds / 2);
  }

 private:
  void offer(const Offsets& offsets) {
    const std::size_t top = top_of(blocks_, offsets);
    if (top >= arena_.bytes) return;
    arena_.bytes = top;
    for (std::size_t i = 0; i < offsets.size(); ++i) arena_.blocks[i].offset = offsets[i];
  }

  bool good_enough() const { return arena_.bytes <= arena_.lower_bound + arena_.lower_bound / 50; }

  void climb(Order order, std::size_t rounds) {
    Offsets offsets = place_in_order(blocks_, order);
    std::size_t top = top_of(blocks_, offsets);
    offer(offsets);
    for (; rounds > 0 && !good_enough(); --rounds) {
      Order changed = order;
      if (rounds % 2 == 0) {
        std::vector<std::size_t> highest;  // positions in the order
        for (std::size_t i = 0; i < order.size(); ++i) {
          const std::size_t index = at(order[i]);
          if (offsets[index] + blocks_[index].bytes == top) highest.push_back(i);
        }
        const std::size_t from = highest[draw(highest.size())];
        move_forward(changed, from, draw(from + 1));
      } else {
        std::swap(changed[draw(changed.size())], changed[draw(changed.size())]);
      }
      Offsets attempt = place_in_order(blocks_, changed);
      const std::size_t reached = top_of(blocks_, attempt);
      if (reached > top) continue;
      top = reached;
      order = std::move(changed);
      offsets = std::move(attempt);
      offer(offsets);
    }
  }

  // The same numbers in every process, so that the same plan lies in the same places.
  std::size_t draw(std::size_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state_ >> 33) % bound;
  }

  double area(std::int32_t index) const {
    const ArenaBlock& block = blocks_[at(index)];
    return static_cast<double>(block.bytes) * (block.last - block.first + 1);
  }

  const std::vector<ArenaBlock>& blocks_;
  Arena& arena_;
  std::uint64_t state_ = 1;
};

// Lets memory rest after its last use where that leaves the largest sum as it is. A runtime that
// changes the order of tasks may then let others overtake the last one that needs it, or overlap
// with it, and make what would have overwritten it.
std::vector<ArenaBlock> with_rest(std::vector<ArenaBlock> blocks, std::vector<std::size_t> live,
                                  std::size_t bound) {
  constexpr std::int32_t kRest = 8;                         // positions
  constexpr std::size_t kLargest = std::size_t{256} << 10;  // bytes; what is larger stays in place
  const auto end = static_cast<std::int32_t>(live.size()) - 2;
  for (ArenaBlock& block : blocks) {
    if (block.bytes > kLargest) continue;
    const std::int32_t last = std::min(block.last + kRest, end - 1);
    while (block.last < last && live[at(block.last) + 2] + block.bytes <= bound) {
      ++block.last;
      live[at(block.last) + 1] += block.bytes;
    }
  }
  return blocks;
}

}  // namespace

std::vector<std::size_t> live_bytes(const std::vector<ArenaBlock>& blocks, std::int32_t end) {
  std::vector<std::size_t> born(at(end) + 2, 0);
  std::vector<std::size_t> died(at(end) + 3, 0);
  for (const ArenaBlock& block : blocks) {
    born[at(block.first + 1)] += block.bytes;
    died[at(block.last + 2)] += block.bytes;
  }
  std::size_t live = 0;
  for (std::size_t i = 0; i < born.size(); ++i) born[i] = live = live + born[i] - died[i];
  return born;
}

void place_blocks(Arena& arena, std::int32_t end) {
  std::vector<std::size_t> live = live_bytes(arena.blocks, end);
  arena.lower_bound = *std::ranges::max_element(live);
  arena.bytes = SIZE_MAX;
  const std::vector<ArenaBlock> resting =
      with_rest(arena.blocks, std::move(live), arena.lower_bound);
  if (Search(resting, arena).succeeds_in_time()) return;
  Search search(arena.blocks, arena);
  if (!search.succeeds_in_time()) search.improve();
}

}  // namespace aclgrad::detail
