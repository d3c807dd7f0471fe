// SPDX-License-Identifier: Apache-2.0
#include "ops/shape/triangle_kernel.h"

#include <algorithm>
#include <cstring>

#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/strided.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 15;

// The rows of all matrices of a tensor.
struct Rows {
  size_t parameter;
  aclDataType dtype;
  StridedIndex starts;
  int64_t step;
  StridedIndex row;

  Rows(const Arguments& arguments, size_t tensor)
      : parameter(tensor), dtype(arguments.dtype(tensor)) {
    const Dims& shape = arguments.shape(tensor);
    const Dims& strides = arguments.strides(tensor);
    const size_t last = shape.size() - 1;
    starts = StridedIndex(Dims(shape.data(), last), Dims(strides.data(), last));
    step = strides[last];
    row = StridedIndex({shape[last]}, {step});
  }
  void* at(const Run& run, int64_t index) const {
    return element(run.data(parameter), dtype, starts.offset(index));
  }
};

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
  struct State {
    Rows from;
    Rows to;
  };
  auto state = std::make_shared<const State>(State{Rows(arguments, self), Rows(arguments, out)});
  return {[=](const Run& run) -> aclError {
    const auto& [from, to] = *state;
    parallel_pieces(
        to.starts.count(), std::max<int64_t>(1, kGrain / columns), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t middle = i % rows + shift;
            const bool lower = triangle == Triangle::kLower;
            const int64_t first = lower ? 0 : std::clamp<int64_t>(middle, 0, columns);
            const int64_t last = lower ? std::clamp<int64_t>(middle + 1, 0, columns) : columns;
            const void* const source = from.at(run, i);
            void* const target = to.at(run, i);
            if (source != target && first < last) {
              cast_elements({source, from.dtype, from.row}, {target, to.dtype, to.row}, first,
                            last);
            }
            clear(target, to.dtype, to.step, 0, first);
            clear(target, to.dtype, to.step, last, columns);
          }
        });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
