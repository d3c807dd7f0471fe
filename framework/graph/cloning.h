// SPDX-License-Identifier: Apache-2.0
// What handles refer to while a module is cloned (clone() of module.h).
#pragma once

#include <memory>
#include <unordered_map>

namespace aclgrad::detail {

/// What was copied so far, by the address of the original, and of the copy, which is its own.
using Clones = std::unordered_map<const void*, std::shared_ptr<void>>;

/// Those of this thread; null while it clones nothing.
Clones*& clones_of_thread() noexcept;

/// What a new handle refers to: the same, or while something is cloned, the copy that `make` makes
/// once.
template <class T, class Make>
std::shared_ptr<T> cloned_or_same(const std::shared_ptr<T>& original, const Make& make) {
  Clones* const clones = clones_of_thread();
  if (clones == nullptr || original == nullptr) return original;
  if (const auto found = clones->find(original.get()); found != clones->end()) {
    return std::static_pointer_cast<T>(found->second);
  }
  const std::shared_ptr<T> copy = make(original);
  clones->emplace(original.get(), copy);
  clones->emplace(copy.get(), copy);
  return copy;
}

}  // namespace aclgrad::detail
