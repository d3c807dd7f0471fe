// SPDX-License-Identifier: Apache-2.0
// Tables of a function of one 16-bit element: as there are only 65,536 of them, its values can be
// looked up.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "acl/acl_base.h"
#include "ops/engine/function_ref.h"

namespace aclgrad::ops {

// The values of a function by the patterns of its argument.
struct Lut16Values {
  static constexpr size_t kEntries = 65536;

  alignas(64) float fast[kEntries];    // for formulas in float
  alignas(64) double exact[kEntries];  // the exact kernel's result
};

// One table of 768 KiB. It is made when it has been asked for often enough to pay, and then stays
// until the process ends, as threads may work until then.
class Lut16 {
 public:
  // The values, or null: before as many elements as there are entries were asked for, while another
  // thread makes the table, and where there is no memory for it. `fill` writes all entries.
  const Lut16Values* get(size_t elements, FunctionRef<void(Lut16Values& values)> fill);

 private:
  const Lut16Values* make(FunctionRef<void(Lut16Values& values)> fill);

  std::atomic<const Lut16Values*> values_{nullptr};
  std::atomic<size_t> asked_{0};
  std::atomic_flag is_being_made_;
};

// The tables of a function for both formats.
struct Lut16s {
  Lut16 float16;
  Lut16 bfloat16;

  Lut16& of(aclDataType dtype) { return dtype == ACL_FLOAT16 ? float16 : bfloat16; }
};

// Tables for each of the first few keys that are seen: enough for the parameters that a model has.
// Key needs == and must be cheap to copy.
template <class Key, class Tables, size_t kKeys = 8>
class TablesByKey {
 public:
  // Null for further keys, and while another thread inserts this key.
  Tables* find(const Key& key) {
    for (Slot& slot : slots_) {
      State state = slot.state.load(std::memory_order_acquire);
      if (state == State::kFree &&
          slot.state.compare_exchange_strong(state, State::kClaimed, std::memory_order_acq_rel)) {
        slot.key = key;
        slot.state.store(State::kReady, std::memory_order_release);
        return &slot.tables;
      }
      if (state == State::kReady && slot.key == key) return &slot.tables;
    }
    return nullptr;
  }

 private:
  enum class State { kFree, kClaimed, kReady };
  struct Slot {
    std::atomic<State> state{State::kFree};
    Key key{};
    Tables tables;
  };

  std::array<Slot, kKeys> slots_{};
};

}  // namespace aclgrad::ops
