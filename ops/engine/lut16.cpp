// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/lut16.h"

#include <new>

namespace aclgrad::ops {

const Lut16Values* Lut16::get(size_t elements, FunctionRef<void(Lut16Values& values)> fill) {
  if (const Lut16Values* values = values_.load(std::memory_order_acquire)) return values;
  if (asked_.fetch_add(elements, std::memory_order_relaxed) + elements < Lut16Values::kEntries)
    return nullptr;
  return make(fill);
}

const Lut16Values* Lut16::make(FunctionRef<void(Lut16Values& values)> fill) {
  if (is_being_made_.test_and_set(std::memory_order_acquire)) {
    return values_.load(std::memory_order_acquire);
  }
  auto* const values = new (std::nothrow) Lut16Values;
  if (values == nullptr) {  // another time, perhaps
    is_being_made_.clear(std::memory_order_release);
    return nullptr;
  }
  fill(*values);
  values_.store(values, std::memory_order_release);
  return values;
}

}  // namespace aclgrad::ops
