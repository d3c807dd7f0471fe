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

size_t Staging::input(const Arguments& arguments, size_t parameter, bool round_to_float16) {
  const aclDataType dtype = arguments.dtype(parameter);
  StridedIndex index(arguments.shape(parameter), arguments.strides(parameter));
  StridedIndex line({index.count()}, {1});
  const bool rounds = round_to_float16 && dtype == ACL_FLOAT;
  const bool is_direct = dtype == compute_ && index.dense() && !rounds;
  const auto bytes = static_cast<uint64_t>(
      saturating_product({index.count(), static_cast<int64_t>(element_size(compute_))}));
  return add({parameter, dtype, std::move(index), std::move(line), false, is_direct, false, rounds},
             bytes);
}

size_t Staging::output(const Arguments& arguments, size_t parameter) {
  const size_t array = input(arguments, parameter);
  arrays_[array].is_output = true;
  return array;
}

size_t Staging::scratch(int64_t elements, aclDataType dtype) {
  const auto bytes = static_cast<uint64_t>(
      saturating_product({elements, static_cast<int64_t>(element_size(dtype))}));
  return add({0, dtype, {}, {}, false, false, true, false}, bytes);
}

void* Staging::address(const Run& run, const Array& array) const {
  if (array.is_direct) return run.data(array.parameter);
  const auto base = reinterpret_cast<uintptr_t>(run.workspace());
  const auto first = (base + kAlignment - 1) / kAlignment * kAlignment - base;
  return static_cast<unsigned char*>(run.workspace()) + first + array.offset;
}

void Staging::load(const Run& run) const {
  for (const Array& array : arrays_) {
    if (array.is_output || array.is_direct || array.is_scratch) continue;
    void* const to = address(run, array);
    const int64_t count = array.index.count();
    const aclDataType through = array.rounds_to_float16 ? ACL_FLOAT16 : array.dtype;
    parallel_pieces(count, kGrain, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock];
      array.index.for_runs(begin, end, [&](int64_t offset, int64_t stride, int64_t n) {
        while (n > 0) {
          const auto part = std::min(n, static_cast<int64_t>(kBlock));
          load_through(element(run.data(array.parameter), array.dtype, offset), array.dtype,
                       through, stride, block, static_cast<size_t>(part));
          ops::store(block, element(to, compute_, begin), compute_, 1, static_cast<size_t>(part));
          begin += part;
          offset += part * stride;
          n -= part;
        }
      });
    });
  }
}

void Staging::store(const Run& run) const {
  for (const Array& array : arrays_) {
    if (!array.is_output || array.is_direct) continue;
    const int64_t count = array.index.count();
    const CastSource source{address(run, array), compute_, array.dense};
    const CastTarget target{run.data(array.parameter), array.dtype, array.index};
    parallel_pieces(count, kGrain,
                    [&](int64_t begin, int64_t end) { cast_elements(source, target, begin, end); });
  }
}

}  // namespace aclgrad::ops
