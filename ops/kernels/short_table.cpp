// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/short_table.h"

#include <new>

namespace aclgrad::ops {

const ShortValues* ShortTable::get(size_t elements, FunctionRef<void(ShortValues& values)> fill) {
  if (const ShortValues* values = values_.load(std::memory_order_acquire)) return values;
  if (asked_.fetch_add(elements, std::memory_order_relaxed) + elements < ShortValues::kEntries)
    return nullptr;
  return make(fill);
}

const ShortValues* ShortTable::make(FunctionRef<void(ShortValues& values)> fill) {
  if (is_being_made_.test_and_set(std::memory_order_acquire)) {
    return values_.load(std::memory_order_acquire);
  }
  auto* const values = new (std::nothrow) ShortValues;
  if (values == nullptr) {  // another time, perhaps
    is_being_made_.clear(std::memory_order_release);
    return nullptr;
  }
  fill(*values);
  values_.store(values, std::memory_order_release);
  return values;
}

}  // namespace aclgrad::ops
