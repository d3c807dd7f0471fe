// SPDX-License-Identifier: Apache-2.0
#include "ops/shape/triangle_kernel.h"

#include <algorithm>
#include <cstring>

#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/iterate.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 15;

void clear(void* row, aclDataType dtype, int64_t step, int64_t begin, int64_t end) {
  const size_t size = element_size(dtype);
  if (begin >= end) return;
  if (step == 1) {
    std::memset(element(row, dtype, begin), 0, static_cast<size_t>(end - begin) * size);
    return;
  }
  for (int64_t i = begin; i < end; ++i) std::memset(element(row, dtype, i * step), 0, size);
}

}  // namespace

Plan plan_triangle(const Arguments& arguments, size_t self, size_t out, Triangle triangle,
                   int64_t diagonal) {
  if (arguments.empty(self)) return {};
  const Dims& shape = arguments.shape(out);
  const int64_t columns = shape[shape.size() - 1];
  const int64_t rows = shape[shape.size() - 2];
  // Beyond these every element is kept, or none.
  const int64_t shift = std::clamp(diagonal, -rows, columns);
  const DimSet in_row = dimensions(shape.size() - 1, 1);
  const auto from = std::make_shared<const Slices>(arguments, self, in_row);
  const auto to = std::make_shared<const Slices>(arguments, out, in_row);
  return {[=](const Run& run) -> aclError {
    parallel_pieces(to->starts.count(), std::max<int64_t>(1, kGrain / columns),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) {
                        const int64_t middle = i % rows + shift;
                        const bool lower = triangle == Triangle::kLower;
                        const int64_t first = lower ? 0 : std::clamp<int64_t>(middle, 0, columns);
                        const int64_t last =
                            lower ? std::clamp<int64_t>(middle + 1, 0, columns) : columns;
                        const void* const source = from->at(run, from->starts.offset(i));
                        void* const target = to->at(run, to->starts.offset(i));
                        if (source != target && first < last) {
                          cast_elements({source, from->dtype, from->index},
                                        {target, to->dtype, to->index}, first, last);
                        }
                        clear(target, to->dtype, to->index.inner_stride(), 0, first);
                        clear(target, to->dtype, to->index.inner_stride(), last, columns);
                      }
                    });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
