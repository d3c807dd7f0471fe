// SPDX-License-Identifier: Apache-2.0
// aclnnDiag.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "aclnnop/aclnn_diag.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/iterate.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::diag {
namespace {

enum : size_t { kSelf, kDiagonal, kOut };

// Rows above the diagonal's first element, and columns before it.
struct Start {
  int64_t row, column;
};
Start start_of(int64_t diagonal) {
  const int64_t above = std::max<int64_t>(diagonal, 0);
  const int64_t below = diagonal >= 0 ? 0 : diagonal == INT64_MIN ? INT64_MAX : -diagonal;
  return {below, above};
}

Dims out_shape(const Arguments& arguments) {
  const Dims& self = arguments.shape(kSelf);
  const Start start = start_of(arguments.integer(kDiagonal));
  if (self.size() == 1) {
    const int64_t rows = saturating_sum(self[0], start.row + start.column);
    return {rows, rows};
  }
  return {std::max<int64_t>(0, std::min(self[0] - start.row, self[1] - start.column))};
}

std::string for_diagonal(const Arguments& arguments) {
  return fmt::format(" for {} {}", arguments.name(kDiagonal), arguments.integer(kDiagonal));
}

const OperatorSpec kSpec{
    "aclnnDiag",
    {input("self"), attribute("diagonal"), output("out")},
    Rules{not_null({kSelf, kOut}), dtype_in(kSelf, kAllDtypes), same_dtype(kOut, kSelf),
          min_rank(kSelf, 1), max_rank(kSelf, 2), has_shape_of(kOut, out_shape, for_diagonal)}};

struct Steps {
  int64_t row, column;
};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const aclDataType dtype = arguments.dtype(kSelf);
  const size_t size = element_size(dtype);
  const Start start = start_of(arguments.integer(kDiagonal));
  const Dims& from = arguments.strides(kSelf);
  const Dims& to = arguments.strides(kOut);
  if (arguments.shape(kSelf).size() == 2) {
    return {[=, count = arguments.shape(kOut)[0], step = to[0],
             in = Steps{from[0], from[1]}](const Run& run) -> aclError {
      const void* const self = run.data(kSelf);
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(element(run.data(kOut), dtype, i * step),
                    element(self, dtype, (start.row + i) * in.row + (start.column + i) * in.column),
                    size);
      }
      return ACL_SUCCESS;
    }};
  }
  return {[=, rows = arguments.shape(kOut)[0], step = from[0],
           out = Steps{to[0], to[1]}](const Run& run) -> aclError {
    constexpr int64_t kGrain = 1 << 15;  // elements that a thread takes at a time
    const void* const self = run.data(kSelf);
    parallel_pieces(rows, std::max<int64_t>(1, kGrain / rows), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        void* const row = element(run.data(kOut), dtype, i * out.row);
        if (out.column == 1) {
          std::memset(row, 0, static_cast<size_t>(rows) * size);
        } else {
          for (int64_t k = 0; k < rows; ++k) {
            std::memset(element(row, dtype, k * out.column), 0, size);
          }
        }
        const int64_t number = i - start.row, column = number + start.column;
        if (number < 0 || column >= rows) continue;
        std::memcpy(element(row, dtype, column * out.column), element(self, dtype, number * step),
                    size);
      }
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace

ACLGRAD_OPERATOR(aclnnDiag, kSpec, plan)

}  // namespace aclgrad::ops::diag
