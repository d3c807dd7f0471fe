// SPDX-License-Identifier: Apache-2.0
// A queue that keeps its memory: once it has been as long as it gets, pushing and popping allocate
// nothing, so that a program in its steady state does not either. An Item that was moved from holds
// nothing that would have to go.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace aclgrad::runtime {

template <class Item>
class RingQueue {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  const Item& front() const { return items_[first_]; }

  // When it throws, the item is still the caller's.
  void push_back(Item&& item) {
    if (size_ == items_.size()) grow();
    items_[place(size_)] = std::move(item);
    ++size_;
  }

  Item pop_front() {
    Item item = std::move(items_[first_]);
    first_ = place(1);
    --size_;
    return item;
  }

 private:
  // The place of the item with this distance from the first; sizes are powers of two.
  size_t place(size_t distance) const { return (first_ + distance) & (items_.size() - 1); }

  void grow() {
    std::vector<Item> larger(items_.empty() ? kFirstSize : 2 * items_.size());
    for (size_t i = 0; i < size_; ++i) {
      larger[i] = std::move(items_[place(i)]);
    }
    items_.swap(larger);
    first_ = 0;
  }

  static constexpr size_t kFirstSize = 8;

  std::vector<Item> items_;
  size_t first_ = 0;
  size_t size_ = 0;
};

}  // namespace aclgrad::runtime
