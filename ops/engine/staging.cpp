// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/staging.h"

#include <algorithm>
#include <limits>

#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/formats.h"

namespace aclgrad::ops {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr int64_t kGrain = 1 << 14;

}  // namespace

size_t Staging::add(Array array, uint64_t bytes) {
  if (!array.is_direct) {
    // Room to align what comes first.
    if (workspace_size_ == 0) workspace_size_ = kAlignment;
    array.offset = workspace_size_ - kAlignment;
    const uint64_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (__builtin_add_overflow(workspace_size_, whole, &workspace_size_)) {
      workspace_size_ = std::numeric_limits<uint64_t>::max();  // more than any machine has
    }
  }
  arrays_.push_back(std::move(array));
  return arrays_.size() - 1;
}

size_t Staging::input(Elements of, bool round_to_float16) {
  Array array{.tensor = std::move(of)};
  const Elements& tensor = array.tensor;
  array.rounds_to_float16 = round_to_float16 && tensor.dtype == ACL_FLOAT;
  array.is_direct = tensor.dtype == compute_ && tensor.index.dense() && !array.rounds_to_float16;
  const int64_t bytes =
      saturating_product({tensor.index.count(), static_cast<int64_t>(element_size(compute_))});
  return add(std::move(array), static_cast<uint64_t>(bytes));
}

size_t Staging::output(Elements tensor) {
  const size_t array = input(std::move(tensor));
  arrays_[array].is_output = true;
  return array;
}

size_t Staging::scratch(int64_t elements, aclDataType dtype) {
  const auto bytes = static_cast<uint64_t>(
      saturating_product({elements, static_cast<int64_t>(element_size(dtype))}));
  return add({.is_scratch = true}, bytes);
}

void* Staging::address(const Run& run, const Array& array) const {
  if (array.is_direct) return run.data(array.tensor.parameter);
  const auto base = reinterpret_cast<uintptr_t>(run.workspace());
  const auto first = (base + kAlignment - 1) / kAlignment * kAlignment - base;
  return static_cast<unsigned char*>(run.workspace()) + first + array.offset;
}

void Staging::load(const Run& run) const {
  for (const Array& array : arrays_) {
    if (array.is_output || array.is_direct || array.is_scratch) continue;
    const Elements& tensor = array.tensor;
    void* const to = address(run, array);
    if (!array.rounds_to_float16) {
      const StridedIndex dense({tensor.index.count()}, {1});
      const CastSource source{tensor.at(run, 0), tensor.dtype, tensor.index};
      const CastTarget target{to, compute_, dense};
      parallel_pieces(tensor.index.count(), kGrain, [&](int64_t begin, int64_t end) {
        cast_elements(source, target, begin, end);
      });
      continue;
    }
    parallel_pieces(tensor.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock];
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        tensor.read_through(run, first, stop, block, ACL_FLOAT16);
        ops::store(block, element(to, compute_, first), compute_, 1,
                   static_cast<size_t>(stop - first));
      });
    });
  }
}

void Staging::store(const Run& run) const {
  for (const Array& array : arrays_) {
    if (!array.is_output || array.is_direct) continue;
    const Elements& tensor = array.tensor;
    const StridedIndex dense({tensor.index.count()}, {1});
    const CastSource source{address(run, array), compute_, dense};
    const CastTarget target{tensor.at(run, 0), tensor.dtype, tensor.index};
    parallel_pieces(tensor.index.count(), kGrain,
                    [&](int64_t begin, int64_t end) { cast_elements(source, target, begin, end); });
  }
}

}  // namespace aclgrad::ops
